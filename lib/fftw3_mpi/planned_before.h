/// Problems that the program has planned before. FFTW remembers all of them, but our wisdom has
/// only complete measurements.
#pragma once

#include <string>

#include "exchange/communicator.h"

namespace hybridfft::fftw3_mpi {

/// Notes that there was a plan of a problem with the effort of `flags`.
template <class Real> void note_planned(const std::string &problem, unsigned flags);
/// Whether there was one, with this effort or more, on all ranks. Collective.
template <class Real>
bool planned_before(const std::string &problem, unsigned flags, const exchange::Communicator &comm);
template <class Real> void forget_problems();

} // namespace hybridfft::fftw3_mpi
