/// The points of a source, and the signals that drive them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kspace/input_file.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

/// A list of grid points (datasets p_source_index, u_source_index). Each rank keeps its own.
class SourcePoints {
public:
  SourcePoints() = default;
  /// Throws InputError. Collective.
  SourcePoints(const InputFile &file, const std::string &dataset, const LocalGrid &local);

  /// Entries of the whole list.
  std::size_t total() const { return total_; }
  /// Of this rank's points: offsets in a field, and their places in the list.
  const std::vector<std::ptrdiff_t> &offsets() const { return offsets_; }
  const std::vector<std::size_t> &places() const { return places_; }

private:
  std::size_t total_ = 0;
  std::vector<std::ptrdiff_t> offsets_;
  std::vector<std::size_t> places_;
};

/// Values over time: one signal for all points, or one for each of this rank's points.
class Signals {
public:
  Signals() = default;
  /// \param steps time samples; 0: the dataset is not read, the signal is empty
  /// Throws InputError. Collective.
  Signals(const InputFile &file, const std::string &dataset, std::int64_t steps, bool many,
          const SourcePoints &points);

  bool active(std::int64_t step) const { return step < steps_; }
  /// Of this rank's point i.
  Real operator()(std::int64_t step, std::size_t i) const {
    return values_[static_cast<std::size_t>(step) * own_ + (many_ ? i : 0)];
  }

private:
  std::int64_t steps_ = 0;
  bool many_ = false;
  std::size_t own_ = 1;      ///< values of a step
  std::vector<Real> values_; ///< [step][own point], or [step]
};

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
