/// Passes of transforms by the library's own kernels.
#pragma once

#include <memory>

#include "layout/split_rows.h"
#include "local/line_fft.h"
#include "local/pass.h"
#include "local/passes.h"

namespace hybridfft::local {

// FFTs along columns with the SIMD kernels. Choose them if lines are adjacent at every point: no
// transposition is needed then.

/// Makes a pass like make_column_pass(). Lines go directly from `source` through registers and one
/// tile per thread to `destination`. Returns nullptr if the kernels do not support the length or
/// the CPU.
template <class Real>
std::unique_ptr<Pass> make_simd_column_pass(const SplitRows &source, const SplitRows &destination,
                                            int sign, const PassOptions &options);

// FFTs of contiguous lines with the SIMD kernels. Lines are transposed in registers, so that each
// vector lane has one line.

/// Makes a pass like make_plane_pass(), for one-dimensional rows with howmany 1 and a length
/// supported by the kernels.
template <class Real>
std::unique_ptr<Pass> make_simd_line_pass(const PlaneTransform &transform, const SplitRows &source,
                                          const SplitRows &destination, bool in_place,
                                          const PassOptions &options);

// Two-dimensional FFTs of planes in cache, and FFTs of contiguous lines, with the SIMD kernels.
// Choose them if a plane fits the cache of a core.

/// True if a plane of `points` complex points fits the cache. Larger planes leave the cache between
/// the axes and are better split into lines and columns.
inline bool fits_cache(std::ptrdiff_t points, std::size_t real_bytes) {
  constexpr std::size_t max_bytes = std::size_t{1} << 20;
  return static_cast<std::size_t>(points) * 2 * real_bytes <= max_bytes;
}

/// Makes a pass like make_plane_pass(), for two-dimensional planes, or for one-dimensional lines
/// with howmany = 1. Returns nullptr if the kernels do not support the extents. A plane is
/// transformed in cache: lines first, then columns directly to the destination. c2r reverses the
/// order.
template <class Real>
std::unique_ptr<Pass> make_simd_plane_pass(const PlaneTransform &transform, const SplitRows &source,
                                           const SplitRows &destination, bool in_place,
                                           const PassOptions &options);

// Passes over real lines with the SIMD kernels: transforms between reals, and between real lines
// and half spectra across memory (real_lines.h). Choose them if the last bit of a result may depend
// on a neighbouring line.

/// Returns true if there are kernels for lines of n points and this kind.
template <class Real>
bool has_simd_reals(simd::Isa isa, const ColumnTransform &transform, std::ptrdiff_t n);

/// True if kernels of an instruction set support lines of n points of this kind.
inline bool has_simd_lines(simd::Isa isa, std::size_t real_bytes, std::ptrdiff_t n,
                           LineKind kind = LineKind::fourier) {
  if (kind != LineKind::fourier)
    return real_bytes == sizeof(float) ? has_simd_reals<float>(isa, kind, n)
                                       : has_simd_reals<double>(isa, kind, n);
  return real_bytes == sizeof(float) ? LineFft<float>::applies(isa, n)
                                     : LineFft<double>::applies(isa, n);
}

/// Makes a pass like make_column_pass() for lines of n points. Returns nullptr if there are no
/// kernels.
template <class Real>
std::unique_ptr<Pass> make_simd_real_pass(const SplitRows &source, const SplitRows &destination,
                                          const ColumnTransform &transform, std::ptrdiff_t n,
                                          const PassOptions &options);

// FFTW transforms of one line at a time, always in the same aligned scratch. Choose them for
// deterministic plans: the arithmetic of a line depends only on the line.

/// Makes a pass like make_column_pass().
template <class Real>
std::unique_ptr<Pass> make_single_column_pass(const SplitRows &source, const SplitRows &destination,
                                              const ColumnTransform &transform,
                                              const PassOptions &options);

/// Makes a pass like make_plane_pass() that transforms one row at a time.
template <class Real>
std::unique_ptr<Pass> make_single_row_pass(const PlaneTransform &transform, const SplitRows &source,
                                           const SplitRows &destination, bool in_place,
                                           const PassOptions &options);

} // namespace hybridfft::local
