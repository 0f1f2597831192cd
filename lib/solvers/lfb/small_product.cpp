#include "solvers/lfb/small_product.h"

#include <algorithm>
#include <cstring>

#include "hybridfft/grid/all_vectors.hpp"
#include "solvers/lfb/wide_vector.h"

namespace hybridfft::lfb {

namespace {

/// Number of sums kept in registers at once.
constexpr std::ptrdiff_t sums = 4;

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

/// The data of a SmallMatrix.
template <class Real> struct Matrix {
  const Real *values;
  std::ptrdiff_t rows, columns, padded;
};

/// Vectors run over the lines. The loop computes `sums` rows at a time.
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

/// Vectors run over the rows of the matrix, which is read once for all lines.
template <class Real>
HFFT_INLINE void along_lines(const Matrix<Real> &m, const Real *const *from, Real *const *to,
                             std::ptrdiff_t lines) {
  using Vector = typename WideVector<Real>::Type;
  // Missing lines repeat the last line.
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
  across_of({values_.data(), rows_, columns_, padded_}, from, to, count);
}

template <class Real>
void SmallMatrix<Real>::along(const Real *const *from, Real *const *to,
                              std::ptrdiff_t lines) const {
  along_of({values_.data(), rows_, columns_, padded_}, from, to, lines);
}

template class SmallMatrix<float>;
template class SmallMatrix<double>;

} // namespace hybridfft::lfb
