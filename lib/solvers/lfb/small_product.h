/// Multiplies small matrices by the points of many lines.
#pragma once

#include <cstddef>
#include <vector>

namespace hybridfft::lfb {

/// A matrix with few rows and columns, stored by columns. Zeros pad each column to whole vectors.
template <class Real> class SmallMatrix {
public:
  SmallMatrix() = default;
  /// \param values rows x columns, row-major, rounded to Real
  SmallMatrix(std::ptrdiff_t rows, std::ptrdiff_t columns, const double *values);

  std::ptrdiff_t rows() const { return rows_; }
  std::ptrdiff_t columns() const { return columns_; }
  bool empty() const { return rows_ == 0; }

  /// Product for lines adjacent in memory: to[r][i] = sum over c of m(r, c) from[c][i], i < count.
  void across(const Real *const *from, Real *const *to, std::ptrdiff_t count) const;
  /// Product for `lines` <= max_lines contiguous lines: to[l][r] = sum over c of m(r, c)
  /// from[l][c].
  void along(const Real *const *from, Real *const *to, std::ptrdiff_t lines) const;
  static constexpr std::ptrdiff_t max_lines = 4;

private:
  std::ptrdiff_t rows_ = 0, columns_ = 0, padded_ = 0;
  std::vector<Real> values_; ///< columns x padded rows
};

/// A matrix with an even number of rows that mirror each other: row rows-1-r has the factors of
/// row r at the mirrored columns. Products of sums and differences of mirrored operands take half
/// the multiplications. The columns are those of Basis::coefficients().
template <class Real> class MirroredMatrix {
public:
  static constexpr std::ptrdiff_t max_pairs = 128; ///< maximum number of pairs of columns
  static constexpr std::ptrdiff_t max_lines = 4;

  MirroredMatrix() = default;
  /// \param own, numbers the columns are `own` points, `own` points, `numbers`, `numbers`
  /// \param values rows x columns, row-major, rounded to Real
  MirroredMatrix(std::ptrdiff_t rows, std::ptrdiff_t own, std::ptrdiff_t numbers,
                 const double *values);

  std::ptrdiff_t columns() const { return 2 * pairs_; }
  bool empty() const { return half_ == 0; }

  /// Products as of SmallMatrix.
  void across(const Real *const *from, Real *const *to, std::ptrdiff_t count) const;
  void along(const Real *const *from, Real *const *to, std::ptrdiff_t lines) const;

private:
  std::ptrdiff_t half_ = 0; ///< half of the rows
  std::ptrdiff_t own_ = 0, pairs_ = 0, padded_ = 0;
  /// Factors of sums and of differences, pairs x padded half of the rows.
  std::vector<Real> even_, odd_;
};

extern template class SmallMatrix<float>;
extern template class SmallMatrix<double>;
extern template class MirroredMatrix<float>;
extern template class MirroredMatrix<double>;

} // namespace hybridfft::lfb
