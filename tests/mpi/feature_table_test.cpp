/// Tests the table of features in docs/features.md, cell by cell. If a cell says yes, the layout
/// must support the feature. Otherwise the feature must be refused. Plane waves must have their
/// exact spectra.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <numbers>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "hybridfft/hybridfft.hpp"
#include "printed_features.h"
#include "support/mpi_test.h"
#include "support/variable.h"

namespace hybridfft {
namespace {

using Extents = std::vector<std::ptrdiff_t>;
using Index = std::array<std::ptrdiff_t, 3>;

const Extents grid{12, 10, 16};
constexpr Index wave{2, 1, 3}; ///< wave number, within the modes retained by pruned transforms

const test::PrintedFeatures &printed() {
  static const test::PrintedFeatures table(HFFT_TEST_FEATURES);
  return table;
}

/// Layouts for one column of the table: of complex points and their spectrum, and of real points
/// and their half spectrum.
struct Shape {
  std::string name, column; ///< `column` is the heading of the table's column
  Layout points, spectrum, reals, half;
  Extents modes = {};
};

Extents halved(Extents n) {
  n.back() = n.back() / 2 + 1;
  return n;
}

std::vector<Shape> shapes(int ranks, std::ptrdiff_t howmany) {
  const int a = ranks % 2 == 0 ? 2 : 1;
  const int b = ranks % 4 == 0 ? 2 : 1;
  const int c = ranks / a / b;
  const Extents modes{6, 5, 8};
  const auto slab = [&](const std::string &name, const std::string &column, const Extents &n,
                        bool transposed) {
    const auto over = [&](const Extents &m, bool cut, std::ptrdiff_t padding) {
      return Layout::slab(m, ranks, {cut, 0, howmany, padding});
    };
    return Shape{name,
                 column,
                 over(grid, false, 0),
                 over(n, transposed, 0),
                 over(grid, false, 2 * halved(grid)[2] - grid[2]),
                 over(halved(n), transposed, 0),
                 n == grid ? Extents{} : n};
  };
  const auto cut = [&](const std::string &name, const std::string &column, const Extents &n,
                       const std::vector<int> &before, const std::vector<int> &after) {
    const Layout::Options options{{}, {}, howmany, Fields::separate};
    return Shape{name,
                 column,
                 Layout::grid(grid, before, options),
                 Layout::grid(n, after, options),
                 Layout::grid(grid, before, options),
                 Layout::grid(halved(n), after, options),
                 n == grid ? Extents{} : n};
  };
  return {slab("slab", "slab", grid, true),
          slab("slab there and back", "slab", grid, false),
          cut("pencil", "pencil", grid, {c * b, a, 1}, {1, c * b, a}),
          cut("brick", "brick, boxes", grid, {c, b, a}, {c, b, a}),
          slab("pruned slab", "pruned", modes, false),
          cut("pruned pencil", "pruned", modes, {c * b, a, 1}, {1, c * b, a})};
}

/// One use of a feature, a row of the table.
struct Feature {
  std::string row, name;
  Options options;
  bool in_place = false;
  std::ptrdiff_t howmany = 1;
  std::string variable = {}; ///< environment variable to be set
  std::string value = {};    ///< its value
  std::vector<std::string> described =
      {}; ///< on several ranks the description of the plan has one of these texts
  std::string refused_where = {}; ///< if not empty: cells with this text refuse this use
  bool remembered = false;        ///< true: the plan is made a second time, from wisdom alone
  bool profiled = false;          ///< true: the stages are timed
  bool same_bits = false;         ///< true: the bits equal those of one rank with FFTW's interface
  std::shared_ptr<WorkSpace> work = {};
};

std::vector<Feature> features() {
  const Options plain{.comm = test::world(), .effort = Effort::estimate};
  std::vector<Feature> list;
  const auto add = [&](const std::string &row, const std::string &name, const auto &change) {
    list.push_back({row, name, plain});
    change(list.back());
  };
  const std::string efforts = "ESTIMATE, MEASURE, PATIENT, EXHAUSTIVE";
  add(efforts, "estimate", [](Feature &) {});
  add(efforts, "measure", [](Feature &f) { f.options.effort = Effort::measure; });
  add(efforts, "patient", [](Feature &f) { f.options.effort = Effort::patient; });
  add(efforts, "in place", [](Feature &f) { f.in_place = true; });
  add("time limit of planning, FFTW's planner included", "no time", [](Feature &f) {
    f.options.effort = Effort::exhaustive;
    f.options.time_limit = 0;
  });
  add("fewer threads than given, where that is faster", "three threads", [](Feature &f) {
    f.options.threads = 3;
    f.variable = "HFFT_THREADS";
    f.value = "fewer";
    f.described = {"x 1 threads"};
  });
  add("wisdom", "wisdom", [](Feature &f) {
    f.options.effort = Effort::measure;
    f.remembered = true;
  });
  add("exchanges through a node's shared memory", "shared memory", [](Feature &f) {
    f.variable = "HFFT_EXCHANGE";
    f.value = "shared";
    f.described = {"shared memory"};
  });
  add("messages beside the passes", "pipelined", [](Feature &f) {
    f.variable = "HFFT_EXCHANGE";
    f.value = "pipelined";
    f.described = {"pipelined", "during the pass"};
  });
  for (const char *row : {"deterministic bits, the same for every number of ranks and threads",
                          "the same deterministic bits from either interface"})
    add(row, "deterministic", [](Feature &f) { f.options.deterministic = f.same_bits = true; });
  add("start and wait (nonblocking)", "nonblocking",
      [](Feature &f) { f.options.nonblocking = true; });
  add("fields one after another", "several fields", [](Feature &f) { f.howmany = 3; });
  add("reduced precision on the wire", "reduced precision",
      [](Feature &f) { f.options.wire = Wire::single; });
  add("reduced precision on the wire", "deterministic reduced precision", [](Feature &f) {
    f.options.wire = Wire::single;
    f.options.deterministic = true;
    f.refused_where = "(4)";
  });
  add("profile, trace, description", "profile", [](Feature &f) { f.profiled = true; });
  add("scaled results, shared work space", "scale", [](Feature &f) {
    f.options.scale = 0.25;
    f.work = std::make_shared<WorkSpace>();
  });
  return list;
}

/// Features covered by other tests; the comment of each line names these tests.
const std::set<std::string> walked_elsewhere{
    "c2c, r2c, c2r; some axes, or none (a redistribution)", // FeatureTable.AllKinds...
    "FFTW's kernels beside our own", // this program once more, with HFFT_SIMD=scalar
    "C, C++, Fortran"};              // mpi.layouts, mpi.pruned_layouts, examples.fortran_*

bool serves(const Feature &f, const Shape &s) {
  const std::string &cell = printed().cell(f.row, s.column);
  if (!f.refused_where.empty() && cell.find(f.refused_where) != std::string::npos) return false;
  // The fields of a slab are interleaved in this test.
  return cell.starts_with("yes") || cell.starts_with("interleaved only");
}

std::complex<double> point(const Index &i) {
  double turns = 0;
  for (std::size_t a = 0; a < 3; ++a)
    turns += static_cast<double>(wave[a] * i[a]) / static_cast<double>(grid[a]);
  return std::polar(1.0, 2 * std::numbers::pi * turns);
}

using Complex = std::complex<double>;
using Transform = Plan<double, Kind::c2c>;

/// Returns the spectrum computed on one rank with FFTW's interface, in natural order.
std::vector<Complex> spectrum_of_one_rank(const Shape &s, const Options &given) {
  Options options = given;
  options.comm = MPI_COMM_SELF;
  options.threads = 1;
  options.modes = s.modes;
  const auto sizes = local_sizes<double, Kind::c2c>(grid, options);
  Buffer<Complex> in(sizes.allocate_in);
  Buffer<Complex> out(sizes.allocate_out);
  Transform plan(grid, in.span(), out.span(), options);
  plan.input().for_each<3>(
      [&](std::ptrdiff_t at, const Index &i) { in[static_cast<std::size_t>(at)] = point(i); });
  plan.execute();
  return {out.data(), out.data() + sizes.allocate_out};
}

/// Expects the feature in the plan's description. Ranks that are idle in some stages have shorter
/// descriptions. Collective.
void expect_described(const Feature &f, const Transform &plan, const std::string &cell) {
  const std::string text = plan.describe();
  const auto says = [&](const std::string &word) { return text.find(word) != std::string::npos; };
  int said = std::any_of(f.described.begin(), f.described.end(), says) ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &said, 1, MPI_INT, MPI_MAX, test::world());
  if (test::size_of(test::world()) > 1 && !f.described.empty()) {
    EXPECT_EQ(said, 1) << cell << ": expected '" << f.described.front() << "' in\n" << text;
  }
  // A launch with HFFT_SIMD=scalar tests FFTW's kernels alone.
  const char *set = std::getenv("HFFT_SIMD");
  if (set != nullptr && std::string(set) == "scalar") {
    EXPECT_FALSE(says(" kernels ")) << cell << "\n" << text;
  }
}

void execute(const Feature &f, Transform &plan, const std::string &cell) {
  if (f.profiled) plan.set_profiling(true);
  if (f.options.nonblocking) {
    plan.start();
    plan.wait();
  } else {
    plan.execute();
  }
  if (!f.profiled) return;
  const auto stages = plan.profile();
  EXPECT_GT(stages.size(), 0U) << cell;
  for (const hfft_stage_profile &stage : stages)
    EXPECT_EQ(stage.calls, 1) << cell << ": " << stage.name;
}

void expect_right(const Shape &s, const Feature &f, const std::string &cell) {
  Options options = f.options;
  options.modes = s.modes;
  options.work = f.work.get();
  std::optional<test::Variable> variable;
  if (!f.variable.empty()) variable.emplace(f.variable.c_str(), f.value);
  const auto sizes = local_sizes<double, Kind::c2c>(s.points, s.spectrum, options);
  Buffer<Complex> in(sizes.allocate_in);
  Buffer<Complex> out(f.in_place ? std::size_t{1} : sizes.allocate_out);
  const std::span<Complex> to = f.in_place ? in.span() : out.span();
  Transform plan(s.points, s.spectrum, in, to, options);
  if (f.remembered) {
    options.wisdom_only = true;
    plan = Transform(s.points, s.spectrum, in, to, options);
  }
  expect_described(f, plan, cell);
  const int rank = test::rank_of(test::world());
  LayoutView(s.points, rank).for_each<3>([&](std::ptrdiff_t at, const Index &i) {
    in[static_cast<std::size_t>(at)] = point(i);
  });
  execute(f, plan, cell);
  const double points = static_cast<double>(grid[0] * grid[1] * grid[2]);
  // Each of the log2(N) stages of butterflies adds an error of about one epsilon, relative to the
  // norm of the array. Each of at most four exchanges adds one rounding to single precision.
  const double rounding = f.options.wire == Wire::single ? 4 * 0x1p-24 : 0;
  const double tolerance =
      (4 * std::numeric_limits<double>::epsilon() * std::log2(points) + rounding) * points;
  std::vector<Complex> same;
  if (f.same_bits) same = spectrum_of_one_rank(s, options);
  double worst = 0;
  int different = 0;
  const Extents n = s.spectrum.extents();
  LayoutView(s.spectrum, rank).for_each<3>([&](std::ptrdiff_t at, const Index &k) {
    const Complex found = to[static_cast<std::size_t>(at)];
    worst = std::max(worst, std::abs(found - (k == wave ? options.scale * points : 0)));
    if (f.same_bits &&
        std::memcmp(&found, &same[static_cast<std::size_t>((k[0] * n[1] + k[1]) * n[2] + k[2])],
                    sizeof(found)) != 0)
      ++different;
  });
  EXPECT_LE(worst, tolerance) << cell << "\n" << plan.describe();
  EXPECT_EQ(different, 0) << cell << ": values with other bits\n" << plan.describe();
}

TEST(FeatureTable, EveryCellIsServedOrSaysWhyNot) {
  const int ranks = test::size_of(test::world());
  for (const Feature &f : features())
    for (const Shape &s : shapes(ranks, f.howmany)) {
      const std::string cell = f.name + " x " + s.name;
      if (serves(f, s)) {
        EXPECT_NO_THROW(expect_right(s, f, cell)) << cell;
        continue;
      }
      try {
        expect_right(s, f, cell);
        ADD_FAILURE() << cell << " is served, which the table does not say";
      } catch (const Error &e) {
        EXPECT_EQ(e.code(), HFFT_ERROR_FLAGS) << cell;
        EXPECT_NE(std::string(e.what()).find("HFFT_"), std::string::npos) << cell << e.what();
      }
    }
}

TEST(FeatureTable, EveryRowIsWalked) {
  std::set<std::string> walked = walked_elsewhere;
  for (const Feature &f : features())
    walked.insert(f.row);
  const auto &rows = printed().features();
  EXPECT_EQ(walked, std::set<std::string>(rows.begin(), rows.end()));
}

/// A cell without a yes has a footnote, or contains the reason.
TEST(FeatureTable, EveryNoHasItsReason) {
  const auto &columns = printed().columns();
  ASSERT_EQ(columns.size(), 6U);
  for (const std::string &row : printed().features())
    for (std::size_t c = 1; c < columns.size(); ++c) {
      const std::string &cell = printed().cell(row, columns[c]);
      if (cell.starts_with("yes") || cell.find(": ") != std::string::npos || cell == "always")
        continue;
      const std::size_t mark = cell.rfind('(');
      ASSERT_NE(mark, std::string::npos) << row << " x " << columns[c] << ": " << cell;
      EXPECT_FALSE(printed().footnote(std::strtoul(&cell[mark + 1], nullptr, 10)).empty())
          << row << " x " << columns[c] << ": " << cell;
    }
}

/// Expects the half spectrum of a real plane wave, and the wave after the backward transform.
void expect_real(const Shape &s) {
  Options options{.comm = test::world(), .effort = Effort::estimate};
  options.modes = s.modes;
  const auto sizes = local_sizes<double, Kind::r2c>(s.reals, s.half, options);
  Buffer<double> x(sizes.allocate_in);
  Buffer<Complex> y(sizes.allocate_out);
  Plan<double, Kind::r2c> forth(s.reals, s.half, x.span(), y.span(), options);
  Plan<double, Kind::c2r> back(s.half, s.reals, y.span(), x.span(), options);
  const int rank = test::rank_of(test::world());
  const LayoutView reals(s.reals, rank);
  reals.for_each<3>([&](std::ptrdiff_t at, const Index &i) {
    x[static_cast<std::size_t>(at)] = point(i).real();
  });
  forth.execute();
  const double points = static_cast<double>(grid[0] * grid[1] * grid[2]);
  const double tolerance = 4 * std::numeric_limits<double>::epsilon() * std::log2(points) * points;
  double worst = 0;
  LayoutView(s.half, rank).for_each<3>([&](std::ptrdiff_t at, const Index &k) {
    const double expected = k == wave ? points / 2 : 0;
    worst = std::max(worst, std::abs(y[static_cast<std::size_t>(at)] - expected));
  });
  EXPECT_LE(worst, tolerance) << "r2c x " << s.name << "\n" << forth.describe();
  back.execute();
  worst = 0;
  reals.for_each<3>([&](std::ptrdiff_t at, const Index &i) {
    worst = std::max(worst, std::abs(x[static_cast<std::size_t>(at)] - points * point(i).real()));
  });
  EXPECT_LE(worst, 2 * tolerance) << "c2r x " << s.name << "\n" << back.describe();
}

/// With a transform along the second axis the wave has one bin; without a transform it stays
/// unchanged.
void expect_axes(const Layout &points, const Layout &spectrum, bool transforms) {
  Options options{.comm = test::world(), .effort = Effort::estimate};
  if (transforms) options.axes = {1};
  options.redistribute_only = !transforms;
  const auto sizes = local_sizes<double, Kind::c2c>(points, spectrum, options);
  Buffer<Complex> in(sizes.allocate_in);
  Buffer<Complex> out(sizes.allocate_out);
  Transform plan(points, spectrum, in.span(), out.span(), options);
  const int rank = test::rank_of(test::world());
  LayoutView(points, rank).for_each<3>([&](std::ptrdiff_t at, const Index &i) {
    in[static_cast<std::size_t>(at)] = point(i);
  });
  plan.execute();
  double worst = 0;
  LayoutView(spectrum, rank).for_each<3>([&](std::ptrdiff_t at, const Index &k) {
    Complex expected = point(k);
    if (transforms)
      expected = k[1] == wave[1] ? static_cast<double>(grid[1]) * point({k[0], 0, k[2]}) : 0;
    worst = std::max(worst, std::abs(out[static_cast<std::size_t>(at)] - expected));
  });
  const double norm = transforms ? static_cast<double>(grid[1]) : 0;
  EXPECT_LE(worst, 4 * std::numeric_limits<double>::epsilon() * 4 * norm) << plan.describe();
}

TEST(FeatureTable, AllKindsAndAxes) {
  const std::string row = "c2c, r2c, c2r; some axes, or none (a redistribution)";
  const auto all = shapes(test::size_of(test::world()), 1);
  for (const Shape &s : all) {
    const std::string &cell = printed().cell(row, s.column);
    ASSERT_TRUE(cell.starts_with("yes")) << s.column;
    expect_real(s);
    if (cell == "yes (all axes)" || !s.modes.empty()) continue;
    for (const bool transforms : {true, false}) {
      expect_axes(s.points, s.spectrum, transforms);
      expect_axes(s.points, all.front().points, transforms);
    }
  }
}

} // namespace
} // namespace hybridfft
