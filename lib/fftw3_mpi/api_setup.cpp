// Initialisation, cleanup, and planner settings of FFTW. Each function calls FFTW's own function
// and records the settings for HybridFFT.
#include <algorithm>

#include "fftw3_mpi/original.h"
#include "fftw3_mpi/planned_before.h"
#include "fftw3_mpi/settings.h"
#include "fftw3_mpi/wisdom_text.h"

namespace {

using hybridfft::fftw3_mpi::forget_own_wisdom;
using hybridfft::fftw3_mpi::forget_problems;
using hybridfft::fftw3_mpi::settings;
using hybridfft::fftw3_mpi::unload_own_wisdom;

/// Forgets wisdom and planned problems.
template <class Real> void forget() {
  forget_problems<Real>();
  forget_own_wisdom<Real>();
}

/// Resets all state of the planner, as FFTW's cleanup does.
template <class Real> void clean_up() {
  forget_problems<Real>();
  unload_own_wisdom<Real>();
  settings<Real>().threads = 0;
  settings<Real>().time_limit = -1;
}

} // namespace

// Plans of HybridFFT survive the cleanup of FFTW.
#define HFFT_IMPLEMENT(X, XM, R)                                                                   \
  HFFT_DROP_IN(XM(init))                                                                           \
  void HFFT_OURS(XM(init))(void) { HFFT_ORIGINAL(XM(init))(); }                                    \
  HFFT_DROP_IN(XM(cleanup))                                                                        \
  void HFFT_OURS(XM(cleanup))(void) {                                                              \
    clean_up<R>();                                                                                 \
    HFFT_ORIGINAL(XM(cleanup))();                                                                  \
  }                                                                                                \
  HFFT_DROP_IN(X(cleanup))                                                                         \
  void HFFT_OURS(X(cleanup))(void) {                                                               \
    clean_up<R>();                                                                                 \
    HFFT_ORIGINAL(X(cleanup))();                                                                   \
  }                                                                                                \
  HFFT_DROP_IN(X(forget_wisdom))                                                                   \
  void HFFT_OURS(X(forget_wisdom))(void) {                                                         \
    forget<R>();                                                                                   \
    HFFT_ORIGINAL(X(forget_wisdom))();                                                             \
  }                                                                                                \
  HFFT_DROP_IN(X(cleanup_threads))                                                                 \
  void HFFT_OURS(X(cleanup_threads))(void) {                                                       \
    clean_up<R>();                                                                                 \
    HFFT_ORIGINAL(X(cleanup_threads))();                                                           \
  }                                                                                                \
  HFFT_DROP_IN(X(plan_with_nthreads))                                                              \
  void HFFT_OURS(X(plan_with_nthreads))(int nthreads) {                                            \
    /** FFTW cleans up first if its threads are new. */                                            \
    HFFT_ORIGINAL(X(plan_with_nthreads))(nthreads);                                                \
    settings<R>().threads = std::max(nthreads, 1);                                                 \
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
