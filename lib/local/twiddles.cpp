#include "local/twiddles.h"

#include <cmath>
#include <numbers>
#include <numeric>

namespace hybridfft::local {

Twiddles::Twiddles(std::ptrdiff_t n) : n_(n), step_(std::gcd(n, std::ptrdiff_t{4})) {
  // Angles are in units of a quarter of the distance of roots, so quarter turns are integers.
  for (std::ptrdiff_t m = 0; 2 * m <= n; m += step_) {
    const long double angle = std::numbers::pi_v<long double> * static_cast<long double>(m) /
                              static_cast<long double>(2 * n);
    octant_.emplace_back(std::cos(angle), std::sin(angle));
  }
}

Twiddles::Long Twiddles::operator[](std::ptrdiff_t k) const {
  const std::ptrdiff_t turn = 4 * n_;
  std::ptrdiff_t m = 4 * (k % n_);
  const bool below = 2 * m > turn; // below the real axis
  if (below) m = turn - m;
  const bool left = m > n_; // left of the imaginary axis
  if (left) m -= n_;
  const bool steep = 2 * m > n_;
  if (steep) m = n_ - m;
  Long z = octant_[static_cast<std::size_t>(m / step_)];
  if (steep) z = {z.imag(), z.real()};
  if (left) z = {-z.imag(), z.real()};
  return below ? std::conj(z) : z;
}

} // namespace hybridfft::local
