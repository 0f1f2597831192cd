/// Makes equal inputs for all peers, and compares their outputs by fingerprints. Fingerprints do
/// not depend on the distribution of an array, so no rank needs a whole array.
#pragma once

#include <array>
#include <complex>

#include "scaling/peer.h"

namespace hybridfft::bench {

/// Fills the input with pseudo-random values, a function of the logical index. For c2r the values
/// are the spectrum of a real array.
void fill_input(const Peer &peer);

/// Projections of an array on vectors s of random signs, functions of the logical index. For arrays
/// x and y, the mean of |<s, x - y>|^2 over s is |x - y|^2. Fingerprints thus estimate the distance
/// of two arrays.
struct Fingerprint {
  static constexpr std::size_t vectors = 16;
  double norm = 0; ///< |x|
  std::array<std::complex<double>, vectors> sums{};
};

/// Returns the fingerprint of the peer's output, the same on all ranks. Collective.
Fingerprint fingerprint_output(const Peer &peer);

/// Estimates |x - y| / |y|. The standard deviation of the estimate is about 20 %.
double relative_difference(const Fingerprint &x, const Fingerprint &y);

} // namespace hybridfft::bench
