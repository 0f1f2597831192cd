/// Sources of a simulation: the points that they drive and their signals over time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "solvers/kspace/base/exec.h"
#include "solvers/kspace/base/field.h"
#include "solvers/kspace/base/parameters.h"
#include "solvers/kspace/files/input_file.h"
#include "solvers/kspace/operators/derivative.h"

namespace hybridfft::kspace {

/// The points of a source (dataset p_source_index or u_source_index), possibly repeated. Each rank
/// stores the entries at its own points. Entries at the same point are contiguous, in the order of
/// the list.
class SourcePoints {
public:
  SourcePoints() = default;
  /// Reads the list. Collective. Throws InputError.
  SourcePoints(const InputFile &file, const std::string &dataset, const LocalGrid &local);

  /// See ExecArray.
  void move_to(const Exec &exec) {
    offsets_.move_to(exec);
    first_.move_to(exec);
  }
  /// Bytes allocated by move_to().
  std::size_t bytes() const { return offsets_.bytes() + first_.bytes(); }

  /// Number of entries of the whole list on all ranks.
  std::size_t total() const { return total_; }
  /// Positions in the list of this rank's entries.
  const std::vector<std::size_t> &places() const { return places_; }
  /// Number of distinct points of this rank.
  std::ptrdiff_t count() const { return static_cast<std::ptrdiff_t>(offsets_.size()); }
  /// offsets() has the offset in a field of each point of this rank; first() has the number of the
  /// first entry at each point, followed by the number of all entries. Both are in host memory or,
  /// after move_to(), on the device.
  const std::ptrdiff_t *offsets() const { return offsets_.data(); }
  const std::ptrdiff_t *first() const { return first_.data(); }

private:
  std::size_t total_ = 0;
  std::vector<std::size_t> places_;
  ExecArray<std::ptrdiff_t> offsets_, first_;
};

/// Signals over time: one shared by all points, or one for each entry on this rank.
template <class Real> class Signals {
public:
  Signals() = default;
  /// Reads the signals. Collective. Throws InputError.
  /// \param steps number of time samples; 0: the dataset is not read
  Signals(const InputFile &file, const std::string &dataset, std::int64_t steps, bool many,
          const SourcePoints &points);

  /// See ExecArray.
  void move_to(const Exec &exec) { values_.move_to(exec); }
  std::size_t bytes() const { return values_.bytes(); }

  /// True if the signal has values for a time step.
  bool active(std::int64_t step) const { return step < steps_; }
  /// Returns the values of a step, in the memory of exec: one value, or one for each entry on this
  /// rank.
  const Real *at(std::int64_t step) const {
    return values_.data() + static_cast<std::size_t>(step) * own_;
  }
  bool many() const { return many_; }

private:
  std::int64_t steps_ = 0;
  bool many_ = false;
  std::size_t own_ = 1;    ///< number of values per step
  ExecArray<Real> values_; ///< [step][own entry], or [step]
};

/// The sources of an input file. Amplitudes are scaled to the driven fields: density (kg/m^3) of
/// each component, or velocity (m/s). If a point has several entries, the last one's value is used
/// (dirichlet, corrected) or all are added (additive).
template <class Real> class Sources {
public:
  /// Reads the p_source_*, u*_source_* and transducer datasets that the parameters announce.
  /// Collective. Throws InputError.
  Sources(const InputFile &file, const Parameters &parameters, const LocalGrid &local,
          grid::Host host);

  /// Moves the data to the device of exec, if it has one. The device then applies the sources.
  /// Throws hybridfft::Error.
  void move_to(const Exec &exec);
  /// Bytes allocated by move_to().
  std::size_t bytes() const;

  /// True if a source has values for time step n.
  bool drive_velocity_at(std::int64_t n) const {
    return n < transducer_steps_ ||
           std::any_of(u_signals_.begin(), u_signals_.end(),
                       [n](const Signals<Real> &s) { return s.active(n); });
  }
  bool drive_density_at(std::int64_t n) const { return p_signals_.active(n); }

  /// Apply the source values of time step n, if there are any. Sources with the k-space correction
  /// overwrite the pressure of the state. Collective.
  void drive_velocity(std::int64_t n, State<Real> &state, Derivative<Real> &derivative) const;
  void drive_density(std::int64_t n, State<Real> &state, Derivative<Real> &derivative) const;

private:
  void read_transducer(const InputFile &file);
  /// Adds a source with its k-space correction to all targets. Overwrites the scratch field.
  void add_corrected(std::int64_t n, const SourcePoints &points, const Signals<Real> &signals,
                     Driven driven, Field<Real> &scratch, Derivative<Real> &derivative,
                     std::span<const Field<Real>> targets) const;
  void inject(std::int64_t n, const SourcePoints &points, const Signals<Real> &signals,
              SourceMode mode, const Field<Real> &target) const;

  LocalGrid local_;
  Exec exec_;
  SourceMode p_mode_, u_mode_;
  SourcePoints p_points_, u_points_;
  Signals<Real> p_signals_;
  std::array<Signals<Real>, 3> u_signals_;
  std::int64_t transducer_steps_;
  ExecArray<Real> transducer_signal_;
  ExecArray<std::ptrdiff_t>
      delays_; ///< delays of this rank's entries: positions in the transducer's signal
};

} // namespace hybridfft::kspace
