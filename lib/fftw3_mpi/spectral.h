/// Transforms by the library's own plans.
#pragma once

#include <memory>

#include "fftw3_mpi/accelerated.h"
#include "plan/create.h"

namespace hybridfft::fftw3_mpi {

/// Collective. Throws Failure on all ranks alike.
template <class Real>
std::unique_ptr<Accelerated> make_spectral(MPI_Comm comm,
                                           const std::function<plan::Arguments()> &arguments);

extern template std::unique_ptr<Accelerated>
make_spectral<float>(MPI_Comm, const std::function<plan::Arguments()> &);
extern template std::unique_ptr<Accelerated>
make_spectral<double>(MPI_Comm, const std::function<plan::Arguments()> &);

} // namespace hybridfft::fftw3_mpi
