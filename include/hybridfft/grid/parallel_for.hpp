/// \file grid/parallel_for.hpp
/// Parallel loops and reductions over the points of a box, on OpenMP threads.
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

/// Executes loops on this rank's OpenMP threads.
struct Host {
  int threads = 1; ///< number of threads; boxes with fewer rows use fewer
};

namespace detail {

/// Divides 0 <= index < n evenly among threads, and calls work(object, first, last) once on each.
HFFT_EXPORT void for_ranges(Index n, int threads, void (*work)(const void *, Index, Index),
                            const void *object);

/// Calls f(i, j) for every row of the box on the host's threads.
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

/// Calls f(i, j, k) once for every index of the box, in any order and concurrently. Calls must be
/// independent and must not throw. f is copied; it captures views and numbers (HFFT_LAMBDA).
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

/// Reduces f(i, j, k) over the box: combine(combine(zero, a), b), ... Values are combined within
/// each row first, then row after row, so the result has the same bits for any number of threads.
/// Over several boxes or ranks, only operations without rounding (maxima, minima, integers) have
/// this property.
/// \param zero neutral element of `combine`; the result for an empty box
/// \throws Error(HFFT_ERROR_OUT_OF_MEMORY) if the temporary value of each row does not fit
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
