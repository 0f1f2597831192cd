/// Detects a steady state of a periodic wave: the maximum pressure of each period no longer
/// changes.
#pragma once

#include <memory>
#include <vector>

#include "hybridfft/grid/communicator.hpp"
#include "solvers/kspace/base/exec.h"
#include "solvers/kspace/base/field.h"
#include "solvers/kspace/record/sensor.h"

namespace hybridfft::kspace {

/// Compares the maximum pressures of successive periods at each sensor point. Collective.
template <class Real> class SteadyState {
public:
  /// Borrows the masks.
  /// \param change the state is steady if the maxima change by less than this share of the largest
  /// maximum
  /// \throws hybridfft::Error on all ranks if memory is short
  SteadyState(double change, const std::vector<std::unique_ptr<SensorMask<Real>>> &sensor,
              const grid::Communicator &comm, const Exec &exec);

  /// Adds a time step's pressure to the maxima of the current period.
  void sample(const Field<Real> &pressure);
  /// Ends a period.
  /// \param whole false for a period whose first steps were not sampled; it is not compared
  /// \return true if the maxima differ from the previous period's by less than the constructor's
  /// `change`
  bool end_period(bool whole);
  /// Change between the last two periods, relative to the largest maximum; 1 before there are two.
  double change() const { return found_; }

private:
  struct MaskMaximum {
    const SensorMask<Real> *mask;
    ExecArray<Real> largest;
    std::vector<Real> before; ///< maxima of the previous period; empty if there is none
  };

  double change_;
  grid::Communicator comm_;
  Exec exec_;
  std::vector<MaskMaximum> masks_;
  double found_ = 1;
};

} // namespace hybridfft::kspace
