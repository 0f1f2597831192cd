/// Tests plans between layouts through the C and the C++ API: arrays of the caller, refusals on all
/// ranks, reproducible bits, profiles.

#include <gtest/gtest.h>

#include <cstring>
#include <numbers>
#include <numeric>

#include "hybridfft/pencils.hpp"
#include "support/mpi_test.h"

namespace hybridfft {
namespace {

using Complex = std::complex<double>;
using Forward = Plan<double, Kind::c2c>;
using Extents = std::vector<std::ptrdiff_t>;

int ranks() { return test::size_of(test::world()); }
int rank() { return test::rank_of(test::world()); }

/// Returns the process grid of two factors that is closest to a square, the smaller factor first.
std::vector<int> two_factors() {
  int p = 1;
  for (int f = 1; f * f <= ranks(); ++f)
    if (ranks() % f == 0) p = f;
  return {p, ranks() / p};
}

Layout pencils(const Extents &n, std::size_t whole, const Layout::Options &options = {}) {
  std::vector<int> parts = two_factors();
  parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(whole), 1);
  return Layout::grid(n, parts, options);
}

Options estimate() {
  Options options{.comm = test::world()};
  options.effort = Effort::estimate;
  return options;
}

struct LayoutHandle {
  explicit LayoutHandle(hfft_layout l) : layout(l) {}
  ~LayoutHandle() { hfft_layout_destroy(layout); }
  LayoutHandle(const LayoutHandle &) = delete;
  LayoutHandle &operator=(const LayoutHandle &) = delete;
  hfft_layout layout;
};

/// The spectrum of a plane wave exp(2 pi i k.j / n) is one peak at k; its height is the number of
/// points.
TEST(Layouts, PlaneWaveThroughTheCApi) {
  const Extents n{6, 8, 5};
  const Extents k{2, 7, 3};
  const std::vector<int> parts = two_factors();
  const std::array<int, 3> in_parts{parts[0], parts[1], 1};
  const std::array<int, 3> out_parts{1, parts[0], parts[1]};
  const std::array<int, 3> order{2, 0, 1};
  const LayoutHandle in(hfft_layout_grid(3, n.data(), in_parts.data()));
  const LayoutHandle out(hfft_layout_grid(3, n.data(), out_parts.data()));
  ASSERT_EQ(hfft_layout_set_order(out.layout, order.data()), HFFT_SUCCESS);
  const std::ptrdiff_t size = hfft_layout_size(in.layout, out.layout, HFFT_C2C, test::world());
  ASSERT_GE(size, std::max(hfft_layout_local_size(in.layout, rank()),
                           hfft_layout_local_size(out.layout, rank())));
  std::vector<Complex> a(static_cast<std::size_t>(size));
  std::vector<Complex> b(static_cast<std::size_t>(size));
  hfft_plan plan = hfft_plan_layout_dft(
      in.layout, out.layout, 0, nullptr, reinterpret_cast<hfft_complex *>(a.data()),
      reinterpret_cast<hfft_complex *>(b.data()), test::world(), HFFT_FORWARD, HFFT_ESTIMATE);
  ASSERT_NE(plan, nullptr) << hfft_last_error_message();
  Extents start(3);
  Extents count(3);
  Extents stride(4);
  const auto visit = [&](const LayoutHandle &l, const auto &f) {
    ASSERT_EQ(hfft_layout_local(l.layout, rank(), start.data(), count.data(), stride.data()),
              HFFT_SUCCESS);
    for (std::ptrdiff_t x = 0; x < count[0]; ++x)
      for (std::ptrdiff_t y = 0; y < count[1]; ++y)
        for (std::ptrdiff_t z = 0; z < count[2]; ++z)
          f(static_cast<std::size_t>(x * stride[0] + y * stride[1] + z * stride[2]),
            Extents{start[0] + x, start[1] + y, start[2] + z});
  };
  visit(in, [&](std::size_t at, const Extents &j) {
    double turns = 0;
    for (std::size_t i = 0; i < 3; ++i)
      turns += static_cast<double>(j[i] * k[i]) / static_cast<double>(n[i]);
    a[at] = std::polar(1.0, 2 * std::numbers::pi * turns);
  });
  ASSERT_EQ(hfft_execute(plan), HFFT_SUCCESS);
  // Rounding of 240 terms of modulus one.
  constexpr double tolerance = 240 * 8 * std::numeric_limits<double>::epsilon();
  visit(out, [&](std::size_t at, const Extents &j) {
    EXPECT_LT(std::abs(b[at] - (j == k ? 240.0 : 0.0)), tolerance);
    int owner = -1;
    std::ptrdiff_t offset = -1;
    EXPECT_EQ(hfft_layout_locate(out.layout, j.data(), &owner, &offset), HFFT_SUCCESS);
    EXPECT_EQ(owner, rank());
    EXPECT_EQ(offset, static_cast<std::ptrdiff_t>(at));
  });
  hfft_destroy_plan(plan);
}

TEST(Layouts, BoxesAndBlocksThroughTheCApi) {
  // Each rank has one column; the last rank has the first one. The plan moves all points to the
  // last rank.
  const std::ptrdiff_t p = ranks();
  const Extents n{3, p};
  Extents starts;
  Extents counts;
  for (std::ptrdiff_t r = 0; r < p; ++r) {
    starts.insert(starts.end(), {0, p - 1 - r});
    counts.insert(counts.end(), {3, 1});
  }
  const LayoutHandle in(hfft_layout_boxes(2, n.data(), ranks(), starts.data(), counts.data()));
  ASSERT_NE(in.layout, nullptr) << hfft_last_error_message();
  const std::array<int, 2> parts{1, ranks()};
  Extents blocks(static_cast<std::size_t>(p) + 1, 0);
  blocks.front() = 3;
  blocks.back() = p;
  const LayoutHandle out(hfft_layout_blocks(2, parts.data(), blocks.data()));
  ASSERT_NE(out.layout, nullptr) << hfft_last_error_message();
  std::vector<Complex> a(3, Complex(rank(), 1));
  std::vector<Complex> b(static_cast<std::size_t>(3 * p));
  const int no_axis = 0;
  hfft_plan plan = hfft_plan_layout_dft(
      in.layout, out.layout, 0, &no_axis, reinterpret_cast<hfft_complex *>(a.data()),
      reinterpret_cast<hfft_complex *>(b.data()), test::world(), HFFT_FORWARD, HFFT_ESTIMATE);
  ASSERT_NE(plan, nullptr) << hfft_last_error_message();
  ASSERT_EQ(hfft_execute(plan), HFFT_SUCCESS);
  if (rank() + 1 == ranks()) {
    for (std::size_t i = 0; i < b.size(); ++i)
      EXPECT_EQ(b[i], Complex(static_cast<double>(p - 1 - static_cast<std::ptrdiff_t>(i) % p), 1));
  }
  int most = 0;
  int fewest = 0;
  EXPECT_EQ(hfft_plan_working_ranks(plan, &most, &fewest), HFFT_SUCCESS);
  EXPECT_EQ(most, ranks());
  EXPECT_EQ(fewest, 1);
  hfft_destroy_plan(plan);
}

template <class F> void expect_error(hfft_error code, const char *words, const F &f) {
  int found = HFFT_SUCCESS;
  try {
    f();
  } catch (const Error &e) {
    found = e.code();
    EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
  }
  EXPECT_EQ(found, code) << "expected: " << words;
  EXPECT_TRUE(test::same_everywhere(found));
}

TEST(Layouts, RefusedOnAllRanks) {
  const Extents n{8, 9, 10};
  std::vector<Complex> a(2000);
  std::vector<Complex> b(2000);
  const auto plan = [&](const Layout &in, const Layout &out, const Options &o) {
    return [&a, &b, in, out, o] { Forward(in, out, a, b, o); };
  };
  const Layout good = pencils(n, 2);
  const std::vector<int> one_more{ranks() + 1, 1, 1};
  expect_error(HFFT_ERROR_LAYOUT, "ranks, expected",
               plan(good, Layout::grid(n, one_more), estimate()));
  expect_error(HFFT_ERROR_LAYOUT, "expected 8x9x10",
               plan(good, pencils({8, 9, 11}, 0), estimate()));
  Options options = estimate();
  options.axes = {3};
  expect_error(HFFT_ERROR_ARGUMENT, "axes has 3", plan(good, good, options));
  if (ranks() == 1) return;
  // The last rank passes other arguments than the other ranks.
  const bool odd = rank() == ranks() - 1;
  const Layout other = pencils(
      n, 2, {odd ? std::vector<int>{1, 0, 2} : std::vector<int>{}, {}, 1, Fields::interleaved});
  expect_error(HFFT_ERROR_MISMATCH, "input's layout", plan(other, good, estimate()));
  expect_error(HFFT_ERROR_MISMATCH, "output's layout", plan(good, other, estimate()));
  options.axes = {odd ? 1 : 0};
  expect_error(HFFT_ERROR_MISMATCH, "axes", plan(good, good, options));
  options = estimate();
  options.direction = odd ? Direction::backward : Direction::forward;
  expect_error(HFFT_ERROR_MISMATCH, "sign", plan(good, good, options));
  options.direction = Direction::forward;
  options.deterministic = odd;
  expect_error(HFFT_ERROR_MISMATCH, "flags", plan(good, good, options));
  expect_error(HFFT_ERROR_LAYOUT, odd ? "ranks, expected" : "on another rank",
               [&] { Forward(odd ? Layout::grid(n, one_more) : good, good, a, b, estimate()); });
  expect_error(HFFT_ERROR_ARGUMENT, odd ? "too small" : "on another rank", [&] {
    Forward(good, good, std::span<Complex>(a).first(odd ? 0 : 2000), b, estimate());
  });
}

TEST(Layouts, MistakesInTheCApi) {
  const Extents n{8, 9};
  const std::array<int, 2> parts{2, 0};
  EXPECT_EQ(hfft_layout_grid(2, n.data(), parts.data()), nullptr);
  EXPECT_EQ(hfft_last_error(), HFFT_ERROR_LAYOUT);
  EXPECT_EQ(hfft_layout_grid(0, n.data(), parts.data()), nullptr);
  EXPECT_EQ(hfft_last_error(), HFFT_ERROR_EXTENTS);
  EXPECT_EQ(hfft_layout_grid(2, nullptr, parts.data()), nullptr);
  EXPECT_EQ(hfft_last_error(), HFFT_ERROR_NULL_POINTER);
  const std::array<int, 2> whole{1, 1};
  const LayoutHandle l(hfft_layout_grid(2, n.data(), whole.data()));
  const std::array<int, 2> twice{1, 1};
  EXPECT_EQ(hfft_layout_set_order(l.layout, twice.data()), HFFT_ERROR_LAYOUT);
  EXPECT_EQ(hfft_layout_set_howmany(l.layout, 0, HFFT_SEPARATE), HFFT_ERROR_LAYOUT);
  EXPECT_EQ(hfft_layout_set_howmany(l.layout, 2, 7), HFFT_ERROR_ARGUMENT);
  EXPECT_EQ(hfft_layout_set_padding(nullptr, n.data()), HFFT_ERROR_NULL_POINTER);
  EXPECT_EQ(hfft_layout_local_size(l.layout, 0), 72) << "a refused change was made";
  EXPECT_EQ(hfft_layout_local_size(l.layout, 1), -1);
  EXPECT_EQ(hfft_last_error(), HFFT_ERROR_ARGUMENT);
  const Extents outside{8, 0};
  EXPECT_EQ(hfft_layout_locate(l.layout, outside.data(), nullptr, nullptr), HFFT_ERROR_ARGUMENT);
  EXPECT_NE(std::string(hfft_last_error_message()).find("index[0] is 8, expected 0 to 7"),
            std::string::npos);
  EXPECT_EQ(hfft_layout_size(l.layout, l.layout, 5, MPI_COMM_SELF), -1);
  hfft_layout_destroy(nullptr);
}

/// Layouts whose sizes exceed 63 bits must be refused, and so must changes that would lead to such
/// sizes.
TEST(Layouts, SizesBeyondSixtyFourBits) {
  constexpr std::ptrdiff_t most = PTRDIFF_MAX;
  constexpr std::ptrdiff_t huge = std::ptrdiff_t{1} << 40;
  const std::array<int, 2> three{3, 1};
  for (const Extents &n : {Extents{huge, huge}, {most, 2}, {most, most}}) {
    EXPECT_EQ(hfft_layout_grid(2, n.data(), three.data()), nullptr) << n[0];
    EXPECT_EQ(hfft_last_error(), HFFT_ERROR_OVERFLOW);
    EXPECT_NE(std::string(hfft_last_error_message()).find(std::to_string(n[0])), std::string::npos)
        << hfft_last_error_message();
    EXPECT_EQ(hfft_layout_boxes(2, n.data(), 1, Extents{0, 0}.data(), n.data()), nullptr);
    EXPECT_EQ(hfft_last_error(), HFFT_ERROR_OVERFLOW);
    std::array<int, 2> grid{};
    EXPECT_EQ(hfft_choose_grid(HFFT_C2C, 2, n.data(), 1, HFFT_SEPARATE, test::world(),
                               HFFT_ESTIMATE, grid.data()),
              HFFT_ERROR_OVERFLOW);
  }
  const std::array<int, 2> two{2, 1};
  for (const Extents &counts : {Extents{most, 1, 4}, {most / 2, most / 2, 4}}) {
    EXPECT_EQ(hfft_layout_blocks(2, two.data(), counts.data()), nullptr);
    EXPECT_EQ(hfft_last_error(), HFFT_ERROR_OVERFLOW);
  }
  const Extents n{8, 9};
  const LayoutHandle l(hfft_layout_grid(2, n.data(), three.data()));
  for (const Extents &padding : {Extents{0, most}, {most, 0}, {huge, huge}})
    EXPECT_EQ(hfft_layout_set_padding(l.layout, padding.data()), HFFT_ERROR_OVERFLOW);
  for (const std::ptrdiff_t howmany : {most, most / 16, most / 72 + 1})
    EXPECT_EQ(hfft_layout_set_howmany(l.layout, howmany, HFFT_SEPARATE), HFFT_ERROR_OVERFLOW);
  EXPECT_EQ(hfft_layout_local_size(l.layout, 0), 27) << "a refused change was made";
  // The largest array that fits: 2^59 - 1 numbers of 16 bytes.
  const Extents wide{(std::ptrdiff_t{1} << 59) - 1, 1};
  const std::array<int, 2> whole{1, 1};
  const LayoutHandle widest(hfft_layout_grid(2, wide.data(), whole.data()));
  EXPECT_EQ(hfft_layout_local_size(widest.layout, 0), wide[0]);
}

/// A deterministic transform has the same bits in every layout and on any number of ranks. Each
/// rank also transforms the complete array alone, and compares its part with the result.
TEST(Layouts, DeterministicBits) {
  const Extents n{12, 14, 11};
  Options options = estimate();
  options.deterministic = true;
  const Layout alone = Layout::grid(n, std::vector<int>{1, 1, 1});
  std::vector<Complex> all(12 * 14 * 11);
  std::vector<Complex> spectrum(all.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = {std::sin(0.1 * static_cast<double>(i * i % 1009)), 1.0 / static_cast<double>(i + 1)};
  Options self = options;
  self.comm = MPI_COMM_SELF;
  Forward(alone, alone, all, spectrum, self).execute();
  const auto layouts = {std::pair{pencils(n, 2), pencils(n, 0)},
                        std::pair{pencils(n, 1, {{2, 1, 0}, {}, 1, Fields::interleaved}),
                                  Layout::slab(n, ranks(), {true, 0, 1, 0})},
                        std::pair{Layout::slab(n, ranks()), Layout::slab(n, ranks())}};
  for (const auto &[in, out] : layouts) {
    const LocalSizes sizes = local_sizes<double, Kind::c2c>(in, out, options);
    for (const int threads : {1, 3}) {
      options.threads = threads;
      Buffer<Complex> a(sizes.allocate_in);
      Buffer<Complex> b(sizes.allocate_out);
      Forward plan(in, out, a, b, options);
      const auto place = [&](const auto &j) {
        return static_cast<std::size_t>((j[0] * n[1] + j[1]) * n[2] + j[2]);
      };
      plan.input().for_each<3>([&](auto at, const auto &j) { a[at] = all[place(j)]; });
      plan.execute();
      plan.output().for_each<3>([&](auto at, const auto &j) {
        EXPECT_EQ(std::memcmp(&b[at], &spectrum[place(j)], sizeof(Complex)), 0);
      });
    }
  }
}

TEST(Layouts, ProfilesAndWords) {
  const Extents n{24, 20, 16};
  const Layout in = pencils(n, 2);
  const Layout out = pencils(n, 0);
  const LocalSizes sizes = local_sizes<double, Kind::c2c>(in, out, estimate());
  Buffer<Complex> a(sizes.allocate_in);
  Buffer<Complex> b(sizes.allocate_out);
  Forward plan(in, out, a, b, estimate());
  plan.set_profiling(true);
  for (int i = 0; i < 3; ++i)
    plan.execute();
  const auto stages = plan.profile();
  ASSERT_FALSE(stages.empty());
  double flops = 0;
  for (const hfft_stage_profile &s : stages) {
    EXPECT_EQ(s.calls, 3);
    EXPECT_GE(s.max_seconds, s.min_seconds);
    flops += s.flops;
  }
  MPI_Allreduce(MPI_IN_PLACE, &flops, 1, MPI_DOUBLE, MPI_SUM, test::world());
  const double points = 24 * 20 * 16;
  EXPECT_NEAR(flops, 5 * points * std::log2(points), 1e-9 * flops);
  const std::string words = plan.describe();
  EXPECT_NE(words.find("24x20x16"), std::string::npos) << words;
  if (ranks() > 1) {
    EXPECT_NE(words.find("exchange"), std::string::npos) << words;
  }
}

TEST(Layouts, GridsForPencils) {
  const Extents n{24, 20, 16};
  for (const Effort effort : {Effort::estimate, Effort::measure}) {
    Options options{.comm = test::world()};
    options.effort = effort;
    const std::array<int, 2> grid = choose_grid<double, Kind::r2c>(n, options);
    EXPECT_EQ(grid[0] * grid[1], ranks());
    EXPECT_TRUE(test::same_everywhere(grid[0]));
    if (effort == Effort::estimate) {
      EXPECT_EQ(grid[1], two_factors()[0]) << "not the grid nearest to a square";
    }
    const Pencils l = hybridfft::pencils(n, grid, true);
    const LocalSizes sizes = local_sizes<double, Kind::r2c>(l.points, l.spectrum, estimate());
    EXPECT_EQ(sizes.in.count(0), BlockDistribution(24, grid[0]).count(rank() / grid[1]));
    EXPECT_EQ(sizes.out.count(2), BlockDistribution(9, grid[1]).count(rank() % grid[1]));
  }
  // After measuring, cleanup must still work.
  hfft_cleanup();
  // With two axes only one of them can be distributed at a time.
  EXPECT_EQ((choose_grid<float, Kind::c2c>(Extents{9, 5}, estimate())),
            (std::array<int, 2>{ranks(), 1}));
  expect_error(HFFT_ERROR_EXTENTS, "expected 2 or more",
               [] { choose_grid<float, Kind::c2c>(Extents{9}, estimate()); });
}

/// Pencils exchange within rows and within columns of the process grid. The second exchange is a
/// transposition of complete lines, supported by every algorithm on the communicator of a row. The
/// first one exchanges blocks, supported by the message algorithms.
TEST(Layouts, FastExchangesInRowsOfTheGrid) {
  if (two_factors()[0] == 1) GTEST_SKIP() << "a prime number of ranks has no rows and columns";
  const Extents n{16, 12, 10};
  const Layout in = pencils(n, 2);
  const Layout out = pencils(n, 0);
  const LocalSizes sizes = local_sizes<double, Kind::c2c>(in, out, estimate());
  Buffer<Complex> a(sizes.allocate_in);
  Buffer<Complex> b(sizes.allocate_out);
  Buffer<Complex> expected(sizes.allocate_out);
  for (const auto &[name, words] :
       {std::pair{"datatypes", "datatypes"}, std::pair{"alltoallv", "alltoallv"},
        std::pair{"shared", "shared memory"}, std::pair{"pairwise", "pairwise"},
        std::pair{"pipelined", "pipelined"}}) {
    SCOPED_TRACE(name);
    setenv("HFFT_EXCHANGE", name, 1);
    Options options = estimate();
    options.threads = 2;
    Forward plan(in, out, a, b, options);
    EXPECT_NE(plan.describe().find(words), std::string::npos) << plan.describe();
    // Execute several times, because windows are written again while other ranks may still read
    // them.
    for (int i = 0; i < 3; ++i) {
      plan.input().for_each<3>([&](auto at, const auto &j) {
        a[at] = {std::sin(static_cast<double>(j[0] * 11 + j[1] * j[1])), 0.25 * double(j[2] + i)};
      });
      plan.execute();
      if (i == 2 && std::string(name) == "datatypes")
        std::copy(b.begin(), b.end(), expected.begin());
    }
    // All plans use the same kernels for the same lines, so results agree with those of
    // `datatypes`.
    plan.output().for_each<3>(
        [&](auto at, const auto &) { EXPECT_LT(std::abs(b[at] - expected[at]), 1e-12); });
    unsetenv("HFFT_EXCHANGE");
  }
}

/// Returns the DFT of a line by its definition.
std::vector<Complex> spectrum(const std::vector<Complex> &line) {
  const std::size_t n = line.size();
  std::vector<Complex> result(n);
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t j = 0; j < n; ++j)
      result[k] +=
          line[j] * std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(j * k % n) /
                                        static_cast<double>(n));
  return result;
}

/// Transforms an array between bricks. The array is a product of three lines, one along each axis,
/// so its spectrum is the product of their spectra. Two axes are transformed as planes in cache.
TEST(Layouts, BricksThroughPlanesInCache) {
  if (ranks() != 8) GTEST_SKIP() << "bricks of 8 ranks";
  const Extents n{48, 96, 64};
  const Layout bricks = Layout::grid(n, std::vector<int>{2, 2, 2});
  std::vector<std::vector<Complex>> lines;
  std::vector<std::vector<Complex>> spectra;
  for (const std::ptrdiff_t extent : n) {
    lines.emplace_back();
    for (std::ptrdiff_t j = 0; j < extent; ++j)
      lines.back().emplace_back(std::cos(static_cast<double>(j * j + extent)), 0.1 * double(j));
    spectra.push_back(spectrum(lines.back()));
  }
  const auto product = [](const std::vector<std::vector<Complex>> &f, const auto &at) {
    Complex x = 1;
    for (std::size_t axis = 0; axis < 3; ++axis)
      x *= f[axis][static_cast<std::size_t>(at[axis])];
    return x;
  };
  for (const char *exchange : {"", "shared", "pairwise", "pipelined"}) {
    SCOPED_TRACE(exchange);
    if (*exchange != 0) setenv("HFFT_EXCHANGE", exchange, 1);
    Options options = estimate();
    options.threads = 2;
    const auto size = static_cast<std::size_t>(bricks.local_size(rank()));
    Buffer<Complex> a(size);
    Buffer<Complex> b(size);
    Forward plan(bricks, bricks, a, b, options);
    unsetenv("HFFT_EXCHANGE");
    const std::string words = plan.describe();
    const bool ours = words.find(" kernels ") != std::string::npos;
    if (std::string(exchange) == "shared") {
      EXPECT_EQ(words.find("planes in cache") != std::string::npos, ours) << words;
    }
    plan.input().for_each<3>([&](auto at, const auto &j) { a[at] = product(lines, j); });
    plan.execute();
    double most = 0;
    double error = 0;
    plan.output().for_each<3>([&](auto at, const auto &k) {
      most = std::max(most, std::abs(product(spectra, k)));
      error = std::max(error, std::abs(b[at] - product(spectra, k)));
    });
    EXPECT_LT(error, 1e-13 * std::max(most, 1.0) * 16);
  }
}

/// Several fields transformed one after another, large enough for their own messages, must equal
/// separate transforms.
TEST(Layouts, FieldsOneAfterAnother) {
  constexpr std::ptrdiff_t howmany = 5;
  const Extents n{64, 64, 72};
  Extents half = n;
  half.back() = 37;
  const Layout in = pencils(n, 2, {{}, {}, howmany, Fields::separate});
  const Layout out = pencils(half, 0, {{2, 0, 1}, {}, howmany, Fields::separate});
  const LocalSizes sizes = local_sizes<double, Kind::r2c>(in, out, estimate());
  Buffer<double> a(sizes.allocate_in);
  Buffer<Complex> b(sizes.allocate_out);
  Options options = estimate();
  options.threads = 2;
  Plan<double, Kind::r2c> plan(in, out, a, b, options);
  if (ranks() > 1) {
    EXPECT_NE(plan.describe().find("other fields"), std::string::npos) << plan.describe();
  }
  plan.input().for_each<3>([&](auto at, const auto &j) {
    const auto field = static_cast<double>(at / in.field_stride(rank()));
    a[at] = std::sin(static_cast<double>(j[0] * 7 + j[1] * j[1] + 3 * j[2]) + field);
  });
  plan.execute();
  const Buffer<Complex> all = std::move(b);
  const Layout one_in = in.of_one_field();
  const Layout one_out = out.of_one_field();
  const LocalSizes one = local_sizes<double, Kind::r2c>(one_in, one_out, estimate());
  Buffer<double> c(one.allocate_in);
  Buffer<Complex> d(one.allocate_out);
  Plan<double, Kind::r2c> single(one_in, one_out, c, d, options);
  for (std::ptrdiff_t v = 0; v < howmany; ++v) {
    std::copy_n(a.data() + v * in.field_stride(rank()), in.field_stride(rank()), c.data());
    single.execute();
    plan.output().for_each<3>([&](auto at, const auto &) {
      if (at / out.field_stride(rank()) != v) return;
      EXPECT_LT(std::abs(all[at] - d[at - v * out.field_stride(rank())]), 1e-10);
    });
  }
}

TEST(Layouts, SlabsAreSlabPlans) {
  const Extents n{16, 12, 10};
  const Layout in = Layout::slab(n, ranks());
  const Layout out = Layout::slab(n, ranks(), {true, 0, 1, 0});
  const LocalSizes sizes = local_sizes<double, Kind::c2c>(in, out, estimate());
  Buffer<Complex> a(sizes.allocate_in);
  Buffer<Complex> b(sizes.allocate_out);
  Options options = estimate();
  const std::string words = Forward(in, out, a, b, options).describe();
  options.transposed_out = true;
  EXPECT_EQ(words, Forward(n, a, b, options).describe());
}

} // namespace
} // namespace hybridfft
