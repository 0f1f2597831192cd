/// Which planes are transformed in cache, by kernels of our own.
#pragma once

#include <cstddef>

#include "local/line_fft.h"
#include "plan/problem.h"

namespace hybridfft::plan {

/// Larger planes leave the cache on the way: they are lines and columns.
constexpr std::size_t most_plane_bytes = std::size_t{1} << 20;

/// A plane of so many complex points.
inline bool fits_cache(std::ptrdiff_t points, std::size_t real_bytes) {
  return static_cast<std::size_t>(points) * 2 * real_bytes <= most_plane_bytes;
}

/// Whether the library's own kernels of an instruction set fit lines of n points.
inline bool simd_applies(simd::Isa isa, std::size_t real_bytes, std::ptrdiff_t n) {
  return real_bytes == sizeof(float) ? local::LineFft<float>::applies(isa, n)
                                     : local::LineFft<double>::applies(isa, n);
}

/// Whether the kernels that planes are to have are the library's own, and fit lines of n points.
inline bool has_plane_kernels(const Problem &p, std::size_t real_bytes, local::Kernel kernel,
                              std::ptrdiff_t n) {
  return kernel != local::Kernel::fftw && simd_applies(p.isa, real_bytes, n);
}

} // namespace hybridfft::plan
