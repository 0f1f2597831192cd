/// References for tests of FFTs of one line: the definition of the DFT, and FFTW.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "base/fftw.h"
#include "simd/fft.h"

namespace hybridfft::test {

using Long = std::complex<long double>;

/// Returns pseudo-random numbers in -0.5 .. 0.5, the same on every machine.
inline double value(std::uint64_t i) {
  std::uint64_t h = (i + 1) * 0x9E3779B97F4A7C15ULL;
  h = (h ^ (h >> 29)) * 0xBF58476D1CE4E5B9ULL;
  return static_cast<double>((h ^ (h >> 32)) & 0xFFFFFFFFFFULL) / 1099511627776.0 - 0.5;
}

/// Returns exp(sign 2 pi i k / n) for all k.
inline std::vector<Long> roots(std::size_t n, int sign) {
  std::vector<Long> w(n);
  for (std::size_t k = 0; k < n; ++k)
    w[k] = std::polar(1.0L, sign * 2 * std::numbers::pi_v<long double> *
                                static_cast<long double>(k) / static_cast<long double>(n));
  return w;
}

/// Returns the DFT by its definition, O(n^2), with sums in long double.
inline std::vector<Long> definition(const std::vector<Long> &x, int sign) {
  const std::size_t n = x.size();
  const std::vector<Long> w = roots(n, sign);
  std::vector<Long> y(n);
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t j = 0; j < n; ++j)
      y[k] += x[j] * w[j * k % n];
  return y;
}

/// Returns the DFT by recursion over the prime factors of n. If n = p m, y[k + m q] is the sum over
/// r of w^(r (k + m q)) times number k of the DFT of x[r], x[r + p], .... Primes use the
/// definition.
inline std::vector<Long> truth_of(const std::vector<Long> &x, int sign) {
  const std::size_t n = x.size();
  std::size_t p = 2;
  while (p < n && n % p != 0)
    ++p;
  if (p >= n) return definition(x, sign);
  const std::size_t m = n / p;
  const std::vector<Long> w = roots(n, sign);
  std::vector<Long> y(n);
  for (std::size_t r = 0; r < p; ++r) {
    std::vector<Long> part(m);
    for (std::size_t j = 0; j < m; ++j)
      part[j] = x[r + p * j];
    part = truth_of(part, sign);
    for (std::size_t k = 0; k < n; ++k)
      y[k] += w[r * k % n] * part[k % m];
  }
  return y;
}

template <class Real>
std::vector<Long> truth_of(const std::vector<std::complex<Real>> &x, int sign) {
  return truth_of(std::vector<Long>(x.begin(), x.end()), sign);
}

template <class Real>
double relative_error(const std::vector<std::complex<Real>> &y, const std::vector<Long> &truth) {
  long double difference = 0;
  long double norm = 0;
  for (std::size_t k = 0; k < y.size(); ++k) {
    difference += std::norm(Long(y[k].real(), y[k].imag()) - truth[k]);
    norm += std::norm(truth[k]);
  }
  return static_cast<double>(std::sqrt(difference / norm));
}

template <class Real> std::vector<std::complex<Real>> input(std::ptrdiff_t n, std::uint64_t seed) {
  std::vector<std::complex<Real>> x;
  for (std::ptrdiff_t j = 0; j < n; ++j) {
    const std::uint64_t i = seed * 1000003 + 2 * static_cast<std::uint64_t>(j);
    x.emplace_back(static_cast<Real>(value(i)), static_cast<Real>(value(i + 1)));
  }
  return x;
}

template <class Real>
std::vector<std::complex<Real>> by_fftw(std::vector<std::complex<Real>> x, int sign) {
  using F = Fftw<Real>;
  auto *data = reinterpret_cast<typename F::Complex *>(x.data());
  const typename F::Dimension n{static_cast<std::ptrdiff_t>(x.size()), 1, 1};
  const auto plan = F::plan_c2c(1, &n, 0, nullptr, data, data, sign, FFTW_ESTIMATE);
  F::execute_c2c(plan, data, data);
  F::destroy(plan);
  return x;
}

/// Mean errors of HybridFFT and FFTW over a few lines.
struct Errors {
  double ours = 0, fftw = 0;
};

/// Returns the number of lines needed for a significant mean. A short line has few roundings, so
/// the mean needs more lines.
inline std::ptrdiff_t lines_wanted(std::ptrdiff_t n) { return n <= 64 ? 64 : n <= 512 ? 8 : 2; }

/// Returns the limit of the error. Convolutions reach one and a half times FFTW's error. FFTW's
/// result may be exact (n = 1, 2, 4), or nearly so with fused multiply-add; a rounding of the last
/// bit is therefore always allowed.
template <class Real> double allowed(const Errors &e) {
  constexpr double unit = sizeof(Real) == 4 ? 0x1p-24 : 0x1p-53;
  return 1.6 * std::max(e.fftw, 0.5 * unit);
}

/// The kernels of an instruction set in one precision.
struct KernelSet {
  simd::Isa isa;
  bool single;
};

inline std::vector<KernelSet> sets() {
  std::vector<KernelSet> all;
  for (const simd::Isa isa : simd::instruction_sets())
    for (const bool single : {true, false})
      if (simd::supported(isa) && simd::fft_kernels<float>(isa) != nullptr)
        all.push_back({isa, single});
  return all;
}

inline std::string name_of(const KernelSet &s) {
  return std::string(simd::name(s.isa)) + (s.single ? "Single" : "Double");
}

/// A test for every kernel set.
class EachKernelSet : public ::testing::TestWithParam<KernelSet> {
protected:
  /// Calls f with a number of the set's precision.
  template <class F> void with_real(const F &f) {
    if (GetParam().single)
      f(float{});
    else
      f(double{});
  }
};

} // namespace hybridfft::test
