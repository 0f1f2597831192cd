/// Decides for each call between a plan of HybridFFT and one of FFTW.
#pragma once

#include "fftw3_mpi/accelerated.h"
#include "fftw3_mpi/limited.h"
#include "fftw3_mpi/names.h"
#include "plan/slab_problem.h"

namespace hybridfft::fftw3_mpi {

/// Makes the plan of a transform; `arguments` are the program's, with FFTW's flags. Collective.
template <class Real>
typename Api<Real>::Plan plan_transform(plan::Arguments arguments, MPI_Comm comm,
                                        const Original<Real> &original);

/// Makes the plan of a transposition; effort and thread count are still open.
template <class Real>
typename Api<Real>::Plan plan_transposition(TranspositionArguments arguments, unsigned flags,
                                            MPI_Comm comm, const Original<Real> &original);

/// Makes the plan of a call always served by FFTW; `what` names the call.
template <class Real>
typename Api<Real>::Plan plan_as_fftw(const char *what, unsigned flags, MPI_Comm comm,
                                      const Original<Real> &original);

} // namespace hybridfft::fftw3_mpi
