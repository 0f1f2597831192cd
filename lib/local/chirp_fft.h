/// The FFT of lengths with large prime factors, as a convolution with a chirp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "local/smooth_fft.h"

namespace hybridfft::local {

/// Bluestein (IEEE Trans. Audio Electroacoust. 18, 1970): with j k = (j^2 + k^2 - (k - j)^2) / 2,
///   X[k] = w[k] sum_j (w[j] x[j]) conj(w[k - j]),  w[j] = exp(-i pi j^2 / n):
/// a circular convolution of any length m >= 2 n - 1, here the cheapest that the kernels have
/// factors for. Forward transforms, within tiles.
template <class Real> class ChirpFft {
public:
  /// True if there are kernels of `isa` for n, which holds up to lengths beyond any use.
  static bool applies(simd::Isa isa, std::ptrdiff_t n);

  /// For n to which it applies. Results are multiplied by `scale`, as part of the convolution.
  ChirpFft(simd::Isa isa, std::ptrdiff_t n, Real scale = 1);

  /// Bytes of scratch that run() needs.
  std::size_t work_bytes() const { return 2 * forward_.tile_bytes(); }

  /// Transforms points in natural order to the spectrum in natural order; in and out may be the
  /// same tile, or `work` itself.
  void run(const Real *in, Real *out, Real *work) const;

  /// "chirp of 24x18".
  std::string factors() const { return "chirp of " + forward_.factors(); }

private:
  SmoothFft<Real> forward_, backward_;
  std::ptrdiff_t n_;
  std::vector<Real> chirp_;    ///< w[j], real and imaginary part, j < n
  std::vector<Real> spectrum_; ///< spectrum of conj(w), divided by m
};

extern template class ChirpFft<float>;
extern template class ChirpFft<double>;

} // namespace hybridfft::local
