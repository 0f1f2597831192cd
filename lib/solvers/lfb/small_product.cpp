#include "solvers/lfb/small_product.h"

#include <algorithm>
#include <cstring>

#include "hybridfft/grid/all_vectors.hpp"

namespace hybridfft::lfb {

namespace {

/// Number of sums kept in registers at once.
constexpr std::ptrdiff_t sums = 4;

/// Values per vector.
template <class Real> constexpr std::ptrdiff_t lanes = WideVector<Real>::values;

#define HFFT_INLINE [[gnu::always_inline]] inline

template <class Real>
HFFT_INLINE void load(typename WideVector<Real>::Type &v, const Real *from, std::ptrdiff_t count) {
  if (count == lanes<Real>) {
    std::memcpy(&v, from, sizeof(v));
    return;
  }
  v = typename WideVector<Real>::Type{};
  std::memcpy(&v, from, static_cast<std::size_t>(count) * sizeof(Real));
}

template <class Real>
HFFT_INLINE void store(const typename WideVector<Real>::Type &v, Real *to, std::ptrdiff_t count) {
  if (count == lanes<Real>)
    std::memcpy(to, &v, sizeof(v));
  else
    std::memcpy(to, &v, static_cast<std::size_t>(count) * sizeof(Real));
}

/// View of a SmallMatrix.
template <class Real> struct Matrix {
  const Real *values;
  std::ptrdiff_t rows, columns, padded;
};

/// Computes all rows of the product for one vector of lines. The elements of a vector are different
/// lines. `sums` rows are computed at a time.
template <class Real>
HFFT_INLINE void across_rows(const Matrix<Real> &m, const Real *const *from, Real *const *to,
                             std::ptrdiff_t first, std::ptrdiff_t count) {
  using Vector = typename WideVector<Real>::Type;
  for (std::ptrdiff_t r = 0; r < m.rows; r += sums) {
    Vector s0{}, s1{}, s2{}, s3{};
    const Real *factors = m.values + r;
    for (std::ptrdiff_t c = 0; c < m.columns; ++c, factors += m.padded) {
      Vector v;
      load<Real>(v, from[c] + first, count);
      s0 += factors[0] * v;
      s1 += factors[1] * v;
      s2 += factors[2] * v;
      s3 += factors[3] * v;
    }
    const Vector *all[] = {&s0, &s1, &s2, &s3};
    for (std::ptrdiff_t q = 0; q < std::min(sums, m.rows - r); ++q)
      store<Real>(*all[q], to[r + q] + first, count);
  }
}

template <class Real>
HFFT_INLINE void across_lines(const Matrix<Real> &m, const Real *const *from, Real *const *to,
                              std::ptrdiff_t count) {
  std::ptrdiff_t first = 0;
  for (; first + lanes<Real> <= count; first += lanes<Real>)
    across_rows<Real>(m, from, to, first, lanes<Real>);
  if (first < count) across_rows<Real>(m, from, to, first, count - first);
}

/// Computes the products of up to four lines. The elements of a vector are rows of the matrix,
/// which is read once for all lines.
template <class Real>
HFFT_INLINE void along_lines(const Matrix<Real> &m, const Real *const *from, Real *const *to,
                             std::ptrdiff_t lines) {
  using Vector = typename WideVector<Real>::Type;
  // If there are fewer than four lines, the last one takes the place of the others.
  const Real *const f0 = from[0], *const f1 = from[std::min<std::ptrdiff_t>(1, lines - 1)],
                    *const f2 = from[std::min<std::ptrdiff_t>(2, lines - 1)],
                    *const f3 = from[std::min<std::ptrdiff_t>(3, lines - 1)];
  for (std::ptrdiff_t r = 0; r < m.rows; r += lanes<Real>) {
    Vector s0{}, s1{}, s2{}, s3{};
    const Real *factors = m.values + r;
    for (std::ptrdiff_t c = 0; c < m.columns; ++c, factors += m.padded) {
      Vector v;
      load<Real>(v, factors, lanes<Real>);
      s0 += f0[c] * v;
      s1 += f1[c] * v;
      s2 += f2[c] * v;
      s3 += f3[c] * v;
    }
    const Vector *all[] = {&s0, &s1, &s2, &s3};
    for (std::ptrdiff_t l = 0; l < lines; ++l)
      store<Real>(*all[l], to[l] + r, std::min(lanes<Real>, m.rows - r));
  }
}

/// View of a MirroredMatrix.
template <class Real> struct Mirrored {
  const Real *even, *odd;
  std::ptrdiff_t half, own, pairs, padded;

  /// column() and mirrored() return the two columns of pair c.
  std::ptrdiff_t column(std::ptrdiff_t c) const { return c < own ? c : own + c; }
  std::ptrdiff_t mirrored(std::ptrdiff_t c) const { return c < own ? 2 * own - 1 - c : pairs + c; }
};

constexpr std::ptrdiff_t pairs = MirroredMatrix<float>::max_pairs;
constexpr std::ptrdiff_t vectors = 2;  ///< vectors of lines computed at a time
constexpr std::ptrdiff_t together = 2; ///< rows computed at a time, besides their mirrored rows

/// Sums and differences of mirrored operands, for `vectors` vectors of lines.
template <class Real> struct Operands {
  static constexpr std::ptrdiff_t lines = vectors * lanes<Real>;
  alignas(64) Real sums[pairs][lines];
  alignas(64) Real differences[pairs][lines];
};

/// Computes the operands of `count` lines. The operands of further lines are 0.
template <class Real>
HFFT_INLINE void read_operands(const Mirrored<Real> &m, const Real *const *from,
                               std::ptrdiff_t first, std::ptrdiff_t count, Operands<Real> &to) {
  for (std::ptrdiff_t c = 0; c < m.pairs; ++c) {
    const Real *a = from[m.column(c)] + first, *b = from[m.mirrored(c)] + first;
    for (std::ptrdiff_t v = 0; v < vectors; ++v) {
      const std::ptrdiff_t begin = v * lanes<Real>;
      const std::ptrdiff_t here = std::clamp<std::ptrdiff_t>(count - begin, 0, lanes<Real>);
      typename WideVector<Real>::Type x{}, y{};
      if (here > 0) {
        load<Real>(x, a + begin, here);
        load<Real>(y, b + begin, here);
      }
      const typename WideVector<Real>::Type sum = x + y, difference = x - y;
      std::memcpy(to.sums[c] + begin, &sum, sizeof(sum));
      std::memcpy(to.differences[c] + begin, &difference, sizeof(difference));
    }
  }
}

/// Computes the rows r to r + together - 1 and their mirrored rows for the lines of the operands.
template <class Real>
HFFT_INLINE void mirrored_rows(const Mirrored<Real> &m, const Operands<Real> &operands,
                               std::ptrdiff_t r, Real *const *to, std::ptrdiff_t first,
                               std::ptrdiff_t count) {
  using Vector = typename WideVector<Real>::Type;
  Vector even[together][vectors] = {}, odd[together][vectors] = {};
  for (std::ptrdiff_t c = 0; c < m.pairs; ++c) {
    Vector sum[vectors], difference[vectors];
    std::memcpy(sum, operands.sums[c], sizeof(sum));
    std::memcpy(difference, operands.differences[c], sizeof(difference));
    const Real *e = m.even + c * m.padded + r, *o = m.odd + c * m.padded + r;
#pragma GCC unroll 2
    for (std::ptrdiff_t q = 0; q < together; ++q)
#pragma GCC unroll 2
      for (std::ptrdiff_t v = 0; v < vectors; ++v) {
        even[q][v] += e[q] * sum[v];
        odd[q][v] += o[q] * difference[v];
      }
  }
  for (std::ptrdiff_t q = 0; q < std::min(together, m.half - r); ++q)
    for (std::ptrdiff_t v = 0; v < vectors; ++v) {
      const std::ptrdiff_t begin = v * lanes<Real>;
      const std::ptrdiff_t here = std::clamp<std::ptrdiff_t>(count - begin, 0, lanes<Real>);
      if (here == 0) break;
      store<Real>(even[q][v] + odd[q][v], to[r + q] + first + begin, here);
      store<Real>(even[q][v] - odd[q][v], to[2 * m.half - 1 - r - q] + first + begin, here);
    }
}

template <class Real>
HFFT_INLINE void mirrored_across(const Mirrored<Real> &m, const Real *const *from, Real *const *to,
                                 std::ptrdiff_t count) {
  Operands<Real> operands;
  for (std::ptrdiff_t first = 0; first < count; first += Operands<Real>::lines) {
    const std::ptrdiff_t here = std::min(Operands<Real>::lines, count - first);
    read_operands(m, from, first, here, operands);
    for (std::ptrdiff_t r = 0; r < m.half; r += together)
      mirrored_rows(m, operands, r, to, first, here);
  }
}

/// Computes the products of up to four lines. The elements of a vector are rows of the first half.
template <class Real>
HFFT_INLINE void mirrored_along(const Mirrored<Real> &m, const Real *const *from, Real *const *to,
                                std::ptrdiff_t lines) {
  using Vector = typename WideVector<Real>::Type;
  constexpr std::ptrdiff_t most = MirroredMatrix<Real>::max_lines;
  Real sums[most][pairs], differences[most][pairs];
  for (std::ptrdiff_t l = 0; l < most; ++l) {
    const Real *line = from[std::min(l, lines - 1)]; // the last line also replaces missing ones
    for (std::ptrdiff_t c = 0; c < m.own; ++c) {
      sums[l][c] = line[c] + line[2 * m.own - 1 - c];
      differences[l][c] = line[c] - line[2 * m.own - 1 - c];
    }
    for (std::ptrdiff_t c = m.own; c < m.pairs; ++c) {
      sums[l][c] = line[m.own + c] + line[m.pairs + c];
      differences[l][c] = line[m.own + c] - line[m.pairs + c];
    }
  }
  for (std::ptrdiff_t r = 0; r < m.half; r += lanes<Real>) {
    Vector even[most] = {}, odd[most] = {};
    for (std::ptrdiff_t c = 0; c < m.pairs; ++c) {
      Vector e, o;
      load<Real>(e, m.even + c * m.padded + r, lanes<Real>);
      load<Real>(o, m.odd + c * m.padded + r, lanes<Real>);
#pragma GCC unroll 4
      for (std::ptrdiff_t l = 0; l < most; ++l) {
        even[l] += sums[l][c] * e;
        odd[l] += differences[l][c] * o;
      }
    }
    const std::ptrdiff_t here = std::min(lanes<Real>, m.half - r);
    for (std::ptrdiff_t l = 0; l < lines; ++l) {
      store<Real>(even[l] + odd[l], to[l] + r, here);
      Real last[lanes<Real>];
      store<Real>(even[l] - odd[l], last, lanes<Real>);
      std::reverse_copy(last, last + here, to[l] + 2 * m.half - r - here);
    }
  }
}

HFFT_ALL_VECTORS void across_of(const Mirrored<float> &m, const float *const *from,
                                float *const *to, std::ptrdiff_t count) {
  mirrored_across(m, from, to, count);
}
HFFT_ALL_VECTORS void across_of(const Mirrored<double> &m, const double *const *from,
                                double *const *to, std::ptrdiff_t count) {
  mirrored_across(m, from, to, count);
}
HFFT_ALL_VECTORS void along_of(const Mirrored<float> &m, const float *const *from, float *const *to,
                               std::ptrdiff_t lines) {
  mirrored_along(m, from, to, lines);
}
HFFT_ALL_VECTORS void along_of(const Mirrored<double> &m, const double *const *from,
                               double *const *to, std::ptrdiff_t lines) {
  mirrored_along(m, from, to, lines);
}

HFFT_ALL_VECTORS void across_of(const Matrix<float> &m, const float *const *from, float *const *to,
                                std::ptrdiff_t count) {
  across_lines(m, from, to, count);
}
HFFT_ALL_VECTORS void across_of(const Matrix<double> &m, const double *const *from,
                                double *const *to, std::ptrdiff_t count) {
  across_lines(m, from, to, count);
}
HFFT_ALL_VECTORS void along_of(const Matrix<float> &m, const float *const *from, float *const *to,
                               std::ptrdiff_t lines) {
  along_lines(m, from, to, lines);
}
HFFT_ALL_VECTORS void along_of(const Matrix<double> &m, const double *const *from,
                               double *const *to, std::ptrdiff_t lines) {
  along_lines(m, from, to, lines);
}

} // namespace

template <class Real>
SmallMatrix<Real>::SmallMatrix(std::ptrdiff_t rows, std::ptrdiff_t columns, const double *values)
    : rows_(rows), columns_(columns), padded_((rows + lanes<Real> - 1) / lanes<Real> * lanes<Real>),
      values_(static_cast<std::size_t>(padded_ * columns)) {
  for (std::ptrdiff_t r = 0; r < rows; ++r)
    for (std::ptrdiff_t c = 0; c < columns; ++c)
      values_[static_cast<std::size_t>(c * padded_ + r)] =
          static_cast<Real>(values[r * columns + c]);
}

template <class Real>
void SmallMatrix<Real>::across(const Real *const *from, Real *const *to,
                               std::ptrdiff_t count) const {
  across_of(Matrix<Real>{values_.data(), rows_, columns_, padded_}, from, to, count);
}

template <class Real>
void SmallMatrix<Real>::along(const Real *const *from, Real *const *to,
                              std::ptrdiff_t lines) const {
  along_of(Matrix<Real>{values_.data(), rows_, columns_, padded_}, from, to, lines);
}

template <class Real>
MirroredMatrix<Real>::MirroredMatrix(std::ptrdiff_t rows, std::ptrdiff_t own,
                                     std::ptrdiff_t numbers, const double *values)
    : half_(rows / 2), own_(own), pairs_(own + numbers),
      padded_((half_ + lanes<Real> - 1) / lanes<Real> * lanes<Real>),
      even_(static_cast<std::size_t>(padded_ * pairs_)), odd_(even_.size()) {
  const Mirrored<Real> m{nullptr, nullptr, half_, own_, pairs_, padded_};
  for (std::ptrdiff_t r = 0; r < half_; ++r)
    for (std::ptrdiff_t c = 0; c < pairs_; ++c) {
      const double a = values[r * columns() + m.column(c)];
      const double b = values[r * columns() + m.mirrored(c)];
      const auto at = static_cast<std::size_t>(c * padded_ + r);
      even_[at] = static_cast<Real>((a + b) / 2);
      odd_[at] = static_cast<Real>((a - b) / 2);
    }
}

template <class Real>
void MirroredMatrix<Real>::across(const Real *const *from, Real *const *to,
                                  std::ptrdiff_t count) const {
  across_of(Mirrored<Real>{even_.data(), odd_.data(), half_, own_, pairs_, padded_}, from, to,
            count);
}

template <class Real>
void MirroredMatrix<Real>::along(const Real *const *from, Real *const *to,
                                 std::ptrdiff_t lines) const {
  along_of(Mirrored<Real>{even_.data(), odd_.data(), half_, own_, pairs_, padded_}, from, to,
           lines);
}

template class SmallMatrix<float>;
template class SmallMatrix<double>;
template class MirroredMatrix<float>;
template class MirroredMatrix<double>;

} // namespace hybridfft::lfb

namespace hybridfft::lfb::rows {

namespace {

/// Terms of a weighted sum of rows.
template <class Real> struct Terms {
  Rows<Real> rows;
  const std::ptrdiff_t *columns;
  const Real *factors;
  std::ptrdiff_t count;

  const Real *row(std::ptrdiff_t t) const { return rows.first + columns[t] * rows.stride; }
};

/// Computes `vectors` vectors of the sum, starting at value `begin`.
template <int vectors, class Real>
[[gnu::always_inline]] inline void sum_block(const Terms<Real> &terms, Real *to,
                                             std::ptrdiff_t begin) {
  using Vector = typename WideVector<Real>::Type;
  Vector sum[vectors] = {};
  for (std::ptrdiff_t t = 0; t < terms.count; ++t) {
    const Real *row = terms.row(t) + begin;
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
      Vector from;
      std::memcpy(&from, row + v * WideVector<Real>::values, sizeof(from));
      sum[v] += terms.factors[t] * from;
    }
  }
  std::memcpy(to + begin, sum, sizeof(sum));
}

template <class Real>
[[gnu::always_inline]] inline void sum_of(const Terms<Real> &terms, Real *to, std::ptrdiff_t n) {
  constexpr std::ptrdiff_t values = WideVector<Real>::values;
  std::ptrdiff_t begin = 0;
  for (; begin + 4 * values <= n; begin += 4 * values)
    sum_block<4>(terms, to, begin);
  for (; begin + values <= n; begin += values)
    sum_block<1>(terms, to, begin);
  for (; begin < n; ++begin) {
    Real sum = 0;
    for (std::ptrdiff_t t = 0; t < terms.count; ++t)
      sum += terms.factors[t] * terms.row(t)[begin];
    to[begin] = sum;
  }
}

} // namespace

HFFT_ALL_VECTORS
void weighted_sum(const Rows<float> &rows, const std::ptrdiff_t *columns, const float *factors,
                  std::ptrdiff_t terms, float *to, std::ptrdiff_t n) {
  sum_of(Terms<float>{rows, columns, factors, terms}, to, n);
}

HFFT_ALL_VECTORS
void weighted_sum(const Rows<double> &rows, const std::ptrdiff_t *columns, const double *factors,
                  std::ptrdiff_t terms, double *to, std::ptrdiff_t n) {
  sum_of(Terms<double>{rows, columns, factors, terms}, to, n);
}

HFFT_ALL_VECTORS
float product(const float *a, const float *b, std::ptrdiff_t n) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::ptrdiff_t i = 0; i < n; ++i)
    sum += a[i] * b[i];
  return sum;
}

HFFT_ALL_VECTORS
double product(const double *a, const double *b, std::ptrdiff_t n) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::ptrdiff_t i = 0; i < n; ++i)
    sum += a[i] * b[i];
  return sum;
}

HFFT_ALL_VECTORS
void add(float factor, const float *from, float *to, std::ptrdiff_t n) {
#pragma omp simd
  for (std::ptrdiff_t i = 0; i < n; ++i)
    to[i] += factor * from[i];
}

HFFT_ALL_VECTORS
void add(double factor, const double *from, double *to, std::ptrdiff_t n) {
#pragma omp simd
  for (std::ptrdiff_t i = 0; i < n; ++i)
    to[i] += factor * from[i];
}

} // namespace hybridfft::lfb::rows
