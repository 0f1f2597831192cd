/// With MPI_THREAD_SINGLE a plan may use one thread per rank. The default must be one, and more
/// threads must be refused. The exit status is 0 on success, 77 if MPI provides a higher level than
/// MPI_THREAD_SINGLE.

#include <mpi.h>
#include <omp.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "hybridfft/hybridfft.h"

namespace {

hfft_plan plan(int threads) {
  static hfft_complex data[256];
  hfft_plan_with_nthreads(threads);
  return hfft_plan_dft_3d(4, 4, 4, data, data, MPI_COMM_WORLD, HFFT_FORWARD, HFFT_ESTIMATE);
}

int failures = 0;

void expect(bool ok, const char *what) {
  if (ok) return;
  std::fprintf(stderr, "%s: error %d, %s\n", what, hfft_last_error(), hfft_last_error_message());
  ++failures;
}

void expect_plan(int threads, bool told, const char *what) {
  const hfft_plan made = plan(threads);
  expect(made != nullptr && hfft_execute(made) == HFFT_SUCCESS, what);
  char *words = hfft_sprint_plan(made);
  expect(std::strstr(words, "x 1 threads") != nullptr, words);
  expect((std::strstr(words, "MPI_THREAD_SINGLE") != nullptr) == told, words);
  std::free(words);
  hfft_destroy_plan(made);
}

void expect_refusal(int threads, const char *what) {
  expect(plan(threads) == nullptr && hfft_last_error() == HFFT_ERROR_THREAD_LEVEL &&
             std::strstr(hfft_last_error_message(), "MPI_THREAD_FUNNELED") != nullptr,
         what);
}

int check() {
  omp_set_num_threads(2); // OpenMP's default on a machine of two cores
  unsetenv("OMP_NUM_THREADS");
  expect_plan(1, false, "one thread");
  expect_plan(0, true, "the default");
  expect_refusal(2, "two threads");
  setenv("OMP_NUM_THREADS", "2", 1);
  expect_refusal(0, "OMP_NUM_THREADS=2");
  expect_plan(1, false, "one thread before OMP_NUM_THREADS=2");
  omp_set_num_threads(1);
  setenv("OMP_NUM_THREADS", "1", 1);
  expect_plan(0, false, "OMP_NUM_THREADS=1");
  return failures == 0 ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided);
  int status = provided == MPI_THREAD_SINGLE ? check() : 77;
  MPI_Allreduce(MPI_IN_PLACE, &status, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return status;
}
