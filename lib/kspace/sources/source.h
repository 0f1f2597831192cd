/// Sources, which drive the fields over time.
#pragma once

#include <array>
#include <span>

#include "kspace/base/parameters.h"
#include "kspace/base/state.h"
#include "kspace/operators/derivative.h"
#include "kspace/sources/source_points.h"

namespace hybridfft::kspace {

/// The sources of an input file. Their amplitudes are already scaled to the driven fields: density
/// (kg/m^3) of each split component, velocity (m/s). If a point has several values, the last one
/// counts (dirichlet, corrected) or all add up (additive).
template <class Real> class Sources {
public:
  /// Reads the p_source_*, u*_source_* and transducer datasets that the parameters announce.
  /// Throws InputError. Collective.
  Sources(const InputFile<Real> &file, const Parameters &parameters, const LocalGrid &local,
          grid::Host host);

  /// The device that exec has, if any, drives fields from now on. Throws hybridfft::Error.
  void move_to(const Exec &exec);
  /// Bytes of memory that move_to() takes.
  std::size_t bytes() const;

  /// True if there are values for time step n.
  bool drive_velocity_at(std::int64_t n) const;
  bool drive_density_at(std::int64_t n) const { return p_signals_.active(n); }

  /// Time step n's values, while the signals last. Both overwrite the pressure of the state, which
  /// is not valid where they act. Collective.
  void drive_velocity(std::int64_t n, State<Real> &state, Derivative<Real> &derivative) const;
  void drive_density(std::int64_t n, State<Real> &state, Derivative<Real> &derivative) const;

private:
  void read_transducer(const InputFile<Real> &file);
  /// Adds the corrected source to all `targets`; the scratch field is overwritten.
  void add_corrected(std::int64_t n, const SourcePoints<Real> &points, const Signals<Real> &signals,
                     Driven driven, Field<Real> &scratch, Derivative<Real> &derivative,
                     std::span<const Field<Real>> targets) const;
  void inject(std::int64_t n, const SourcePoints<Real> &points, const Signals<Real> &signals,
              SourceMode mode, const Field<Real> &target) const;

  LocalGrid local_;
  Exec exec_;
  SourceMode p_mode_, u_mode_;
  SourcePoints<Real> p_points_, u_points_;
  Signals<Real> p_signals_;
  std::array<Signals<Real>, 3> u_signals_;
  std::int64_t transducer_steps_;
  ExecArray<Real> transducer_signal_;
  ExecArray<std::ptrdiff_t> delays_; ///< delays of own entries, as places in the signal
};

} // namespace hybridfft::kspace
