/// Calls before MPI_Init and after MPI_Finalize must return errors, and never crash. The destructor
/// of a global object calls MPI_Finalize. The exit status is 0 on success.

#include <mpi.h>
#include <unistd.h>

#include <array>
#include <cstdio>

#include "hybridfft/hybridfft.hpp"

namespace {

int failures = 0;

void expect(bool ok, const char *what, const char *when) {
  if (ok) return;
  ++failures;
  std::fprintf(stderr, "%s: not so: %s (last error %d, %s)\n", when, what, hfft_last_error(),
               hfft_last_error_message());
}

hfft_complex *array() {
  static hfft_complex data[256];
  return data;
}

hfft_plan plan() {
  return hfft_plan_dft_3d(4, 4, 4, array(), array(), MPI_COMM_WORLD, HFFT_FORWARD, HFFT_ESTIMATE);
}

/// Returns the code of the exception that the C++ call throws.
int code_of_sizes() {
  try {
    hybridfft::local_sizes<double, hybridfft::Kind::c2c>(std::array<std::ptrdiff_t, 3>{4, 4, 4});
  } catch (const hybridfft::Error &e) {
    return e.code();
  }
  return HFFT_SUCCESS;
}

void expect_not_running(const char *when) {
  std::ptrdiff_t range[2];
  expect(hfft_init() == HFFT_ERROR_MPI_NOT_RUNNING, "init fails", when);
  expect(hfft_local_size_3d(4, 4, 4, MPI_COMM_WORLD, range, range + 1) == -1, "no local size",
         when);
  expect(hfft_last_error() == HFFT_ERROR_MPI_NOT_RUNNING, "local_size says why", when);
  expect(plan() == nullptr, "no plan", when);
  expect(hfft_last_error() == HFFT_ERROR_MPI_NOT_RUNNING, "plan says why", when);
  expect(hfft_last_error_message()[0] != '\0', "the reason has words", when);
  expect(code_of_sizes() == HFFT_ERROR_MPI_NOT_RUNNING, "C++ throws", when);
  hfft_free(hfft_malloc(100));
  hfft_cleanup();
}

/// Ends MPI after main. The object is made before the library's own static objects, and is
/// destroyed after them and after the main thread's objects. AddressSanitizer detects reads of
/// destroyed objects.
struct Session {
  ~Session() {
    MPI_Finalize();
    expect_not_running("after MPI_Finalize");
    expect(hfft_execute(survivor) == HFFT_ERROR_MPI_NOT_RUNNING, "no execution",
           "after MPI_Finalize");
    hfft_destroy_plan(survivor);
    if (failures != 0) _exit(1);
  }
  hfft_plan survivor = nullptr;
};

Session session;

} // namespace

int main(int argc, char **argv) {
  expect_not_running("before MPI_Init");
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  session.survivor = plan();
  expect(session.survivor != nullptr, "a plan after MPI_Init", "running");
  expect(hfft_execute(session.survivor) == HFFT_SUCCESS, "it executes", "running");
  return failures == 0 ? 0 : 1;
}
