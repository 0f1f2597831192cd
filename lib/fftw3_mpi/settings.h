/// Settings that the program has given to FFTW's planner, as far as they concern plans of ours.
#pragma once

#include <atomic>

namespace hybridfft::fftw3_mpi {

/// The settings of one precision, as FFTW has them.
struct Settings {
  std::atomic<int> threads{0};        ///< argument of plan_with_nthreads; 0: never called
  std::atomic<double> time_limit{-1}; ///< seconds; negative: none
};

/// The settings of the process. Thread-safe.
template <class Real> Settings &settings() {
  static Settings instance;
  return instance;
}

/// Threads per rank of the next plan: the number that the program gave to FFTW; else
/// OMP_NUM_THREADS; else one, as FFTW would take.
template <class Real> int planned_threads();

} // namespace hybridfft::fftw3_mpi
