#include "local/four_step.h"

#include "local/twiddles.h"

namespace hybridfft::local {

template <class Real> bool FourStepFft<Real>::applies(simd::Isa isa, std::ptrdiff_t n) {
  const auto *kernels = simd::fft_kernels<Real>(isa);
  if (kernels == nullptr || n < 1 || n % (kernels->lanes * kernels->lanes / 2) != 0) return false;
  return MixedRadixFft<Real>::applies(isa, n / kernels->lanes);
}

template <class Real>
FourStepFft<Real>::FourStepFft(simd::Isa isa, std::ptrdiff_t n, int sign, Real scale)
    : along_(isa, n / simd::fft_kernels<Real>(isa)->lanes, sign, scale),
      pairs_(parts() % along_.lanes() != 0), kernels_(&simd::fft_kernels<Real>(isa)->parts),
      direction_(sign < 0 ? 0 : 1),
      burst_(Prefetch::burst_of(line_bytes(), 1, along_.bursts() + 1)) {
  const std::ptrdiff_t lanes = along_.lanes();
  const std::ptrdiff_t group = lanes / lines();
  const std::ptrdiff_t vectors = parts() / group * (lanes - 1) * 2;
  twiddles_ = Memory(static_cast<std::size_t>(vectors * lanes) * sizeof(Real), 1);
  auto *w = reinterpret_cast<Real *>(twiddles_.data());
  const Twiddles roots(n);
  for (std::ptrdiff_t first = 0; first < parts(); first += group)
    for (std::ptrdiff_t j = 1; j < lanes; ++j, w += 2 * lanes)
      for (std::ptrdiff_t lane = 0; lane < lanes; ++lane) {
        const auto root = roots[j * (first + lane % group)];
        w[lane] = static_cast<Real>(root.real());
        w[lanes + lane] = static_cast<Real>(sign < 0 ? -root.imag() : root.imag());
      }
}

template <class Real>
void FourStepFft<Real>::point_at_parts(const Real *array, const Real **in) const {
  for (std::ptrdiff_t p = 0; p < parts(); ++p)
    in[along_.positions()[p]] = array + 2 * along_.lanes() * p;
}

template <class Real>
simd::FftNext FourStepFft<Real>::next_of(const Real *const *in, const LinePlace *from) const {
  const Real *first = first_part(in) + from[0].offset + from[0].ahead;
  return {first,
          pairs_ ? first_part(in) + from[1].offset + from[1].ahead : first + tile_reals() / 2};
}

template <class Real>
Prefetch FourStepFft<Real>::ahead_of(const Real *const *in, const LinePlace *from) const {
  if (from[0].ahead == 0 || kernels_->fetches) return {};
  const std::ptrdiff_t first = from[0].offset + from[0].ahead;
  const std::ptrdiff_t second = pairs_ ? from[1].offset + from[1].ahead : first;
  return {first_part(in) + first, line_bytes(), lines(), (second - first) * real, burst_};
}

template <class Real>
Prefetch FourStepFft<Real>::ahead_of(const Real *first, const Real *second,
                                     std::ptrdiff_t ahead) const {
  if (ahead == 0) return {};
  return {first + ahead, line_bytes() / 2, 2, (second - first) * real, burst_};
}

template <class Real>
void FourStepFft<Real>::transform_parts(const Real *const *in, const LinePlace *from, Real *work,
                                        Prefetch &ahead) const {
  for (std::ptrdiff_t l = 0; l < lines(); ++l)
    along_.run_to_tile(in, from[l].offset, work + tile_reals() * l, ahead);
}

template <class Real>
void FourStepFft<Real>::transform_lanes(const Real *tile, const simd::FftLine<Real> *to,
                                        std::ptrdiff_t column_tile,
                                        const simd::FftNext &next) const {
  kernels_->to_columns[pairs_ ? 1 : 0][direction_](parts(), twiddles(), tile, to, column_tile,
                                                   next);
}

template <class Real>
void FourStepFft<Real>::to_columns(const Real *const *in, const LinePlace *from, Real *const *to,
                                   std::ptrdiff_t column_tile, Real *work) const {
  Prefetch ahead = ahead_of(in, from);
  transform_parts(in, from, work, ahead);
  simd::FftLine<Real> lines[max_lines];
  for (std::ptrdiff_t l = 0; l < this->lines(); ++l)
    lines[l] = {to[l], to[l] + along_.lanes()};
  ahead.burst();
  transform_lanes(work, lines, column_tile, next_of(in, from));
}

template <class Real>
void FourStepFft<Real>::to_lines(const Real *const *in, const LinePlace *from, Real *const *to,
                                 bool streamed, Real *work) const {
  Prefetch ahead = ahead_of(in, from);
  transform_parts(in, from, work, ahead);
  ahead.burst();
  const auto &write = streamed ? kernels_->stream_lines : kernels_->to_lines;
  write[pairs_ ? 1 : 0][direction_](parts(), twiddles(), work, to, next_of(in, from));
}

template <class Real>
void FourStepFft<Real>::lines_to_columns(const Real *const *from, const Real *const *ahead,
                                         const Real *factors, Real *const *to,
                                         std::ptrdiff_t column_tile, Real *work) const {
  simd::FftLine<Real> lines[max_lines];
  for (std::ptrdiff_t l = 0; l < this->lines(); ++l) {
    Real *tile = work + tile_reals() * l;
    Prefetch next(ahead[l], line_bytes(), 1, 0, burst_);
    kernels_->gather_line(from[l], factors, parts(), along_.positions(), tile);
    along_.run_in_tile(tile, next);
    next.burst();
    lines[l] = {to[l], to[l] + along_.lanes()};
  }
  transform_lanes(work, lines, column_tile, nothing(work));
}

template <class Real>
void FourStepFft<Real>::columns_to_lines(const Real *const *from, std::ptrdiff_t column_tile,
                                         Real *const *to, bool streamed, Real *work) const {
  for (std::ptrdiff_t l = 0; l < lines(); ++l) {
    Real *tile = work + tile_reals() * l;
    kernels_->gather_columns(from[l], column_tile, parts(), along_.positions(), tile);
    along_.run_in_tile(tile);
  }
  const auto &write = streamed ? kernels_->stream_lines : kernels_->to_lines;
  write[pairs_ ? 1 : 0][direction_](parts(), twiddles(), work, to, nothing(work));
}

template <class Real> bool FourStepFft<Real>::applies_to_reals(simd::Isa isa, std::ptrdiff_t n) {
  return applies(isa, n) && n % (2 * simd::fft_kernels<Real>(isa)->lanes) == 0;
}

template <class Real>
void FourStepFft<Real>::reals_to_columns(const Real *const *in, std::ptrdiff_t ahead,
                                         Real *const *to, std::ptrdiff_t column_tile,
                                         std::ptrdiff_t kept, Real *work) const {
  Real *const spectra = work + tile_reals() * lines();
  simd::FftLine<Real> lines[max_lines];
  Prefetch next;
  for (std::ptrdiff_t l = 0; l < this->lines(); ++l) {
    const Real *first = in[2 * l], *second = in[2 * l + 1];
    if (!kernels_->fetches) next = ahead_of(first, second, ahead);
    Real *tile = work + tile_reals() * l;
    along_.run_pair_to_tile(first, second, tile, next);
    lines[l].re = spectra + tile_reals() * l;
    lines[l].im = lines[l].re + along_.lanes();
    if (l + 1 < this->lines()) next.burst();
  }
  next.burst();
  // With two pairs, each address prefetches both lines of a pair, which are adjacent or close to
  // each other.
  transform_lanes(work, lines, 2 * along_.lanes(), {in[0] + ahead, in[this->lines()] + ahead});
  for (std::ptrdiff_t l = 0; l < this->lines(); ++l)
    kernels_->split_pair(lines[l].re, parts() * along_.lanes(), kept, to[2 * l], to[2 * l + 1],
                         column_tile);
}

template <class Real>
void FourStepFft<Real>::columns_to_reals(const Real *const *from, std::ptrdiff_t column_tile,
                                         std::ptrdiff_t kept, Real *const *to, std::ptrdiff_t ahead,
                                         Real *work) const {
  simd::FftLine<Real> lines[max_lines];
  for (std::ptrdiff_t l = 0; l < this->lines(); ++l) {
    Real *tile = work + tile_reals() * l;
    Prefetch next = ahead_of(to[2 * l], to[2 * l + 1], ahead);
    // Prefetch before the work: stores soon after a burst would have to wait for it.
    next.burst();
    kernels_->merge_pair({from[2 * l], from[2 * l + 1], kept}, column_tile,
                         parts() * along_.lanes(), along_.positions(), tile);
    along_.run_in_tile(tile, next);
    lines[l] = {to[2 * l], to[2 * l + 1]};
  }
  transform_lanes(work, lines, along_.lanes(), nothing(work));
}

template <class Real> std::string FourStepFft<Real>::factors() const {
  return along_.factors() + "x" + std::to_string(along_.lanes()) + " in parts";
}

template class FourStepFft<float>;
template class FourStepFft<double>;

} // namespace hybridfft::local
