/// FFTW's r2r transforms by definition (FFTW 3.3 manual, section 4.8): direct sums in long double,
/// as the truth for tests of the library.
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <vector>

namespace hybridfft::test {

/// FFTW's numbers of the kinds, as in fftw_r2r_kind.
enum R2r {
  r2hc,
  hc2r,
  dht,
  redft00,
  redft01,
  redft10,
  redft11,
  rodft00,
  rodft01,
  rodft10,
  rodft11
};

inline std::string r2r_name(int kind) {
  constexpr const char *names[] = {"r2hc",    "hc2r",    "dht",     "redft00", "redft01", "redft10",
                                   "redft11", "rodft00", "rodft01", "rodft10", "rodft11"};
  return names[kind];
}

/// Returns the length of the logical DFT (FFTW 3.3 manual, section 4.3.6). A transform and then its
/// inverse, r2r_inverse(), multiply by this number.
inline std::ptrdiff_t r2r_logical(int kind, std::ptrdiff_t n) {
  if (kind <= dht) return n;
  if (kind == redft00) return 2 * (n - 1);
  return kind == rodft00 ? 2 * (n + 1) : 2 * n;
}

/// Returns the kind of the inverse transform; its result must be divided by r2r_logical().
inline int r2r_inverse(int kind) {
  constexpr int inverse[] = {hc2r,    r2hc,    dht,     redft00, redft10, redft01,
                             redft11, rodft00, rodft10, rodft01, rodft11};
  return inverse[kind];
}

/// Returns the weight of input j in output k of a line of n points.
inline long double r2r_weight(int kind, std::size_t count, std::size_t input, std::size_t output) {
  const auto n = static_cast<long double>(count);
  const auto j = static_cast<long double>(input);
  const auto k = static_cast<long double>(output);
  const auto cosine = [](long double turns) {
    return std::cos(std::numbers::pi_v<long double> * turns);
  };
  const auto sine = [](long double turns) {
    return std::sin(std::numbers::pi_v<long double> * turns);
  };
  const long double alternating = output % 2 == 0 ? 1 : -1;
  switch (kind) {
  case r2hc:
    return 2 * output <= count ? cosine(2 * j * k / n) : -sine(2 * j * (n - k) / n);
  case hc2r:
    if (input == 0) return 1;
    if (2 * input == count) return alternating;
    return 2 * input < count ? 2 * cosine(2 * j * k / n) : -2 * sine(2 * (n - j) * k / n);
  case dht:
    return cosine(2 * j * k / n) + sine(2 * j * k / n);
  case redft00:
    if (input == 0) return 1;
    return input + 1 == count ? alternating : 2 * cosine(j * k / (n - 1));
  case redft01:
    return input == 0 ? 1 : 2 * cosine(j * (k + 0.5L) / n);
  case redft10:
    return 2 * cosine((j + 0.5L) * k / n);
  case redft11:
    return 2 * cosine((j + 0.5L) * (k + 0.5L) / n);
  case rodft00:
    return 2 * sine((j + 1) * (k + 1) / (n + 1));
  case rodft01:
    return input + 1 == count ? alternating : 2 * sine((j + 1) * (k + 0.5L) / n);
  case rodft10:
    return 2 * sine((j + 0.5L) * (k + 1) / n);
  default:
    return 2 * sine((j + 0.5L) * (k + 0.5L) / n);
  }
}

/// Transforms lines of one kind and length by definition.
class R2rLine {
public:
  R2rLine(int kind, std::size_t n) : n_(n) {
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t j = 0; j < n; ++j)
        weights_.push_back(r2r_weight(kind, n, j, k));
  }

  std::vector<long double> operator()(const std::vector<long double> &x) const {
    std::vector<long double> y(n_);
    for (std::size_t k = 0; k < n_; ++k)
      for (std::size_t j = 0; j < n_; ++j)
        y[k] += weights_[k * n_ + j] * x[j];
    return y;
  }

private:
  std::size_t n_;
  std::vector<long double> weights_;
};

} // namespace hybridfft::test
