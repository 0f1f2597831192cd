/// Multidimensional FFTs of whole rows ("planes") of a local matrix.
#pragma once

#include <memory>
#include <vector>

#include "layout/split_rows.h"
#include "local/fft.h"
#include "local/pass.h"

namespace hybridfft::local {

/// The transform of one row: extents of its dimensions (the first is that of the columns), real
/// extents for r2c and c2r, and the interleaved howmany.
struct PlaneTransform {
  Kind kind = Kind::c2c;
  int sign = -1;
  std::vector<std::ptrdiff_t> extents;
  std::ptrdiff_t howmany = 1;
};

/// FFTW's description of `rows` consecutive rows, tight on both sides.
FftShape shape_of(const PlaneTransform &transform, std::ptrdiff_t rows);

/// Transforms every row. `source` and `destination` count complex elements; the real side of r2c
/// and c2r is tight, padded to as many bytes per row as the complex side. At least one side must
/// be tight. Complex rows of planes may have less vec than the spectra of lines have points: the
/// others are zero or left out; only kernels of Kernel::simd do so. `in_place` plans for equal
/// arrays and needs two tight sides.
template <class Real>
std::unique_ptr<Pass> make_plane_pass(const PlaneTransform &transform, const SplitRows &source,
                                      const SplitRows &destination, bool in_place,
                                      const PassOptions &options);

/// One row that is the whole array, left to FFTW's own threads. Out of place, c2r overwrites its
/// input.
template <class Real>
std::unique_ptr<Pass> make_whole_pass(const PlaneTransform &transform, bool in_place,
                                      const PassOptions &options);

#define HFFT_PLANE_PASS(R)                                                                         \
  extern template std::unique_ptr<Pass> make_plane_pass<R>(                                        \
      const PlaneTransform &, const SplitRows &, const SplitRows &, bool, const PassOptions &);    \
  extern template std::unique_ptr<Pass> make_whole_pass<R>(const PlaneTransform &, bool,           \
                                                           const PassOptions &);
HFFT_PLANE_PASS(float)
HFFT_PLANE_PASS(double)
#undef HFFT_PLANE_PASS

} // namespace hybridfft::local
