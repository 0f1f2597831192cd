/// Element-wise work over a box: the one loop that the solvers have.
#pragma once

#include <cstddef>

#include "base/threads.h"
#include "grid/box.h"

namespace hybridfft::grid {

/// Runs on the OpenMP threads of this rank.
struct Host {
  int threads = 1;
};

/// Calls f(i, j, k) once for every index of the box, in any order and concurrently: calls must not
/// depend on each other, nor throw. f is copied; it captures views and values.
template <class F> void parallel_for(const Host &host, const Box &box, const F &f) {
  if (box.n2 <= 0) return;
  parallel_ranges(box.n0 * box.n1, host.threads,
                  [&](std::ptrdiff_t first, std::ptrdiff_t last, int) {
                    const F work = f;
                    for (std::ptrdiff_t row = first; row < last; ++row) {
                      const std::ptrdiff_t i = row / box.n1;
                      const std::ptrdiff_t j = row % box.n1;
                      const std::ptrdiff_t n2 = box.n2;
#pragma omp simd
                      for (std::ptrdiff_t k = 0; k < n2; ++k)
                        work(i, j, k);
                    }
                  });
}

} // namespace hybridfft::grid
