/// Work shared by the OpenMP threads of one rank.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>

namespace hybridfft {

/// First index of part `part` when n indices are cut evenly into `parts`.
inline std::ptrdiff_t even_cut(std::ptrdiff_t n, int part, int parts) {
  const std::ptrdiff_t each = n / parts;
  const std::ptrdiff_t rest = n % parts;
  return part * each + std::min<std::ptrdiff_t>(part, rest);
}

/// Calls f(first, last, thread) once per thread with contiguous, even parts of 0..n-1; f must not
/// throw. At most n threads are used, and no parallel region is opened for one.
template <class F> void parallel_ranges(std::ptrdiff_t n, int threads, const F &f) {
  const int used = static_cast<int>(std::clamp<std::ptrdiff_t>(n, 1, std::max(threads, 1)));
  if (used == 1) {
    if (n > 0) f(std::ptrdiff_t{0}, n, 0);
    return;
  }
#pragma omp parallel num_threads(used)
  {
    // OpenMP may give fewer threads than were asked for.
    const int team = omp_get_num_threads();
    const int me = omp_get_thread_num();
    const std::ptrdiff_t first = even_cut(n, me, team);
    const std::ptrdiff_t last = even_cut(n, me + 1, team);
    if (first < last) f(first, last, me);
  }
}

} // namespace hybridfft
