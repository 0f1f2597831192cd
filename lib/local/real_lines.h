/// Transforms real lines in pairs, by Fourier transforms of complex lines of the same length in a
/// tile: one line is the real part of a lane, the other one the imaginary part. Kinds between reals
/// are those of FFTW. DCT and DST of the types II and III have twiddles before or after the Fourier
/// transform (J. Makhoul, A fast cosine transform in one and two dimensions, IEEE TASSP 28, 1980).
/// Type I transforms the even or odd extension, which is made in the tile. Type IV of odd lengths
/// permutes points and changes signs. Type IV of even lengths makes complex lines of half the
/// length. Choose this class if the last bit of a result may depend on the other line of the pair.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "local/line_fft.h"
#include "local/passes.h"

namespace hybridfft::local {

/// Transforms tiles of 2 lanes() real lines. The caller owns the scratch.
template <class Real> class RealLines {
public:
  /// Returns true if there are kernels for lines of n points.
  static bool applies(simd::Isa isa, const ColumnTransform &transform, std::ptrdiff_t n);

  /// \param n points of a real line
  RealLines(simd::Isa isa, const ColumnTransform &transform, std::ptrdiff_t n, Real scale);

  const LineFft<Real> &fft() const { return fft_; }
  /// in_columns() returns the matrix columns of the pointers LinePointers::in, in the order of the
  /// pointers. out_columns() returns the columns of LinePointers::out.
  const std::vector<std::ptrdiff_t> &in_columns() const { return in_columns_; }
  const std::vector<std::ptrdiff_t> &out_columns() const { return out_columns_; }
  /// Returns the number of points in a tile of scratch.
  std::ptrdiff_t room() const { return std::max(n_, fft_.size()) + 4; }
  /// Returns the kind: "redft10", "FFT of real" or "FFT to real".
  std::string name() const;

  /// Pointers to the points of lines, offsets in reals to the first line, and the kind of store for
  /// results.
  struct LinePointers {
    Real *const *in;
    Real *const *out;
    std::ptrdiff_t in_offset, out_offset;
    Output output;
  };
  /// Transforms adjacent tiles together, with two scratch tiles for each.
  void transform(const LinePointers &lines, const simd::FftTiles<Real> &a,
                 const simd::FftTiles<Real> &b, Real *work) const;

  /// Returns true if transform_contiguous() applies: to all r2r transforms except those of type I,
  /// which read columns twice.
  bool takes_contiguous() const { return !places_.empty(); }
  /// Transforms up to 2 lanes() contiguous lines through one tile.
  void transform_contiguous(Real *const *in, Real *const *out, std::ptrdiff_t count, Real *a,
                            Real *b, Real *work) const;

private:
  using Tiles = simd::FftTiles<Real>;

  void make_tables();
  void make_tables_of_fourth(bool reversed);
  void make_orders();
  void by_tiles(const LinePointers &lines, const Tiles &a, const Tiles &b, Real *work) const;
  /// Transforms one tile. Its points have been read to `b` if reads_second(), else to `a`. Returns
  /// the address of the results.
  Real *in_tile(Real *a, Real *b, Real *work) const;
  bool reads_second() const;
  /// Combines points k and n-k, after or before the Fourier transform.
  void combine(const Real *in, const std::int32_t *to, Real *out) const;
  void to_complex(const LinePointers &lines, const Tiles &a, const Tiles &b, Real *work) const;
  void to_real(const LinePointers &lines, const Tiles &a, const Tiles &b, Real *work) const;
  void read(std::ptrdiff_t point, std::ptrdiff_t column);
  void append(Real cosine, Real sine) { factors_.insert(factors_.end(), {cosine, sine}); }

  ColumnTransform transform_;
  std::ptrdiff_t n_;
  LineFft<Real> fft_;
  std::vector<std::ptrdiff_t> in_columns_, out_columns_;
  std::vector<Real> signs_; ///< complex factors for the points of lines; empty: all are 1
  std::vector<Real>
      factors_; ///< factors for to_cosines(), from_cosines(), combine() or fold_lines()
  std::vector<Real> last_roots_; ///< factors for unfold_lines()
  /// For contiguous lines. places_: position in the tile of each column read. orders_: column of
  /// each result; empty if results are in the order of columns.
  std::vector<std::int32_t> places_, orders_;
  std::vector<Real> ones_; ///< complex factors 1, for reordering results by multiply()
};

} // namespace hybridfft::local
