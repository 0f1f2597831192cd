/// Products of small dense matrices with the points of many lines, vectorised. Local Fourier bases
/// need them to pack moments and to fill gaps.
#pragma once

#include <cstddef>
#include <vector>

namespace hybridfft::lfb {

/// Small dense matrix, stored by columns. Columns are padded with zeros to a multiple of the vector
/// length.
template <class Real> class SmallMatrix {
public:
  SmallMatrix() = default;
  /// \param values rows x columns, row-major, rounded to Real
  SmallMatrix(std::ptrdiff_t rows, std::ptrdiff_t columns, const double *values);

  std::ptrdiff_t rows() const { return rows_; }
  std::ptrdiff_t columns() const { return columns_; }
  bool empty() const { return rows_ == 0; }

  /// Computes the products of lines adjacent in memory: to[r][i] = sum over c of m(r, c)
  /// from[c][i], i < count.
  void across(const Real *const *from, Real *const *to, std::ptrdiff_t count) const;
  /// Computes the products of `lines` <= max_lines contiguous lines: to[l][r] = sum over c of m(r,
  /// c) from[l][c].
  void along(const Real *const *from, Real *const *to, std::ptrdiff_t lines) const;
  static constexpr std::ptrdiff_t max_lines = 4;

private:
  std::ptrdiff_t rows_ = 0, columns_ = 0, padded_ = 0;
  std::vector<Real> values_; ///< columns x padded rows
};

/// Dense matrix with an even number of rows that mirror each other: row rows-1-r has the factors of
/// row r at the mirrored columns. Products with sums and differences of mirrored operands need half
/// of the multiplications. The columns are those of Basis::coefficients().
template <class Real> class MirroredMatrix {
public:
  static constexpr std::ptrdiff_t max_pairs = 128; ///< maximum number of pairs of columns
  static constexpr std::ptrdiff_t max_lines = 4;

  MirroredMatrix() = default;
  /// \param own     number of own points at each end; the columns are `own`, `own`, `numbers`,
  ///                `numbers`
  /// \param numbers number of values received from each side
  /// \param values  rows x columns, row-major, rounded to Real
  MirroredMatrix(std::ptrdiff_t rows, std::ptrdiff_t own, std::ptrdiff_t numbers,
                 const double *values);

  std::ptrdiff_t columns() const { return 2 * pairs_; }
  bool empty() const { return half_ == 0; }

  /// Compute the same products as the functions of SmallMatrix.
  void across(const Real *const *from, Real *const *to, std::ptrdiff_t count) const;
  void along(const Real *const *from, Real *const *to, std::ptrdiff_t lines) const;

private:
  std::ptrdiff_t half_ = 0; ///< half of the rows
  std::ptrdiff_t own_ = 0, pairs_ = 0, padded_ = 0;
  /// Factors of the sums and of the differences: pairs x half of the rows, padded.
  std::vector<Real> even_, odd_;
};

extern template class SmallMatrix<float>;
extern template class SmallMatrix<double>;
extern template class MirroredMatrix<float>;
extern template class MirroredMatrix<double>;

} // namespace hybridfft::lfb
