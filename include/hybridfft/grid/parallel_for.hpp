/// \file grid/parallel_for.hpp
/// Element-wise work over a box: the loop and the reduction of solvers.
#ifndef HYBRIDFFT_GRID_PARALLEL_FOR_HPP
#define HYBRIDFFT_GRID_PARALLEL_FOR_HPP

#include <cstddef>
#include <new>
#include <string>
#include <vector>

#include "hybridfft/error.hpp"
#include "hybridfft/export.h"
#include "hybridfft/grid/box.hpp"

namespace hybridfft::grid {

/// Runs on threads of this rank.
struct Host {
  int threads = 1; ///< number of OpenMP threads; fewer rows use fewer threads
};

namespace detail {

/// Calls work(object, first, last) once on each thread, with even shares of 0 <= index < n.
HFFT_EXPORT void for_ranges(Index n, int threads, void (*work)(const void *, Index, Index),
                            const void *object);

/// Calls f(i, j) for every row of the box, on the threads of the host.
template <class F> void for_rows(const Host &host, const Box &box, const F &f) {
  const Index rows = box.extent(1);
  const auto range = [&box, &f, rows](Index first, Index last) {
    for (Index row = first; row < last; ++row)
      f(box.lo[0] + row / rows, box.lo[1] + row % rows);
  };
  if (box.empty()) return;
  for_ranges(
      box.extent(0) * rows, host.threads,
      [](const void *object, Index first, Index last) {
        (*static_cast<const decltype(range) *>(object))(first, last);
      },
      &range);
}

} // namespace detail

/// Calls f(i, j, k) once for every index of the box, in any order and concurrently: calls must not
/// depend on each other, nor throw. f is copied; it captures views and numbers (HFFT_LAMBDA).
template <class F> void parallel_for(const Host &host, const Box &box, const F &f) {
  const Index first = box.lo[2];
  const Index end = box.hi[2];
  detail::for_rows(host, box, [=](Index i, Index j) {
#if defined(_OPENMP)
#pragma omp simd
#endif
    for (Index k = first; k < end; ++k)
      f(i, j, k);
  });
}

/// Combines the values f(i, j, k) of all indices of the box: combine(combine(zero, a), b), ... It
/// combines each row first, then the rows in their order. The bits of the result therefore do not
/// depend on the number of threads. Over several boxes or ranks they are fixed only for operations
/// without rounding (maxima, minima, integers).
/// \param zero neutral in `combine`; the result for a box without points
/// \throws Error(HFFT_ERROR_OUT_OF_MEMORY), since a value for each row is stored
template <class T, class F, class Combine>
T reduce(const Host &host, const Box &box, const T &zero, const F &f, const Combine &combine) {
  const Index columns = box.extent(1);
  struct RowTotal {
    T value; // not std::vector<bool>, whose elements share bytes
  };
  const Index count = box.extent(0) * columns;
  std::vector<RowTotal> rows;
  try {
    rows.assign(static_cast<std::size_t>(count), RowTotal{zero});
  } catch (const std::bad_alloc &) {
    throw Error(HFFT_ERROR_OUT_OF_MEMORY,
                "out of memory: values of " + std::to_string(count) + " rows");
  }
  RowTotal *const values = rows.data();
  detail::for_rows(host, box, [&](Index i, Index j) {
    T value = zero;
    for (Index k = box.lo[2]; k < box.hi[2]; ++k)
      value = combine(value, f(i, j, k));
    values[(i - box.lo[0]) * columns + (j - box.lo[1])].value = value;
  });
  T result = zero;
  for (const RowTotal &row : rows)
    result = combine(result, row.value);
  return result;
}

} // namespace hybridfft::grid

#endif
