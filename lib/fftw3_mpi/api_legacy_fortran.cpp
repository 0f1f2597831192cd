// FFTW's legacy Fortran interface: functions on a plan stored as an integer. The drop-in defines
// them because FFTW's own functions of these names would read a plan of HybridFFT as a plan of
// FFTW.
#include <cstdio>

#include "fftw3_mpi/names.h"

/// Defines a second name for a function. Fortran compilers append one underscore, or two if the
/// name contains one.
#define HFFT_LEGACY(name)                                                                          \
  extern "C" HFFT_EXPORT decltype(name##_) name##__ __attribute__((alias(#name "_")));

#define HFFT_IMPLEMENT(F, X, R, C)                                                                 \
  HFFT_EXPORT void F(execute_)(const X(plan) * plan) { HFFT_OURS(X(execute))(*plan); }             \
  HFFT_EXPORT void F(execute_dft_)(const X(plan) * plan, C * in, C * out) {                        \
    HFFT_OURS(X(execute_dft))(*plan, in, out);                                                     \
  }                                                                                                \
  HFFT_EXPORT void F(execute_dft_r2c_)(const X(plan) * plan, R * in, C * out) {                    \
    HFFT_OURS(X(execute_dft_r2c))(*plan, in, out);                                                 \
  }                                                                                                \
  HFFT_EXPORT void F(execute_dft_c2r_)(const X(plan) * plan, C * in, R * out) {                    \
    HFFT_OURS(X(execute_dft_c2r))(*plan, in, out);                                                 \
  }                                                                                                \
  HFFT_EXPORT void F(execute_r2r_)(const X(plan) * plan, R * in, R * out) {                        \
    HFFT_OURS(X(execute_r2r))(*plan, in, out);                                                     \
  }                                                                                                \
  HFFT_EXPORT void F(destroy_plan_)(X(plan) * plan) { HFFT_OURS(X(destroy_plan))(*plan); }         \
  HFFT_EXPORT void F(copy_plan_)(X(plan) * copy, X(plan) * plan) {                                 \
    *copy = HFFT_OURS(X(copy_plan))(*plan);                                                        \
  }                                                                                                \
  HFFT_EXPORT void F(print_plan_)(const X(plan) * plan) {                                          \
    HFFT_OURS(X(print_plan))(*plan);                                                               \
    std::fflush(stdout);                                                                           \
  }                                                                                                \
  HFFT_EXPORT void F(flops_)(X(plan) * plan, double *add, double *mul, double *fma) {              \
    HFFT_OURS(X(flops))(*plan, add, mul, fma);                                                     \
  }                                                                                                \
  HFFT_EXPORT void F(estimate_cost_)(double *cost, const X(plan) * plan) {                         \
    *cost = HFFT_OURS(X(estimate_cost))(*plan);                                                    \
  }                                                                                                \
  HFFT_EXPORT void F(cost_)(double *cost, const X(plan) * plan) {                                  \
    *cost = HFFT_OURS(X(cost))(*plan);                                                             \
  }

#define HFFT_LEGACY_DOUBLE(name) dfftw_##name
#define HFFT_LEGACY_FLOAT(name) sfftw_##name

extern "C" {
HFFT_IMPLEMENT(HFFT_LEGACY_DOUBLE, HFFT_DOUBLE, double, fftw_complex)
HFFT_IMPLEMENT(HFFT_LEGACY_FLOAT, HFFT_FLOAT, float, fftwf_complex)
#undef HFFT_IMPLEMENT
}

HFFT_LEGACY(dfftw_execute)
HFFT_LEGACY(dfftw_execute_dft)
HFFT_LEGACY(dfftw_execute_dft_r2c)
HFFT_LEGACY(dfftw_execute_dft_c2r)
HFFT_LEGACY(dfftw_execute_r2r)
HFFT_LEGACY(dfftw_destroy_plan)
HFFT_LEGACY(dfftw_copy_plan)
HFFT_LEGACY(dfftw_print_plan)
HFFT_LEGACY(dfftw_flops)
HFFT_LEGACY(dfftw_estimate_cost)
HFFT_LEGACY(dfftw_cost)
HFFT_LEGACY(sfftw_execute)
HFFT_LEGACY(sfftw_execute_dft)
HFFT_LEGACY(sfftw_execute_dft_r2c)
HFFT_LEGACY(sfftw_execute_dft_c2r)
HFFT_LEGACY(sfftw_execute_r2r)
HFFT_LEGACY(sfftw_destroy_plan)
HFFT_LEGACY(sfftw_copy_plan)
HFFT_LEGACY(sfftw_print_plan)
HFFT_LEGACY(sfftw_flops)
HFFT_LEGACY(sfftw_estimate_cost)
HFFT_LEGACY(sfftw_cost)
