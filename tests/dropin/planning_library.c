/* Makes a plan in a shared library. Its callers execute the plan, so planning and execution have
 * different callers. */
#include <fftw3-mpi.h>

fftw_plan planned_by_library(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, fftw_complex *in,
                             fftw_complex *out, MPI_Comm comm, int sign, unsigned flags);

/* Written after the call. Otherwise a tail call would make FFTW return to the program instead of
 * this library. */
volatile int plans_made = 0;

fftw_plan planned_by_library(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, fftw_complex *in,
                             fftw_complex *out, MPI_Comm comm, int sign, unsigned flags) {
  const fftw_plan plan = fftw_mpi_plan_dft_3d(n0, n1, n2, in, out, comm, sign, flags);
  if (plan != NULL) plans_made = plans_made + 1;
  return plan;
}
