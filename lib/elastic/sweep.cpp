#include "elastic/sweep.h"

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

private:
#endif
  WithoutDenormals(const WithoutDenormals &) = delete;
  WithoutDenormals &operator=(const WithoutDenormals &) = delete;
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

} // namespace

template <class Kernel>
void sweep(const grid::Host &host, const grid::Box &box, const Kernel &kernel) {
  grid::detail::for_rows(host, box, [&](Index i, Index j) {
    const WithoutDenormals flushed;
    row(kernel, box, i, j);
  });
}

#define HFFT_SWEEP(...)                                                                            \
  template void sweep(const grid::Host &, const grid::Box &, const kernels::__VA_ARGS__ &);
HFFT_SWEEP(Velocity<float>)
HFFT_SWEEP(Velocity<double>)
HFFT_SWEEP(Stress<float>)
HFFT_SWEEP(Stress<double>)
HFFT_SWEEP(AnelasticStress<float>)
HFFT_SWEEP(AnelasticStress<double>)
#undef HFFT_SWEEP

} // namespace hybridfft::elastic
