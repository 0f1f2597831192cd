// Compares passes over real lines, of all of FFTW's kinds, with their definitions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <vector>

#include "../support/r2r_definition.h"
#include "base/fftw.h"
#include "fft_reference.h"
#include "local/passes.h"

namespace {

using namespace hybridfft;
using namespace hybridfft::local;
using test::r2r_name;

constexpr unsigned estimate = FFTW_ESTIMATE;
constexpr int kinds = 11;

std::ptrdiff_t min_points(int kind) { return kind == test::redft00 ? 2 : 1; }

/// Returns a matrix with columns in two pieces, stored row by row or column by column.
SplitRows in_pieces(std::ptrdiff_t rows, std::ptrdiff_t columns, std::ptrdiff_t vec,
                    bool by_column) {
  const std::ptrdiff_t first = (columns + 1) / 2;
  SplitRows m{rows, columns, vec, {}};
  for (const std::ptrdiff_t c : {std::ptrdiff_t{0}, first}) {
    const std::ptrdiff_t count = c == 0 ? first : columns - first;
    if (count > 0)
      m.pieces.push_back(
          {c, count, c * rows * vec, by_column ? vec : count * vec, by_column ? rows * vec : vec});
  }
  return m;
}

std::size_t place(const SplitRows &m, std::ptrdiff_t row, std::ptrdiff_t column, std::ptrdiff_t v) {
  for (const Piece &p : m.pieces)
    if (column >= p.first && column < p.first + p.count)
      return static_cast<std::size_t>(p.base + row * p.row_stride +
                                      (column - p.first) * p.column_stride + v);
  return 0;
}

/// FFTW's plan of one line, executed on copies of lines.
template <class Real> class FftwLine {
public:
  FftwLine(int kind, std::ptrdiff_t n) : x_(static_cast<std::size_t>(n)), y_(x_.size()) {
    const typename F::Dimension dimension{n, 1, 1};
    const auto number = static_cast<fftw_r2r_kind>(kind);
    plan_ = F::plan_r2r(1, &dimension, 0, nullptr, x_.data(), y_.data(), &number, estimate);
  }
  ~FftwLine() { F::destroy(plan_); }
  FftwLine(const FftwLine &) = delete;
  FftwLine &operator=(const FftwLine &) = delete;

  const std::vector<Real> &operator()(const std::vector<Real> &x) {
    std::copy(x.begin(), x.end(), x_.begin());
    F::execute_r2r(plan_, x_.data(), y_.data());
    return y_;
  }

private:
  using F = Fftw<Real>;
  std::vector<Real> x_, y_;
  typename F::Plan plan_;
};

template <class Real>
long double squared_error(const std::vector<Real> &y, const std::vector<long double> &truth) {
  long double sum = 0;
  for (std::size_t k = 0; k < y.size(); ++k)
    sum += std::pow(static_cast<long double>(y[k]) - truth[k], 2);
  return sum;
}

/// Sums of the squares of errors and results over all lines of a matrix.
struct Sums {
  long double ours = 0, fftw = 0, truth = 0;
};

/// Transforms a matrix and compares each line with its definition.
template <class Real>
Sums sums_of(int kind, const SplitRows &from, const SplitRows &to, const PassOptions &options) {
  std::vector<Real> in(static_cast<std::size_t>(from.span()));
  std::vector<Real> out(static_cast<std::size_t>(to.span()));
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<Real>(test::value(i));
  const std::vector<Real> before = in;
  const bool in_place = from == to;
  const auto pass = make_column_pass<Real>(from, to, static_cast<LineKind>(kind),
                                           TileOrder::interleaved, options);
  pass->execute(reinterpret_cast<std::byte *>(in.data()),
                reinterpret_cast<std::byte *>(in_place ? in.data() : out.data()));
  const std::vector<Real> &result = in_place ? in : out;
  const test::R2rLine definition(kind, static_cast<std::size_t>(from.columns));
  FftwLine<Real> fftw(kind, from.columns);
  Sums sums;
  for (std::ptrdiff_t r = 0; r < from.rows; ++r)
    for (std::ptrdiff_t v = 0; v < from.vec; ++v) {
      std::vector<Real> x, y;
      for (std::ptrdiff_t c = 0; c < from.columns; ++c) {
        x.push_back(before[place(from, r, c, v)]);
        y.push_back(result[place(to, r, c, v)]);
      }
      const auto truth = definition({x.begin(), x.end()});
      sums.ours += squared_error(y, truth);
      sums.fftw += squared_error(fftw(x), truth);
      for (const long double t : truth)
        sums.truth += t * t;
    }
  return sums;
}

/// Returns the allowed error: one and a half times FFTW's, or one rounding, because FFTW's result
/// may be exact by luck.
template <class Real> long double allowed(const Sums &sums) {
  const long double unit = sizeof(Real) == 4 ? 0x1p-24L : 0x1p-53L;
  return 1.5L * std::max(std::sqrt(sums.fftw), unit * std::sqrt(sums.truth));
}

template <class Real>
void compare(int kind, const SplitRows &from, const SplitRows &to, const PassOptions &options) {
  const Sums sums = sums_of<Real>(kind, from, to, options);
  EXPECT_LE(std::sqrt(sums.ours), allowed<Real>(sums))
      << r2r_name(kind) << " of " << from.columns << " points, " << from.rows << " rows, "
      << from.vec << " adjacent lines, " << (options.kernel == Kernel::simd ? "simd" : "fftw")
      << " kernels, " << options.threads << " threads" << (from == to ? ", in place" : "");
}

/// Number of shapes: rows in pieces, adjacent lines, and contiguous lines out of place and in
/// place.
constexpr int shapes = 4;

template <class Real>
void compare_shape(int shape, int kind, std::ptrdiff_t n, const PassOptions &options) {
  if (shape == 0)
    compare<Real>(kind, in_pieces(3, n, 7, false), in_pieces(3, n, 7, true), options);
  else if (shape == 1)
    compare<Real>(kind, SplitRows::tight(1, n, 35), SplitRows::tight(1, n, 35), options);
  else if (shape == 2)
    compare<Real>(kind, SplitRows::tight(37, n, 1), in_pieces(37, n, 1, true), options);
  else
    compare<Real>(kind, SplitRows::tight(5, n, 1), SplitRows::tight(5, n, 1), options);
}

TEST(RealLines, SizesTo40_AllKinds_MatchDefinition) {
  for (int n = 1; n <= 40; ++n)
    for (int kind = 0; kind < kinds; ++kind) {
      if (n < min_points(kind)) continue;
      for (const Kernel kernel : {Kernel::fftw, Kernel::simd}) {
        PassOptions options{1 + n % 2, estimate, 4096, kernel};
        options.deterministic = (n + kind) % 3 == 0;
        const int shape = (n + kind) % shapes;
        compare_shape<double>(shape, kind, n, options);
        compare_shape<float>((shape + 1) % shapes, kind, n, options);
        if (kernel == Kernel::simd) compare_shape<double>((shape + 2) % shapes, kind, n, options);
      }
    }
}

TEST(RealLines, SizesTo40_AllKinds_HaveSimdKernels) {
  for (int n = 1; n <= 40; ++n)
    for (int kind = 0; kind < kinds; ++kind) {
      if (n < min_points(kind)) continue;
      const std::ptrdiff_t points = test::r2r_logical(kind, n);
      if (points % 37 == 0 || points % 41 == 0)
        continue; // FFTW's kernels compute lengths with large primes
      const SplitRows m = SplitRows::tight(1, n, 16);
      const PassOptions options{1, estimate, 4096, Kernel::simd};
      const auto pass = make_column_pass<double>(m, m, static_cast<LineKind>(kind),
                                                 TileOrder::interleaved, options);
      EXPECT_NE(pass->describe().find("kernels"), std::string::npos)
          << r2r_name(kind) << " of " << n << " points: " << pass->describe();
    }
}

TEST(RealLines, LongLines_AllKinds_MatchDefinition) {
  for (const std::ptrdiff_t n : {64, 100, 127, 255, 256}) {
    const PassOptions options{1, estimate, 1 << 15, Kernel::simd};
    for (int kind = 0; kind < kinds; ++kind) {
      compare<double>(kind, SplitRows::tight(1, n, 16), SplitRows::tight(1, n, 16), options);
      compare<float>(kind, SplitRows::tight(1, n, 16), SplitRows::tight(1, n, 16), options);
    }
  }
}

TEST(RealLines, Scaled_AllKinds_MultiplyTheResult) {
  constexpr std::ptrdiff_t n = 12;
  const SplitRows m = SplitRows::tight(2, n, 9);
  for (const Kernel kernel : {Kernel::fftw, Kernel::simd})
    for (int kind = 0; kind < kinds; ++kind) {
      PassOptions options{1, estimate, 4096, kernel};
      std::vector<double> x(static_cast<std::size_t>(m.span()));
      for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = test::value(i);
      std::vector<double> y = x;
      const auto run = [&](std::vector<double> &data) {
        auto *bytes = reinterpret_cast<std::byte *>(data.data());
        make_column_pass<double>(m, m, static_cast<LineKind>(kind), TileOrder::lines, options)
            ->execute(bytes, bytes);
      };
      run(x);
      options.scale = 0.25; // exact in binary
      run(y);
      for (std::size_t i = 0; i < x.size(); ++i)
        EXPECT_NEAR(0.25 * x[i], y[i], 1e-14) << r2r_name(kind);
    }
}

/// Lanes without a line must not keep old numbers, because these would grow with each execution.
TEST(RealLines, ExecutedOften_FewerLinesThanLanes_SameBitsWithoutOverflow) {
  std::feclearexcept(FE_ALL_EXCEPT);
  for (const std::ptrdiff_t n : {8, 11, 12})
    for (int kind = -1; kind < kinds; ++kind) {
      const SplitRows m = SplitRows::tight(1, n, 3);
      const PassOptions options{1, estimate, 4096, Kernel::simd};
      const auto pass = make_column_pass<double>(m, m, static_cast<LineKind>(kind),
                                                 TileOrder::interleaved, options);
      std::vector<double> first;
      for (int i = 0; i < 500; ++i) {
        std::vector<double> x(2 * static_cast<std::size_t>(m.span()));
        for (std::size_t j = 0; j < x.size(); ++j)
          x[j] = test::value(j);
        auto *bytes = reinterpret_cast<std::byte *>(x.data());
        pass->execute(bytes, bytes);
        if (i == 0) first = x;
        ASSERT_TRUE(first == x) << "kind " << kind << ", " << n << " points, execution " << i;
      }
      ASSERT_FALSE(std::fetestexcept(FE_OVERFLOW | FE_INVALID)) << "kind " << kind << ", " << n;
    }
}

} // namespace
