/// A process with MPI and a threaded plan calls fork(). Calls in the child must return errors, and
/// the parent must continue to work. The exit status is 0 on success.

#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <memory>

#include "hybridfft/hybridfft.h"

namespace {

int failures = 0;

void expect(bool ok, const char *what) {
  if (ok) return;
  ++failures;
  std::fprintf(stderr, "not so: %s (last error %d, %s)\n", what, hfft_last_error(),
               hfft_last_error_message());
}

constexpr std::ptrdiff_t n = 32;
constexpr int threads = 2;

struct Free {
  void operator()(hfft_complex *p) const { hfft_free(p); }
};
using Array = std::unique_ptr<hfft_complex[], Free>;

Array array() { return Array(hfft_alloc_complex(n * n * n)); }

void expect_not_running(int code, const char *what) {
  expect(code == HFFT_ERROR_MPI_NOT_RUNNING &&
             std::strstr(hfft_last_error_message(), "fork()") != nullptr,
         what);
}

/// Calls in the child must return errors, because a team of threads would wait forever in the
/// child.
void expect_errors(hfft_plan plan, hfft_complex *in, hfft_complex *out) {
  expect_not_running(hfft_execute(plan), "no execution");
  expect_not_running(hfft_execute_start(plan), "no start");
  expect_not_running(hfft_execute(nullptr), "no execution without a plan");
  expect(hfft_plan_dft_3d(n, n, n, in, out, MPI_COMM_SELF, HFFT_FORWARD, HFFT_ESTIMATE) == nullptr,
         "no plan");
  expect_not_running(hfft_last_error(), "no plan, with the reason");
  expect_not_running(hfft_init(), "no init");
  const Array memory = array();
  expect(memory && memory[n][0] == 0, "memory");
  hfft_destroy_plan(plan);
}

/// Calls f in a child process.
template <class F> void in_child(const F &f) {
  const pid_t child = fork();
  if (child == 0) {
    failures = 0;
    alarm(20);
    f();
    _exit(failures);
  }
  int status = 0;
  waitpid(child, &status, 0);
  expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a child ends with status 0");
}

} // namespace

int main(int argc, char **argv) {
  in_child([] { expect(hfft_init() == HFFT_ERROR_MPI_NOT_RUNNING, "not initialised"); });
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  hfft_plan_with_nthreads(threads);
  const Array in = array();
  const Array out = array();
  hfft_plan plan =
      hfft_plan_dft_3d(n, n, n, in.get(), out.get(), MPI_COMM_WORLD, HFFT_FORWARD, HFFT_ESTIMATE);
  expect(hfft_execute(plan) == HFFT_SUCCESS, "execution before");
  in_child([&] {
    expect_errors(plan, in.get(), out.get());
    in_child([] { expect_not_running(hfft_init(), "no init in a child's child"); });
  });
  // The input is one at the origin, which is on rank 0, and zero elsewhere. Its spectrum is all
  // ones.
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  in[0][0] = rank == 0 ? 1 : 0;
  expect(hfft_execute(plan) == HFFT_SUCCESS, "execution afterwards");
  expect(out[0][0] == 1 && out[n][0] == 1, "its result");
  hfft_destroy_plan(plan);
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}
