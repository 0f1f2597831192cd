/// The C++ API: spans, exceptions, moves, layout views.

#include <gtest/gtest.h>

#include <numbers>

#include "hybridfft/hybridfft.hpp"
#include "support/mpi_test.h"

namespace hybridfft {
namespace {

using Complex = std::complex<double>;
using Forward = Plan<double, Kind::c2c>;

const std::vector<std::ptrdiff_t> n{7, 6, 5};

Options estimate() {
  Options options{.comm = test::world()};
  options.effort = Effort::estimate;
  return options;
}

/// Wave number k of the test wave exp(2 pi i k.j / n). Its forward transform is 7*6*5 at k and 0
/// elsewhere.
constexpr std::array<std::ptrdiff_t, 3> k{3, 1, 4};

template <class Index> Complex wave(const Index &j) {
  double turns = 0;
  for (std::size_t a = 0; a < 3; ++a)
    turns += static_cast<double>(k[a] * j[a]) / static_cast<double>(n[a]);
  return std::polar(1.0, 2 * std::numbers::pi * turns);
}

void fill_wave(const LayoutView &view, Buffer<Complex> &in) {
  view.for_each<3>([&](std::ptrdiff_t offset, const auto &index) {
    in[static_cast<std::size_t>(offset)] = wave(index);
  });
}

void expect_peak(const LayoutView &view, const Buffer<Complex> &out) {
  // Rounding of 210 terms of modulus one.
  constexpr double tolerance = 210 * 8 * std::numeric_limits<double>::epsilon();
  std::ptrdiff_t visited = 0;
  view.for_each<3>([&](std::ptrdiff_t offset, const std::array<std::ptrdiff_t, 3> &index) {
    const Complex expected = index == k ? 210.0 : 0.0;
    EXPECT_LT(std::abs(out[static_cast<std::size_t>(offset)] - expected), tolerance);
    ++visited;
  });
  EXPECT_EQ(visited, view.size());
}

struct Arrays {
  explicit Arrays(const Options &options)
      : sizes(local_sizes<double, Kind::c2c>(n, options)), in(sizes.allocate_in),
        out(sizes.allocate_out) {}
  LocalSizes sizes;
  Buffer<Complex> in, out;
};

template <class F> void expect_error(hfft_error code, const F &f) {
  int found = HFFT_SUCCESS;
  try {
    f();
  } catch (const Error &e) {
    found = e.code();
    EXPECT_STRNE(e.what(), "");
  }
  EXPECT_EQ(found, code);
  EXPECT_TRUE(test::same_everywhere(found));
}

TEST(CppApi, TransformsThroughViews) {
  for (const bool transposed : {false, true}) {
    Options options = estimate();
    options.transposed_out = transposed;
    Arrays a(options);
    Forward plan(n, a.in, a.out, options);
    fill_wave(plan.input(), a.in);
    plan.execute();
    expect_peak(plan.output(), a.out);
    EXPECT_EQ(plan.output().layout().axes().front().axis, transposed ? 1 : 0);
  }
}

TEST(CppApi, InverseGivesTheInputTimesThePoints) {
  Options options = estimate();
  Arrays a(options);
  Forward forward(n, a.in, a.in, options);
  options.direction = Direction::backward;
  Forward backward(n, a.in, a.in, options);
  fill_wave(forward.input(), a.in);
  forward.execute();
  backward.execute();
  backward.output().for_each<3>([&](std::ptrdiff_t offset, const auto &index) {
    EXPECT_LT(std::abs(a.in[static_cast<std::size_t>(offset)] - 210.0 * wave(index)), 1e-11);
  });
}

TEST(CppApi, NewArrays) {
  const Options options = estimate();
  Arrays a(options);
  Arrays b(options);
  Forward plan(n, a.in, a.out, options);
  fill_wave(plan.input(), b.in);
  plan.execute(b.in, b.out);
  expect_peak(plan.output(), b.out);
  expect_error(HFFT_ERROR_ARGUMENT, [&] { plan.execute(b.in, b.in); });
}

TEST(CppApi, MovesCarryThePlan) {
  const Options options = estimate();
  Arrays a(options);
  Forward first(n, a.in, a.out, options);
  fill_wave(first.input(), a.in);
  Forward second(std::move(first));
  EXPECT_EQ(first.handle(), nullptr);
  second.execute();
  expect_peak(second.output(), a.out);
  Forward third;
  third = std::move(second);
  std::fill(a.out.begin(), a.out.end(), Complex(-1));
  third.execute();
  expect_peak(third.output(), a.out);
  expect_error(HFFT_ERROR_NULL_POINTER, [&] { second.execute(); });
  static_assert(!std::is_copy_constructible_v<Forward> && !std::is_copy_assignable_v<Forward>);
  static_assert(std::is_nothrow_move_constructible_v<Forward>);
}

TEST(CppApi, TooSmallSpans_AreRefused) {
  const Options options = estimate();
  Arrays a(options);
  const bool last = test::rank_of(test::world()) == test::size_of(test::world()) - 1;
  const std::span<Complex> in = a.in;
  const std::span<Complex> out = a.out;
  const auto one_short = [](std::span<Complex> s, bool apply) {
    return apply ? s.first(s.size() - 1) : s;
  };
  for (const bool everywhere : {true, false}) {
    const bool here = everywhere || last;
    expect_error(HFFT_ERROR_ARGUMENT, [&] { Forward(n, one_short(in, here), out, options); });
    expect_error(HFFT_ERROR_ARGUMENT, [&] { Forward(n, in, one_short(out, here), options); });
  }
  Forward plan(n, in, out, options);
  expect_error(HFFT_ERROR_ARGUMENT, [&] { plan.execute(one_short(in, true), out); });
  expect_error(HFFT_ERROR_ARGUMENT, [&] { plan.execute(in, one_short(out, true)); });
}

TEST(CppApi, Plan_PartlyOverlappingArrays_AreRefused) {
  const Options options = estimate();
  Arrays a(options);
  Buffer<Complex> both(2 * std::max(a.in.size(), a.out.size()));
  const std::span<Complex> in = both.span().first(a.in.size());
  const std::span<Complex> out = both.span().subspan(a.in.size() - 1, a.out.size());
  expect_error(HFFT_ERROR_ARGUMENT, [&] { Forward(n, in, out, options); });
  Forward plan(n, a.in, a.out, options);
  expect_error(HFFT_ERROR_ARGUMENT, [&] { plan.execute(in, out); });
  expect_error(HFFT_ERROR_ARGUMENT, [&] { plan.start(out, in); });
  fill_wave(plan.input(), both);
  plan.execute(in, both.span().subspan(a.in.size(),
                                       a.out.size())); // two arrays in one buffer, without overlap
}

/// The C++ interface detects some errors on one rank before any call of MPI. These errors must make
/// the call fail on all ranks, too.
TEST(CppApi, OneBadRankFailsAll) {
  const bool bad = test::rank_of(test::world()) + 1 == test::size_of(test::world());
  Options good = estimate();
  Arrays a(good);
  Options block = good;
  if (bad) block.block_in = -1;
  EXPECT_THROW(Forward(n, a.in, a.out, block), Error);
  EXPECT_THROW((local_sizes<double, Kind::c2c>(n, block)), Error);
  Options modes = good;
  if (bad) modes.modes = {4};
  EXPECT_THROW(Forward(n, a.in, a.out, modes), Error);
  const Layout slabs = Layout::slab(n, test::size_of(test::world()));
  EXPECT_THROW(Forward(slabs, slabs, a.in, a.out, modes), Error);
}

TEST(CppApi, ErrorsOfTheCApiArrive) {
  const Options options = estimate();
  const std::vector<std::ptrdiff_t> one{8};
  const std::vector<std::ptrdiff_t> negative{4, -4, 4};
  expect_error(HFFT_ERROR_EXTENTS, [&] { local_sizes<double, Kind::r2c>(one, options); });
  expect_error(HFFT_ERROR_EXTENTS, [&] { local_sizes<float, Kind::c2c>(negative, options); });
  Options bad = options;
  bad.howmany = 0;
  expect_error(HFFT_ERROR_EXTENTS, [&] { local_sizes<double, Kind::r2c>(n, bad); });
  bad = options;
  bad.threads = -1;
  Arrays a(options);
  expect_error(HFFT_ERROR_ARGUMENT, [&] { Forward(n, a.in, a.out, bad); });
  EXPECT_EQ(hfft_planner_nthreads(), 0) << "a failed plan changed the thread count";
}

TEST(CppApi, RealTransformsOfBothPrecisions) {
  Options options = estimate();
  options.transposed_out = true;
  const LocalSizes sizes = local_sizes<float, Kind::r2c>(n, options);
  Buffer<float> in(sizes.allocate_in);
  Buffer<std::complex<float>> out(sizes.allocate_out);
  Plan<float, Kind::r2c> plan(n, in, out, options);
  // The spectrum of the wave's real part has two peaks of half the height, at k and at -k. The half
  // spectrum contains only -k, because 2 * 4 > 5 along the last axis.
  plan.input().for_each<3>([&](std::ptrdiff_t offset, const auto &index) {
    in[static_cast<std::size_t>(offset)] = static_cast<float>(wave(index).real());
  });
  plan.execute();
  const std::array<std::ptrdiff_t, 3> mirror{7 - k[0], 6 - k[1], 5 - k[2]};
  plan.output().for_each<3>([&](std::ptrdiff_t offset, const std::array<std::ptrdiff_t, 3> &index) {
    const std::complex<float> expected = index == mirror ? 105.0F : 0.0F;
    // Rounding of 210 terms of modulus up to one.
    EXPECT_LT(std::abs(out[static_cast<std::size_t>(offset)] - expected), 210 * 8 * 1.2e-7F);
  });
}

/// Expects the spectrum of a wave along a line of n points: n at its frequency, and zeros
/// elsewhere.
void expect_peak_of_line(const std::vector<std::ptrdiff_t> &line, const Options &options) {
  const std::ptrdiff_t frequency = line[0] / 3;
  const auto turns = [&](std::ptrdiff_t j) {
    return std::polar(1.0, 2 * std::numbers::pi * static_cast<double>(frequency * j % line[0]) /
                               static_cast<double>(line[0]));
  };
  const LocalSizes sizes = local_sizes<double, Kind::c2c>(line, options);
  Buffer<Complex> x(sizes.allocate_in);
  Buffer<Complex> spectrum(sizes.allocate_out);
  Forward plan(line, x, spectrum, options);
  plan.input().for_each<1>([&](std::ptrdiff_t at, const auto &j) { x[at] = turns(j[0]); });
  plan.execute();
  std::ptrdiff_t rows = static_cast<std::ptrdiff_t>(std::sqrt(static_cast<double>(line[0])));
  while (line[0] % rows != 0)
    --rows;
  const std::ptrdiff_t columns = line[0] / rows;
  const double tolerance =
      8 * static_cast<double>(line[0]) * 2.2e-16; // rounding of n terms up to one
  std::ptrdiff_t visited = 0;
  plan.output().for_each<1>([&](std::ptrdiff_t at, const auto &place) {
    const std::ptrdiff_t k =
        options.scrambled_out ? place[0] / columns + rows * (place[0] % columns) : place[0];
    const double expected = k == frequency ? static_cast<double>(line[0]) : 0;
    EXPECT_LE(std::abs(spectrum[at] - expected), tolerance) << line[0] << " points, " << k;
    ++visited;
  });
  MPI_Allreduce(MPI_IN_PLACE, &visited, 1, MPI_INT64_T, MPI_SUM, test::world());
  EXPECT_EQ(visited, line[0]);
}

TEST(CppApi, Line_WaveOfOneFrequency_HasOnePeak) {
  for (const std::ptrdiff_t length : {1, 7, 24, 210, 1024})
    for (const bool scrambled : {false, true}) {
      Options options = estimate();
      options.scrambled_out = scrambled;
      expect_peak_of_line({length}, options);
    }
  // The points form a matrix of 4 x 6. Each block has complete rows of this matrix.
  Options options = estimate();
  options.block_in = options.block_out = 24;
  expect_peak_of_line({24}, options);
}

TEST(CppApi, Reals_BetweenSlabsOfEitherAxis_AreTransposed) {
  const std::vector<std::ptrdiff_t> matrix{9, 14};
  const int ranks = test::size_of(test::world());
  const Layout rows = Layout::slab(matrix, ranks);
  const Layout columns = Layout::slab(matrix, ranks, {true, 0, 1, 0});
  Options options = estimate();
  options.redistribute_only = true;
  const LocalSizes sizes = local_sizes<double, Kind::r2r>(rows, columns, options);
  Buffer<double> in(sizes.allocate_in);
  Buffer<double> out(sizes.allocate_out);
  Plan<double, Kind::r2r> plan(rows, columns, in, out, options);
  const auto value = [](const auto &index) {
    return static_cast<double>(100 * index[0] + index[1]);
  };
  plan.input().for_each<2>([&](std::ptrdiff_t at, const auto &i) { in[at] = value(i); });
  plan.execute();
  plan.output().for_each<2>([&](std::ptrdiff_t at, const std::array<std::ptrdiff_t, 2> &i) {
    EXPECT_EQ(at, (i[1] - plan.output().start(1)) * 9 + i[0]);
    EXPECT_EQ(out[at], value(i));
  });
}

TEST(CppApi, Line_WrongArguments_AreNamed) {
  Options options = estimate();
  options.scrambled_in = options.scrambled_out = true;
  const std::vector<std::ptrdiff_t> line{12};
  expect_error(HFFT_ERROR_UNSUPPORTED, [&] { local_sizes<double, Kind::c2c>(line, options); });
  options = estimate();
  options.scrambled_out = true;
  options.kinds = {HFFT_REDFT10};
  Buffer<Complex> x(12);
  expect_error(HFFT_ERROR_FLAGS, [&] { Forward(line, x, x, options); });
}

/// The cosine transform of a constant c has one coefficient, 2 n c.
TEST(CppApi, RealLines_OfConstants_HaveOneCoefficient) {
  const std::vector<std::ptrdiff_t> line{20};
  Options options = estimate();
  options.kinds = {HFFT_REDFT10};
  options.howmany = 3;
  for (const std::ptrdiff_t block : {0, 20}) {
    options.block_out = block;
    const LocalSizes sizes = local_sizes<double, Kind::r2r>(line, options);
    Buffer<double> in(sizes.allocate_in), out(sizes.allocate_out);
    Plan<double, Kind::r2r> plan(line, in, out, options);
    const auto constant = [](std::ptrdiff_t at) { return static_cast<double>(at % 3 + 1); };
    plan.input().for_each<1>([&](std::ptrdiff_t at, const auto &) { in[at] = constant(at); });
    plan.execute();
    std::ptrdiff_t visited = 0;
    plan.output().for_each<1>([&](std::ptrdiff_t at, const auto &k) {
      EXPECT_NEAR(out[at], k[0] == 0 ? 40 * constant(at) : 0, 1e-12);
      ++visited;
    });
    MPI_Allreduce(MPI_IN_PLACE, &visited, 1, MPI_INT64_T, MPI_SUM, test::world());
    EXPECT_EQ(visited, 60);
  }
}

TEST(CppApi, BuffersAreZeroedAndAligned) {
  Buffer<Complex> b(1000);
  EXPECT_EQ(b.size(), 1000U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b.data()) % 64, 0U);
  for (const Complex &x : b.span())
    EXPECT_EQ(x, Complex(0));
  expect_error(HFFT_ERROR_OUT_OF_MEMORY, [] { Buffer<Complex>(SIZE_MAX / 8); });
}

} // namespace
} // namespace hybridfft
