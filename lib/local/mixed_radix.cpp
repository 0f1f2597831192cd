#include "local/mixed_radix.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "local/twiddles.h"

namespace hybridfft::local {

namespace {

/// Bytes of a tile that stay in the first-level cache between steps. If there are several tiles,
/// each one completes all possible steps in this cache before the next one starts.
constexpr std::ptrdiff_t nearest_cache = std::ptrdiff_t{1} << 15;

/// Number of points computed between two prefetch bursts: about fifty nanoseconds of work, in which
/// half of the requests of a burst complete.
constexpr std::ptrdiff_t points_of_burst = 32;

} // namespace

template <class Real> bool MixedRadixFft<Real>::applies(simd::Isa isa, std::ptrdiff_t n) {
  return factors_of<Real>(isa, n).has_value();
}

template <class Real> double MixedRadixFft<Real>::cost(simd::Isa isa, std::ptrdiff_t n) {
  const auto factors = factors_of<Real>(isa, n);
  return factors ? factors->cost : std::numeric_limits<double>::infinity();
}

template <class Real>
MixedRadixFft<Real>::MixedRadixFft(simd::Isa isa, std::ptrdiff_t n, int sign, Real scale)
    : kernels_(simd::fft_kernels<Real>(isa)), n_(n) {
  const auto factors = factors_of<Real>(isa, n);
  if (!factors)
    throw Failure(HFFT_ERROR_UNSUPPORTED, std::string("no ") + simd::name(isa) +
                                              " kernels for lines of " + std::to_string(n) +
                                              " points");
  make_steps(factors->radices);
  make_positions(sign);
  if (scale == 1) return;
  for (std::ptrdiff_t j = 0; j < n; ++j)
    scale_.insert(scale_.end(), {scale, 0});
}

template <class Real> void MixedRadixFft<Real>::make_steps(const std::vector<int> &radices) {
  const Twiddles roots(n_);
  std::ptrdiff_t span = 1;
  for (const int radix : radices) {
    std::vector<Real> &w = twiddles_.emplace_back();
    w.reserve(static_cast<std::size_t>(2 * span * (radix - 1)));
    for (std::ptrdiff_t j = 0; j < span; ++j)
      for (std::ptrdiff_t k = 1; k < radix; ++k) {
        const auto root = roots[j * k * (n_ / (span * radix))];
        w.push_back(static_cast<Real>(root.real()));
        w.push_back(static_cast<Real>(-root.imag()));
      }
    for (const auto &r : kernels_->radices)
      if (r.radix == radix)
        steps_.push_back({&r, n_ / (span * radix), span, w.data(),
                          std::max<std::ptrdiff_t>(points_of_burst / radix, 1)});
    span *= radix;
  }
  // The first step processes its blocks in groups. The radix of the second step is the number of
  // blocks in a group.
  const RadixStep &second = steps_[1];
  const auto ranges = [](std::ptrdiff_t count, std::ptrdiff_t each) {
    return (count + each - 1) / each;
  };
  const std::ptrdiff_t run = steps_.size() > 2 ? second.radix->radix : steps_.front().blocks;
  bursts_ = steps_.front().blocks / run * ranges(run, steps_.front().between_bursts);
  if (steps_.back().radix->radix > 1)
    bursts_ += ranges(steps_.back().span, steps_.back().between_bursts);
}

/// Computes the positions. The last step needs the points sorted by their residue modulo its radix.
/// Each earlier step needs the points of each residue class sorted in the same way.
template <class Real> void MixedRadixFft<Real>::make_positions(int sign) {
  positions_.reserve(static_cast<std::size_t>(n_));
  points_.resize(static_cast<std::size_t>(n_));
  for (std::ptrdiff_t j = 0; j < n_; ++j) {
    std::ptrdiff_t rest = sign < 0 ? j : (n_ - j) % n_;
    std::ptrdiff_t position = 0;
    for (std::size_t s = steps_.size(); s-- > 0;) {
      position += rest % steps_[s].radix->radix * steps_[s].span;
      rest /= steps_[s].radix->radix;
    }
    positions_.push_back(static_cast<std::int32_t>(position));
    points_[static_cast<std::size_t>(position)] = static_cast<std::int32_t>(j);
  }
}

template <class Real>
template <class First>
void MixedRadixFft<Real>::steps_up_to(std::size_t level, std::ptrdiff_t at, std::ptrdiff_t blocks,
                                      Real *tile, const First &first) const {
  if (level == 0) {
    first(at, blocks);
    Real *points = tile + 2 * lanes() * at;
    if (!scale_.empty())
      moves().multiply(blocks * group_points(), points, scale_.data(), nullptr, points);
    return;
  }
  const RadixStep &step = steps_[level];
  for (std::ptrdiff_t b = 0; b < blocks; ++b, at += step.points()) {
    steps_up_to(level - 1, at, step.radix->radix, tile, first);
    step.radix->next(0, step.span, step.span, step.twiddles, tile + 2 * lanes() * at);
  }
}

/// Divides `count` butterflies into ranges and calls f(first, last) for each: `each` butterflies
/// after every burst, and all the rest once nothing remains to prefetch.
template <class F>
void between_bursts(std::ptrdiff_t count, std::ptrdiff_t each, Prefetch &ahead, const F &f) {
  for (std::ptrdiff_t first = 0, last = 0; first < count; first = last) {
    last = ahead.empty() ? count : std::min(first + each, count);
    ahead.burst();
    f(first, last);
  }
}

template <class Real> void MixedRadixFft<Real>::last_in_tile(Real *tile, Prefetch &ahead) const {
  const RadixStep &last = steps_.back();
  if (last.radix->radix == 1) return;
  between_bursts(last.span, last.between_bursts, ahead,
                 [&](std::ptrdiff_t first, std::ptrdiff_t end) {
                   last.radix->next(first, end, last.span, last.twiddles, tile);
                 });
}

template <class Real>
void MixedRadixFft<Real>::first_in_tile(std::ptrdiff_t at, std::ptrdiff_t blocks,
                                        Real *tile) const {
  const std::ptrdiff_t point = 2 * lanes();
  steps_.front().radix->first_in_tile(blocks, group_points() * point, tile + point * at);
}

template <class Real>
void MixedRadixFft<Real>::steps_from_lines(std::size_t level, std::ptrdiff_t at,
                                           std::ptrdiff_t blocks, const Real *const *in,
                                           std::ptrdiff_t offset,
                                           const simd::FftTiles<Real> &tiles) const {
  const RadixStep &step = steps_[level];
  const std::ptrdiff_t point = 2 * lanes();
  const std::ptrdiff_t points = blocks * step.points();
  const simd::FftTiles<Real> part{tiles.first + point * at, tiles.count, tiles.stride};
  if (level == 0 || points * point * static_cast<std::ptrdiff_t>(sizeof(Real)) <= nearest_cache) {
    moves().gather_points(in + at, points, offset, part);
    for (std::ptrdiff_t t = 0; t < tiles.count; ++t) {
      Real *tile = tiles.first + t * tiles.stride;
      steps_up_to(level, at, blocks, tile, [&](std::ptrdiff_t begin, std::ptrdiff_t count) {
        first_in_tile(begin, count, tile);
      });
    }
    return;
  }
  for (std::ptrdiff_t b = 0; b < blocks; ++b, at += step.points()) {
    steps_from_lines(level - 1, at, step.radix->radix, in, offset, tiles);
    for (std::ptrdiff_t t = 0; t < tiles.count; ++t)
      step.radix->next(0, step.span, step.span, step.twiddles,
                       tiles.first + t * tiles.stride + point * at);
  }
}

template <class Real>
template <class First>
void MixedRadixFft<Real>::steps_in_tile(Real *tile, Prefetch &ahead, const First &first) const {
  const std::ptrdiff_t each = steps_.front().between_bursts;
  const std::size_t level = steps_.size() - 2;
  steps_up_to(level, 0, steps_[level].blocks, tile, [&](std::ptrdiff_t at, std::ptrdiff_t blocks) {
    between_bursts(blocks, each, ahead, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      first(at + begin * group_points(), end - begin);
    });
  });
}

template <class Real>
void MixedRadixFft<Real>::from_tile(Real *tile, bool begun, Prefetch &ahead) const {
  steps_in_tile(tile, ahead, [&](std::ptrdiff_t at, std::ptrdiff_t blocks) {
    if (!begun) first_in_tile(at, blocks, tile);
  });
}

template <class Real>
void MixedRadixFft<Real>::run(const Real *const *in, Real *const *out, std::ptrdiff_t offset,
                              Output output, const simd::FftTiles<Real> &tiles) const {
  if (writes_last_step(output)) {
    const std::size_t level = steps_.size() - 2;
    steps_from_lines(level, 0, steps_[level].blocks, in, offset, tiles);
    last_to_lines(tiles, out, offset, output);
  } else {
    to_tiles(in, offset, tiles);
    write_points(moves(), tiles, n_, out, offset, output);
  }
}

template <class Real>
void MixedRadixFft<Real>::begin_in_tiles(std::ptrdiff_t tiles, std::ptrdiff_t tile_stride,
                                         Real *first, std::ptrdiff_t group) const {
  steps_.front().radix->first_in_tile(tiles, tile_stride,
                                      first + group * group_points() * 2 * lanes());
}

template <class Real>
void MixedRadixFft<Real>::last_to_lines(const simd::FftTiles<Real> &tiles, Real *const *out,
                                        std::ptrdiff_t offset, Output output) const {
  const RadixStep &last = steps_.back();
  if (output == Output::streamed)
    last.radix->stream_last(last.span, last.twiddles, tiles, out, offset);
  else
    last.radix->last_to_lines(last.span, last.twiddles, tiles, out, offset);
}

template <class Real>
void MixedRadixFft<Real>::run_from_tiles(const simd::FftTiles<Real> &tiles, bool begun,
                                         Real *const *out, std::ptrdiff_t offset,
                                         Output output) const {
  Prefetch nothing;
  for (std::ptrdiff_t t = 0; t < tiles.count; ++t) {
    Real *tile = tiles.first + t * tiles.stride;
    from_tile(tile, begun, nothing);
    if (!writes_last_step(output)) last_in_tile(tile, nothing);
  }
  if (writes_last_step(output))
    last_to_lines(tiles, out, offset, output);
  else
    write_points(moves(), tiles, n_, out, offset, output);
}

template <class Real>
void MixedRadixFft<Real>::run_to_tiles(const Real *const *in, std::ptrdiff_t offset,
                                       const simd::FftTiles<Real> &tiles) const {
  to_tiles(in, offset, tiles);
}

template <class Real>
void MixedRadixFft<Real>::to_tiles(const Real *const *in, std::ptrdiff_t offset,
                                   const simd::FftTiles<Real> &tiles) const {
  const std::size_t level = steps_.size() - (steps_.back().radix->radix > 1 ? 1 : 2);
  steps_from_lines(level, 0, steps_[level].blocks, in, offset, tiles);
}

template <class Real>
void MixedRadixFft<Real>::run_to_tile(const Real *const *in, std::ptrdiff_t offset, Real *tile,
                                      Prefetch &ahead) const {
  steps_in_tile(tile, ahead, [&](std::ptrdiff_t at, std::ptrdiff_t blocks) {
    steps_.front().radix->first_from_lines(blocks, in + at, offset, tile + 2 * lanes() * at);
  });
  last_in_tile(tile, ahead);
}

template <class Real>
void MixedRadixFft<Real>::run_pair_to_tile(const Real *re, const Real *im, Real *tile,
                                           Prefetch &ahead) const {
  steps_in_tile(tile, ahead, [&](std::ptrdiff_t at, std::ptrdiff_t blocks) {
    steps_.front().radix->first_from_pair(blocks, points_.data() + at, re, im,
                                          tile + 2 * lanes() * at);
  });
  last_in_tile(tile, ahead);
}

template <class Real> void MixedRadixFft<Real>::run_in_tile(Real *tile, bool begun) const {
  Prefetch nothing;
  from_tile(tile, begun, nothing);
  last_in_tile(tile, nothing);
}

template <class Real> void MixedRadixFft<Real>::run_in_tile(Real *tile, Prefetch &ahead) const {
  from_tile(tile, false, ahead);
  last_in_tile(tile, ahead);
}

template <class Real> std::string MixedRadixFft<Real>::factors() const {
  std::string text;
  for (const RadixStep &s : steps_)
    if (s.radix->radix > 1 || n_ == 1)
      text += (text.empty() ? "" : "x") + std::to_string(s.radix->radix);
  return text;
}

template class MixedRadixFft<float>;
template class MixedRadixFft<double>;

} // namespace hybridfft::local
