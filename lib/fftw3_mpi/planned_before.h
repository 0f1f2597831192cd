/// Records the problems planned by the program. With FFTW_WISDOM_ONLY, FFTW returns plans for all
/// problems planned before, including those without time for a measurement. HybridFFT's wisdom has
/// only complete measurements.
#pragma once

#include <string>

#include "exchange/communicator.h"

namespace hybridfft::fftw3_mpi {

/// Problem and planning parameters.
struct Planning {
  std::string problem; ///< text of the problem and all other inputs of planning
  unsigned flags = 0;  ///< FFTW's planner flags, including the effort
  double limit = -1;   ///< seconds; negative: none
};

/// Records a planned problem.
template <class Real> void note_planned(const Planning &planning);
/// Returns true if all ranks have planned the same problem before, with at least the same effort
/// and time. Collective.
template <class Real>
bool planned_before(const Planning &planning, const exchange::Communicator &comm);
/// Deletes all records of a precision.
template <class Real> void forget_problems();

} // namespace hybridfft::fftw3_mpi
