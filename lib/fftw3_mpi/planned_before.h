/// Records the problems already planned by the program. FFTW remembers all of them, including
/// problems without time for a measurement. HybridFFT's wisdom has only complete measurements.
#pragma once

#include <string>

#include "exchange/communicator.h"

namespace hybridfft::fftw3_mpi {

/// A problem and its planning parameters.
struct Planning {
  std::string problem; ///< the problem and all other inputs of planning, as text
  unsigned flags = 0;  ///< FFTW's flags; they contain the effort
  double limit = -1;   ///< seconds; negative: none
};

/// Records a plan with these parameters.
template <class Real> void note_planned(const Planning &planning);
/// Returns true if all ranks have a record of the same problem with at least the same effort and
/// time. Collective.
template <class Real>
bool planned_before(const Planning &planning, const exchange::Communicator &comm);
template <class Real> void forget_problems();

} // namespace hybridfft::fftw3_mpi
