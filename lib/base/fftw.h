/// FFTW's serial functions by precision, and guards of its global planner state.
#pragma once

#include <fftw3.h>

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <mutex>

namespace hybridfft {

/// Returns the address of FFTW's own function `name`. The drop-in for FFTW-MPI, or another library,
/// may replace (interpose) it, and this library must not call the replacement. The name is looked
/// up in the library that contains `neighbour`, a function of FFTW that is never replaced. Returns
/// `linked` if FFTW is linked statically.
void *original_symbol(void *linked, const char *neighbour, const char *name) noexcept;

/// Returns original_symbol() as a function of type F.
template <class F> F original_function(F linked, const char *neighbour, const char *name) noexcept {
  return reinterpret_cast<F>(original_symbol(reinterpret_cast<void *>(linked), neighbour, name));
}

/// FFTW's types and functions for Real, by names without prefixes. Only the functions whose names
/// begin with execute are thread-safe.
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

/// Returns the mutex for FFTW's planner, because a process has only one planner.
std::mutex &fftw_planner_mutex();

/// leave_fftw_threads_to_program() tells this library not to initialise FFTW's threads, because the
/// program may do it. fftw_threads_left_to_program() returns true afterwards. The initialisation
/// makes the program's earlier wisdom unreadable: FFTW with threads cannot read wisdom written
/// without threads, and FFTW without threads cannot read wisdom written with threads.
void leave_fftw_threads_to_program() noexcept;
bool fftw_threads_left_to_program() noexcept;

/// Limits FFTW's planning on this thread to about `seconds` while the object exists; infinity means
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

/// Returns the seconds left under the active FftwTimeLimit; infinity if there is none.
double fftw_seconds_left();

/// Sets the number of threads of FFTW's planner during its lifetime to `threads`, then restores the
/// program's setting. It uses one thread if the planner has one and the program controls FFTW's
/// threads. It holds the planner's mutex. If an FftwTimeLimit is active, it also sets FFTW's own
/// time limit. The destructor removes this limit. It cannot restore the program's limit, because
/// FFTW has no function to query it.
template <class Real> class FftwPlannerScope {
public:
  explicit FftwPlannerScope(int threads)
      : lock_(fftw_planner_mutex()), before_(Fftw<Real>::planner_nthreads()),
        now_(before_ == 1 && fftw_threads_left_to_program() ? 1 : threads),
        seconds_(fftw_seconds_left()) {
    // Without this call FFTW would have no threads, unless the program initialises them.
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

  /// Returns the number of threads that FFTW's planner uses.
  int threads() const { return now_; }

private:
  std::lock_guard<std::mutex> lock_;
  int before_;
  int now_;
  double seconds_;
};

/// Removes FFTW's wisdom during its lifetime, so that estimates depend on the problem alone. The
/// destructor restores the program's wisdom. Requires an FftwPlannerScope.
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
  struct FreeText {
    void operator()(char *text) const { std::free(text); }
  };
  std::unique_ptr<char, FreeText> kept_;
};

} // namespace hybridfft
