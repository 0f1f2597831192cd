/// The table of features (docs/features.md) cell by cell: every feature serves every layout, or is
/// refused with the reason that the table gives. Plane waves become what they should.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "hybridfft/hybridfft.hpp"
#include "support/mpi_test.h"

namespace hybridfft {
namespace {

using Extents = std::vector<std::ptrdiff_t>;
using Index = std::array<std::ptrdiff_t, 3>;

const Extents grid{12, 10, 16};
constexpr Index wave{2, 1, 3}; ///< within the modes that pruned transforms keep

/// The layouts of a forward transform: of the points, and of the spectrum.
struct Shape {
  std::string name;
  Layout points, spectrum;
  Extents modes = {};
};

std::vector<Shape> shapes(int ranks, std::ptrdiff_t howmany) {
  const int a = ranks % 2 == 0 ? 2 : 1;
  const int b = ranks % 4 == 0 ? 2 : 1;
  const int c = ranks / a / b;
  const Layout::Options options{{}, {}, howmany, Fields::separate};
  const auto over = [&](const Extents &n, const std::vector<int> &parts) {
    return Layout::grid(n, parts, options);
  };
  const Extents modes{6, 5, 8};
  return {{"slab", Layout::slab(grid, ranks), Layout::slab(grid, ranks, {true, 0, 1, 0})},
          {"slab there and back", Layout::slab(grid, ranks), Layout::slab(grid, ranks)},
          {"pencil", over(grid, {c * b, a, 1}), over(grid, {1, c * b, a})},
          {"brick", over(grid, {c, b, a}), over(grid, {c, b, a})},
          {"pruned slab", Layout::slab(grid, ranks), Layout::slab(modes, ranks), modes},
          {"pruned pencil", over(grid, {c * b, a, 1}), over(modes, {1, c * b, a}), modes}};
}

struct Feature {
  std::string name;
  Options options;
  bool in_place = false;
  std::ptrdiff_t howmany = 1;
};

std::vector<Feature> features() {
  const Options plain{.comm = test::world(), .effort = Effort::estimate};
  std::vector<Feature> list;
  const auto add = [&](const std::string &name, const auto &change) {
    list.push_back({name, plain});
    change(list.back());
  };
  add("estimate", [](Feature &) {});
  add("measure", [](Feature &f) { f.options.effort = Effort::measure; });
  add("patient", [](Feature &f) { f.options.effort = Effort::patient; });
  add("fewer threads", [](Feature &f) { f.options.threads = 3; });
  add("deterministic", [](Feature &f) { f.options.deterministic = true; });
  add("nonblocking", [](Feature &f) { f.options.nonblocking = true; });
  add("in place", [](Feature &f) { f.in_place = true; });
  add("several fields", [](Feature &f) { f.howmany = 3; });
  add("reduced precision", [](Feature &f) { f.options.wire = Wire::single; });
  add("deterministic reduced precision", [](Feature &f) {
    f.options.wire = Wire::single;
    f.options.deterministic = true;
  });
  return list;
}

/// What the table refuses, in words of the reason; empty: nothing.
std::string refusal(const Feature &f, const Shape &s) {
  const bool slab = s.name.rfind("slab", 0) == 0;
  return f.options.wire != Wire::full && f.options.deterministic && !slab ? "HFFT_WIRE_" : "";
}

std::complex<double> point(const Index &i) {
  double turns = 0;
  for (std::size_t a = 0; a < 3; ++a)
    turns += static_cast<double>(wave[a] * i[a]) / static_cast<double>(grid[a]);
  return std::polar(1.0, 2 * std::numbers::pi * turns);
}

void expect_right(const Shape &s, const Feature &f, const std::string &cell) {
  Options options = f.options;
  options.modes = s.modes;
  using Transform = Plan<double, Kind::c2c>;
  const auto sizes = local_sizes<double, Kind::c2c>(s.points, s.spectrum, options);
  Buffer<std::complex<double>> in(sizes.allocate_in);
  Buffer<std::complex<double>> out(f.in_place ? std::size_t{1} : sizes.allocate_out);
  const std::span<std::complex<double>> to = f.in_place ? in.span() : out.span();
  Transform plan(s.points, s.spectrum, in, to, options);
  const int rank = test::rank_of(test::world());
  LayoutView(s.points, rank).for_each<3>([&](std::ptrdiff_t at, const Index &i) {
    in[static_cast<std::size_t>(at)] = point(i);
  });
  if (options.nonblocking) {
    plan.start();
    plan.wait();
  } else {
    plan.execute();
  }
  const double points = static_cast<double>(grid[0] * grid[1] * grid[2]);
  // Each of the log2(N) stages of butterflies adds about one epsilon of the norm of the array, and
  // each exchange, four at most, one rounding.
  const double rounding = f.options.wire == Wire::single ? 4 * 0x1p-24 : 0;
  const double tolerance =
      (4 * std::numeric_limits<double>::epsilon() * std::log2(points) + rounding) * points;
  double worst = 0;
  LayoutView(s.spectrum, rank).for_each<3>([&](std::ptrdiff_t at, const Index &k) {
    const double expected = k == wave ? points : 0;
    worst = std::max(worst, std::abs(to[static_cast<std::size_t>(at)] - expected));
  });
  EXPECT_LE(worst, tolerance) << cell << "\n" << plan.describe();
}

TEST(FeatureTable, EveryCellIsServedOrSaysWhyNot) {
  const int ranks = test::size_of(test::world());
  for (const Feature &f : features())
    for (const Shape &s : shapes(ranks, f.howmany)) {
      if (f.howmany > 1 && s.points.howmany() != f.howmany) continue;
      const std::string cell = f.name + " x " + s.name;
      const std::string reason = refusal(f, s);
      if (reason.empty()) {
        EXPECT_NO_THROW(expect_right(s, f, cell)) << cell;
        continue;
      }
      try {
        expect_right(s, f, cell);
        ADD_FAILURE() << cell << " is served, which the table does not say";
      } catch (const Error &e) {
        EXPECT_EQ(e.code(), HFFT_ERROR_FLAGS) << cell;
        EXPECT_NE(std::string(e.what()).find(reason), std::string::npos) << cell << e.what();
      }
    }
}

} // namespace
} // namespace hybridfft
