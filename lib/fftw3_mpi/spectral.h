/// Transforms by the library's own plans.
#pragma once

#include <memory>

#include "fftw3_mpi/accelerated.h"
#include "plan/create.h"

namespace hybridfft::fftw3_mpi {

/// Collective. Throws Failure on all ranks alike.
std::unique_ptr<Accelerated> make_spectral(MPI_Comm comm,
                                           const std::function<plan::Arguments()> &arguments);

} // namespace hybridfft::fftw3_mpi
