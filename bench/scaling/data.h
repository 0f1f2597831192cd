/// The input of all peers, and fingerprints, which compare outputs with different distributions.
#pragma once

#include <array>
#include <complex>

#include "scaling/peer.h"

namespace hybridfft::bench {

/// Fills the input with pseudo-random values that depend on the logical index. For c2r they are the
/// spectrum of a real array.
void fill_input(const Peer &peer);

/// Projections of an array on vectors of random signs, which depend only on the logical index. For
/// arrays x and y, the mean of |<s, x - y>|^2 over sign vectors s is |x - y|^2. Fingerprints thus
/// estimate the distance of two arrays, even if no rank has both.
struct Fingerprint {
  static constexpr std::size_t vectors = 16;
  double norm = 0; ///< |x|
  std::array<std::complex<double>, vectors> sums{};
};

/// Returns the fingerprint of the peer's output, equal on all ranks. Collective.
Fingerprint fingerprint_output(const Peer &peer);

/// Estimates |x - y| / |y|, with a standard deviation of about 20 %.
double relative_difference(const Fingerprint &x, const Fingerprint &y);

} // namespace hybridfft::bench
