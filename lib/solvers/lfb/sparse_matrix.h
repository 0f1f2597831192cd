/// Sparse matrix in compressed row storage (CSR). Serves bells and griddings, whose rows have few
/// terms.
#pragma once

#include <cstddef>
#include <vector>

namespace hybridfft::lfb {

/// Sparse matrix: the non-zero terms, row by row.
template <class Real> struct SparseMatrix {
  std::vector<std::ptrdiff_t> ends; ///< end of each row's terms in `columns` and `factors`
  std::vector<std::ptrdiff_t> columns;
  std::vector<Real> factors;

  std::ptrdiff_t rows() const { return static_cast<std::ptrdiff_t>(ends.size()); }
  /// Index of the first term of a row.
  std::ptrdiff_t begin(std::ptrdiff_t row) const {
    return row == 0 ? 0 : ends[static_cast<std::size_t>(row - 1)];
  }
  /// Number of terms of a row.
  std::ptrdiff_t terms(std::ptrdiff_t row) const {
    return ends[static_cast<std::size_t>(row)] - begin(row);
  }

  /// Creates a matrix from dense values.
  /// \param values rows x columns, row-major, rounded to Real
  static SparseMatrix of(std::ptrdiff_t rows, std::ptrdiff_t columns, const double *values) {
    SparseMatrix matrix;
    for (std::ptrdiff_t r = 0; r < rows; ++r) {
      for (std::ptrdiff_t c = 0; c < columns; ++c) {
        const auto factor = static_cast<Real>(values[r * columns + c]);
        if (factor == 0) continue;
        matrix.columns.push_back(c);
        matrix.factors.push_back(factor);
      }
      matrix.ends.push_back(static_cast<std::ptrdiff_t>(matrix.columns.size()));
    }
    return matrix;
  }
};

} // namespace hybridfft::lfb
