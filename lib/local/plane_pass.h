/// Multidimensional FFTs of complete rows ("planes") of a local matrix. It uses SIMD kernels if
/// they support the extents, else FFTW.
#pragma once

#include <memory>
#include <vector>

#include "layout/split_rows.h"
#include "local/fft.h"
#include "local/pass.h"

namespace hybridfft::local {

/// Transform of one row. The first extent is the number of columns. r2c and c2r have real extents.
/// howmany values are interleaved.
struct PlaneTransform {
  Kind kind = Kind::c2c;
  int sign = -1;
  std::vector<std::ptrdiff_t> extents;
  std::ptrdiff_t howmany = 1;
  LineKind line = LineKind::fourier; ///< kind of r2r
};

/// Returns FFTW's description of `rows` consecutive rows, without gaps in source and destination.
FftwShape shape_of(const PlaneTransform &transform, std::ptrdiff_t rows);

/// Makes a pass that transforms every row. `source` and `destination` count complex elements. The
/// real array of r2c and c2r has no gaps but padding: a row has as many bytes as in the complex
/// array. At least one of the arrays has no gaps. In pruned transforms complex rows may have a
/// smaller vec than the spectra have points: the other points are zero or dropped. Only the kernels
/// of Kernel::simd support this. `in_place` plans for equal arrays without gaps.
template <class Real>
std::unique_ptr<Pass> make_plane_pass(const PlaneTransform &transform, const SplitRows &source,
                                      const SplitRows &destination, bool in_place,
                                      const PassOptions &options);

/// Makes a pass with one row, the complete array, which FFTW transforms with its own threads. Out
/// of place, c2r overwrites its input.
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
