#include "fftw3_mpi/settings.h"

#include <omp.h>

#include <cstdlib>

#include "base/fftw.h"

namespace hybridfft::fftw3_mpi {

namespace {

/// Runs when the library is loaded. HybridFFT then leaves FFTW's number of threads to the program.
__attribute__((constructor)) void leave_threads() { leave_fftw_threads_to_program(); }

} // namespace

template <class Real> int planned_threads() {
  const int asked = settings<Real>().threads;
  if (asked > 0) return asked;
  const char *variable = std::getenv("OMP_NUM_THREADS");
  const bool set = variable != nullptr && *variable != '\0';
  return set ? omp_get_max_threads() : Fftw<Real>::planner_nthreads();
}

template int planned_threads<float>();
template int planned_threads<double>();

} // namespace hybridfft::fftw3_mpi
