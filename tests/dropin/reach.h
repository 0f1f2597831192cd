/// Scenarios of lifecycle about functions reached in other ways than by calls of <fftw3-mpi.h>.
#pragma once

namespace dropin {

/// Compares the memory sizes from all functions, in both precisions and from Fortran, with the
/// transposed functions and with the arrays' needs.
void local_sizes();
/// FFTW's own results of its own functions.
void local_sizes_of_fftw();
/// The functions of the legacy Fortran interface with a plan as argument.
void legacy_fortran();
/// Tests fftw_copy_plan if it exists.
void copies();

} // namespace dropin
