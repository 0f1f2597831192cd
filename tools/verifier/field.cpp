// Computes random values and plane waves by formulas of the global index.
#include "verifier/field.h"

#include <numbers>

#include "verifier/hash.h"

namespace hybridfft::verifier {

namespace {

/// Returns a multiple of 2^-22 in [-1/2, 1/2). The sum of two such numbers is exact in single
/// precision.
double uniform(std::uint64_t seed, std::uint64_t counter) {
  return static_cast<double>(mix(seed, counter) >> 42U) * 0x1p-22 - 0.5;
}

std::complex<double> random_value(const Problem &p, std::uint64_t seed, const Index &index,
                                  std::ptrdiff_t component) {
  const std::uint64_t at = 2 * position(p, index, component);
  return {uniform(seed, at), uniform(seed, at + 1)};
}

} // namespace

std::size_t position(const Problem &p, const Index &index, std::ptrdiff_t component) {
  std::ptrdiff_t at = 0;
  for (std::size_t a = 0; a < p.extents.size(); ++a)
    at = at * p.extents[a] + index[a];
  return static_cast<std::size_t>(at * p.howmany + component);
}

Index shifted(const Problem &p, const Index &index, const Index &by) {
  Index result(index);
  for (std::size_t a = 0; a < result.size(); ++a)
    result[a] = (index[a] + by[a]) % p.extents[a];
  return result;
}

Index mirrored(const Problem &p, const Index &index) {
  Index result(index);
  for (std::size_t a = 0; a < result.size(); ++a)
    result[a] = (p.extents[a] - index[a]) % p.extents[a];
  return result;
}

Index random_point(const Problem &p, std::uint64_t seed) {
  Index point;
  for (const std::ptrdiff_t n : p.extents)
    point.push_back(
        static_cast<std::ptrdiff_t>(mix(seed, point.size()) % static_cast<std::uint64_t>(n)));
  return point;
}

Field random_field(const Problem &p, std::uint64_t seed) {
  if (p.kind == Kind::r2c)
    return [p, seed](const Index &index, std::ptrdiff_t v) -> std::complex<double> {
      return random_value(p, seed, index, v).real();
    };
  if (p.kind == Kind::c2r)
    return [p, seed](const Index &index, std::ptrdiff_t v) {
      return 0.5 * (random_value(p, seed, index, v) +
                    std::conj(random_value(p, seed, mirrored(p, index), v)));
    };
  return
      [p, seed](const Index &index, std::ptrdiff_t v) { return random_value(p, seed, index, v); };
}

std::vector<std::complex<long double>> roots_of_unity(std::ptrdiff_t n, int sign) {
  std::vector<std::complex<long double>> roots;
  for (std::ptrdiff_t k = 0; k < n; ++k)
    roots.push_back(
        std::polar(1.0L, static_cast<long double>(sign) * 2 * std::numbers::pi_v<long double> *
                             static_cast<long double>(k) / static_cast<long double>(n)));
  return roots;
}

PlaneWave::PlaneWave(const Problem &p, int sign, const Index &k) {
  for (std::size_t a = 0; a < p.extents.size(); ++a) {
    const std::ptrdiff_t n = p.extents[a];
    const auto roots = roots_of_unity(n, sign);
    auto &factors = factors_.emplace_back();
    for (std::ptrdiff_t j = 0; j < n; ++j)
      factors.push_back(roots[static_cast<std::size_t>(k[a] * j % n)]);
  }
}

std::complex<double> PlaneWave::operator()(const Index &j) const {
  long double re = 1;
  long double im = 0;
  for (std::size_t a = 0; a < factors_.size(); ++a) {
    const std::complex<long double> &f = factors_[a][static_cast<std::size_t>(j[a])];
    const long double next = re * f.real() - im * f.imag();
    im = re * f.imag() + im * f.real();
    re = next;
  }
  return {static_cast<double>(re), static_cast<double>(im)};
}

} // namespace hybridfft::verifier
