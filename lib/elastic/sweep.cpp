#include "elastic/sweep.h"

#include <algorithm>
#include <cstddef>

#include "hybridfft/grid/all_vectors.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace hybridfft::elastic {

namespace {

/// Numbers below the normal ones count as zero in this thread: ahead of a wave there are many, with
/// which processors compute a hundred times slower.
class WithoutDenormals {
public:
  WithoutDenormals(const WithoutDenormals &) = delete;
  WithoutDenormals &operator=(const WithoutDenormals &) = delete;
#if defined(__SSE2__)
  WithoutDenormals() : before_(_mm_getcsr()) {
    _mm_setcsr(before_ | flush_results | flush_operands);
  }
  ~WithoutDenormals() { _mm_setcsr(before_); }

private:
  static constexpr unsigned flush_results = 0x8000, flush_operands = 0x0040;
  unsigned before_;
#else
  WithoutDenormals() {}
  ~WithoutDenormals() {}
#endif
};

template <class Kernel>
[[gnu::always_inline]] inline void row_of(const Kernel kernel, const grid::Box &box, Index i,
                                          Index j) {
#pragma omp simd
  for (Index k = box.lo[2]; k < box.hi[2]; ++k)
    kernel(i, j, k);
}

// Clones of a function for several instruction sets cannot be made of templates.
#define HFFT_ROW_OF(...)                                                                           \
  HFFT_ALL_VECTORS void row(const kernels::__VA_ARGS__ &kernel, const grid::Box &box, Index i,     \
                            Index j) {                                                             \
    row_of(kernel, box, i, j);                                                                     \
  }
HFFT_ROW_OF(Velocity<float>)
HFFT_ROW_OF(Velocity<double>)
HFFT_ROW_OF(Stress<float>)
HFFT_ROW_OF(Stress<double>)
HFFT_ROW_OF(AnelasticStress<float>)
HFFT_ROW_OF(AnelasticStress<double>)
#undef HFFT_ROW_OF

template <class Real> constexpr std::size_t bytes_of(const kernels::Velocity<Real> &) {
  return sizeof(Real);
}
template <class Real> constexpr std::size_t bytes_of(const kernels::Stress<Real> &) {
  return sizeof(Real);
}
template <class Real> constexpr std::size_t bytes_of(const kernels::AnelasticStress<Real> &) {
  return sizeof(Real);
}

/// Rows of a tile of planes of which half of a cache of 1 MiB keeps what differences along x read
/// again: that many rows of about thirty arrays and their planes.
Index rows_of_tile(Index length, std::size_t bytes) {
  constexpr Index cache = Index{512} << 10, arrays = 30, least = 8;
  return std::max(least, cache / (arrays * std::max<Index>(length, 1) * static_cast<Index>(bytes)));
}

} // namespace

template <class Kernel, class Column>
void sweep(const Exec &exec, const grid::Box &box, const Kernel &kernel, const Column *column) {
  const Column *const above = box.lo[2] == 1 ? column : nullptr;
  if (exec.device) {
    if (above != nullptr) sweep_columns(exec, box, *above);
    return grid::parallel_for(*exec.device, box, kernel);
  }
  const Index rows = rows_of_tile(box.extent(2), bytes_of(kernel));
  const Index tiles = (box.extent(1) + rows - 1) / rows;
  // A thread's share goes through planes of one tile after the other.
  grid::Box slabs(tiles, box.extent(0), 1);
  if (box.empty()) slabs = {};
  grid::detail::for_rows(exec.host, slabs, [&](Index tile, Index plane) {
    const WithoutDenormals flushed;
    const Index first = box.lo[1] + tile * rows, end = std::min(first + rows, box.hi[1]);
    for (Index j = first; j < end; ++j) {
      if (above != nullptr) (*above)(box.lo[0] + plane, j, 0);
      row(kernel, box, box.lo[0] + plane, j);
    }
  });
}

#define HFFT_SWEEP(Kernel, Column, Real)                                                           \
  template void sweep(const Exec &, const grid::Box &, const kernels::Kernel<Real> &,              \
                      const kernels::Column<Real> *);
HFFT_SWEEP(Velocity, SurfaceStress, float)
HFFT_SWEEP(Velocity, SurfaceStress, double)
HFFT_SWEEP(Stress, SurfaceVelocity, float)
HFFT_SWEEP(Stress, SurfaceVelocity, double)
HFFT_SWEEP(AnelasticStress, SurfaceVelocity, float)
HFFT_SWEEP(AnelasticStress, SurfaceVelocity, double)
#undef HFFT_SWEEP

} // namespace hybridfft::elastic
