/// Products of small dense matrices with the points of many lines, vectorised. Local Fourier bases
/// need them to pack moments and to fill gaps.
#pragma once

#include <cstddef>
#include <vector>

namespace hybridfft::lfb {

/// Vector of Real: its size in bytes, its number of values and its type.
template <class Real> struct WideVector {
  static constexpr std::size_t bytes = 64;
  static constexpr auto values = static_cast<std::ptrdiff_t>(bytes / sizeof(Real));
  using Type __attribute__((vector_size(bytes))) = Real;
};

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
  /// \param own     number of own points at each end of the gap
  /// \param numbers number of values received from each side
  /// \param values  rows x columns, row-major, rounded to Real; first a column for each own point
  ///                (both ends), then a column for each received value (both sides)
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

namespace hybridfft::lfb::rows {

// Vector kernels for griddings: weighted sums of rows, inner products and scaled additions.
// They are compiled for several vector instruction sets. The processor's widest one is chosen at
// run time.

/// Rows in memory, `stride` values apart.
template <class Real> struct Rows {
  const Real *first;
  std::ptrdiff_t stride;
};

/// Computes to = sum over t of factors[t] times row columns[t], in the order of t, for rows of n
/// values.
void weighted_sum(const Rows<float> &rows, const std::ptrdiff_t *columns, const float *factors,
                  std::ptrdiff_t terms, float *to, std::ptrdiff_t n);
void weighted_sum(const Rows<double> &rows, const std::ptrdiff_t *columns, const double *factors,
                  std::ptrdiff_t terms, double *to, std::ptrdiff_t n);

/// Return the inner product of a and b.
float product(const float *a, const float *b, std::ptrdiff_t n);
double product(const double *a, const double *b, std::ptrdiff_t n);

/// Add factor * from[i] to to[i].
void add(float factor, const float *from, float *to, std::ptrdiff_t n);
void add(double factor, const double *from, double *to, std::ptrdiff_t n);

} // namespace hybridfft::lfb::rows

namespace hybridfft::lfb {

// Sparse matrix in compressed row storage (CSR), for bells and griddings. Their matrices have few
// terms per row.

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
