/// FFTW's functions by precision, and a guard that keeps its global planner state as it was.
#pragma once

#include <fftw3-mpi.h>

#include <cstddef>
#include <mutex>

namespace hybridfft {

template <class Real> struct Fftw;

#define HFFT_FFTW_BINDING(R, X)                                                                    \
  template <> struct Fftw<R> {                                                                     \
    using Plan = X(plan);                                                                          \
    using Complex = X(complex);                                                                    \
    using Dimension = X(iodim64);                                                                  \
    static constexpr auto plan_c2c = X(plan_guru64_dft);                                           \
    static constexpr auto plan_r2c = X(plan_guru64_dft_r2c);                                       \
    static constexpr auto plan_c2r = X(plan_guru64_dft_c2r);                                       \
    static constexpr auto execute_c2c = X(execute_dft);                                            \
    static constexpr auto execute_r2c = X(execute_dft_r2c);                                        \
    static constexpr auto execute_c2r = X(execute_dft_c2r);                                        \
    static constexpr auto destroy = X(destroy_plan);                                               \
    static constexpr auto init_threads = X(init_threads);                                          \
    static constexpr auto plan_with_nthreads = X(plan_with_nthreads);                              \
    static constexpr auto planner_nthreads = X(planner_nthreads);                                  \
    static constexpr auto mpi_init = X(mpi_init);                                                  \
    static constexpr auto mpi_plan_transpose = X(mpi_plan_many_transpose);                         \
    static constexpr auto mpi_execute = X(mpi_execute_r2r);                                        \
  };
#define HFFT_FFTW_DOUBLE(name) fftw_##name
#define HFFT_FFTW_FLOAT(name) fftwf_##name
HFFT_FFTW_BINDING(double, HFFT_FFTW_DOUBLE)
HFFT_FFTW_BINDING(float, HFFT_FFTW_FLOAT)
#undef HFFT_FFTW_BINDING
#undef HFFT_FFTW_DOUBLE
#undef HFFT_FFTW_FLOAT

/// FFTW's planner is one per process: serialises our use of it.
std::mutex &fftw_planner_mutex();

/// While alive: FFTW plans with `threads` threads, whatever the program has set before; the
/// program's setting comes back afterwards. Holds the planner mutex.
template <class Real> class FftwPlannerScope {
public:
  explicit FftwPlannerScope(int threads)
      : lock_(fftw_planner_mutex()), before_(Fftw<Real>::planner_nthreads()), now_(threads) {
    // Without this call FFTW stays a serial library for programs that never asked for threads.
    if (threads > 1) Fftw<Real>::init_threads();
    if (before_ != now_) Fftw<Real>::plan_with_nthreads(now_);
  }
  ~FftwPlannerScope() {
    if (before_ != now_) Fftw<Real>::plan_with_nthreads(before_);
  }
  FftwPlannerScope(const FftwPlannerScope &) = delete;
  FftwPlannerScope &operator=(const FftwPlannerScope &) = delete;

private:
  std::lock_guard<std::mutex> lock_;
  int before_;
  int now_;
};

} // namespace hybridfft
