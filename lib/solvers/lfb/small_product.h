/// Multiplies a small matrix by the points of many lines.
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

extern template class SmallMatrix<float>;
extern template class SmallMatrix<double>;

} // namespace hybridfft::lfb
