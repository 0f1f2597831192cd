// Initialization, cleanup, and settings of the planner: FFTW's own functions are called, and
// settings are noted for ours.
#include <algorithm>

#include "fftw3_mpi/original.h"
#include "fftw3_mpi/planner.h"
#include "fftw3_mpi/settings.h"
#include "wisdom/store.h"

namespace {

using hybridfft::fftw3_mpi::forget_problems;
using hybridfft::fftw3_mpi::settings;

template <class Real> void forget() {
  forget_problems<Real>();
  hybridfft::wisdom::forget_wisdom();
}

} // namespace

// Plans of ours stay as they are when FFTW is cleaned up.
#define HFFT_IMPLEMENT(X, XM, R)                                                                   \
  HFFT_DROP_IN(XM(init))                                                                           \
  void HFFT_OURS(XM(init))(void) { HFFT_ORIGINAL(XM(init))(); }                                    \
  HFFT_DROP_IN(XM(cleanup))                                                                        \
  void HFFT_OURS(XM(cleanup))(void) {                                                              \
    forget<R>();                                                                                   \
    HFFT_ORIGINAL(XM(cleanup))();                                                                  \
  }                                                                                                \
  HFFT_DROP_IN(X(cleanup))                                                                         \
  void HFFT_OURS(X(cleanup))(void) {                                                               \
    forget<R>();                                                                                   \
    HFFT_ORIGINAL(X(cleanup))();                                                                   \
  }                                                                                                \
  HFFT_DROP_IN(X(forget_wisdom))                                                                   \
  void HFFT_OURS(X(forget_wisdom))(void) {                                                         \
    forget<R>();                                                                                   \
    HFFT_ORIGINAL(X(forget_wisdom))();                                                             \
  }                                                                                                \
  HFFT_DROP_IN(X(cleanup_threads))                                                                 \
  void HFFT_OURS(X(cleanup_threads))(void) {                                                       \
    settings<R>().threads = 0;                                                                     \
    HFFT_ORIGINAL(X(cleanup_threads))();                                                           \
  }                                                                                                \
  HFFT_DROP_IN(X(plan_with_nthreads))                                                              \
  void HFFT_OURS(X(plan_with_nthreads))(int nthreads) {                                            \
    settings<R>().threads = std::max(nthreads, 1);                                                 \
    HFFT_ORIGINAL(X(plan_with_nthreads))(nthreads);                                                \
  }                                                                                                \
  HFFT_DROP_IN(X(set_timelimit))                                                                   \
  void HFFT_OURS(X(set_timelimit))(double seconds) {                                               \
    settings<R>().time_limit = seconds;                                                            \
    HFFT_ORIGINAL(X(set_timelimit))(seconds);                                                      \
  }

extern "C" {
HFFT_IMPLEMENT(HFFT_DOUBLE, HFFT_MPI_DOUBLE, double)
HFFT_IMPLEMENT(HFFT_FLOAT, HFFT_MPI_FLOAT, float)
#undef HFFT_IMPLEMENT
}
