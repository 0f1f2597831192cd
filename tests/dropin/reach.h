/// Scenarios of lifecycle about functions that programs reach in other ways than by calling those
/// of <fftw3-mpi.h>.
#pragma once

namespace dropin {

/// The memory that all functions ask for, in both precisions and from Fortran, against that which
/// the transposed ones ask for and that which the arrays need.
void local_sizes();
/// FFTW's own answers to the same, of the functions that its library itself has.
void local_sizes_of_fftw();
/// The functions of the legacy Fortran interface that take a plan.
void legacy_fortran();
/// fftw_copy_plan, where there is one.
void copies();

} // namespace dropin
