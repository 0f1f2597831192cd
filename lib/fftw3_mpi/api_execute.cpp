// FFTW's functions on an existing plan: execution, destruction, printing and costs. The drop-in
// handles plans of HybridFFT and passes other plans to FFTW's own function. Some programs call
// fftw_execute_dft on plans of fftw_mpi_plan_dft, although FFTW's manual does not allow it. The
// serial functions therefore exist here, too.
#include <cstdlib>
#include <cstring>

#include "fftw3_mpi/handles.h"
#include "fftw3_mpi/log.h"
#include "fftw3_mpi/original.h"

namespace {

using hybridfft::fftw3_mpi::Accelerated;
using hybridfft::fftw3_mpi::copy_plan;
using hybridfft::fftw3_mpi::describe_ours;
using hybridfft::fftw3_mpi::destroy_ours;
using hybridfft::fftw3_mpi::estimated_cost;
using hybridfft::fftw3_mpi::execute_ours;
using hybridfft::fftw3_mpi::is_ours;
using hybridfft::fftw3_mpi::LoggedExecution;
using hybridfft::fftw3_mpi::plan_of;

/// Fraction of additions in 5 n log2 n flops: a complex radix-2 step has 6 additions and 4
/// multiplications.
constexpr double additions = 0.6;

void split_flops(const void *plan, double *add, double *mul, double *fma) {
  const Accelerated *found = plan_of(plan);
  const double flops = found != nullptr ? found->flops : 0;
  *add = additions * flops;
  *mul = flops - *add;
  *fma = 0;
}

double measured_cost(const Accelerated &plan) {
  return plan.seconds > 0 ? plan.seconds : estimated_cost(plan);
}

char *copy_of_description(const void *plan) {
  const std::string words = describe_ours(plan);
  auto *text = static_cast<char *>(std::malloc(words.size() + 1));
  if (text != nullptr) std::memcpy(text, words.c_str(), words.size() + 1);
  return text;
}

} // namespace

/// Defines the function name(plan, in, out) with arrays of types A and B.
#define HFFT_EXECUTE_ON(X, name, A, B)                                                             \
  HFFT_DROP_IN(name)                                                                               \
  void HFFT_OURS(name)(X(plan) plan, A * in, B * out) {                                            \
    if (execute_ours(plan, in, out)) return;                                                       \
    const LoggedExecution timed(plan);                                                             \
    HFFT_ORIGINAL(name)(plan, in, out);                                                            \
  }

#define HFFT_IMPLEMENT(X, XM, R, C)                                                                \
  HFFT_EXECUTE_ON(X, X(execute_dft), C, C)                                                         \
  HFFT_EXECUTE_ON(X, X(execute_dft_r2c), R, C)                                                     \
  HFFT_EXECUTE_ON(X, X(execute_dft_c2r), C, R)                                                     \
  HFFT_EXECUTE_ON(X, X(execute_r2r), R, R)                                                         \
  HFFT_EXECUTE_ON(X, XM(execute_dft), C, C)                                                        \
  HFFT_EXECUTE_ON(X, XM(execute_dft_r2c), R, C)                                                    \
  HFFT_EXECUTE_ON(X, XM(execute_dft_c2r), C, R)                                                    \
  HFFT_EXECUTE_ON(X, XM(execute_r2r), R, R)                                                        \
                                                                                                   \
  HFFT_DROP_IN(X(execute))                                                                         \
  void HFFT_OURS(X(execute))(X(plan) plan) {                                                       \
    if (execute_ours(plan)) return;                                                                \
    const LoggedExecution timed(plan);                                                             \
    HFFT_ORIGINAL(X(execute))(plan);                                                               \
  }                                                                                                \
  HFFT_DROP_IN(X(destroy_plan))                                                                    \
  void HFFT_OURS(X(destroy_plan))(X(plan) plan) {                                                  \
    if (!destroy_ours(plan)) HFFT_ORIGINAL(X(destroy_plan))(plan);                                 \
  }                                                                                                \
  HFFT_DROP_IN(X(copy_plan))                                                                       \
  X(plan) HFFT_OURS(X(copy_plan))(X(plan) plan) {                                                  \
    copy_plan(plan);                                                                               \
    return plan;                                                                                   \
  }                                                                                                \
                                                                                                   \
  HFFT_DROP_IN(X(fprint_plan))                                                                     \
  void HFFT_OURS(X(fprint_plan))(X(plan) plan, FILE * file) {                                      \
    if (is_ours(plan))                                                                             \
      std::fputs(describe_ours(plan).c_str(), file);                                               \
    else                                                                                           \
      HFFT_ORIGINAL(X(fprint_plan))(plan, file);                                                   \
  }                                                                                                \
  HFFT_DROP_IN(X(print_plan))                                                                      \
  void HFFT_OURS(X(print_plan))(X(plan) plan) {                                                    \
    if (is_ours(plan))                                                                             \
      std::fputs(describe_ours(plan).c_str(), stdout);                                             \
    else                                                                                           \
      HFFT_ORIGINAL(X(print_plan))(plan);                                                          \
  }                                                                                                \
  HFFT_DROP_IN(X(sprint_plan))                                                                     \
  char *HFFT_OURS(X(sprint_plan))(X(plan) plan) {                                                  \
    return is_ours(plan) ? copy_of_description(plan) : HFFT_ORIGINAL(X(sprint_plan))(plan);        \
  }                                                                                                \
                                                                                                   \
  HFFT_DROP_IN(X(flops))                                                                           \
  void HFFT_OURS(X(flops))(X(plan) plan, double *add, double *mul, double *fma) {                  \
    if (is_ours(plan))                                                                             \
      split_flops(plan, add, mul, fma);                                                            \
    else                                                                                           \
      HFFT_ORIGINAL(X(flops))(plan, add, mul, fma);                                                \
  }                                                                                                \
  HFFT_DROP_IN(X(estimate_cost))                                                                   \
  double HFFT_OURS(X(estimate_cost))(X(plan) plan) {                                               \
    const Accelerated *found = plan_of(plan);                                                      \
    return found != nullptr ? estimated_cost(*found) : HFFT_ORIGINAL(X(estimate_cost))(plan);      \
  }                                                                                                \
  HFFT_DROP_IN(X(cost))                                                                            \
  double HFFT_OURS(X(cost))(X(plan) plan) {                                                        \
    const Accelerated *found = plan_of(plan);                                                      \
    return found != nullptr ? measured_cost(*found) : HFFT_ORIGINAL(X(cost))(plan);                \
  }

extern "C" {
HFFT_IMPLEMENT(HFFT_DOUBLE, HFFT_MPI_DOUBLE, double, fftw_complex)
HFFT_IMPLEMENT(HFFT_FLOAT, HFFT_MPI_FLOAT, float, fftwf_complex)
#undef HFFT_IMPLEMENT
}
