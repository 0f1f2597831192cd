#include "local/real_lines.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "local/twiddles.h"

namespace hybridfft::local {

namespace {

bool is_sine(LineKind kind) {
  return kind == LineKind::rodft10 || kind == LineKind::rodft01 || kind == LineKind::rodft11;
}
bool is_fourth(LineKind kind) { return kind == LineKind::redft11 || kind == LineKind::rodft11; }
bool is_second(LineKind kind) { return kind == LineKind::redft10 || kind == LineKind::rodft10; }
bool is_third(LineKind kind) { return kind == LineKind::redft01 || kind == LineKind::rodft01; }

/// Returns true for type IV of even lengths, computed with complex lines of half the length.
bool has_halves(LineKind kind, std::ptrdiff_t n) { return is_fourth(kind) && n % 2 == 0; }

/// Returns true for transforms from spectra to lines.
bool is_backward(const ColumnTransform &t) {
  return t.kind == Kind::c2r || t.line == LineKind::hc2r || is_third(t.line);
}

/// Returns the length of the Fourier transform for a line of n points.
std::ptrdiff_t fourier_points(LineKind kind, std::ptrdiff_t n) {
  if (kind == LineKind::redft00) return 2 * (n - 1);
  if (kind == LineKind::rodft00) return 2 * (n + 1);
  return has_halves(kind, n) ? n / 2 : n;
}

/// Appends factor * exp(i pi numerator / denominator).
template <class Real>
void append_root(std::vector<Real> &roots, long double factor, std::ptrdiff_t numerator,
                 std::ptrdiff_t denominator) {
  const long double angle = std::numbers::pi_v<long double> * static_cast<long double>(numerator) /
                            static_cast<long double>(denominator);
  roots.push_back(static_cast<Real>(factor * std::cos(angle)));
  roots.push_back(static_cast<Real>(factor * std::sin(angle)));
}

/// A point of a line, with the sign that multiplies it.
struct SignedPoint {
  std::ptrdiff_t column;
  int sign;
};

/// Returns the point at index r of the permuted line of a DCT-IV of odd length n. The cosine of pi
/// p q / 4n, at odd p and q, is even in p and changes its sign from p to p + 4n. So the points p =
/// n + 8r, r < n, represent all points p = 2j + 1.
SignedPoint fourth_point(std::ptrdiff_t n, std::ptrdiff_t r) {
  std::ptrdiff_t p = (n + 8 * r) % (8 * n);
  if (p > 4 * n) p = 8 * n - p;
  if (p > 2 * n) return {(4 * n - p - 1) / 2, -1};
  return {(p - 1) / 2, 1};
}

} // namespace

/// Excludes some kinds for lengths with large prime factors, because the convolution has a larger
/// error than FFTW's transforms. For the other kinds FFTW's transforms have as large an error.
template <class Real>
bool RealLines<Real>::applies(simd::Isa isa, const ColumnTransform &t, std::ptrdiff_t n) {
  const std::ptrdiff_t points = fourier_points(t.line, n);
  if (t.kind == Kind::c2c || points <= 0 || !LineFft<Real>::applies(isa, points)) return false;
  const bool any_length =
      t.kind != Kind::r2r || is_second(t.line) || is_third(t.line) || has_halves(t.line, n);
  return any_length || !has_large_prime(points);
}

template <class Real>
RealLines<Real>::RealLines(simd::Isa isa, const ColumnTransform &transform, std::ptrdiff_t n,
                           Real scale)
    : transform_(transform), n_(n),
      fft_(isa, fourier_points(transform.line, n), is_backward(transform) ? 1 : -1, scale) {
  in_columns_.resize(static_cast<std::size_t>(has_halves(transform.line, n) ? n
                                              : transform.kind == Kind::c2r ? n / 2 + 1
                                                                            : fft_.size()));
  out_columns_.resize(static_cast<std::size_t>(transform.kind == Kind::r2c ? n / 2 + 1 : n));
  std::iota(in_columns_.begin(), in_columns_.end(), 0);
  std::iota(out_columns_.begin(), out_columns_.end(), 0);
  make_tables();
  make_orders();
}

template <class Real> std::string RealLines<Real>::name() const {
  if (transform_.kind == Kind::r2r) return local::name(transform_.line);
  return transform_.kind == Kind::r2c ? "FFT of real" : "FFT to real";
}

template <class Real> void RealLines<Real>::read(std::ptrdiff_t point, std::ptrdiff_t column) {
  const std::ptrdiff_t at = signs_.empty() ? fft_.positions()[point] : point;
  in_columns_[static_cast<std::size_t>(at)] = column;
}

template <class Real>
void RealLines<Real>::transform(const LinePointers &lines, const Tiles &a, const Tiles &b,
                                Real *work) const {
  if (transform_.kind == Kind::r2c) return to_complex(lines, a, b, work);
  if (transform_.kind == Kind::c2r) return to_real(lines, a, b, work);
  const bool backward = is_backward(transform_);
  if (has_halves(transform_.line, n_) || !signs_.empty()) return by_tiles(lines, a, b, work);
  if (!backward) fft_.run_to_tiles(lines.in, lines.in_offset, a, work);
  if (backward) fft_.moves().gather_points(lines.in, n_, lines.in_offset, a);
  for (std::ptrdiff_t t = 0; t < a.count; ++t) {
    Real *tile = a.first + t * a.stride;
    backward ? combine(tile, fft_.positions(), b.first + t * b.stride)
             : combine(tile, nullptr, tile);
  }
  if (backward)
    fft_.run_from_tiles(b, false, lines.out, lines.out_offset, lines.output, work);
  else
    write_points(fft_.moves(), a, n_, lines.out, lines.out_offset, lines.output);
}

template <class Real>
void RealLines<Real>::by_tiles(const LinePointers &lines, const Tiles &a, const Tiles &b,
                               Real *work) const {
  const Tiles &read = reads_second() ? b : a;
  fft_.moves().gather_points(lines.in, static_cast<std::ptrdiff_t>(in_columns_.size()),
                             lines.in_offset, read);
  Tiles results = a;
  for (std::ptrdiff_t t = 0; t < a.count; ++t) {
    Real *tile = in_tile(a.first + t * a.stride, b.first + t * b.stride, work);
    if (t == 0) results.first = tile;
  }
  write_points(fft_.moves(), results, n_, lines.out, lines.out_offset, lines.output);
}

template <class Real>
void RealLines<Real>::transform_contiguous(Real *const *in, Real *const *out, std::ptrdiff_t count,
                                           Real *a, Real *b, Real *work) const {
  const auto &moves = fft_.moves();
  moves.gather_reals(in, count, n_, places_.data(), reads_second() ? b : a);
  Real *results = in_tile(a, b, work);
  if (!orders_.empty()) {
    Real *ordered = results == a ? b : a;
    moves.multiply(n_, results, ones_.data(), orders_.data(), ordered);
    results = ordered;
  }
  moves.scatter_reals(results, n_, out, count);
}

template <class Real>
void RealLines<Real>::combine(const Real *in, const std::int32_t *to, Real *out) const {
  const auto &moves = fft_.moves();
  if (is_second(transform_.line))
    moves.to_cosines(n_, factors_.data(), out);
  else if (is_third(transform_.line))
    moves.from_cosines(n_, factors_.data(), in, to, out);
  else if (!factors_.empty())
    moves.combine(n_, factors_.data(), in, to, out);
}

template <class Real> Real *RealLines<Real>::in_tile(Real *a, Real *b, Real *work) const {
  const auto &moves = fft_.moves();
  if (has_halves(transform_.line, n_)) {
    Real *second = b + n_ * fft_.lanes();
    moves.fold_lines(n_, factors_.data(), a, fft_.positions(), b, second);
    fft_.run_in_tile(b, work);
    fft_.run_in_tile(second, work);
    moves.unfold_lines(n_, last_roots_.data(), static_cast<Real>(is_sine(transform_.line) ? 1 : -1),
                       b, second, a);
    return a;
  }
  if (is_backward(transform_)) {
    combine(a, fft_.positions(), b);
    fft_.run_in_tile(b, work);
    if (!signs_.empty()) moves.multiply(n_, b, signs_.data(), nullptr, b);
    return b;
  }
  if (reads_second()) moves.multiply(fft_.size(), b, signs_.data(), fft_.positions(), a);
  fft_.run_in_tile(a, work);
  combine(a, nullptr, a);
  // The sines of type I begin with point 1, so point 0 is skipped.
  return transform_.line == LineKind::rodft00 ? a + 2 * fft_.lanes() : a;
}

template <class Real> bool RealLines<Real>::reads_second() const {
  return !signs_.empty() && !is_backward(transform_);
}

/// Makes the tables for contiguous lines: the position of each column in the tile, and the columns
/// of the results if their order differs.
template <class Real> void RealLines<Real>::make_orders() {
  if (transform_.kind != Kind::r2r || static_cast<std::ptrdiff_t>(in_columns_.size()) != n_ ||
      transform_.line == LineKind::redft00)
    return;
  places_.resize(in_columns_.size());
  for (std::size_t i = 0; i < in_columns_.size(); ++i)
    places_[static_cast<std::size_t>(in_columns_[i])] = static_cast<std::int32_t>(i);
  if (std::is_sorted(out_columns_.begin(), out_columns_.end())) return;
  for (const std::ptrdiff_t column : out_columns_) {
    orders_.push_back(static_cast<std::int32_t>(column));
    ones_.insert(ones_.end(), {Real(1), Real(0)});
  }
}

/// Writes the half spectra of both lines of a pair, to two adjacent tiles.
template <class Real>
void RealLines<Real>::to_complex(const LinePointers &lines, const Tiles &a, const Tiles &b,
                                 Real *work) const {
  const auto &moves = fft_.moves();
  const Tiles spectra{b.first, 2 * b.count, b.stride / 2};
  moves.gather_pairs(lines.in, n_, lines.in_offset, a);
  for (std::ptrdiff_t t = 0; t < a.count; ++t) {
    Real *tile = a.first + t * a.stride;
    Real *first = spectra.first + 2 * t * spectra.stride;
    fft_.run_in_tile(tile, work);
    moves.split_pairs(tile, n_, first, first + spectra.stride);
  }
  write_points(moves, spectra, n_ / 2 + 1, lines.out, lines.out_offset, lines.output);
}

template <class Real>
void RealLines<Real>::to_real(const LinePointers &lines, const Tiles &a, const Tiles &b,
                              Real *work) const {
  const auto &moves = fft_.moves();
  const Tiles spectra{b.first, 2 * b.count, b.stride / 2};
  moves.gather_points(lines.in, n_ / 2 + 1, lines.in_offset, spectra);
  for (std::ptrdiff_t t = 0; t < a.count; ++t) {
    Real *tile = a.first + t * a.stride;
    const Real *first = spectra.first + 2 * t * spectra.stride;
    moves.merge_pairs(first, first + spectra.stride, n_, fft_.positions(), tile);
    fft_.run_in_tile(tile, work);
  }
  const auto write = lines.output == Output::streamed ? moves.stream_pairs : moves.scatter_pairs;
  write(a, n_, lines.out, lines.out_offset);
}

/// Makes the tables of all kinds except type IV. In types II and III, column c of a line is point
/// line_order(c) of the Fourier transform. Their sine transforms are cosine transforms of reversed
/// lines with alternating signs.
template <class Real> void RealLines<Real>::make_tables() {
  const std::ptrdiff_t n = n_;
  const LineKind kind = transform_.line;
  const auto line_order = [n](std::ptrdiff_t c) { return c % 2 == 0 ? c / 2 : n - 1 - c / 2; };
  const auto number = [&](std::ptrdiff_t c) {
    return static_cast<std::size_t>(is_sine(kind) ? n - 1 - c : c);
  };
  if (transform_.kind == Kind::c2r) return;
  if (is_fourth(kind)) return make_tables_of_fourth(is_sine(kind));
  for (std::ptrdiff_t j = 0; is_sine(kind) && j < n; ++j)
    signs_.insert(signs_.end(), {static_cast<Real>(2 * j < n ? 1 : -1), Real(0)});
  // Factors of i turn the transform of an odd line into its sines.
  for (std::ptrdiff_t j = 0; kind == LineKind::rodft00 && j < fft_.size(); ++j)
    signs_.insert(signs_.end(), {Real(0), static_cast<Real>(j % (n + 1) == 0 ? 0
                                                            : j <= n         ? 1
                                                                             : -1)});
  for (std::ptrdiff_t k = 0; (is_second(kind) || is_third(kind)) && 2 * k <= n; ++k)
    append_root(factors_, 1, k, 2 * n);
  const Real half = Real(0.5);
  for (std::ptrdiff_t k = 0; 2 * k <= n; ++k) {
    const bool alone = k == 0 || 2 * k == n;
    std::vector<Real> f;
    if (kind == LineKind::r2hc) f = {half, 0, half, 0, 0, -half, 0, half};
    if (kind == LineKind::dht) f = {half, half, half, -half, half, -half, half, half};
    if (kind == LineKind::hc2r) f = {1, 0, 0, 1, 1, 0, 0, -1};
    if (alone && !f.empty()) f[0] = 1, f[1] = 0;
    factors_.insert(factors_.end(), f.begin(), f.end());
  }
  for (std::ptrdiff_t c = 0; c < n; ++c) {
    if (is_second(kind)) {
      read(line_order(c), c);
      out_columns_[number(c)] = c;
    } else if (is_third(kind)) {
      in_columns_[number(c)] = c;
      out_columns_[static_cast<std::size_t>(line_order(c))] = c;
    }
  }
  if (is_second(kind) || is_backward(transform_)) return;
  for (std::ptrdiff_t j = 0; j < fft_.size(); ++j) {
    const std::ptrdiff_t mirrored = fft_.size() - j;
    if (kind == LineKind::redft00)
      read(j, j < n ? j : mirrored);
    else if (kind == LineKind::rodft00)
      read(j, j % (n + 1) == 0 ? 0 : std::min(j, mirrored) - 1);
    else
      read(j, j);
  }
}

/// Makes the tables of type IV. A DST-IV is the DCT-IV of the reversed line, with alternating
/// signs. If n is odd, point k of the Fourier transform contributes to the result c for which
/// 2 c + 1 is k or k + n, whichever is odd.
template <class Real> void RealLines<Real>::make_tables_of_fourth(bool reversed) {
  const std::ptrdiff_t n = n_;
  const auto column = [&](std::ptrdiff_t c) { return reversed ? n - 1 - c : c; };
  if (n % 2 == 0) {
    for (std::ptrdiff_t k = 0; 2 * k < n; ++k) {
      append_root(factors_, 1, -(4 * k + 1), 4 * n);
      append_root(last_roots_, 2, -k, n);
    }
    for (std::ptrdiff_t c = 0; c < n; ++c)
      in_columns_[static_cast<std::size_t>(c)] = column(c);
    return;
  }
  for (std::ptrdiff_t r = 0; r < n; ++r) {
    const SignedPoint p = fourth_point(n, r);
    signs_.insert(signs_.end(), {static_cast<Real>(p.sign), Real(0)});
    read(r, column(p.column));
  }
  const auto result = [n](std::ptrdiff_t k) { return ((k % 2 == 0 ? k + n : k) - 1) / 2; };
  const auto append_factor = [&](std::ptrdiff_t k, int direction) {
    const std::ptrdiff_t c = result(k);
    append_root(factors_, reversed && c % 2 != 0 ? -1 : 1, direction * (2 * c + 1), 4);
  };
  for (std::ptrdiff_t k = 0; 2 * k <= n; ++k) {
    out_columns_[static_cast<std::size_t>(k)] = result(k);
    append_factor(k, -1);
    append_factor(k, 1);
    append_factor(k == 0 ? 0 : n - k, 1);
    append_factor(k == 0 ? 0 : n - k, -1);
    if (k > 0) out_columns_[static_cast<std::size_t>(n - k)] = result(n - k);
  }
  // Result k is a sum of two terms, with the points k and n - k. For k = 0 both are point 0, and
  // their factors are conjugate: one real factor replaces them.
  factors_[0] *= 2;
  factors_[1] = 0;
}

template class RealLines<float>;
template class RealLines<double>;

} // namespace hybridfft::local
