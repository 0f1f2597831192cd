// The SIMD FFT kernels against the definition of the DFT in long double, and their errors against
// FFTW's own.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <vector>

#include "base/fftw.h"
#include "base/memory.h"
#include "local/line_fft.h"

namespace {

using namespace hybridfft;
using namespace hybridfft::local;
using Long = std::complex<long double>;

/// Pseudo-random numbers in -0.5 .. 0.5, the same on every machine.
double value(std::uint64_t i) {
  std::uint64_t h = (i + 1) * 0x9E3779B97F4A7C15ULL;
  h = (h ^ (h >> 29)) * 0xBF58476D1CE4E5B9ULL;
  return static_cast<double>((h ^ (h >> 32)) & 0xFFFFFFFFFFULL) / 1099511627776.0 - 0.5;
}

/// The DFT by its definition, O(n^2), twiddle factors from a table without rounding in angles.
template <class Real> std::vector<Long> naive(const std::vector<std::complex<Real>> &x, int sign) {
  const std::size_t n = x.size();
  std::vector<Long> w(n);
  for (std::size_t k = 0; k < n; ++k) {
    const long double t = 2 * std::numbers::pi_v<long double> * static_cast<long double>(k) /
                          static_cast<long double>(n);
    w[k] = {std::cos(t), static_cast<long double>(sign) * std::sin(t)};
  }
  std::vector<Long> y(n);
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t j = 0; j < n; ++j)
      y[k] += Long(x[j].real(), x[j].imag()) * w[j * k % n];
  return y;
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

/// Lines in columns: point j of lane l at data[j * lanes + l].
template <class Real> class Lines {
public:
  Lines(const LineFft<Real> &fft, const std::vector<std::vector<std::complex<Real>>> &lines)
      : lanes_(fft.lanes()), memory_(fft.tile_bytes(), 1), in_(lines.front().size()),
        out_(in_.size()) {
    for (std::size_t j = 0; j < in_.size(); ++j) {
      for (std::ptrdiff_t l = 0; l < lanes_; ++l)
        at(j, l) = lines[static_cast<std::size_t>(l)][j];
      out_[j] = reinterpret_cast<Real *>(&at(j, 0));
      in_[static_cast<std::size_t>(fft.positions()[j])] = out_[j];
    }
  }
  const Real *const *in() const { return in_.data(); }
  Real *const *out() const { return out_.data(); }
  std::vector<std::complex<Real>> line(std::ptrdiff_t l) {
    std::vector<std::complex<Real>> y;
    for (std::size_t j = 0; j < in_.size(); ++j)
      y.push_back(at(j, l));
    return y;
  }

private:
  std::complex<Real> &at(std::size_t j, std::ptrdiff_t l) {
    return reinterpret_cast<std::complex<Real> *>(
        memory_.data())[static_cast<std::ptrdiff_t>(j) * lanes_ + l];
  }
  std::ptrdiff_t lanes_;
  Memory memory_;
  std::vector<const Real *> in_;
  std::vector<Real *> out_;
};

struct Set {
  simd::Isa isa;
  bool single;
};

std::vector<Set> sets() {
  std::vector<Set> all;
  for (const simd::Isa isa : {simd::Isa::avx2, simd::Isa::avx512})
    for (const bool single : {true, false})
      if (simd::supported(isa) && simd::fft_kernels<float>(isa) != nullptr)
        all.push_back({isa, single});
  return all;
}

class LineFfts : public ::testing::TestWithParam<Set> {
protected:
  template <class F> void with_real(const F &f) {
    if (GetParam().single)
      f(float{});
    else
      f(double{});
  }
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LineFfts);

bool smooth(std::ptrdiff_t n) {
  for (const std::ptrdiff_t p : {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31})
    while (n % p == 0)
      n /= p;
  return n == 1;
}

/// Mean errors over a few lines, ours and FFTW's.
struct Errors {
  double ours = 0, fftw = 0;
};

template <class Real> Errors errors(simd::Isa isa, std::ptrdiff_t n, int sign) {
  const LineFft<Real> fft(isa, n, sign);
  const Memory work(fft.work_bytes(), 1);
  // Short lines have few roundings: many are needed for a mean that means something.
  const std::ptrdiff_t wanted = n <= 64 ? 64 : n <= 512 ? 8 : 2;
  Errors e;
  std::ptrdiff_t checked = 0;
  while (checked < wanted) {
    std::vector<std::vector<std::complex<Real>>> x;
    for (std::ptrdiff_t l = 0; l < fft.lanes(); ++l)
      x.push_back(input<Real>(n, static_cast<std::uint64_t>(n * 64 + checked + l)));
    Lines<Real> lines(fft, x);
    fft.run(lines.in(), lines.out(), 0, 0, false, reinterpret_cast<Real *>(work.data()));
    for (std::ptrdiff_t l = 0; l < fft.lanes() && checked < wanted; ++l, ++checked) {
      const auto &line = x[static_cast<std::size_t>(l)];
      const std::vector<Long> truth = naive(line, sign);
      e.ours += relative_error(lines.line(l), truth) / static_cast<double>(wanted);
      e.fftw += relative_error(by_fftw(line, sign), truth) / static_cast<double>(wanted);
    }
  }
  return e;
}

/// Also where FFTW is exact by luck (n = 1, 2, 4) a rounding of the last bit is allowed.
template <class Real> void expect_accurate(simd::Isa isa, std::ptrdiff_t n, int sign) {
  const Errors e = errors<Real>(isa, n, sign);
  constexpr double unit = std::is_same_v<Real, float> ? 0x1p-24 : 0x1p-53;
  EXPECT_LE(e.ours, 1.5 * std::max(e.fftw, 0.25 * unit))
      << simd::name(isa) << (unit > 1e-10 ? " single" : " double") << " n=" << n << " sign=" << sign
      << " factors " << LineFft<Real>(isa, n, sign).factors();
}

TEST_P(LineFfts, AsAccurateAsFftwUpTo512) {
  with_real([](auto real) {
    for (std::ptrdiff_t n = 1; n <= 512; ++n) {
      ASSERT_TRUE(LineFft<decltype(real)>::applies(GetParam().isa, n)) << n;
      ASSERT_EQ(SmoothFft<decltype(real)>::applies(GetParam().isa, n), smooth(n)) << n;
      ASSERT_EQ(has_large_prime(n), !smooth(n)) << n;
      expect_accurate<decltype(real)>(GetParam().isa, n, n % 2 == 0 ? -1 : 1);
    }
  });
}

TEST_P(LineFfts, AsAccurateAsFftwAbove512) {
  with_real([](auto real) {
    for (const std::ptrdiff_t n :
         {520, 567, 625, 700, 768, 1001, 1024, 1031, 1331, 1536, 1716, 2022, 2048})
      for (const int sign : {-1, 1})
        expect_accurate<decltype(real)>(GetParam().isa, n, sign);
  });
}

TEST_P(LineFfts, AllRoadsThroughATileAgree) {
  with_real([](auto real) {
    using Real = decltype(real);
    for (const std::ptrdiff_t n : {1, 2, 7, 12, 16, 31, 30, 96, 211, 256, 539}) {
      const LineFft<Real> fft(GetParam().isa, n, -1);
      std::vector<std::vector<std::complex<Real>>> x;
      for (std::ptrdiff_t l = 0; l < fft.lanes(); ++l)
        x.push_back(input<Real>(n, static_cast<std::uint64_t>(l + 7)));
      const Memory memory(fft.tile_bytes(), 1);
      auto *tile = reinterpret_cast<Real *>(memory.data());
      const Memory scratch(fft.work_bytes(), 1);
      auto *work = reinterpret_cast<Real *>(scratch.data());
      Lines<Real> straight(fft, x);
      fft.run(straight.in(), straight.out(), 0, 0, false, work);
      Lines<Real> streamed(fft, x);
      fft.run(streamed.in(), streamed.out(), 0, 0, true, work);
      fft.moves().fence();
      // To a tile, its reals moved by hand to lines.
      Lines<Real> by_tile(fft, x);
      fft.run_to_tile(by_tile.in(), 0, 0, tile, work);
      for (std::ptrdiff_t l = 0; l < fft.lanes(); ++l) {
        const auto expected = straight.line(l);
        EXPECT_EQ(streamed.line(l), expected) << n;
        for (std::ptrdiff_t k = 0; k < n; ++k) {
          const Real *point = tile + k * 2 * fft.lanes() + l;
          EXPECT_EQ(std::complex<Real>(point[0], point[fft.lanes()]),
                    expected[static_cast<std::size_t>(k)])
              << n;
        }
      }
    }
  });
}

TEST(LineFft, NoKernelsBelowAvx2) {
  EXPECT_FALSE(LineFft<float>::applies(simd::Isa::sse2, 16));
  EXPECT_FALSE(LineFft<double>::applies(simd::Isa::scalar, 16));
  EXPECT_THROW(LineFft<double>(simd::Isa::scalar, 16, -1), std::runtime_error);
}

INSTANTIATE_TEST_SUITE_P(All, LineFfts, ::testing::ValuesIn(sets()), [](const auto &info) {
  return std::string(simd::name(info.param.isa)) + (info.param.single ? "Single" : "Double");
});

} // namespace
