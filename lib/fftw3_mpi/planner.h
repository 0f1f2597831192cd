/// Chooses the library for each planning call. HybridFFT makes the plan unless it does not support
/// the problem, FFTW is known to be faster, or calls with the plan would not reach the drop-in.
#pragma once

#include <functional>
#include <string>

#include "fftw3_mpi/handles.h"
#include "fftw3_mpi/limited.h"
#include "fftw3_mpi/original.h"
#include "plan/arguments.h"

namespace hybridfft::fftw3_mpi {

/// FFTW's function for the local sizes of a 1D transform: number of points and first point of the
/// input, then of the output.
using LineLocalSize = std::function<void(std::ptrdiff_t *ni, std::ptrdiff_t *i0, std::ptrdiff_t *no,
                                         std::ptrdiff_t *o0)>;

/// Sets the blocks of a 1D complex transform to those of FFTW. Returns a reason to use FFTW's plan;
/// empty if there is none. Collective.
std::string set_line_blocks(plan::Arguments &arguments, MPI_Comm comm,
                            const LineLocalSize &local_size);

/// Sets the blocks of a 1D r2r transform to those of FFTW: equal blocks by default, and a single
/// block for a prime number of points.
void set_real_line_blocks(plan::Arguments &arguments, MPI_Comm comm);

/// Makes the plan of a transform. Collective.
/// \param arguments the program's arguments, with FFTW's flags
/// \param original  FFTW's own function of the call
/// \param reason    if not empty, FFTW makes the plan for this reason
template <class Real>
typename Api<Real>::Plan plan_transform(plan::Arguments arguments, MPI_Comm comm,
                                        const Original<Real> &original, std::string reason = {});

/// Makes the plan of a transposition, with the effort of `flags` and planned_threads() threads.
/// Collective.
template <class Real>
typename Api<Real>::Plan plan_transposition(plan::TranspositionArguments arguments, unsigned flags,
                                            MPI_Comm comm, const Original<Real> &original);

} // namespace hybridfft::fftw3_mpi
