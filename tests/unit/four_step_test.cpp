// Compares four-step FFTs of contiguous lines with the definition of the DFT in long double, and
// their errors with FFTW's.
#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <vector>

#include "base/memory.h"
#include "fft_reference.h"
#include "local/four_step.h"
#include "support/skipped_cases.h"

namespace {

using namespace hybridfft;
using namespace hybridfft::local;
using namespace hybridfft::test;

template <class Real> using Line = std::vector<std::complex<Real>>;

/// Lines transformed together. They follow each other in memory, with a gap between them.
template <class Real> class Together {
public:
  Together(const FourStepFft<Real> &fft, const std::vector<Line<Real>> &lines)
      : fft_(fft), n_(static_cast<std::ptrdiff_t>(lines.front().size())), stride_(2 * n_ + 64),
        memory_(bytes(stride_ * fft.lines()), 1), work_(fft.work_bytes(), 1),
        parts_(static_cast<std::size_t>(fft.parts())) {
    for (std::ptrdiff_t l = 0; l < fft.lines(); ++l) {
      for (std::ptrdiff_t j = 0; j < n_; ++j)
        reinterpret_cast<std::complex<Real> *>(line_at(l))[j] =
            lines[static_cast<std::size_t>(l)][static_cast<std::size_t>(j)];
      from_[static_cast<std::size_t>(l)] = {l * stride_, 0};
      to_[static_cast<std::size_t>(l)] = line_at(l);
    }
    fft.point_at_parts(line_at(0), parts_.data());
  }

  /// Transforms in place.
  void to_lines(bool streamed) {
    fft_.to_lines(parts_.data(), from_.data(), to_.data(), streamed, work());
    if (streamed) fft_.moves().fence();
  }
  Line<Real> line(std::ptrdiff_t l) {
    const auto *first = reinterpret_cast<std::complex<Real> *>(line_at(l));
    return {first, first + n_};
  }

  /// Transforms the lines to rows 1 and 2 of a matrix of four rows, stored by columns in tiles.
  /// Returns the transformed lines.
  std::vector<Line<Real>> by_columns() {
    const std::ptrdiff_t lanes = along();
    const std::ptrdiff_t tile = 4 * 2 * lanes;
    const Memory memory(bytes(n_ / lanes * tile), 1);
    auto *columns = reinterpret_cast<Real *>(memory.data());
    const std::array<Real *, 2> to{columns + 2 * lanes, columns + 4 * lanes};
    fft_.to_columns(parts_.data(), from_.data(), to.data(), tile, work());
    std::vector<Line<Real>> found(static_cast<std::size_t>(fft_.lines()));
    for (std::ptrdiff_t c = 0; c < n_; ++c)
      for (std::size_t l = 0; l < found.size(); ++l) {
        const Real *point = to[l] + c / lanes * tile + c % lanes;
        found[l].emplace_back(point[0], point[lanes]);
      }
    // Rows 0 and 3 must not change, and row 2 neither if there is no second line.
    for (std::ptrdiff_t t = 0; t < n_ / lanes; ++t)
      for (std::ptrdiff_t i = 0; i < 2 * lanes; ++i) {
        EXPECT_EQ(columns[t * tile + i], Real(0));
        EXPECT_EQ(columns[t * tile + 6 * lanes + i], Real(0));
        if (fft_.lines() == 1) {
          EXPECT_EQ(columns[t * tile + 4 * lanes + i], Real(0));
        }
      }
    return found;
  }

private:
  static std::size_t bytes(std::ptrdiff_t reals) {
    return static_cast<std::size_t>(reals) * sizeof(Real);
  }
  Real *line_at(std::ptrdiff_t l) const {
    return reinterpret_cast<Real *>(memory_.data()) + l * stride_;
  }
  Real *work() const { return reinterpret_cast<Real *>(work_.data()); }
  std::ptrdiff_t along() const { return n_ / fft_.parts(); }

  const FourStepFft<Real> &fft_;
  std::ptrdiff_t n_, stride_;
  Memory memory_, work_;
  std::vector<const Real *> parts_;
  std::array<typename FourStepFft<Real>::LinePlace, 2> from_{};
  std::array<Real *, 2> to_{};
};

template <class Real>
std::vector<Line<Real>> some_lines(const FourStepFft<Real> &fft, std::ptrdiff_t n,
                                   std::ptrdiff_t seed) {
  std::vector<Line<Real>> x;
  for (std::ptrdiff_t l = 0; l < fft.lines(); ++l)
    x.push_back(input<Real>(n, static_cast<std::uint64_t>(seed + l)));
  return x;
}

template <class Real> void expect_accurate(simd::Isa isa, std::ptrdiff_t n, int sign) {
  const FourStepFft<Real> fft(isa, n, sign);
  const std::ptrdiff_t wanted = lines_wanted(n);
  Errors e;
  for (std::ptrdiff_t checked = 0; checked < wanted; checked += fft.lines()) {
    const auto x = some_lines(fft, n, n * 64 + checked);
    Together<Real> together(fft, x);
    together.to_lines(false);
    for (std::ptrdiff_t l = 0; l < fft.lines(); ++l) {
      const auto &line = x[static_cast<std::size_t>(l)];
      const std::vector<Long> truth = truth_of(line, sign);
      e.ours += relative_error(together.line(l), truth) / static_cast<double>(wanted);
      e.fftw += relative_error(by_fftw(line, sign), truth) / static_cast<double>(wanted);
    }
  }
  EXPECT_LE(e.ours, allowed<Real>(e))
      << simd::name(isa) << (sizeof(Real) == 4 ? " single" : " double") << " n=" << n
      << " sign=" << sign << " " << fft.factors();
}

using FourStepFfts = EachKernelSet;
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FourStepFfts);

TEST_P(FourStepFfts, AsAccurateAsFftw) {
  with_real([](auto real) {
    using Real = decltype(real);
    int lengths = 0;
    for (std::ptrdiff_t n = 1; n <= 1024; ++n) {
      if (!FourStepFft<Real>::applies(GetParam().isa, n)) continue;
      ++lengths;
      for (const int sign : {-1, 1})
        expect_accurate<Real>(GetParam().isa, n, sign);
    }
    // Lengths are multiples of 128 up to 1024 for the widest vectors.
    EXPECT_GE(lengths, 8);
  });
}

TEST_P(FourStepFfts, AllRoadsAgreeToTheLastBit) {
  with_real([](auto real) {
    using Real = decltype(real);
    const std::ptrdiff_t lanes = simd::fft_kernels<Real>(GetParam().isa)->lanes;
    // These numbers of parts give pairs of lines or single lines, in one step or several.
    for (const std::ptrdiff_t parts : {lanes / 2, lanes, 3 * lanes / 2, 3 * lanes, 6 * lanes})
      for (const int sign : {-1, 1}) {
        const std::ptrdiff_t n = parts * lanes;
        ASSERT_TRUE(FourStepFft<Real>::applies(GetParam().isa, n)) << n;
        const FourStepFft<Real> fft(GetParam().isa, n, sign);
        const auto x = some_lines(fft, n, 5);
        Together<Real> straight(fft, x);
        Together<Real> streamed(fft, x);
        Together<Real> columns(fft, x);
        straight.to_lines(false);
        streamed.to_lines(true);
        const auto by_columns = columns.by_columns();
        // The last line, transformed together with a copy of itself, must keep its bits.
        Together<Real> twice(fft, {x.back(), x.back()});
        twice.to_lines(false);
        for (std::ptrdiff_t l = 0; l < fft.lines(); ++l) {
          EXPECT_EQ(streamed.line(l), straight.line(l)) << n;
          EXPECT_EQ(by_columns[static_cast<std::size_t>(l)], straight.line(l)) << n;
          EXPECT_EQ(twice.line(l), straight.line(fft.lines() - 1)) << n;
        }
      }
  });
}

TEST(FourStepFft, OnlyWholeGroupsOfParts) {
  EXPECT_FALSE(FourStepFft<float>::applies(simd::find("scalar"), 512));
  EXPECT_FALSE(FourStepFft<double>::applies(simd::find("scalar"), 512));
  const simd::Isa avx512 = simd::find("avx512");
  if (!simd::supported(avx512)) GTEST_SKIP() << test::this_machine << "no AVX-512";
  EXPECT_TRUE(FourStepFft<float>::applies(avx512, 128));
  EXPECT_FALSE(FourStepFft<float>::applies(avx512, 192));
  EXPECT_TRUE(FourStepFft<double>::applies(avx512, 96));
  EXPECT_FALSE(FourStepFft<double>::applies(avx512, 32 * 37));
}

INSTANTIATE_TEST_SUITE_P(All, FourStepFfts, ::testing::ValuesIn(sets()),
                         [](const auto &info) { return name_of(info.param); });

} // namespace
