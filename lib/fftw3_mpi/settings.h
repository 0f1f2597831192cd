/// Settings of FFTW's planner that also affect plans of HybridFFT.
#pragma once

#include <atomic>

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

} // namespace hybridfft::fftw3_mpi
