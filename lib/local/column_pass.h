/// FFTs along the columns of a local matrix (SplitRows). The pass copies tiles of lines into cache,
/// transforms them with FFTW, and copies them back. Choose it if the SIMD kernels do not apply.
#pragma once

#include <memory>

#include "layout/split_rows.h"
#include "local/fft.h"
#include "local/pass.h"

namespace hybridfft::local {

/// Memory order of a tile of lines in cache during FFTW's transform.
enum class TileOrder {
  interleaved, ///< point by point: the values of all lines at a point are adjacent
  lines        ///< one contiguous line after another; copies to and from the tile are transposes
};

/// Transform along columns: of complex numbers with a sign, between real numbers, or between real
/// columns and their half spectra.
struct ColumnTransform {
  ColumnTransform(int of_sign) : sign(of_sign) {} // NOLINT(google-explicit-constructor)
  ColumnTransform(LineKind of_line)               // NOLINT(google-explicit-constructor)
      : kind(Kind::r2r), line(of_line) {}
  ColumnTransform(Kind of_kind) // NOLINT(google-explicit-constructor)
      : kind(of_kind) {}
  template <class Real> std::ptrdiff_t element() const {
    return static_cast<std::ptrdiff_t>(input_bytes<Real>(kind));
  }

  Kind kind = Kind::c2c;
  int sign = -1;
  LineKind line = LineKind::fourier;
};

/// Makes a pass that transforms lines of `columns` points from `source` to `destination`. Both have
/// the same rows, columns and vec, which count the numbers of the transform. It works in place if
/// source == destination. With Kernel::simd it uses FFTW for lengths without kernels. Throws
/// Failure if FFTW cannot plan.
template <class Real>
std::unique_ptr<Pass> make_column_pass(const SplitRows &source, const SplitRows &destination,
                                       const ColumnTransform &transform, TileOrder order,
                                       const PassOptions &options);

extern template std::unique_ptr<Pass> make_column_pass<float>(const SplitRows &, const SplitRows &,
                                                              const ColumnTransform &, TileOrder,
                                                              const PassOptions &);
extern template std::unique_ptr<Pass> make_column_pass<double>(const SplitRows &, const SplitRows &,
                                                               const ColumnTransform &, TileOrder,
                                                               const PassOptions &);

} // namespace hybridfft::local
