#include "local/line_fft.h"

#include "base/error.h"

namespace hybridfft::local {

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
