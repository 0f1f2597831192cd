/// Loops and teams of the OpenMP threads of one rank.
#pragma once

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace hybridfft {

/// Returns the first index of part number `part`, if n indices are divided evenly into `parts`
/// parts.
inline std::ptrdiff_t even_cut(std::ptrdiff_t n, int part, int parts) {
  const std::ptrdiff_t each = n / parts;
  const std::ptrdiff_t rest = n % parts;
  return part * each + std::min<std::ptrdiff_t>(part, rest);
}

/// An observer of parallel_ranges: it receives the begin and end of each thread's work.
struct PartObserver {
  using Time = std::chrono::steady_clock::time_point;
  void *object = nullptr; ///< argument of `report`; nullptr: no observer
  int label = 0;          ///< passed to `report`, to identify the work
  void (*report)(void *object, int label, int thread, Time begin, Time end) = nullptr;
};

/// Observer of the work that this thread starts.
inline thread_local PartObserver part_observer;

/// Calls f and passes its times to the observer, if any.
template <class F>
void observed_part(const PartObserver &observer, std::ptrdiff_t first, std::ptrdiff_t last,
                   int thread, const F &f) {
  if (observer.object == nullptr) {
    f(first, last, thread);
    return;
  }
  const PartObserver::Time begin = std::chrono::steady_clock::now();
  f(first, last, thread);
  observer.report(observer.object, observer.label, thread, begin, std::chrono::steady_clock::now());
}

/// Divides 0..n-1 into contiguous parts of almost equal size, and calls f(first, last, thread) once
/// for each part, on its own thread. It uses at most n threads. A single thread runs without an
/// OpenMP parallel region. f must not throw.
template <class F> void parallel_ranges(std::ptrdiff_t n, int threads, const F &f) {
  const int used = static_cast<int>(std::clamp<std::ptrdiff_t>(n, 1, std::max(threads, 1)));
  // A copy, because f may start other work on the calling thread.
  const PartObserver observer = part_observer;
  if (used == 1) {
    if (n > 0) observed_part(observer, std::ptrdiff_t{0}, n, 0, f);
    return;
  }
#pragma omp parallel num_threads(used)
  {
    // OpenMP may start fewer threads than requested.
    const int team = omp_get_num_threads();
    const int me = omp_get_thread_num();
    const std::ptrdiff_t first = even_cut(n, me, team);
    const std::ptrdiff_t last = even_cut(n, me + 1, team);
    if (first < last) observed_part(observer, first, last, me, f);
  }
}

/// Calls f(thread, threads) once per thread of a team of at most `threads`. f must not throw. It
/// may call await_team(), equally often on all threads.
template <class F> void parallel_team(int threads, const F &f) {
  const PartObserver observer = part_observer;
  const auto run = [&](int thread, int team) {
    observed_part(observer, 0, 0, thread,
                  [&](std::ptrdiff_t, std::ptrdiff_t, int) { f(thread, team); });
  };
  if (threads <= 1) {
    run(0, 1);
    return;
  }
#pragma omp parallel num_threads(threads)
  run(omp_get_thread_num(), omp_get_num_threads());
}

/// Waits for all threads of the team; their writes are visible afterwards.
inline void await_team() {
#pragma omp barrier
}

} // namespace hybridfft
