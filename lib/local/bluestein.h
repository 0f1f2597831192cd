/// FFT of lengths with large prime factors, as a convolution with a chirp (Bluestein). Choose it if
/// some prime factor has no kernel; it costs two transforms of at least twice the length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "local/mixed_radix.h"

namespace hybridfft::local {

/// Bluestein's algorithm (IEEE Trans. Audio Electroacoust. 18, 1970). With the identity
///   j k = (j^2 + k^2 - (k - j)^2) / 2
/// the transform
///   X[k] = w[k] sum_j (w[j] x[j]) conj(w[k - j]),  w[j] = exp(-i pi j^2 / n)
/// is a circular convolution of any length m >= 2 n - 1. The implementation takes the cheapest
/// length with kernels for its factors. It computes forward transforms within tiles.
template <class Real> class BluesteinFft {
public:
  /// Returns true if `isa` has FFT kernels and n is short enough for a tile in cache.
  static bool applies(simd::Isa isa, std::ptrdiff_t n);

  /// Plans a supported n. `scale` multiplies the results; it is part of the tables, so it costs
  /// nothing.
  BluesteinFft(simd::Isa isa, std::ptrdiff_t n, Real scale = 1);

  /// Returns the scratch bytes of run().
  std::size_t work_bytes() const { return 2 * forward_.tile_bytes(); }

  /// Transforms a tile of points to their spectra, both in natural order. in and out may be the
  /// same tile, or `work`.
  void run(const Real *in, Real *out, Real *work) const;

  /// Returns a description such as "chirp of 24x18".
  std::string factors() const { return "chirp of " + forward_.factors(); }

private:
  MixedRadixFft<Real> forward_, backward_;
  std::ptrdiff_t n_;
  std::vector<Real> chirp_;    ///< w[j], real and imaginary parts, j < n
  std::vector<Real> spectrum_; ///< spectrum of conj(w), divided by m
};

extern template class BluesteinFft<float>;
extern template class BluesteinFft<double>;

} // namespace hybridfft::local
