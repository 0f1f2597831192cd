// Measures the error of a plane wave that crosses cuts between local bases, as in section 2.3 of
// Jaros, Vaverka and Treeby (2016). The truth is d'Alembert's solution, which the global basis
// computes exactly. An independent program in double precision gave the expected errors. The paper
// reports an error below 1e-4 for an overlap of 16 points, almost independent of the subdomains'
// sizes. It reports about 1e-3 for 31 cuts.

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <vector>

#include "base/error.h"
#include "solvers/lfb/basis.h"

namespace hybridfft::lfb {
namespace {

using std::numbers::pi;
constexpr double cfl = 0.3; ///< c dt / dx

double sinc(double x) { return x == 0 ? 1 : std::sin(x) / x; }

/// Returns a row of the circulant matrix of dt d/dx with the k-space correction and the given
/// period. The result is half a cell ahead (+1) or behind (-1). row[(i - j) mod period] is the
/// weight of point j in the derivative at point i.
std::vector<double> derivative(std::ptrdiff_t period, double shift) {
  const auto n = static_cast<double>(period);
  std::vector<double> row(static_cast<std::size_t>(period), 0);
  for (std::ptrdiff_t m = 0; m < period; ++m) {
    const double k = 2 * pi * static_cast<double>(m < (period + 1) / 2 ? m : m - period) / n;
    const double factor = cfl * k * sinc(k * cfl / 2) / n;
    for (std::ptrdiff_t x = 0; x < period; ++x)
      row[static_cast<std::size_t>(x)] -=
          factor * std::sin(k * (static_cast<double>(x) + shift / 2));
  }
  return row;
}

/// A periodic line of `blocks` blocks of n points.
class Line {
public:
  Line(std::ptrdiff_t blocks, std::ptrdiff_t n, const Basis &basis, std::ptrdiff_t gap)
      : blocks_(blocks), n_(n), basis_(basis), gap_(gap), coefficients_(basis.coefficients(gap)),
        ahead_(matrix(+1)), behind_(matrix(-1)) {}

  /// Returns the maximum error over max |p0| at the time when the right-going pulse is a quarter
  /// into the last block.
  double error() const {
    const std::ptrdiff_t total = blocks_ * n_;
    std::vector<double> p(static_cast<std::size_t>(total), 0), u = p;
    const std::ptrdiff_t source = n_ / 2;
    const double pulse[] = {0.04, 0.25, 0.42, 0.25, 0.04};
    for (std::ptrdiff_t i = -2; i <= 2; ++i)
      p[static_cast<std::size_t>((source + i + total) % total)] += pulse[i + 2] / 0.42;
    const std::vector<double> start = p;
    const auto steps =
        std::lround((static_cast<double>((blocks_ - 1) * n_) - static_cast<double>(n_ / 4)) / cfl);
    add(ahead_, p, -0.5, u);
    for (long step = 1; step <= steps; ++step) {
      if (step > 1) add(ahead_, p, -1, u);
      add(behind_, u, -1, p);
    }
    return largest_difference(p, dalembert(start, static_cast<double>(steps) * cfl));
  }

private:
  /// The derivative of a block's extended line as a matrix n x (n + 2 W). Columns are the block and
  /// W = overlap points on either side.
  struct Matrix {
    std::ptrdiff_t width = 0;
    std::vector<double> values;
  };

  Matrix matrix(double shift) const {
    const std::ptrdiff_t w = basis_.overlap(), k = basis_.numbers(), own = basis_.own();
    const std::vector<double> row = derivative(n_ + gap_, shift);
    const std::ptrdiff_t period = n_ + gap_, columns = 2 * own + 2 * k;
    Matrix m{n_ + 2 * w, std::vector<double>(static_cast<std::size_t>(n_ * (n_ + 2 * w)), 0)};
    const auto moment = [&](std::ptrdiff_t q, std::ptrdiff_t j) {
      if (basis_.moments().empty()) return q == j ? 1.0 : 0.0;
      return basis_.moments()[static_cast<std::size_t>(q * w + j)];
    };
    for (std::ptrdiff_t i = 0; i < n_; ++i) {
      double *out = m.values.data() + i * m.width;
      const auto factor = [&](std::ptrdiff_t at) {
        return row[static_cast<std::size_t>((i - at + period) % period)];
      };
      for (std::ptrdiff_t j = 0; j < n_; ++j)
        out[w + j] += factor(j);
      for (std::ptrdiff_t g = 0; g < gap_; ++g) {
        const double *c = coefficients_.data() + g * columns;
        const double f = factor(n_ + g);
        for (std::ptrdiff_t o = 0; o < own; ++o) {
          out[w + n_ - own + o] += f * c[o];
          out[w + o] += f * c[own + o];
        }
        for (std::ptrdiff_t q = 0; q < k; ++q)
          for (std::ptrdiff_t j = 0; j < w; ++j) {
            out[w + n_ + j] += f * c[2 * own + q] * moment(q, j);
            out[w - 1 - j] += f * c[2 * own + k + q] * moment(q, j);
          }
      }
    }
    return m;
  }

  void add(const Matrix &m, const std::vector<double> &from, double scale,
           std::vector<double> &to) const {
    const std::ptrdiff_t total = blocks_ * n_, w = basis_.overlap();
    std::vector<double> line(static_cast<std::size_t>(m.width));
    for (std::ptrdiff_t b = 0; b < blocks_; ++b) {
      for (std::ptrdiff_t j = 0; j < m.width; ++j)
        line[static_cast<std::size_t>(j)] =
            from[static_cast<std::size_t>((b * n_ - w + j + total) % total)];
      for (std::ptrdiff_t i = 0; i < n_; ++i) {
        double sum = 0;
        for (std::ptrdiff_t j = 0; j < m.width; ++j)
          sum += m.values[static_cast<std::size_t>(i * m.width + j)] *
                 line[static_cast<std::size_t>(j)];
        to[static_cast<std::size_t>(b * n_ + i)] += scale * sum;
      }
    }
  }

  /// Returns d'Alembert's solution by a sum over modes: two pulses of half the height, moved by
  /// `distance` to the right and to the left.
  static std::vector<double> dalembert(const std::vector<double> &start, double distance) {
    const std::size_t n = start.size();
    std::vector<double> result(n, 0);
    for (std::size_t m = 0; m < n; ++m) {
      const double signed_m =
          2 * m < n ? static_cast<double>(m) : static_cast<double>(m) - static_cast<double>(n);
      const double k = 2 * pi * signed_m / static_cast<double>(n);
      std::complex<double> sum = 0;
      for (std::size_t i = 0; i < n; ++i)
        if (start[i] != 0) sum += start[i] * std::polar(1.0, -k * static_cast<double>(i));
      sum *= std::cos(k * distance) / static_cast<double>(n);
      for (std::size_t i = 0; i < n; ++i)
        result[i] += (sum * std::polar(1.0, k * static_cast<double>(i))).real();
    }
    return result;
  }

  static double largest_difference(const std::vector<double> &a, const std::vector<double> &b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      largest = std::max(largest, std::abs(a[i] - b[i]));
    return largest;
  }

  std::ptrdiff_t blocks_, n_;
  Basis basis_;
  std::ptrdiff_t gap_;
  std::vector<double> coefficients_;
  Matrix ahead_, behind_;
};

double error(std::ptrdiff_t blocks, std::ptrdiff_t n, const std::string &name,
             std::ptrdiff_t gap = 0) {
  const Basis basis = Basis::read(name);
  return Line(blocks, n, basis, gap == 0 ? basis.gap() : gap).error();
}

struct Expected {
  const char *basis;
  double error;
};

/// Compares within 3 %, since the expected errors have two or three digits.
void expect_errors(std::ptrdiff_t blocks, std::ptrdiff_t n, std::initializer_list<Expected> all) {
  for (const auto &[basis, expected] : all)
    EXPECT_NEAR(error(blocks, n, basis), expected, 0.03 * expected)
        << basis << ", " << blocks << " blocks of " << n;
}

TEST(PlaneWave, LargerOverlap_HasSmallerError) {
  expect_errors(2, 256,
                {{"erf:4", 4.5e-3},
                 {"erf:8", 7.2e-4},
                 {"erf:12", 2.1e-4},
                 {"erf:16", 7.77e-5},
                 {"erf:24", 2.3e-5},
                 {"erf:32", 9.1e-6},
                 {"ls:4", 1.0e-3},
                 {"ls:8", 1.8e-4},
                 {"ls:16", 2.17e-5},
                 {"ls:32", 2.9e-6}});
}

TEST(PlaneWave, OtherBases_BeatBells) {
  expect_errors(
      2, 256,
      {{"opt:16", 1.72e-5}, {"mom:4/16", 1.79e-5}, {"mom:6/32", 2.71e-6}, {"mom:8/64", 4.87e-7}});
}

TEST(PlaneWave, OtherBlockSizes_SimilarError) {
  expect_errors(2, 32, {{"erf:16", 9.3e-5}, {"ls:16", 4.7e-5}, {"mom:6/32", 9.0e-6}});
  expect_errors(2, 64, {{"erf:16", 8.2e-5}, {"ls:16", 3.8e-5}, {"mom:6/32", 7.7e-6}});
  expect_errors(2, 128, {{"erf:16", 7.8e-5}, {"ls:16", 2.2e-5}, {"mom:6/32", 2.9e-6}});
}

TEST(PlaneWave, MoreCuts_LargerError) {
  expect_errors(32, 64, {{"erf:16", 1.32e-3}, {"ls:16", 3.93e-4}, {"mom:6/32", 4.71e-5}});
}

TEST(PlaneWave, FoldedTails_SimilarError) {
  EXPECT_NEAR(error(2, 256, "erf:16", 24), 8.2e-5, 0.1e-5);
  EXPECT_NEAR(error(2, 256, "erf:16", 16), 8.3e-5, 0.1e-5);
}

TEST(Basis, ErfBell_MatchesPaper) {
  const double expected[] = {
      0, 0.0019462086, 0.0898562474, 0.3415456992, 0.6584543008, 0.9101437526, 0.9980537914, 1};
  const std::vector<double> bell = erf_bell(8);
  ASSERT_EQ(bell.size(), 8U);
  for (std::size_t j = 0; j < 8; ++j)
    EXPECT_NEAR(bell[j], expected[j], 5e-11);
}

TEST(Basis, UnknownName_IsRefused) {
  for (const char *bad : {"", "erf", "erf:", "erf:1", "erf:16x", "erf:-4", "ls:5", "mom:6/16",
                          "opt:12", "ERF:16", "erf:99999999999999999999"})
    try {
      Basis::read(bad);
      ADD_FAILURE() << bad;
    } catch (const Failure &e) {
      EXPECT_NE(std::string(e.what()).find("found the basis '" + std::string(bad) + "', expected"),
                std::string::npos);
    }
  EXPECT_THROW(Basis::read("erf:16").coefficients(15), Failure);
  EXPECT_THROW(Basis::read("mom:6/32").coefficients(31), Failure);
}

} // namespace
} // namespace hybridfft::lfb
