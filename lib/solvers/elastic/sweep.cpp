#include "solvers/elastic/sweep.h"

#include <algorithm>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace hybridfft::elastic {

namespace {

/// Computes points k .. end-1 of a row with vectors of `bytes` bytes, and the rest with shorter
/// vectors.
template <int bytes, class Kernel, class Row>
HFFT_INLINE void advance(const Kernel &kernel, const Row &row, Index k, Index end) {
  using Real = typename Kernel::Value;
  using V = typename grid::pack::VectorOf<Real, bytes>::Type;
  constexpr Index width = bytes / static_cast<Index>(sizeof(Real));
  for (; k + width <= end; k += width)
    kernel.template advance<V>(row, k);
  constexpr int narrowest = 16, one = sizeof(Real);
  if constexpr (bytes > one) advance<(bytes > narrowest ? bytes / 2 : one)>(kernel, row, k, end);
}

/// Takes the kernel by value, so that the compiler knows that its stores do not change the kernel.
template <int bytes, class Kernel>
HFFT_INLINE void advance_rows(const Kernel kernel, const grid::Box &box) {
  for (Index i = box.lo[0]; i < box.hi[0]; ++i)
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
      advance<bytes>(kernel, kernel.row(i, j), box.lo[2], box.hi[2]);
}

#if defined(__x86_64__)
template <class Kernel>
[[gnu::target("avx512f")]] void rows_avx512(const Kernel &kernel, const grid::Box &box) {
  advance_rows<64>(kernel, box);
}
template <class Kernel>
[[gnu::target("avx2")]] void rows_avx2(const Kernel &kernel, const grid::Box &box) {
  advance_rows<32>(kernel, box);
}
#endif

template <class Kernel> void rows_of_any(const Kernel &kernel, const grid::Box &box) {
  advance_rows<16>(kernel, box);
}

} // namespace

template <class Kernel> std::vector<RowFunction<Kernel>> row_functions() {
  std::vector<RowFunction<Kernel>> all;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) all.push_back(rows_avx512<Kernel>);
  if (__builtin_cpu_supports("avx2")) all.push_back(rows_avx2<Kernel>);
#endif
  all.push_back(rows_of_any<Kernel>);
  return all;
}

#define HFFT_ROWS(Kernel)                                                                          \
  template std::vector<RowFunction<kernels::Kernel<float>>> row_functions();                       \
  template std::vector<RowFunction<kernels::Kernel<double>>> row_functions();
HFFT_ROWS(Velocity)
HFFT_ROWS(Stress)
HFFT_ROWS(AnelasticStress)
HFFT_ROWS(AnelasticStressOfCells)
#undef HFFT_ROWS

#if defined(__SSE2__)
namespace {
constexpr unsigned flush_results = 0x8000, flush_operands = 0x0040;
}
WithoutDenormals::WithoutDenormals() : before_(_mm_getcsr()) {
  _mm_setcsr(before_ | flush_results | flush_operands);
}
WithoutDenormals::~WithoutDenormals() { _mm_setcsr(before_); }
#else
WithoutDenormals::WithoutDenormals() = default;
WithoutDenormals::~WithoutDenormals() = default;
#endif

Index rows_of_tile(Index length, std::size_t bytes, Index arrays) {
  constexpr Index cache = Index{512} << 10, least = 8;
  return std::max(least, cache / (arrays * std::max<Index>(length, 1) * static_cast<Index>(bytes)));
}

} // namespace hybridfft::elastic
