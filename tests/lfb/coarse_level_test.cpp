// Compares the coarse level with operators computed mode by mode, by sums over all points. The
// coarse level is tested alone, and added to the local part of blocks.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <map>
#include <numbers>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "blocks.h"
#include "hybridfft/grid/cartesian.hpp"
#include "solvers/lfb/coarse_level.h"
#include "solvers/lfb/convolution.h"
#include "solvers/lfb/extension.h"
#include "support/mpi_test.h"

namespace hybridfft::lfb {
namespace {

using grid::Box;
using grid::Cartesian;
using grid::Communicator;
using grid::Index;
using grid::Index3;
using grid::View;
using std::numbers::pi;
using Complex = std::complex<double>;
using Extents = std::array<Index, 3>;

/// Returns |k|^s, or 0 where it is infinite.
double power(double k, double s) { return k == 0 && s < 0 ? 0 : std::pow(k, s); }

TEST(PowerSplit, AnyLength_IsIntegralOfGaussians) {
  for (const double s : {-1.7, -1.2, -0.2, 0.5, 0.95, 1.5})
    for (const double length : {0.5, 3.0})
      for (const double k : {0.0, 1e-3, 0.1, 0.7, 1.0, 3.0}) {
        // Local part: |k|^(2m) / Gamma(a) times the integral of t^(a-1) exp(-k^2 t) dt over t = 0
        // .. length^2. The substitution t = length^2 u^(1/a) maps it to u = 0 .. 1.
        const double m = s < 0 ? 0 : 1, a = m - s / 2, end = length * length;
        const int intervals = 20000;
        double sum = 0;
        for (int i = 0; i < intervals; ++i)
          sum += std::exp(-k * k * end * std::pow((i + 0.5) / intervals, 1 / a)) / intervals;
        const double local = std::pow(k, 2 * m) * std::pow(end, a) / std::tgamma(a + 1) * sum;
        const PowerSplit split(s, length);
        // The midpoint rule has second order, but derivatives at u = 0 may be infinite.
        EXPECT_NEAR(split.local(k), local, 1e-6 * local) << s << " " << k;
        EXPECT_NEAR(split.local(k) + split.smooth(k), power(k, s), 1e-12 * (1 + power(k, s)))
            << s << " " << k;
      }
}

TEST(PowerSplit, SmoothPart_VanishesAtShortWaves) {
  for (const double s : {-1.2, 0.5}) {
    EXPECT_LT(std::abs(PowerSplit(s, 1).smooth(pi)), 1e-4);
    EXPECT_LT(std::abs(PowerSplit(s, 1).smooth(2 * pi)), 1e-17);
  }
  for (const double k : {0.0, 0.5, 2.0}) {
    EXPECT_EQ(PowerSplit(0, 1).smooth(k), 0);
    EXPECT_EQ(PowerSplit(0, 1).local(k), 1); // k = 0, the mean, included
  }
}

std::size_t at(const Extents &n, Index i, Index j, Index k) {
  return static_cast<std::size_t>((i * n[1] + j) * n[2] + k);
}

/// Computes the discrete Fourier transform along each axis by sums.
void transform(std::vector<Complex> &field, const Extents &n, double sign) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Index points = n[axis];
    const Index stride = axis == 0 ? n[1] * n[2] : axis == 1 ? n[2] : 1;
    std::vector<Complex> wave, line(static_cast<std::size_t>(points));
    for (Index x = 0; x < points; ++x)
      wave.push_back(
          std::polar(1.0, sign * 2 * pi * static_cast<double>(x) / static_cast<double>(points)));
    for (Index start = 0; start < static_cast<Index>(field.size()); ++start) {
      if (start / stride % points != 0) continue;
      for (Index m = 0; m < points; ++m) {
        Complex sum = 0;
        for (Index x = 0; x < points; ++x)
          sum += wave[static_cast<std::size_t>(m * x % points)] *
                 field[static_cast<std::size_t>(start + x * stride)];
        line[static_cast<std::size_t>(m)] = sum;
      }
      for (Index m = 0; m < points; ++m)
        field[static_cast<std::size_t>(start + m * stride)] = line[static_cast<std::size_t>(m)];
    }
  }
}

/// The modes of a field, multiplied by functions of |k|.
class Spectrum {
public:
  Spectrum(const std::vector<double> &field, const Extents &n,
           const std::array<double, 3> &spacings)
      : n_(n), spacings_(spacings), modes_(field.begin(), field.end()) {
    transform(modes_, n_, -1);
  }

  std::vector<double> times(const std::function<double(double)> &f) const {
    std::vector<Complex> modes = modes_;
    for (Index a = 0; a < n_[0]; ++a)
      for (Index b = 0; b < n_[1]; ++b)
        for (Index c = 0; c < n_[2]; ++c)
          modes[at(n_, a, b, c)] *= f(std::hypot(k(0, a), k(1, b), k(2, c)));
    transform(modes, n_, +1);
    std::vector<double> result;
    for (const Complex &value : modes)
      result.push_back(value.real() / static_cast<double>(modes.size()));
    return result;
  }

private:
  double k(std::size_t axis, Index m) const {
    const double cycles = static_cast<double>(2 * m > n_[axis] ? m - n_[axis] : m);
    return 2 * pi * cycles / (static_cast<double>(n_[axis]) * spacings_[axis]);
  }

  Extents n_;
  std::array<double, 3> spacings_;
  std::vector<Complex> modes_;
};

std::vector<double> noise(std::size_t values) {
  std::mt19937 generator(5);
  std::normal_distribution<double> normal;
  std::vector<double> all;
  for (std::size_t n = 0; n < values; ++n)
    all.push_back(normal(generator));
  return all;
}

Extents extents(const Cartesian &c) {
  const Box domain = c.domain();
  return {domain.extent(0), domain.extent(1), domain.extent(2)};
}

double largest(const std::vector<double> &values) {
  double result = 0;
  for (const double v : values)
    result = std::max(result, std::abs(v));
  return result;
}

struct Problem {
  grid::Cuts cuts;
  std::array<double, 3> spacings;
  double reach;
};

/// Problems in one, two and three dimensions with sizes of all kinds. Some axes are shorter than
/// the window or a coarse cell, and spacings differ.
const std::vector<Problem> &problems() {
  static const std::vector<Problem> all{{{{{1}, {1}, {97}}}, {1, 1, 0.7}, 11},
                                        {{{{40, 57}, {1}, {20, 25, 19}}}, {1e-4, 1, 1.2e-4}, 16e-4},
                                        {{{{64}, {1}, {8}}}, {1, 1, 1}, 16},
                                        {{{{11, 10}, {9, 10, 8}, {12, 13}}}, {1, 1.1, 0.8}, 6},
                                        {{{{5}, {40}, {24, 23}}}, {1, 1, 2}, 12}};
  return all;
}

const std::vector<double> exponents{-1.2, -0.2, 0.5};

/// A block's values and one result per multiplier, in the memory used by the coarse level.
template <class Real> struct BlockFields {
  BlockFields(const Box &box, device::Runtime *runtime) : box(box), runtime(runtime) {}

  /// Returns the length of a row in memory. On a device, rows have three values of padding.
  Index row() const { return box.extent(2) + (runtime != nullptr ? 3 : 0); }
  Index values() const { return box.extent(0) * box.extent(1) * row(); }
  /// Returns a view of the n-th of several fields.
  template <class T> View<T> view(T *fields, std::size_t n) const {
    const Index plane = box.extent(1) * row();
    return View<T>(fields, plane, row(),
                   static_cast<Index>(n) * values() -
                       (box.lo[0] * plane + box.lo[1] * row() + box.lo[2]));
  }
  void set(const Cartesian &c, const std::vector<double> &field) {
    in.assign(static_cast<std::size_t>(values()), Real(0));
    for (Index i = box.lo[0]; i < box.hi[0]; ++i)
      for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index k = box.lo[2]; k < box.hi[2]; ++k)
          view(in.data(), 0)(i, j, k) = static_cast<Real>(field[at(extents(c), i, j, k)]);
    out.assign(exponents.size() * in.size(), Real(NAN));
    if (runtime == nullptr) return;
    device_in = {*runtime, in.data(), in.size()};
    device_out = {*runtime, out.data(), out.size()};
  }
  View<const Real> input() const {
    return view<const Real>(runtime != nullptr ? device_in.data() : in.data(), 0);
  }
  View<Real> output(std::size_t multiplier) {
    return view(runtime != nullptr ? device_out.data() : out.data(), multiplier);
  }
  /// Returns all results without the padding of rows.
  std::vector<Real> results() {
    if (runtime != nullptr) {
      runtime->compute().copy(out.data(), device_out.data(), device_out.bytes());
      runtime->compute().synchronize();
    }
    std::vector<Real> all;
    for (std::size_t m = 0; m < exponents.size(); ++m)
      for (Index i = box.lo[0]; i < box.hi[0]; ++i)
        for (Index j = box.lo[1]; j < box.hi[1]; ++j)
          for (Index k = box.lo[2]; k < box.hi[2]; ++k)
            all.push_back(view(out.data(), m)(i, j, k));
    return all;
  }

  Box box;
  device::Runtime *runtime;
  std::vector<Real> in, out;
  device::Array<Real> device_in, device_out;
};

/// Returns the coarse level's results for this rank's blocks, by block number.
template <class Real>
std::map<int, std::vector<Real>> smooth_parts(const Cartesian &c, const Problem &p,
                                              const std::vector<double> &field, int threads,
                                              device::Runtime *runtime = nullptr) {
  std::optional<CoarseLevel<Real>> level;
  if (runtime != nullptr)
    level.emplace(c, p.spacings, p.reach, exponents, threads, *runtime);
  else
    level.emplace(c, p.spacings, p.reach, exponents, threads);
  std::vector<BlockFields<Real>> blocks;
  for (const int block : c.mine())
    blocks.emplace_back(c.box(block), runtime);
  // All multipliers are in flight at once, and finish in another order.
  for (int again = 0; again < 2; ++again) {
    std::vector<View<const Real>> in;
    for (BlockFields<Real> &block : blocks) {
      block.set(c, field);
      in.push_back(block.input());
    }
    for (std::size_t m = 0; m < exponents.size(); ++m)
      level->start(m, in);
    for (std::size_t m = exponents.size(); m-- > 0;) {
      std::vector<View<Real>> out;
      for (BlockFields<Real> &block : blocks)
        out.push_back(block.output(m));
      level->finish(m, out);
    }
  }
  std::map<int, std::vector<Real>> results;
  for (std::size_t b = 0; b < blocks.size(); ++b)
    results[c.mine()[b]] = blocks[b].results();
  return results;
}

/// Returns the maximum difference of a rank's blocks from a field of the whole grid, or NaN if a
/// value is NaN.
template <class Real>
double difference(const Cartesian &c, const std::map<int, std::vector<Real>> &parts,
                  std::size_t multiplier, const std::vector<double> &truth) {
  double largest = 0;
  for (const auto &[block, values] : parts) {
    const Box box = c.box(block);
    const Real *value = values.data() + static_cast<Index>(multiplier) * box.points();
    for (Index i = box.lo[0]; i < box.hi[0]; ++i)
      for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index k = box.lo[2]; k < box.hi[2]; ++k) {
          const double d = std::abs(static_cast<double>(*value++) - truth[at(extents(c), i, j, k)]);
          if (!(d <= largest)) largest = d;
        }
  }
  return largest;
}

TEST(CoarseLevel, AnyGrid_MatchesSmoothPart) {
  const Communicator world(test::world());
  for (const Problem &p : problems()) {
    const Cartesian c(world, p.cuts, {true, true, true});
    const Extents n = extents(c);
    const std::vector<double> field = noise(static_cast<std::size_t>(n[0] * n[1] * n[2]));
    const Spectrum spectrum(field, n, p.spacings);
    const auto doubles = smooth_parts<double>(c, p, field, 2);
    const auto floats = smooth_parts<float>(c, p, field, 2);
    for (std::size_t m = 0; m < exponents.size(); ++m) {
      const double s = exponents[m];
      const PowerSplit split(s, p.reach / 4);
      const auto truth = spectrum.times([&](double k) { return split.smooth(k); });
      const double scale = largest(spectrum.times([&](double k) { return power(k, s); }));
      // The field is white noise. Its high modes alias on the coarse grid; the window suppresses
      // them up to its error of 1e-5.
      EXPECT_LT(difference(c, doubles, m, truth), 2e-5 * scale) << n[0] << " " << n[1] << " " << s;
      EXPECT_LT(difference(c, floats, m, truth), 2e-5 * scale) << n[0] << " " << n[1] << " " << s;
    }
  }
}

/// Returns the maximum difference of two results for this rank's blocks, or NaN if a value is NaN.
template <class Real>
double difference(const std::map<int, std::vector<Real>> &a,
                  const std::map<int, std::vector<Real>> &b) {
  double largest = 0;
  for (const auto &[block, values] : a)
    for (std::size_t n = 0; n < values.size(); ++n) {
      const double d = std::abs(static_cast<double>(values[n] - b.at(block)[n]));
      largest = std::isnan(d) ? d : std::max(largest, d);
      if (std::isnan(d)) return d;
    }
  return largest;
}

TEST(CoarseLevel, Device_MatchesHost) {
  const Communicator world(test::world());
  const auto runtime = cases::make_device(4);
  for (const Problem &p : problems()) {
    const Cartesian c(world, p.cuts, {true, true, true});
    const Extents n = extents(c);
    const std::vector<double> field = noise(static_cast<std::size_t>(n[0] * n[1] * n[2]));
    const auto doubles = smooth_parts<double>(c, p, field, 1);
    const auto floats = smooth_parts<float>(c, p, field, 1);
    double scale = 0;
    for (const auto &[block, values] : doubles)
      scale = std::max(scale, largest(values));
    // The device adds the same terms in another order.
    EXPECT_LE(difference(doubles, smooth_parts<double>(c, p, field, 1, runtime.get())),
              1e-13 * scale);
    EXPECT_LE(difference(floats, smooth_parts<float>(c, p, field, 1, runtime.get())), 1e-5 * scale);
  }
}

TEST(CoarseLevel, AnyPlacement_SameBits) {
  const Communicator world(test::world());
  for (const Problem &p : problems()) {
    const Cartesian alone(Communicator(MPI_COMM_SELF), p.cuts, {true, true, true});
    const Extents n = extents(alone);
    const std::vector<double> field = noise(static_cast<std::size_t>(n[0] * n[1] * n[2]));
    std::map<int, std::vector<float>> truth = smooth_parts<float>(alone, p, field, 1);
    for (const int used : std::set<int>{1, 2, world.size()}) {
      if (used > world.size()) continue;
      std::vector<int> owners;
      for (int b = 0; b < alone.blocks(); ++b)
        owners.push_back(b * 5 % used);
      const Cartesian c(world, p.cuts, {true, true, true}, owners);
      for (const auto &[block, values] : smooth_parts<float>(c, p, field, 1 + used % 3))
        EXPECT_EQ(std::memcmp(values.data(), truth[block].data(), values.size() * sizeof(float)), 0)
            << "block " << block << " on " << used << " ranks";
    }
  }
}

/// Returns noise whose spectrum is multiplied by a Blackman window along each axis. Modes decay
/// towards the Nyquist mode, as in the pulses for which the bases are optimised.
std::vector<double> smooth_noise(const Extents &n) {
  std::vector<double> field = noise(static_cast<std::size_t>(n[0] * n[1] * n[2]));
  const std::array<double, 5> filter{0.04, 0.25, 0.42, 0.25, 0.04};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (n[axis] == 1) continue;
    std::vector<double> next;
    for (Index i = 0; i < n[0]; ++i)
      for (Index j = 0; j < n[1]; ++j)
        for (Index k = 0; k < n[2]; ++k) {
          double sum = 0;
          for (Index d = -2; d <= 2; ++d) {
            Extents x{i, j, k};
            x[axis] = (x[axis] + d + n[axis]) % n[axis];
            sum += filter[static_cast<std::size_t>(d + 2)] * field[at(n, x[0], x[1], x[2])];
          }
          next.push_back(sum);
        }
    field = next;
  }
  return field;
}

/// Adds the local part to the results of this rank's blocks, extended by neighbours' points.
void add_local_parts(const Cartesian &c, const Problem &p, Index overlap,
                     const CoarseLevel<double> &level, std::size_t multiplier,
                     const std::vector<double> &field, std::map<int, std::vector<double>> &parts) {
  Bases bases;
  for (std::size_t a = 0; a < 3; ++a) {
    if (p.cuts[a].size() == 1) continue;
    bases[a] = AxisBasis{Basis::points(overlap), p.cuts[a]};
    for (std::ptrdiff_t &period : bases[a]->periods)
      period += 2 * overlap;
  }
  std::map<int, Extents> n;
  std::map<int, std::vector<double>> extended;
  std::vector<Period<double>> periods;
  for (const int block : c.mine()) {
    const Box box = c.box(block);
    Extents &e = n[block];
    for (std::size_t a = 0; a < 3; ++a)
      e[a] = box.extent(static_cast<int>(a)) + (bases[a] ? 2 * overlap : 0);
    std::vector<double> &local = extended[block];
    local.resize(static_cast<std::size_t>(e[0] * e[1] * e[2]));
    for (Index i = 0; i < box.extent(0); ++i)
      for (Index j = 0; j < box.extent(1); ++j)
        for (Index k = 0; k < box.extent(2); ++k)
          local[at(e, i, j, k)] =
              field[at(extents(c), box.lo[0] + i, box.lo[1] + j, box.lo[2] + k)];
    periods.push_back({local.data(), e[2]});
  }
  Extension<double> extension(c, bases, 1);
  extension.start(periods);
  extension.finish();
  for (auto &[block, part] : parts) {
    const std::vector<double> local =
        Spectrum(extended[block], n[block], p.spacings).times([&](double k) {
          return level.local(multiplier, k);
        });
    const Box box = c.box(block);
    double *value = part.data() + static_cast<Index>(multiplier) * box.points();
    for (Index i = 0; i < box.extent(0); ++i)
      for (Index j = 0; j < box.extent(1); ++j)
        for (Index k = 0; k < box.extent(2); ++k)
          *value++ += local[at(n[block], i, j, k)];
  }
}

TEST(CoarseLevel, WithLocalPart_MatchesGlobalOperator) {
  const Communicator world(test::world());
  struct Cut {
    Problem problem;
    Index overlap;
  };
  for (const auto &[p, overlap] :
       std::vector<Cut>{{{{{{1}, {1}, {60, 69}}}, {1, 1, 0.7}, 16 * 0.7}, 16},
                        {{{{{33, 48}, {1}, {50, 50}}}, {1.2e-4, 1, 1e-4}, 16e-4}, 16},
                        {{{{{24}, {1}, {22, 21, 20}}}, {1, 1, 1}, 16}, 16},
                        {{{{{12, 11}, {8}, {9, 10, 8}}}, {1, 1, 1}, 8}, 8}}) {
    const Cartesian c(world, p.cuts, {true, true, true});
    const std::vector<double> field = smooth_noise(extents(c));
    const Spectrum spectrum(field, extents(c), p.spacings);
    const CoarseLevel<double> level(c, p.spacings, p.reach, exponents, 1);
    auto parts = smooth_parts<double>(c, p, field, 1);
    for (std::size_t m = 0; m < exponents.size(); ++m) {
      add_local_parts(c, p, overlap, level, m, field, parts);
      const auto truth = spectrum.times([&](double k) { return power(k, exponents[m]); });
      // Bounds the local part's error beyond its reach and at a block's Nyquist mode.
      const double bound = exponents[m] < 0 ? 4e-4 : 1.5e-3;
      EXPECT_LT(difference(c, parts, m, truth), bound * largest(truth))
          << extents(c)[2] << " " << exponents[m];
    }
  }
}

TEST(CoarseLevel, AnyReach_HasFourPointsPerReach) {
  const Cartesian c(Communicator(test::world()), {{{256}, {1}, {100, 156}}}, {true, true, true});
  const CoarseLevel<float> level(c, {1, 1, 2}, 16, exponents, 1);
  EXPECT_EQ(level.points(), (Index3{{64, 1, 128}})); // 256 x 4/16; 512 x 4/16
}

void expect_refusal(const std::array<double, 3> &spacings, double reach, double exponent,
                    const std::vector<std::string> &parts) {
  const Cartesian c(Communicator(test::world()), {{{8}, {8}, {8}}}, {true, true, true});
  try {
    const std::vector<double> s{exponent};
    CoarseLevel<float>(c, spacings, reach, s, 1);
    ADD_FAILURE() << parts.front();
  } catch (const Error &e) {
    EXPECT_EQ(e.code(), HFFT_ERROR_ARGUMENT);
    for (const std::string &part : parts)
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << part << ": " << e.what();
  }
}

TEST(CoarseLevel, InvalidArguments_AreRefusedOnAllRanks) {
  // Only the last rank passes a wrong argument.
  const bool last = Communicator(test::world()).rank() == Communicator(test::world()).size() - 1;
  expect_refusal({1, last ? -2.0 : 1.0, 1}, 16, -1.2, {"spacing", "axis 1", "is -2"});
  expect_refusal({1, 1, 1}, last ? 0 : 16, -1.2, {"reach", "is 0"});
  expect_refusal({1, 1, 1}, 16, last ? -2.5 : 1, {"exponent", "-2.5", "above -2"});
}

} // namespace
} // namespace hybridfft::lfb
