/// The input common to all peers, and fingerprints that compare outputs with any distribution.
#pragma once

#include <array>
#include <complex>

#include "scaling/peer.h"

namespace hybridfft::bench {

/// Fills the input with pseudo-random values of the logical index; for c2r they are the spectrum of
/// a real array.
void fill_input(const Peer &peer);

/// Projections of an array on vectors of random signs. The signs depend on the logical index alone.
/// For arrays x and y the mean of |<s, x - y>|^2 over sign vectors s is |x - y|^2. Fingerprints
/// thus give the distance of two arrays, even if no rank has both.
struct Fingerprint {
  static constexpr std::size_t vectors = 16;
  double norm = 0; ///< |x|
  std::array<std::complex<double>, vectors> sums{};
};

/// Fingerprint of the peer's output, equal on all ranks. Collective.
Fingerprint fingerprint_output(const Peer &peer);

/// Estimate of |x - y| / |y|, with a standard deviation of about 20 %.
double relative_difference(const Fingerprint &x, const Fingerprint &y);

} // namespace hybridfft::bench
