/// Problems that the program has planned before. FFTW remembers all of them, and those that it had
/// not the time to measure, but our wisdom has only complete measurements.
#pragma once

#include <string>

#include "exchange/communicator.h"

namespace hybridfft::fftw3_mpi {

/// What is planned, and how.
struct Planning {
  std::string problem; ///< and all else on which its plan depends
  unsigned flags = 0;  ///< FFTW's, for the effort
  double limit = -1;   ///< seconds; negative: none
};

/// Notes that there was such a plan.
template <class Real> void note_planned(const Planning &planning);
/// Whether there was one, with this effort or more and no less time, on all ranks. Collective.
template <class Real>
bool planned_before(const Planning &planning, const exchange::Communicator &comm);
template <class Real> void forget_problems();

} // namespace hybridfft::fftw3_mpi
