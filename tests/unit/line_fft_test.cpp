// Compares SIMD FFT kernels with the definition of the DFT in long double, and their errors with
// FFTW's.
#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <map>
#include <numeric>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/memory.h"
#include "fft_reference.h"
#include "local/line_fft.h"
#include "local/twiddles.h"

namespace {

using namespace hybridfft;
using namespace hybridfft::local;
using namespace hybridfft::test;

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

/// The recursive reference, truth_of(), agrees with the definition.
TEST(Truth, IsTheDefinition) {
  for (const std::ptrdiff_t n : {1, 2, 3, 8, 12, 35, 97, 128, 189, 194, 210, 512})
    for (const int sign : {-1, 1}) {
      const auto x = input<double>(n, 11);
      const std::vector<Long> line(x.begin(), x.end());
      const std::vector<Long> y = truth_of(line, sign);
      const std::vector<Long> expected = definition(line, sign);
      for (std::size_t k = 0; k < y.size(); ++k)
        EXPECT_LE(std::abs(y[k] - expected[k]), 1e-18L * static_cast<long double>(n)) << n;
    }
}

using LineFfts = EachKernelSet;
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LineFfts);

bool smooth(std::ptrdiff_t n) {
  for (const std::ptrdiff_t p : {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31})
    while (n % p == 0)
      n /= p;
  return n == 1;
}

/// Spectrum of line `seed`, and the error of FFTW.
struct Reference {
  std::vector<Long> truth;
  double fftw_error;
};

/// Computes each reference once, for all instruction sets.
template <class Real>
const Reference &reference(const std::vector<std::complex<Real>> &line, std::uint64_t seed,
                           int sign) {
  static std::map<std::pair<std::uint64_t, int>, Reference> known;
  const auto [at, is_new] = known.try_emplace({seed, sign});
  if (is_new) {
    at->second.truth = truth_of(line, sign);
    at->second.fftw_error = relative_error(by_fftw(line, sign), at->second.truth);
  }
  return at->second;
}

template <class Real> Errors errors(simd::Isa isa, std::ptrdiff_t n, int sign) {
  const LineFft<Real> fft(isa, n, sign);
  const Memory work(fft.work_bytes(), 1);
  const std::ptrdiff_t wanted = lines_wanted(n);
  Errors e;
  std::ptrdiff_t checked = 0;
  while (checked < wanted) {
    std::vector<std::vector<std::complex<Real>>> x;
    std::vector<std::uint64_t> seeds;
    for (std::ptrdiff_t l = 0; l < fft.lanes(); ++l) {
      seeds.push_back(static_cast<std::uint64_t>(n * 64 + checked + l));
      x.push_back(input<Real>(n, seeds.back()));
    }
    Lines<Real> lines(fft, x);
    fft.run(lines.in(), lines.out(), 0, Output::by_point, reinterpret_cast<Real *>(work.data()));
    for (std::ptrdiff_t l = 0; l < fft.lanes() && checked < wanted; ++l, ++checked) {
      const auto i = static_cast<std::size_t>(l);
      const Reference &r = reference<Real>(x[i], seeds[i], sign);
      e.ours += relative_error(lines.line(l), r.truth) / static_cast<double>(wanted);
      e.fftw += r.fftw_error / static_cast<double>(wanted);
    }
  }
  return e;
}

template <class Real> void expect_accurate(simd::Isa isa, std::ptrdiff_t n, int sign) {
  const Errors e = errors<Real>(isa, n, sign);
  EXPECT_LE(e.ours, allowed<Real>(e))
      << simd::name(isa) << (sizeof(Real) == 4 ? " single" : " double") << " n=" << n
      << " sign=" << sign << " factors " << LineFft<Real>(isa, n, sign).factors();
}

TEST_P(LineFfts, AsAccurateAsFftwUpTo512) {
  with_real([](auto real) {
    for (std::ptrdiff_t n = 1; n <= 512; ++n) {
      ASSERT_TRUE(LineFft<decltype(real)>::applies(GetParam().isa, n)) << n;
      ASSERT_EQ(MixedRadixFft<decltype(real)>::applies(GetParam().isa, n), smooth(n)) << n;
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
      fft.run(straight.in(), straight.out(), 0, Output::by_point, work);
      for (const Output output : {Output::in_runs, Output::streamed}) {
        Lines<Real> other(fft, x);
        fft.run(other.in(), other.out(), 0, output, work);
        fft.moves().fence();
        for (std::ptrdiff_t l = 0; l < fft.lanes(); ++l)
          EXPECT_EQ(other.line(l), straight.line(l)) << n;
      }
      // The transforms below read from a tile, or transform within one. Point j of a line is copied
      // to the place fft.positions()[j] of the tile.
      const auto fill = [&] {
        for (std::ptrdiff_t j = 0; j < n; ++j)
          for (std::ptrdiff_t l = 0; l < fft.lanes(); ++l) {
            Real *point = tile + fft.positions()[j] * 2 * fft.lanes() + l;
            point[0] = x[static_cast<std::size_t>(l)][static_cast<std::size_t>(j)].real();
            point[fft.lanes()] = x[static_cast<std::size_t>(l)][static_cast<std::size_t>(j)].imag();
          }
      };
      const auto expect_tile = [&](const char *path) {
        for (std::ptrdiff_t l = 0; l < fft.lanes(); ++l) {
          const auto expected = straight.line(l);
          for (std::ptrdiff_t k = 0; k < n; ++k) {
            const Real *point = tile + k * 2 * fft.lanes() + l;
            EXPECT_EQ(std::complex<Real>(point[0], point[fft.lanes()]),
                      expected[static_cast<std::size_t>(k)])
                << n << " " << path;
          }
        }
      };
      fill();
      fft.run_in_tile(tile, work);
      expect_tile("in a tile");
      fill();
      Prefetch ahead(tile, static_cast<std::ptrdiff_t>(fft.tile_bytes()), 1, 0, 1);
      fft.run_in_tile(tile, work, ahead);
      expect_tile("in a tile with lines ahead");
      for (const bool begun : {false, true}) {
        if (begun && fft.group_points() == 0) continue;
        Lines<Real> from_tile(fft, x);
        fill();
        for (std::ptrdiff_t g = 0; begun && g * fft.group_points() < n; ++g)
          fft.begin_in_tiles(1, 0, tile, g);
        fft.run_from_tiles({tile}, begun, from_tile.out(), 0, Output::by_point, work);
        for (std::ptrdiff_t l = 0; l < fft.lanes(); ++l)
          EXPECT_EQ(from_tile.line(l), straight.line(l)) << n << " begun " << begun;
      }
      // The last transform writes to a tile.
      Lines<Real> by_tile(fft, x);
      fft.run_to_tiles(by_tile.in(), 0, {tile}, work);
      expect_tile("to a tile");
    }
  });
}

/// No step of a long line reads more points in one set of a first-level cache than the set has
/// ways.
TEST_P(LineFfts, StepsOfLongLinesFitTheWaysOfACache) {
  with_real([](auto real) {
    using Real = decltype(real);
    constexpr std::ptrdiff_t way = 4096, ways = 8;
    for (std::ptrdiff_t n = 256; n <= 65536; n *= 2) {
      const LineFft<Real> fft(GetParam().isa, n, -1);
      std::istringstream factors(fft.factors());
      std::ptrdiff_t span = 1;
      for (std::string factor; std::getline(factors, factor, 'x');) {
        const std::ptrdiff_t radix = std::stol(factor);
        const auto stride = span * 2 * fft.lanes() * static_cast<std::ptrdiff_t>(sizeof(Real));
        const std::ptrdiff_t sets = way / std::gcd(stride, way);
        if (span > 1) {
          EXPECT_LE(radix, ways * sets) << n << " as " << fft.factors();
        }
        span *= radix;
      }
      EXPECT_EQ(span, n) << fft.factors();
    }
  });
}

TEST(LineFft, DoesNotApplyToSetsWithoutKernels) {
  const simd::Isa scalar = simd::find("scalar");
  EXPECT_FALSE(LineFft<float>::applies(scalar, 16));
  EXPECT_FALSE(LineFft<double>::applies(scalar, 16));
  EXPECT_THROW(LineFft<double>(scalar, 16, -1), std::runtime_error);
}

INSTANTIATE_TEST_SUITE_P(All, LineFfts, ::testing::ValuesIn(sets()),
                         [](const auto &info) { return name_of(info.param); });

} // namespace
