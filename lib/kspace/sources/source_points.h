/// The points of a source, and the signals that drive them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kspace/base/exec_array.h"
#include "kspace/files/input_file.h"

namespace hybridfft::kspace {

/// A list of grid points (datasets p_source_index, u_source_index), any of them more than once.
/// Each rank keeps its own entries: those of one point one after another, in the order of the list.
template <class Real> class SourcePoints {
public:
  SourcePoints() = default;
  /// Throws InputError. Collective.
  SourcePoints(const InputFile<Real> &file, const std::string &dataset, const LocalGrid &local);

  /// See ExecArray.
  void move_to(const Exec &exec);
  /// Bytes of memory that move_to() takes.
  std::size_t bytes() const { return offsets_.bytes() + first_.bytes(); }

  /// Entries of the whole list.
  std::size_t total() const { return total_; }
  /// Places of this rank's entries in the list.
  const std::vector<std::size_t> &places() const { return places_; }
  /// Number of this rank's points, each counted once.
  std::ptrdiff_t count() const { return static_cast<std::ptrdiff_t>(offsets_.size()); }
  /// Offsets of this rank's points in a field, and the number of the first entry of each point and
  /// of one more. In the memory of exec, see move_to().
  const std::ptrdiff_t *offsets() const { return offsets_.data(); }
  const std::ptrdiff_t *first() const { return first_.data(); }

private:
  std::size_t total_ = 0;
  std::vector<std::size_t> places_;
  ExecArray<std::ptrdiff_t> offsets_, first_;
};

/// Values over time: one signal for all points, or one for each of this rank's entries.
template <class Real> class Signals {
public:
  Signals() = default;
  /// \param steps time samples; 0: the dataset is not read, the signal is empty
  /// Throws InputError. Collective.
  Signals(const InputFile<Real> &file, const std::string &dataset, std::int64_t steps, bool many,
          const SourcePoints<Real> &points);

  /// See ExecArray.
  void move_to(const Exec &exec) { values_.move_to(exec); }
  std::size_t bytes() const { return values_.bytes(); }

  /// True if there are values for a time step.
  bool active(std::int64_t step) const { return step < steps_; }
  /// The values of a step, in the memory of exec: one for all of this rank's entries, or one for
  /// each.
  const Real *at(std::int64_t step) const {
    return values_.data() + static_cast<std::size_t>(step) * own_;
  }
  bool many() const { return many_; }

private:
  std::int64_t steps_ = 0;
  bool many_ = false;
  std::size_t own_ = 1;    ///< values of a step
  ExecArray<Real> values_; ///< [step][own entry], or [step]
};

} // namespace hybridfft::kspace
