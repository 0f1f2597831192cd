/// Decides for each call between a plan of HybridFFT and one of FFTW.
#pragma once

#include <functional>
#include <string>

#include "fftw3_mpi/accelerated.h"
#include "fftw3_mpi/limited.h"
#include "fftw3_mpi/names.h"
#include "plan/arguments.h"

namespace hybridfft::fftw3_mpi {

/// FFTW's function for the local sizes of a line: points and first point of the input, and of the
/// output.
using LineLocalSize = std::function<void(std::ptrdiff_t *ni, std::ptrdiff_t *i0, std::ptrdiff_t *no,
                                         std::ptrdiff_t *o0)>;

/// Sets the blocks of a line to FFTW's. Returns a reason to use FFTW's plan; empty if there is
/// none. Collective.
std::string set_line_blocks(plan::Arguments &arguments, MPI_Comm comm,
                            const LineLocalSize &local_size);

/// Sets the blocks of real lines to FFTW's: equal ones by default, and one for a prime number of
/// points.
void set_real_line_blocks(plan::Arguments &arguments, MPI_Comm comm);

/// Makes the plan of a transform. `arguments` are the program's arguments, with FFTW's flags. If
/// `reason` is not empty, FFTW makes the plan. Collective.
template <class Real>
typename Api<Real>::Plan plan_transform(plan::Arguments arguments, MPI_Comm comm,
                                        const Original<Real> &original, std::string reason = {});

/// Makes the plan of a transposition. It sets the effort and the number of threads.
template <class Real>
typename Api<Real>::Plan plan_transposition(plan::TranspositionArguments arguments, unsigned flags,
                                            MPI_Comm comm, const Original<Real> &original);

} // namespace hybridfft::fftw3_mpi
