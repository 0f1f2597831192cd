/// Settings of FFTW's planner that also affect plans of HybridFFT, and FFTW's planning within the
/// program's time limit.
#pragma once

#include <mpi.h>

#include <atomic>
#include <functional>

#include "fftw3_mpi/original.h"

namespace hybridfft::fftw3_mpi {

/// Settings of one precision, with the meanings of FFTW's functions.
struct Settings {
  std::atomic<int> threads{0};        ///< argument of plan_with_nthreads; 0: never called
  std::atomic<double> time_limit{-1}; ///< seconds; negative: none
};

/// Returns the settings of the process. Thread-safe.
template <class Real> Settings &settings() {
  static Settings instance;
  return instance;
}

/// Returns the number of threads per rank for the next plan: the number set by the program for
/// FFTW, else OMP_NUM_THREADS, else one, as in FFTW.
template <class Real> int planned_threads();

// Makes plans of FFTW within the program's time limit. FFTW itself cannot honour a limit on
// several ranks: each rank checks its own clock, and a rank that stops early leaves the others
// waiting.

/// Bits of FFTW's planner flags that set the effort. FFTW_MEASURE is the absence of these bits.
constexpr unsigned efforts = FFTW_ESTIMATE | FFTW_PATIENT | FFTW_EXHAUSTIVE;

/// FFTW's own planning function with all arguments of the call bound except the flags.
template <class Real> using Original = std::function<typename Api<Real>::Plan(unsigned flags)>;

/// Returns the time limit of rank 0 in s, valid for all ranks; a negative number if there is none.
/// Calls with FFTW_ESTIMATE ignore limits. Collective.
template <class Real> double agreed_time_limit(unsigned flags, MPI_Comm comm);

/// Returns a plan of FFTW. FFTW never measures under a limit here. A problem missing in FFTW's
/// wisdom is first planned by an estimate. If the speed of this plan leaves enough time, FFTW
/// measures without a limit, with the effort of `flags` or a smaller one. Collective.
/// \param limit seconds; negative: none
template <class Real>
typename Api<Real>::Plan plan_within(double limit, unsigned flags, MPI_Comm comm,
                                     const Original<Real> &original);

} // namespace hybridfft::fftw3_mpi
