/// Detects a steady state: the largest pressure of a period no longer changes.
#pragma once

#include <memory>
#include <vector>

#include "hybridfft/grid/communicator.hpp"
#include "solvers/kspace/base/exec.h"
#include "solvers/kspace/base/field.h"
#include "solvers/kspace/record/sensor.h"

namespace hybridfft::kspace {

/// Compares the largest pressures of successive periods at the points of the sensor. Collective.
template <class Real> class SteadyState {
public:
  /// Borrows the masks.
  /// \param change largest change of a steady state, relative to the largest value of all points
  /// \throws hybridfft::Error on all ranks if memory is short
  SteadyState(double change, const std::vector<std::unique_ptr<SensorMask<Real>>> &sensor,
              const grid::Communicator &comm, const Exec &exec);

  /// Takes the pressure of a time step.
  void sample(const Field<Real> &pressure);
  /// Ends a period.
  /// \param whole false for a period without its first steps, which is not compared
  /// \return true if the largest values differ from those of the previous period by less than the
  /// given share
  bool end_period(bool whole);
  /// The change of the last period; 1 before two periods.
  double change() const { return found_; }

private:
  struct MaskMaximum {
    const SensorMask<Real> *mask;
    ExecArray<Real> largest;
    std::vector<Real> before; ///< of the previous period; empty: none
  };

  double change_;
  grid::Communicator comm_;
  Exec exec_;
  std::vector<MaskMaximum> masks_;
  double found_ = 1;
};

} // namespace hybridfft::kspace
