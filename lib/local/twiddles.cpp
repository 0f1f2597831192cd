#include "local/twiddles.h"

#include <cmath>
#include <initializer_list>
#include <map>
#include <numbers>
#include <numeric>

namespace hybridfft::local {

Twiddles::Twiddles(std::ptrdiff_t n) : n_(n), step_(std::gcd(n, std::ptrdiff_t{4})) {
  // The unit of angles is a quarter of the angle between two roots, so quarter turns are integers.
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

namespace {

/// Finds the cheapest product of the kernels' radices for a length.
template <class Real> class Factoring {
public:
  explicit Factoring(const simd::FftKernels<Real> &kernels) : kernels_(kernels) {}

  /// Returns the cheapest steps, at least two, because the first one reads lines and the last one
  /// writes them. One of the steps may be a mere copy.
  RadixFactors steps(std::ptrdiff_t n) {
    if (n == 1) return {copy_cost(), {1, 1}};
    RadixFactors factors = cheapest(n, copy_cost());
    if (factors.radices.size() == 1) factors.radices.push_back(1);
    return factors;
  }

private:
  /// Cost of the loops of a step.
  static constexpr double overhead = 1;

  const RadixFactors &best(std::ptrdiff_t n) {
    const auto found = known_.find(n);
    return found != known_.end() ? found->second : known_[n] = cheapest(n, 0);
  }

  /// \param alone additional cost of a factorisation with a single step
  RadixFactors cheapest(std::ptrdiff_t n, double alone) {
    RadixFactors least;
    for (const auto &r : kernels_.radices) {
      if (r.radix == 1 || n % r.radix != 0) continue;
      const std::ptrdiff_t span = n / r.radix;
      const RadixFactors &rest = best(span);
      if (rest.radices.empty() && span > 1) continue;
      const double cost =
          overhead +
          (span == 1 ? r.cost.first + alone : rest.cost + r.cost.later + conflicts(r.radix, span));
      if (!least.radices.empty() && (cost > least.cost || (cost == least.cost && !largest_last())))
        continue;
      least = {cost, rest.radices};
      least.radices.push_back(r.radix);
    }
    return least;
  }

  /// Returns true if, among orders of equal cost, the last step should have the largest radix. For
  /// vectors of 64 bytes this takes 6 to 10 % less time, measured for 512 to 4096 points with
  /// vectors of 32 and 64 bytes.
  bool largest_last() const {
    return kernels_.lanes * static_cast<std::ptrdiff_t>(sizeof(Real)) >= 64;
  }

  /// Returns the cost per point of cache conflicts in a first-level cache of 8 ways of 4 KiB. If a
  /// block has more points in a cache set than the set has ways, each point is fetched again before
  /// it is written.
  double conflicts(int radix, std::ptrdiff_t span) const {
    constexpr std::ptrdiff_t way = 4096, ways = 8;
    constexpr double second_fetch = 8; // cost of a second fetch, measured for 16 points
    const std::ptrdiff_t stride =
        span * 2 * kernels_.lanes * static_cast<std::ptrdiff_t>(sizeof(Real));
    const std::ptrdiff_t sets = way / std::gcd(stride, way);
    const std::ptrdiff_t sharing = (radix + sets - 1) / sets;
    return sharing > ways ? second_fetch : 0;
  }

  double copy_cost() const { return overhead + kernels_.radices.front().cost.later; }

  const simd::FftKernels<Real> &kernels_;
  std::map<std::ptrdiff_t, RadixFactors> known_;
};

/// Longest line in tiles: tile positions have 32 bits, and longer tiles fit no cache.
constexpr std::ptrdiff_t longest_in_tiles = std::ptrdiff_t{1} << 16;

} // namespace

LengthKind kind_of_length(std::ptrdiff_t n) {
  const auto divide_by = [&n](std::initializer_list<std::ptrdiff_t> primes) {
    for (const std::ptrdiff_t p : primes)
      while (n > 1 && n % p == 0)
        n /= p;
    return n <= 1;
  };
  if (divide_by({2, 3, 5, 7, 11, 13})) return LengthKind::fast;
  return divide_by({17, 19, 23, 29, 31}) ? LengthKind::kernels : LengthKind::convolution;
}

template <class Real> std::optional<RadixFactors> factors_of(simd::Isa isa, std::ptrdiff_t n) {
  const auto *kernels = simd::fft_kernels<Real>(isa);
  if (kernels == nullptr || n < 1 || n > longest_in_tiles) return {};
  RadixFactors factors = Factoring<Real>(*kernels).steps(n);
  if (factors.radices.empty()) return {};
  return factors;
}

template std::optional<RadixFactors> factors_of<float>(simd::Isa, std::ptrdiff_t);
template std::optional<RadixFactors> factors_of<double>(simd::Isa, std::ptrdiff_t);

} // namespace hybridfft::local
