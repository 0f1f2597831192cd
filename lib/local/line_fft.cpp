#include <algorithm>
#include <limits>

#include "local/line_fft.h"

#include "base/error.h"
#include "local/twiddles.h"

namespace hybridfft::local {

namespace {

using Long = Twiddles::Long;

std::ptrdiff_t smallest_factor(std::ptrdiff_t n) {
  for (std::ptrdiff_t p = 2; p * p <= n; ++p)
    if (n % p == 0) return p;
  return n;
}

/// Computes the forward DFT of x[0], x[stride], ... in long double. It recursively divides the
/// length by its smallest factor. `roots` are the roots of unity of order n * stride.
std::vector<Long> precise_dft(const Long *x, std::ptrdiff_t n, std::ptrdiff_t stride,
                              const Twiddles &roots) {
  if (n == 1) return {*x};
  const std::ptrdiff_t p = smallest_factor(n);
  const std::ptrdiff_t rest = n / p;
  std::vector<Long> y(static_cast<std::size_t>(n));
  for (std::ptrdiff_t i = 0; i < p; ++i) {
    const std::vector<Long> part = precise_dft(x + i * stride, rest, stride * p, roots);
    for (std::ptrdiff_t k = 0; k < n; ++k)
      y[static_cast<std::size_t>(k)] +=
          part[static_cast<std::size_t>(k % rest)] * std::conj(roots[i * k * stride]);
  }
  return y;
}

template <class Real> void append(std::vector<Real> &to, const Long &z) {
  to.push_back(static_cast<Real>(z.real()));
  to.push_back(static_cast<Real>(z.imag()));
}

/// Longest line of BluesteinFft: its tiles fit a cache.
constexpr std::ptrdiff_t longest_chirp = std::ptrdiff_t{1} << 14;

/// The search for a convolution length goes from the minimum to a quarter (1 / search_share) above
/// it, because a length above the minimum may have better factors.
constexpr std::ptrdiff_t search_share = 4;

/// Returns the convolution length with the lowest cost for lines of n points.
template <class Real> std::ptrdiff_t convolution(simd::Isa isa, std::ptrdiff_t n) {
  const std::ptrdiff_t shortest = 2 * n - 1;
  std::ptrdiff_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::ptrdiff_t m = shortest; m <= shortest + shortest / search_share + 1; ++m) {
    const double cost = static_cast<double>(m) * MixedRadixFft<Real>::cost(isa, m);
    if (cost >= least) continue;
    best = m;
    least = cost;
  }
  return best;
}

} // namespace

template <class Real> bool BluesteinFft<Real>::applies(simd::Isa isa, std::ptrdiff_t n) {
  return simd::fft_kernels<Real>(isa) != nullptr && n >= 1 && n <= longest_chirp;
}

template <class Real>
BluesteinFft<Real>::BluesteinFft(simd::Isa isa, std::ptrdiff_t n, Real scale)
    : forward_(isa, convolution<Real>(isa, n), -1), backward_(isa, forward_.size(), +1), n_(n) {
  const std::ptrdiff_t m = forward_.size();
  std::vector<Long> kernel(static_cast<std::size_t>(m));
  // conj(w[j]) = exp(2 pi i (j^2 mod 2 n) / (2 n)).
  const Twiddles roots(2 * n);
  for (std::ptrdiff_t j = 0; j < n; ++j) {
    const Long b = roots[j * j];
    append(chirp_, std::conj(b));
    kernel[static_cast<std::size_t>(j)] = b;
    kernel[static_cast<std::size_t>((m - j) % m)] = b;
  }
  for (const Long &z : precise_dft(kernel.data(), m, 1, Twiddles(m)))
    append(spectrum_, z / static_cast<long double>(m) * static_cast<long double>(scale));
}

template <class Real> void BluesteinFft<Real>::run(const Real *in, Real *out, Real *work) const {
  const auto multiply = forward_.moves().multiply;
  const std::ptrdiff_t m = forward_.size();
  const std::ptrdiff_t point = 2 * forward_.lanes();
  Real *product = work;
  Real *transformed = work + m * point;
  multiply(n_, in, chirp_.data(), forward_.positions(), transformed);
  for (std::ptrdiff_t j = n_; j < m; ++j)
    std::fill_n(transformed + forward_.positions()[j] * point, point, Real(0));
  forward_.run_in_tile(transformed);
  multiply(m, transformed, spectrum_.data(), backward_.positions(), product);
  backward_.run_in_tile(product);
  multiply(n_, product, chirp_.data(), nullptr, out);
}

template class BluesteinFft<float>;
template class BluesteinFft<double>;

template <class Real> bool LineFft<Real>::applies(simd::Isa isa, std::ptrdiff_t n) {
  return MixedRadixFft<Real>::applies(isa, n) || BluesteinFft<Real>::applies(isa, n);
}

template <class Real>
LineFft<Real>::LineFft(simd::Isa isa, std::ptrdiff_t n, int sign, Real scale)
    : kernels_(simd::fft_kernels<Real>(isa)), n_(n) {
  if (!applies(isa, n))
    throw Failure(HFFT_ERROR_UNSUPPORTED, std::string("no ") + simd::name(isa) +
                                              " kernels for lines of " + std::to_string(n) +
                                              " points");
  if (MixedRadixFft<Real>::applies(isa, n)) {
    mixed_radix_.emplace(isa, n, sign, scale);
    return;
  }
  bluestein_.emplace(isa, n, scale);
  for (std::ptrdiff_t j = 0; j < n; ++j)
    positions_.push_back(static_cast<std::int32_t>(sign < 0 ? j : (n - j) % n));
}

template <class Real>
void LineFft<Real>::run(const Real *const *in, Real *const *out, std::ptrdiff_t offset,
                        Output output, Real *work, std::ptrdiff_t tiles) const {
  if (mixed_radix_) {
    mixed_radix_->run(in, out, offset, output, {work, tiles, tile_step()});
    return;
  }
  for (std::ptrdiff_t t = 0; t < tiles; ++t, offset += 2 * lanes()) {
    read(in, offset, {work});
    bluestein_->run(work, work, work);
    write_points(moves(), {work}, n_, out, offset, output);
  }
}

template <class Real>
void LineFft<Real>::run_from_tiles(const simd::FftTiles<Real> &tiles, bool begun, Real *const *out,
                                   std::ptrdiff_t offset, Output output, Real *work) const {
  if (mixed_radix_) {
    mixed_radix_->run_from_tiles(tiles, begun, out, offset, output);
    return;
  }
  for (std::ptrdiff_t t = 0; t < tiles.count; ++t, offset += 2 * lanes()) {
    bluestein_->run(tiles.first + t * tiles.stride, work, work);
    write_points(moves(), {work}, n_, out, offset, output);
  }
}

template <class Real>
void LineFft<Real>::run_to_tiles(const Real *const *in, std::ptrdiff_t offset,
                                 const simd::FftTiles<Real> &tiles, Real *work) const {
  if (mixed_radix_) {
    mixed_radix_->run_to_tiles(in, offset, tiles);
    return;
  }
  read(in, offset, tiles);
  for (std::ptrdiff_t t = 0; t < tiles.count; ++t)
    bluestein_->run(tiles.first + t * tiles.stride, tiles.first + t * tiles.stride, work);
}

template <class Real> void LineFft<Real>::run_in_tile(Real *tile, Real *work, bool begun) const {
  if (mixed_radix_)
    mixed_radix_->run_in_tile(tile, begun);
  else
    bluestein_->run(tile, tile, work);
}

template <class Real>
void LineFft<Real>::run_in_tile(Real *tile, Real *work, Prefetch &ahead) const {
  if (mixed_radix_) {
    mixed_radix_->run_in_tile(tile, ahead);
    return;
  }
  ahead.burst();
  bluestein_->run(tile, tile, work);
}

template class LineFft<float>;
template class LineFft<double>;

} // namespace hybridfft::local
