/// Decides whose plan a call gets: one of ours, or FFTW's.
#pragma once

#include "fftw3_mpi/accelerated.h"
#include "fftw3_mpi/limited.h"
#include "fftw3_mpi/names.h"
#include "plan/slab_problem.h"

namespace hybridfft::fftw3_mpi {

/// The plan of a transform; `arguments` as the program gave them, with FFTW's flags. Collective.
template <class Real>
typename Api<Real>::Plan plan_transform(plan::Arguments arguments, MPI_Comm comm,
                                        const Original<Real> &original);

/// The same of a transposition, whose effort and thread count are still open.
template <class Real>
typename Api<Real>::Plan plan_transposition(TranspositionArguments arguments, unsigned flags,
                                            MPI_Comm comm, const Original<Real> &original);

/// The plan of a call that is always FFTW's; `what` names the call.
template <class Real>
typename Api<Real>::Plan plan_as_fftw(const char *what, unsigned flags, MPI_Comm comm,
                                      const Original<Real> &original);

} // namespace hybridfft::fftw3_mpi
