/// FFTW's serial functions by precision, and a guard that keeps its global planner state as it was.
#pragma once

#include <fftw3.h>

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <mutex>

namespace hybridfft {

/// The original symbol `name`, of the library that defines `neighbour`, a function that no other
/// library interposes; `linked` where that is no shared library. Other libraries, among them our
/// own that stands in for FFTW-MPI, put functions before FFTW's, which the library must not call.
void *original_symbol(void *linked, const char *neighbour, const char *name) noexcept;

/// The same for a function of type F.
template <class F> F original_function(F linked, const char *neighbour, const char *name) noexcept {
  return reinterpret_cast<F>(original_symbol(reinterpret_cast<void *>(linked), neighbour, name));
}

/// FFTW's types and functions for Real, by names without prefixes; thread-safe are execute_...
/// alone.
template <class Real> struct Fftw;

#define HFFT_FFTW_NAME(text) #text
#define HFFT_FFTW_ORIGINAL(function, neighbour)                                                    \
  original_function(function, HFFT_FFTW_NAME(neighbour), HFFT_FFTW_NAME(function))

#define HFFT_FFTW_BINDING(R, X)                                                                    \
  template <> struct Fftw<R> {                                                                     \
    using Plan = X(plan);                                                                          \
    using Complex = X(complex);                                                                    \
    using Dimension = X(iodim64);                                                                  \
    static constexpr auto plan_c2c = X(plan_guru64_dft);                                           \
    static constexpr auto plan_r2c = X(plan_guru64_dft_r2c);                                       \
    static constexpr auto plan_c2r = X(plan_guru64_dft_c2r);                                       \
    static constexpr auto plan_r2r = X(plan_guru64_r2r);                                           \
    inline static const auto execute = HFFT_FFTW_ORIGINAL(X(execute), X(plan_guru64_dft));         \
    inline static const auto execute_c2c = HFFT_FFTW_ORIGINAL(X(execute_dft), X(plan_guru64_dft)); \
    inline static const auto execute_r2c =                                                         \
        HFFT_FFTW_ORIGINAL(X(execute_dft_r2c), X(plan_guru64_dft));                                \
    inline static const auto execute_c2r =                                                         \
        HFFT_FFTW_ORIGINAL(X(execute_dft_c2r), X(plan_guru64_dft));                                \
    inline static const auto execute_r2r = HFFT_FFTW_ORIGINAL(X(execute_r2r), X(plan_guru64_dft)); \
    inline static const auto destroy = HFFT_FFTW_ORIGINAL(X(destroy_plan), X(plan_guru64_dft));    \
    static constexpr auto init_threads = X(init_threads);                                          \
    inline static const auto plan_with_nthreads =                                                  \
        HFFT_FFTW_ORIGINAL(X(plan_with_nthreads), X(planner_nthreads));                            \
    static constexpr auto planner_nthreads = X(planner_nthreads);                                  \
    inline static const auto set_timelimit =                                                       \
        HFFT_FFTW_ORIGINAL(X(set_timelimit), X(plan_guru64_dft));                                  \
    inline static const auto export_wisdom =                                                       \
        HFFT_FFTW_ORIGINAL(X(export_wisdom_to_string), X(plan_guru64_dft));                        \
    inline static const auto import_wisdom =                                                       \
        HFFT_FFTW_ORIGINAL(X(import_wisdom_from_string), X(plan_guru64_dft));                      \
    inline static const auto forget_wisdom =                                                       \
        HFFT_FFTW_ORIGINAL(X(forget_wisdom), X(plan_guru64_dft));                                  \
  };
#define HFFT_FFTW_DOUBLE(name) fftw_##name
#define HFFT_FFTW_FLOAT(name) fftwf_##name
HFFT_FFTW_BINDING(double, HFFT_FFTW_DOUBLE)
HFFT_FFTW_BINDING(float, HFFT_FFTW_FLOAT)
#undef HFFT_FFTW_BINDING

/// FFTW's planner is one per process: serialises our use of it.
std::mutex &fftw_planner_mutex();

/// From now on only the program turns FFTW's threads on: wisdom that was made without them cannot
/// be read with them, nor the other way round.
void leave_fftw_threads_to_program() noexcept;
bool fftw_threads_left_to_program() noexcept;

/// While alive, planning of this thread with FFTW takes no longer than about `seconds`; infinity is
/// no limit.
class FftwTimeLimit {
public:
  explicit FftwTimeLimit(double seconds);
  ~FftwTimeLimit();
  FftwTimeLimit(const FftwTimeLimit &) = delete;
  FftwTimeLimit &operator=(const FftwTimeLimit &) = delete;

private:
  double seconds_before_, deadline_before_;
};

/// Seconds that FFTW may still take under FftwTimeLimit; infinity without one.
double fftw_seconds_left();

/// While alive: FFTW plans with `threads` threads, or one where it has no threads and they are left
/// to the program; the program's setting comes back afterwards. Holds the planner mutex. Under an
/// FftwTimeLimit FFTW's own limit is replaced, and none afterwards: FFTW has no function that
/// returns it.
template <class Real> class FftwPlannerScope {
public:
  explicit FftwPlannerScope(int threads)
      : lock_(fftw_planner_mutex()), before_(Fftw<Real>::planner_nthreads()),
        now_(before_ == 1 && fftw_threads_left_to_program() ? 1 : threads),
        seconds_(fftw_seconds_left()) {
    // Without this call FFTW stays a serial library for programs that do not initialize its
    // threads.
    if (now_ > 1) Fftw<Real>::init_threads();
    if (before_ != now_) Fftw<Real>::plan_with_nthreads(now_);
    if (std::isfinite(seconds_)) Fftw<Real>::set_timelimit(seconds_);
  }
  ~FftwPlannerScope() {
    if (before_ != now_) Fftw<Real>::plan_with_nthreads(before_);
    if (std::isfinite(seconds_)) Fftw<Real>::set_timelimit(FFTW_NO_TIMELIMIT);
  }
  FftwPlannerScope(const FftwPlannerScope &) = delete;
  FftwPlannerScope &operator=(const FftwPlannerScope &) = delete;

  /// Threads that FFTW plans with.
  int threads() const { return now_; }

private:
  std::lock_guard<std::mutex> lock_;
  int before_;
  int now_;
  double seconds_;
};

/// While alive, FFTW has no wisdom, so that its estimates depend on the problem alone; then the
/// program's wisdom comes back. To be used within an FftwPlannerScope.
template <class Real> class FftwWithoutWisdom {
public:
  FftwWithoutWisdom() : kept_(Fftw<Real>::export_wisdom()) {
    if (kept_) Fftw<Real>::forget_wisdom();
  }
  ~FftwWithoutWisdom() {
    if (kept_) Fftw<Real>::import_wisdom(kept_.get());
  }
  FftwWithoutWisdom(const FftwWithoutWisdom &) = delete;
  FftwWithoutWisdom &operator=(const FftwWithoutWisdom &) = delete;

private:
  struct Free {
    void operator()(char *text) const { std::free(text); }
  };
  std::unique_ptr<char, Free> kept_;
};

} // namespace hybridfft
