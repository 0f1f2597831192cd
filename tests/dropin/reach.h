/// Lifecycle scenarios for functions outside of <fftw3-mpi.h>.
#pragma once

namespace dropin {

/// Compares the local sizes of all functions, precisions and languages with each other and with the
/// sizes of the arrays.
void local_sizes();
/// Calls FFTW's own functions for local sizes. They must remain correct beside the drop-in.
void local_sizes_of_fftw();
/// Calls the functions of the legacy Fortran interface with a plan argument.
void legacy_fortran();
/// Tests fftw_copy_plan if it exists.
void copies();

} // namespace dropin
