/// Tests pruned plans between layouts as applications use them: numbers of sent and transformed
/// lines, equal bits on all numbers of ranks, and refusals.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <string>

#include "array_values.h"
#include "hybridfft/pencils.hpp"
#include "message_bytes.h"
#include "support/mpi_test.h"

namespace hybridfft {
namespace {

using Extents = std::vector<std::ptrdiff_t>;
using test::for_values;
using test::number;

int ranks() { return test::size_of(test::world()); }
int rank() { return test::rank_of(test::world()); }

/// A plan and its arrays.
template <class Real, Kind K> struct Transform {
  Transform(const Layout &from, const Layout &to, const Options &options)
      : sizes(local_sizes<Real, K>(from, to, options)), in(sizes.allocate_in),
        out(sizes.allocate_out), plan(from, to, in, out, options) {}

  LocalSizes sizes;
  Buffer<typename Elements<Real, K>::In> in;
  Buffer<typename Elements<Real, K>::Out> out;
  Plan<Real, K> plan;
};

/// Returns the process grid P1 x P2 closest to a square.
std::array<int, 2> process_grid() {
  int p = 1;
  for (int f = 1; f * f <= ranks(); ++f)
    if (ranks() % f == 0) p = f;
  return {p, ranks() / p};
}

Options pruned(const Extents &modes) {
  Options options{.comm = test::world()};
  options.effort = Effort::estimate;
  // Nonblocking plans send messages. bytes_sent() does not count shared memory.
  options.nonblocking = true;
  options.modes = modes;
  return options;
}

double flops(std::ptrdiff_t lines, std::ptrdiff_t points) {
  return 5 * static_cast<double>(lines * points) * std::log2(static_cast<double>(points));
}

/// Block sizes of the intermediate arrays, on this rank in the process grid. If the grid has one
/// row (a prime number of ranks), each rank has all of axes 0 and 2 at the same time, and the only
/// exchange sends retained modes of axis 0.
struct Blocks {
  Blocks(const Extents &extents, const Extents &kept)
      : n(extents), modes(kept), half(modes[2] / 2 + 1), n0(block(n[0], 0)), n1(block(n[1], 1)),
        m1(block(modes[1], 0)), h(block(half, 1)) {}

  static bool one_row() { return process_grid()[0] == 1; }
  std::ptrdiff_t sent_forth() const {
    if (one_row()) return modes[0] * n1 * (half - h);
    return n0 * n1 * (half - h) + n0 * (modes[1] - m1) * h;
  }
  std::ptrdiff_t sent_back() const {
    if (one_row()) return modes[0] * (n[1] - n1) * h;
    return (n[0] - n0) * m1 * h + n0 * (n[1] - n1) * h;
  }
  /// Returns the number of lines along each axis.
  std::array<std::ptrdiff_t, 3> lines() const {
    if (one_row()) return {n1 * half, modes[0] * h, n[0] * n1};
    return {m1 * h, n0 * h, n0 * n1};
  }

  static std::ptrdiff_t block(std::ptrdiff_t n, std::size_t dimension) {
    const auto grid = process_grid();
    return BlockDistribution(n, grid[dimension])
        .count(dimension == 0 ? rank() / grid[1] : rank() % grid[1]);
  }
  Extents n, modes;
  std::ptrdiff_t half;   ///< points of the spectrum along the last axis
  std::ptrdiff_t n0, n1; ///< extents of the points
  std::ptrdiff_t m1, h;  ///< extents of the spectrum
};

/// Counts the bytes that a rank sends in both exchanges, within its row and within its column of
/// the process grid.
TEST(PrunedLayouts, OnlyKeptLinesAreSent) {
  const Extents n{24, 18, 12};
  for (const Extents &modes : {Extents{16, 12, 8}, {15, 11, 7}, {24, 18, 12}, {24, 6, 12}}) {
    const Pencils l = pruned_pencils(n, modes, process_grid(), true);
    const Blocks b(n, modes);
    Transform<double, Kind::r2c> forth(l.points, l.spectrum, pruned(modes));
    EXPECT_EQ(test::bytes_sent(forth.plan), 16 * b.sent_forth()) << forth.plan.describe();
    Transform<double, Kind::c2r> back(l.spectrum, l.points, pruned(modes));
    EXPECT_EQ(test::bytes_sent(back.plan), 16 * b.sent_back()) << back.plan.describe();
  }
}

TEST(PrunedLayouts, OnlyKeptLinesAreTransformed) {
  if (ranks() == 1) GTEST_SKIP() << "one rank may take the axes in any order";
  const Extents n{24, 18, 12};
  const Extents modes{16, 12, 8};
  const Pencils l = pruned_pencils(n, modes, process_grid(), true);
  const Blocks b(n, modes);
  const std::array<std::ptrdiff_t, 3> lines = b.lines();
  const double expected = flops(lines[2], n[2]) / 2 + flops(lines[1], n[1]) + flops(lines[0], n[0]);
  const auto check = [&](auto &t) {
    double sum = 0;
    for (const hfft_stage_profile &s : t.plan.profile())
      sum += s.flops;
    EXPECT_DOUBLE_EQ(sum, expected) << t.plan.describe();
    const std::string text = t.plan.describe();
    EXPECT_NE(text.find("24x18x12, 16x12x8 modes"), std::string::npos) << text;
    for (std::size_t a = 0; a < 3; ++a) {
      const std::string part =
          std::to_string(lines[a]) + " lines of " + std::to_string(n[a]) + ", ";
      EXPECT_TRUE(lines[a] == 0 || text.find(part) != std::string::npos) << part << "\n" << text;
    }
  };
  Transform<double, Kind::r2c> forth(l.points, l.spectrum, pruned(modes));
  check(forth);
  Transform<double, Kind::c2r> back(l.spectrum, l.points, pruned(modes));
  check(back);
}

/// Expects the same bits, by index, as on a single rank.
template <class Real, Kind K> void expect_bits_of_one_rank(const Extents &n, const Extents &modes) {
  Options options = pruned(modes);
  options.deterministic = true;
  options.direction = K == Kind::c2r ? Direction::backward : Direction::forward;
  const auto run = [&](MPI_Comm comm, const std::array<int, 2> &grid, int threads) {
    options.comm = comm;
    options.threads = threads;
    const Pencils l = pruned_pencils(n, modes, grid, K != Kind::c2c);
    auto t = K == Kind::c2r ? std::make_unique<Transform<Real, K>>(l.spectrum, l.points, options)
                            : std::make_unique<Transform<Real, K>>(l.points, l.spectrum, options);
    for_values(t->plan.input(), [&](std::ptrdiff_t at, const Extents &i, std::size_t) {
      t->in[at] = static_cast<Real>(number(i, 9));
    });
    t->plan.execute();
    return t;
  };
  const auto alone = run(MPI_COMM_SELF, {1, 1}, 1);
  const auto together = run(test::world(), process_grid(), 2);
  std::map<Extents, typename Elements<Real, K>::Out> truth;
  for_values(alone->plan.output(),
             [&](std::ptrdiff_t at, const Extents &i, std::size_t) { truth[i] = alone->out[at]; });
  std::ptrdiff_t different = 0;
  for_values(together->plan.output(), [&](std::ptrdiff_t at, const Extents &i, std::size_t) {
    if (!(truth.at(i) == together->out[at])) ++different;
  });
  EXPECT_EQ(different, 0) << together->plan.describe();
}

TEST(PrunedLayouts, DeterministicBitsDoNotDependOnRanks) {
  const Extents modes{8, 9, 7};
  for (const Extents &n : {Extents{12, 15, 18}, Extents{9, 37, 10}}) {
    expect_bits_of_one_rank<double, Kind::r2c>(n, modes);
    expect_bits_of_one_rank<float, Kind::c2r>(n, modes);
    expect_bits_of_one_rank<float, Kind::c2c>(n, modes);
  }
}

TEST(PrunedLayouts, WisdomIsOfTheSameModes) {
  hfft_forget_wisdom();
  const Extents n{12, 10, 8};
  const auto plan = [&](const Extents &modes, bool nonblocking, bool wisdom_only) {
    const Pencils l = pruned_pencils(n, modes, process_grid(), false);
    Options options{.comm = test::world()};
    options.modes = modes;
    options.nonblocking = nonblocking;
    options.wisdom_only = wisdom_only;
    Transform<double, Kind::c2c> t(l.points, l.spectrum, options);
    return t.plan.describe();
  };
  const std::string first = plan({7, 6, 5}, false, false);
  EXPECT_EQ(plan({7, 6, 5}, false, true), first);
  EXPECT_THROW(plan({7, 6, 5}, true, true), Error);
  // Nonblocking plans need a measurement of their own.
  plan({7, 6, 5}, true, false);
  plan({7, 6, 5}, true, true);
  if (rank() == 0) {
    EXPECT_NE(export_wisdom().find(" modes=7x6x5 nonblocking=yes"), std::string::npos)
        << export_wisdom();
  }
  const std::string text = export_wisdom();
  hfft_forget_wisdom();
  import_wisdom(text);
  hfft_forget_wisdom();
}

TEST(PrunedLayouts, AllModesAreThePlainPlan) {
  const Extents n{6, 5, 4};
  const Pencils l = pencils(n, process_grid(), false);
  Transform<double, Kind::c2c> t(l.points, l.spectrum, pruned(n));
  EXPECT_EQ(t.plan.describe().find("modes"), std::string::npos) << t.plan.describe();
}

void expect_refused(const Extents &spectrum, Options options, hfft_error code,
                    const std::string &words) {
  const Extents n(spectrum.size(), 8);
  std::vector<int> parts(n.size(), 1);
  parts[0] = ranks();
  options.effort = Effort::estimate;
  hfft_error found = HFFT_SUCCESS;
  try {
    Transform<double, Kind::c2c>(Layout::grid(n, parts), Layout::grid(spectrum, parts), options);
  } catch (const Error &e) {
    found = e.code();
    EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
  }
  EXPECT_EQ(found, code) << "expected: " << words;
}

TEST(PrunedLayouts, BadModesAreRefused) {
  Options options{.comm = test::world()};
  options.modes = {4, 4};
  expect_refused({4, 4, 4}, options, HFFT_ERROR_ARGUMENT, "2 numbers, expected 3");
  options.modes = {4, 9, 4};
  expect_refused({4, 9, 4}, options, HFFT_ERROR_EXTENTS, "modes[1] is 9, expected 1 to 8");
  options.modes = {4, 0, 4};
  expect_refused({4, 1, 4}, options, HFFT_ERROR_EXTENTS, "modes[1] is 0, expected 1 to 8");
  options.modes = {4, 4, 4};
  expect_refused({4, 5, 4}, options, HFFT_ERROR_LAYOUT, "the output is 4x5x4, expected 4x4x4");
  options.axes = {0, 2};
  expect_refused({4, 4, 4}, options, HFFT_ERROR_ARGUMENT,
                 "modes[1] is 4 of an axis that is not transformed, expected 8");
  options.axes = {};
  options.modes = {4, 4, 4, 4};
  expect_refused({4, 4, 4, 4}, options, HFFT_ERROR_UNSUPPORTED, "along 4 axes, expected at most 3");
  // Without modes the spectrum must be complete.
  options.modes = {};
  expect_refused({8, 4, 8}, options, HFFT_ERROR_LAYOUT, "expected 8x8x8");
  if (ranks() == 1) return;
  // The modes differ, but their half spectra are equal.
  const Extents n{8, 8};
  const Extents modes{8, rank() == 0 ? 5 : 4};
  const Layout points = Layout::grid(n, {ranks(), 1});
  const Layout half = Layout::grid(Extents{8, 3}, {ranks(), 1});
  try {
    Transform<double, Kind::r2c> t(points, half, pruned(modes));
    ADD_FAILURE() << "accepted";
  } catch (const Error &e) {
    EXPECT_EQ(e.code(), HFFT_ERROR_MISMATCH);
    EXPECT_NE(std::string(e.what()).find("modes"), std::string::npos) << e.what();
  }
}

TEST(PrunedLayouts, ThroughTheCApi) {
  const Extents n{8, 6};
  const Extents modes{5, 3};
  const std::array<int, 2> rows{ranks(), 1};
  const std::array<int, 2> columns{1, ranks()};
  hfft_layout in = hfft_layout_grid(2, n.data(), rows.data());
  hfft_layout out = hfft_layout_grid(2, modes.data(), columns.data());
  const std::ptrdiff_t size = hfft_layout_size(in, out, HFFT_C2C, test::world());
  ASSERT_GE(size, 1);
  Buffer<std::complex<double>> a(static_cast<std::size_t>(size));
  auto *data = reinterpret_cast<hfft_complex *>(a.data());
  EXPECT_EQ(hfft_plan_pruned_layout_dft(in, out, 0, nullptr, nullptr, data, data, test::world(),
                                        HFFT_FORWARD, HFFT_ESTIMATE),
            nullptr);
  EXPECT_EQ(hfft_last_error(), HFFT_ERROR_NULL_POINTER);
  hfft_plan plan = hfft_plan_pruned_layout_dft(in, out, 0, nullptr, modes.data(), data, data,
                                               test::world(), HFFT_FORWARD, HFFT_ESTIMATE);
  ASSERT_NE(plan, nullptr) << hfft_last_error_message();
  for (std::ptrdiff_t i = 0; i < hfft_layout_local_size(in, rank()); ++i)
    a[i] = 1;
  EXPECT_EQ(hfft_execute(plan), HFFT_SUCCESS);
  Extents start(2);
  ASSERT_EQ(hfft_layout_local(out, rank(), start.data(), nullptr, nullptr), HFFT_SUCCESS);
  // The spectrum of ones is 48, the number of points, at the origin, and 0 elsewhere.
  for (std::ptrdiff_t i = 0; i < hfft_layout_local_size(out, rank()); ++i)
    EXPECT_NEAR(std::abs(a[i]), i == 0 && start[1] == 0 ? 48 : 0, 1e-13) << i;
  hfft_destroy_plan(plan);
  hfft_layout_destroy(in);
  hfft_layout_destroy(out);
}

} // namespace
} // namespace hybridfft
