/// Compares transforms between real arrays, of all of FFTW's kinds, with FFTW's serial transforms.

#include <fftw3.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include "hybridfft/hybridfft.h"
#include "support/mpi_test.h"
#include "support/r2r_definition.h"

namespace hybridfft {
namespace {

using Extents = std::vector<std::ptrdiff_t>;
using Kinds = std::vector<int>;
using Reals = std::vector<double>;

constexpr int all_kinds = 11;

int ranks() { return test::size_of(test::world()); }
int rank() { return test::rank_of(test::world()); }

double value(std::size_t i) {
  const std::uint64_t h = (i + 1) * 0x9E3779B97F4A7C15ULL;
  return static_cast<double>((h ^ (h >> 29)) % 1000003) / 1000003.0 - 0.5;
}

std::size_t points(const Extents &n) {
  return static_cast<std::size_t>(
      std::accumulate(n.begin(), n.end(), std::ptrdiff_t{1}, std::multiplies<>()));
}

/// Returns the complete input, with `howmany` interleaved values for each point.
Reals all_values(const Extents &n, std::ptrdiff_t howmany) {
  Reals x(points(n) * static_cast<std::size_t>(howmany));
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = value(i);
  return x;
}

/// Returns FFTW's serial transform along some axes.
Reals by_fftw(const Extents &n, std::ptrdiff_t howmany, const std::vector<int> &axes,
              const Kinds &kinds, Reals x) {
  Extents stride(n.size());
  std::ptrdiff_t next = howmany;
  for (std::size_t a = n.size(); a-- > 0; next *= n[a])
    stride[a] = next;
  std::vector<fftw_iodim64> transform;
  std::vector<fftw_iodim64> batch{{howmany, 1, 1}};
  std::vector<fftw_r2r_kind> numbers;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto a = static_cast<std::size_t>(axes[i]);
    transform.push_back({n[a], stride[a], stride[a]});
    numbers.push_back(static_cast<fftw_r2r_kind>(kinds[i]));
  }
  for (std::size_t a = 0; a < n.size(); ++a)
    if (std::find(axes.begin(), axes.end(), static_cast<int>(a)) == axes.end())
      batch.push_back({n[a], stride[a], stride[a]});
  const fftw_plan plan = fftw_plan_guru64_r2r(static_cast<int>(transform.size()), transform.data(),
                                              static_cast<int>(batch.size()), batch.data(),
                                              x.data(), x.data(), numbers.data(), FFTW_ESTIMATE);
  fftw_execute(plan);
  fftw_destroy_plan(plan);
  return x;
}

class Layout {
public:
  explicit Layout(hfft_layout l) : handle(l) { EXPECT_NE(l, nullptr) << hfft_last_error_message(); }
  ~Layout() { hfft_layout_destroy(handle); }
  Layout(const Layout &) = delete;
  Layout &operator=(const Layout &) = delete;

  /// Calls f(offset in this rank's array, offset in the global array) for all points of the rank.
  template <class F> void visit(const Extents &n, std::ptrdiff_t howmany, const F &f) const {
    Extents start(n.size()), count(n.size()), stride(n.size() + 1);
    ASSERT_EQ(hfft_layout_local(handle, rank(), start.data(), count.data(), stride.data()),
              HFFT_SUCCESS);
    Extents index(n.size(), 0);
    for (std::size_t i = 0; i < points(count); ++i) {
      std::ptrdiff_t here = 0, global = 0;
      for (std::size_t a = 0; a < n.size(); ++a) {
        here += index[a] * stride[a];
        global = global * n[a] + start[a] + index[a];
      }
      for (std::ptrdiff_t v = 0; v < howmany; ++v)
        f(static_cast<std::size_t>(here + v * stride.back()),
          static_cast<std::size_t>(global * howmany + v));
      for (std::size_t a = n.size(); a-- > 0 && ++index[a] == count[a];)
        index[a] = 0;
    }
  }

  hfft_layout handle;
};

/// Returns a slab of FFTW's interface: the first axis in memory is distributed, with one block for
/// each rank.
hfft_layout slab(const Extents &n, bool transposed, std::ptrdiff_t howmany) {
  std::vector<int> parts(n.size(), 1);
  parts[transposed ? 1 : 0] = ranks();
  std::vector<int> order(n.size());
  std::iota(order.begin(), order.end(), 0);
  if (transposed) std::swap(order[0], order[1]);
  const hfft_layout l = hfft_layout_grid(static_cast<int>(n.size()), n.data(), parts.data());
  EXPECT_EQ(hfft_layout_set_order(l, order.data()), HFFT_SUCCESS);
  EXPECT_EQ(hfft_layout_set_howmany(l, howmany, HFFT_INTERLEAVED), HFFT_SUCCESS);
  return l;
}

/// A transform and the options of the call.
struct Case {
  Extents n;
  Kinds kinds;
  std::ptrdiff_t howmany = 1;
  bool transposed_in = false, transposed_out = false;
  bool in_place = false;
  unsigned flags = HFFT_ESTIMATE;

  std::string text() const {
    std::string s;
    for (std::size_t a = 0; a < n.size(); ++a)
      s += std::to_string(n[a]) + " " + test::r2r_name(kinds[a]) + ", ";
    return s + "howmany " + std::to_string(howmany) + (transposed_in ? ", transposed in" : "") +
           (transposed_out ? ", transposed out" : "") + (in_place ? ", in place" : "") +
           ", flags " + std::to_string(flags);
  }
  unsigned all_flags() const {
    return flags | (transposed_in ? HFFT_TRANSPOSED_IN : 0) |
           (transposed_out ? HFFT_TRANSPOSED_OUT : 0);
  }
  std::vector<int> axes() const {
    std::vector<int> list(n.size());
    std::iota(list.begin(), list.end(), 0);
    return list;
  }
};

/// Returns the tolerance: 32 units of rounding of the largest possible result. This is a sum over
/// all points, with values up to 0.5 and a weight of 2 for each axis.
double tolerance(const Extents &n, double unit) {
  return 16 * unit * static_cast<double>(points(n)) * std::pow(2.0, n.size());
}

void expect_equal(const Layout &layout, const Case &c, const Reals &found, const Reals &truth) {
  std::ptrdiff_t wrong = 0;
  const double allowed = tolerance(c.n, std::numeric_limits<double>::epsilon());
  layout.visit(c.n, c.howmany, [&](std::size_t here, std::size_t global) {
    if (!(std::abs(found[here] - truth[global]) <= allowed)) ++wrong;
  });
  EXPECT_EQ(wrong, 0) << c.text() << " on rank " << rank() << " of " << ranks();
}

std::size_t slab_reals(const Case &c) {
  const std::ptrdiff_t reals =
      hfft_local_size_many_transposed(static_cast<int>(c.n.size()), c.n.data(), c.howmany, 0, 0,
                                      test::world(), nullptr, nullptr, nullptr, nullptr);
  return static_cast<std::size_t>(reals);
}

void compare(const Case &c) {
  const Layout in(slab(c.n, c.transposed_in, c.howmany));
  const Layout out(slab(c.n, c.transposed_out, c.howmany));
  Reals a(slab_reals(c)), b(c.in_place ? 0 : a.size());
  double *to = c.in_place ? a.data() : b.data();
  const hfft_plan plan =
      hfft_plan_many_r2r(static_cast<int>(c.n.size()), c.n.data(), c.howmany, 0, 0, a.data(), to,
                         test::world(), c.kinds.data(), c.all_flags());
  ASSERT_NE(plan, nullptr) << c.text() << ": " << hfft_last_error_message();
  const Reals x = all_values(c.n, c.howmany);
  in.visit(c.n, c.howmany, [&](std::size_t here, std::size_t global) { a[here] = x[global]; });
  const Reals before = a;
  EXPECT_EQ(hfft_execute(plan), HFFT_SUCCESS) << hfft_last_error_message();
  expect_equal(out, c, c.in_place ? a : b, by_fftw(c.n, c.howmany, c.axes(), c.kinds, x));
  if (!c.in_place) {
    EXPECT_EQ(a, before) << c.text() << ": the input is kept";
    EXPECT_EQ(hfft_execute_r2r(plan, a.data(), b.data()), HFFT_SUCCESS);
    expect_equal(out, c, b, by_fftw(c.n, c.howmany, c.axes(), c.kinds, x));
  }
  hfft_destroy_plan(plan);
}

/// Returns a different kind for each axis; another `number` gives other kinds.
Kinds kinds_of(std::size_t dimensions, int number) {
  Kinds kinds;
  for (std::size_t a = 0; a < dimensions; ++a)
    kinds.push_back((number + 3 * static_cast<int>(a)) % all_kinds);
  return kinds;
}

bool admits(const Extents &n, const Kinds &kinds) {
  for (std::size_t a = 0; a < n.size(); ++a)
    if (kinds[a] == test::redft00 && n[a] < 2) return false;
  return true;
}

const std::vector<Extents> shapes{{4, 6},     {7, 5},     {1, 9},       {16, 3},        {4, 6, 8},
                                  {5, 3, 7},  {9, 8, 1},  {2, 11, 4},   {3, 1, 5},      {40, 2, 3},
                                  {3, 39, 2}, {2, 3, 37}, {3, 4, 2, 5}, {2, 2, 3, 2, 2}};

TEST(R2r, SlabsOfAllKinds_MatchFftw) {
  for (const Extents &n : shapes)
    for (int number = 0; number < all_kinds; ++number) {
      Case c{n, kinds_of(n.size(), number)};
      if (!admits(n, c.kinds)) continue;
      c.transposed_in = number % 2 == 1;
      c.transposed_out = number / 2 % 2 == 1;
      c.in_place = number % 3 == 0;
      c.howmany = number % 4 == 3 ? 3 : 1;
      compare(c);
    }
}

TEST(R2r, SameKindAlongAllAxes_MatchesFftw) {
  for (int kind = 0; kind < all_kinds; ++kind)
    for (const bool in_place : {false, true})
      compare({{8, 6, 10}, {kind, kind, kind}, 1, false, false, in_place});
}

/// Returns the transform of both axes of a matrix of tuples by the definition in long double.
std::vector<long double> by_definition(const Case &c, const Reals &x) {
  std::vector<long double> y(x.begin(), x.end());
  const auto along = [&](std::size_t axis, std::size_t stride) {
    const auto count = static_cast<std::size_t>(c.n[axis]);
    const test::R2rLine definition(c.kinds[axis], count);
    std::vector<long double> line(count);
    for (std::size_t first = 0; first < y.size(); ++first) {
      if (first / stride % count != 0) continue;
      for (std::size_t i = 0; i < count; ++i)
        line[i] = y[first + i * stride];
      line = definition(line);
      for (std::size_t i = 0; i < count; ++i)
        y[first + i * stride] = line[i];
    }
  };
  along(1, static_cast<std::size_t>(c.howmany));
  along(0, static_cast<std::size_t>(c.howmany * c.n[1]));
  return y;
}

/// Sums of the squares of the errors and of the result, over all ranks.
struct Errors {
  double ours = 0, fftw = 0, truth = 0;
};

Errors errors_of(const Case &c) {
  const Layout layout(slab(c.n, false, c.howmany));
  Reals a(slab_reals(c));
  const hfft_plan plan = hfft_plan_many_r2r(2, c.n.data(), c.howmany, 0, 0, a.data(), a.data(),
                                            test::world(), c.kinds.data(), c.flags);
  EXPECT_NE(plan, nullptr) << c.text() << ": " << hfft_last_error_message();
  if (plan == nullptr) return {1, 0, 0};
  const Reals x = all_values(c.n, c.howmany);
  layout.visit(c.n, c.howmany, [&](std::size_t here, std::size_t at) { a[here] = x[at]; });
  EXPECT_EQ(hfft_execute(plan), HFFT_SUCCESS);
  hfft_destroy_plan(plan);
  const std::vector<long double> truth = by_definition(c, x);
  const Reals theirs = by_fftw(c.n, c.howmany, c.axes(), c.kinds, x);
  double sums[3] = {0, 0, 0};
  layout.visit(c.n, c.howmany, [&](std::size_t here, std::size_t at) {
    sums[0] += std::pow(static_cast<double>(a[here] - truth[at]), 2);
    sums[1] += std::pow(static_cast<double>(theirs[at] - truth[at]), 2);
    sums[2] += std::pow(static_cast<double>(truth[at]), 2);
  });
  MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_DOUBLE, MPI_SUM, test::world());
  return {sums[0], sums[1], sums[2]};
}

/// The error is at most 1.5 times the larger of two errors: FFTW's, and one rounding for each axis.
/// FFTW's error alone may be zero by luck. Each case transforms axes of n and of 41 - n points.
TEST(R2r, AllKindsAndSizes_ErrorsAreAtMostOneAndAHalfOfFftws) {
  for (int kind = 0; kind < all_kinds; ++kind)
    for (std::ptrdiff_t n = 1; n <= 20; ++n) {
      const bool too_short = kind == test::redft00 && n == 1;
      const Case c{{too_short ? 2 : n, 41 - n}, {kind, kind}, 3};
      const Errors e = errors_of(c);
      const double rounding = std::sqrt(2.0) * 0x1p-53 * std::sqrt(e.truth);
      EXPECT_LE(std::sqrt(e.ours), 1.5 * std::max(std::sqrt(e.fftw), rounding))
          << c.text() << " on " << ranks() << " ranks";
    }
}

TEST(R2r, EffortsAndFlags_MatchFftw) {
  const Case c{{12, 8, 6}, {test::redft10, test::dht, test::rodft01}};
  for (const unsigned flags :
       {HFFT_MEASURE, HFFT_PATIENT, HFFT_EXHAUSTIVE, HFFT_ESTIMATE | HFFT_DETERMINISTIC,
        HFFT_ESTIMATE | HFFT_NONBLOCKING, HFFT_MEASURE | HFFT_DESTROY_INPUT | HFFT_NONBLOCKING}) {
    Case flagged = c;
    flagged.flags = flags;
    flagged.in_place = (flags & HFFT_DESTROY_INPUT) != 0;
    compare(flagged);
    flagged.transposed_out = true;
    compare(flagged);
  }
}

TEST(R2r, Single_MatchesFftwInDouble) {
  const Extents n{6, 9, 10};
  for (int number = 0; number < all_kinds; ++number) {
    const Case c{n, kinds_of(3, number)};
    const Layout layout(slab(n, false, 1));
    std::vector<float> a(slab_reals(c));
    const hfftf_plan plan = hfftf_plan_r2r_3d(n[0], n[1], n[2], a.data(), a.data(), test::world(),
                                              c.kinds[0], c.kinds[1], c.kinds[2], HFFT_ESTIMATE);
    ASSERT_NE(plan, nullptr) << hfft_last_error_message();
    const Reals x = all_values(n, 1);
    layout.visit(n, 1, [&](std::size_t here, std::size_t global) {
      a[here] = static_cast<float>(x[global]);
    });
    ASSERT_EQ(hfftf_execute_r2r(plan, a.data(), a.data()), HFFT_SUCCESS);
    const Reals truth = by_fftw(n, 1, c.axes(), c.kinds, x);
    layout.visit(n, 1, [&](std::size_t here, std::size_t global) {
      EXPECT_NEAR(a[here], truth[global], tolerance(n, std::numeric_limits<float>::epsilon()))
          << c.text();
    });
    hfftf_destroy_plan(plan);
  }
}

/// Returns two factors of the number of ranks, the larger one last.
std::array<int, 2> two_factors() {
  int p = 1;
  for (int f = 1; f * f <= ranks(); ++f)
    if (ranks() % f == 0) p = f;
  return {p, ranks() / p};
}

/// Returns a layout with the given parts of each axis and order of the axes.
hfft_layout grid(const Extents &n, const std::array<int, 3> &parts,
                 const std::array<int, 3> &order) {
  const hfft_layout l = hfft_layout_grid(3, n.data(), parts.data());
  EXPECT_EQ(hfft_layout_set_order(l, order.data()), HFFT_SUCCESS);
  return l;
}

void compare(const Extents &n, const Layout &in, const Layout &out, const std::vector<int> &axes,
             const Kinds &kinds, std::ptrdiff_t howmany, unsigned flags) {
  const Case c{n, kinds_of(3, 0), howmany};
  const std::ptrdiff_t size = hfft_layout_size(in.handle, out.handle, HFFT_R2R, test::world());
  ASSERT_GT(size, 0) << hfft_last_error_message();
  Reals a(static_cast<std::size_t>(2 * size)), b(a.size());
  const hfft_plan plan =
      hfft_plan_layout_r2r(in.handle, out.handle, static_cast<int>(axes.size()), axes.data(),
                           a.data(), b.data(), test::world(), kinds.data(), flags);
  ASSERT_NE(plan, nullptr) << hfft_last_error_message();
  const Reals x = all_values(n, howmany);
  in.visit(n, howmany, [&](std::size_t here, std::size_t global) { a[here] = x[global]; });
  EXPECT_EQ(hfft_execute_start_r2r(plan, a.data(), b.data()), HFFT_SUCCESS);
  EXPECT_EQ(hfft_execute_wait(plan), HFFT_SUCCESS);
  expect_equal(out, c, b, by_fftw(n, howmany, axes, kinds, x));
  hfft_destroy_plan(plan);
}

TEST(R2r, PencilsAndBricks_MatchFftw) {
  const Extents n{7, 6, 9};
  const auto [p, q] = two_factors();
  for (int number = 0; number < all_kinds; ++number) {
    const Kinds k = kinds_of(3, number);
    const unsigned flags = number % 2 == 0 ? HFFT_ESTIMATE : HFFT_MEASURE;
    const Layout x_pencils(grid(n, {1, p, q}, {1, 2, 0}));
    const Layout z_pencils(grid(n, {p, q, 1}, {0, 1, 2}));
    const Layout bricks(grid(n, {p, 1, q}, {2, 0, 1}));
    compare(n, z_pencils, x_pencils, {0, 1, 2}, k, 1, flags);
    compare(n, bricks, z_pencils, {2, 0}, {k[0], k[1]}, 1, flags);
    compare(n, x_pencils, bricks, {1}, {k[2]}, 1, flags);
  }
}

TEST(R2r, FieldsInSeparateArrays_MatchFftw) {
  const Extents n{6, 8, 5};
  const auto [p, q] = two_factors();
  for (const unsigned flags : {HFFT_ESTIMATE, HFFT_MEASURE, HFFT_ESTIMATE | HFFT_DETERMINISTIC}) {
    const Layout in(grid(n, {p, q, 1}, {0, 1, 2}));
    const Layout out(grid(n, {1, p, q}, {0, 1, 2}));
    for (const Layout *l : {&in, &out})
      ASSERT_EQ(hfft_layout_set_howmany(l->handle, 3, HFFT_SEPARATE), HFFT_SUCCESS);
    compare(n, in, out, {0, 1, 2}, {test::redft10, test::r2hc, test::rodft11}, 3, flags);
  }
}

TEST(R2r, Scale_MultipliesTheResult) {
  const Case c{{8, 6, 4}, {test::redft10, test::rodft10, test::redft00}};
  const Layout layout(slab(c.n, false, 1));
  Reals a(slab_reals(c));
  hfft_options options = HFFT_OPTIONS_INIT;
  options.flags = HFFT_ESTIMATE;
  options.kinds = c.kinds.data();
  options.scale = 1.0 / (16 * 12 * 6);
  const hfft_plan forward =
      hfft_plan_slabs(HFFT_R2R, 3, c.n.data(), a.data(), a.data(), test::world(), 0, &options);
  ASSERT_NE(forward, nullptr) << hfft_last_error_message();
  const hfft_plan backward =
      hfft_plan_r2r_3d(8, 6, 4, a.data(), a.data(), test::world(), HFFT_REDFT01, HFFT_RODFT01,
                       HFFT_REDFT00, HFFT_ESTIMATE);
  ASSERT_NE(backward, nullptr) << hfft_last_error_message();
  const Reals x = all_values(c.n, 1);
  layout.visit(c.n, 1, [&](std::size_t here, std::size_t global) { a[here] = x[global]; });
  EXPECT_EQ(hfft_execute(forward), HFFT_SUCCESS);
  EXPECT_EQ(hfft_execute(backward), HFFT_SUCCESS);
  expect_equal(layout, c, a, x);
  hfft_destroy_plan(forward);
  hfft_destroy_plan(backward);
}

TEST(R2r, Deterministic_HasTheBitsOfOneRank) {
  const Extents n{9, 10, 6};
  const Kinds kinds{test::redft10, test::dht, test::rodft00};
  const Reals x = all_values(n, 1);
  const unsigned flags = HFFT_ESTIMATE | HFFT_DETERMINISTIC;
  Reals one = x;
  const hfft_plan alone =
      hfft_plan_r2r(3, n.data(), one.data(), one.data(), MPI_COMM_SELF, kinds.data(), flags);
  ASSERT_NE(alone, nullptr) << hfft_last_error_message();
  EXPECT_EQ(hfft_execute(alone), HFFT_SUCCESS);
  hfft_destroy_plan(alone);
  const Case c{n, kinds};
  const Layout layout(slab(n, false, 1));
  Reals a(slab_reals(c));
  const hfft_plan plan =
      hfft_plan_r2r(3, n.data(), a.data(), a.data(), test::world(), kinds.data(), flags);
  ASSERT_NE(plan, nullptr) << hfft_last_error_message();
  layout.visit(n, 1, [&](std::size_t here, std::size_t global) { a[here] = x[global]; });
  EXPECT_EQ(hfft_execute(plan), HFFT_SUCCESS);
  layout.visit(n, 1, [&](std::size_t here, std::size_t global) {
    EXPECT_EQ(std::memcmp(&a[here], &one[global], sizeof(double)), 0);
  });
  hfft_destroy_plan(plan);
}

TEST(Mixed, Deterministic_HasTheBitsOfOneRank) {
  const Extents n{9, 10, 6};
  const Extents half{9, 6, 6};
  const Kinds kinds{HFFT_RODFT10, HFFT_DFT, HFFT_REDFT10};
  const Reals x = all_values(n, 1);
  const auto transformed = [&](MPI_Comm comm, const hfft_layout from, const hfft_layout to) {
    const std::ptrdiff_t size = hfft_layout_size(from, to, HFFT_R2C, comm);
    std::vector<std::complex<double>> a(static_cast<std::size_t>(size)), b(a.size());
    auto *reals = reinterpret_cast<double *>(a.data());
    const hfft_plan plan = hfft_plan_mixed(HFFT_R2C, 3, n.data(), 1, reals, b.data(), comm,
                                           kinds.data(), 0, HFFT_ESTIMATE | HFFT_DETERMINISTIC);
    EXPECT_NE(plan, nullptr) << hfft_last_error_message();
    if (plan == nullptr) return b;
    std::ptrdiff_t start[3] = {0, 0, 0}, count[3] = {0, 0, 0};
    int me = 0;
    MPI_Comm_rank(comm, &me);
    hfft_layout_local(from, me, start, count, nullptr);
    std::copy_n(x.begin() + start[0] * n[1] * n[2], count[0] * n[1] * n[2], reals);
    EXPECT_EQ(hfft_execute(plan), HFFT_SUCCESS);
    hfft_destroy_plan(plan);
    return b;
  };
  const std::array<int, 3> one{1, 1, 1};
  const Layout from(slab(n, false, 1)), to(slab(half, false, 1));
  const Layout whole_from(hfft_layout_grid(3, n.data(), one.data()));
  const Layout whole_to(hfft_layout_grid(3, half.data(), one.data()));
  const auto alone = transformed(MPI_COMM_SELF, whole_from.handle, whole_to.handle);
  const auto found = transformed(test::world(), from.handle, to.handle);
  to.visit(half, 1, [&](std::size_t here, std::size_t global) {
    EXPECT_EQ(std::memcmp(&found[here], &alone[global], sizeof found[here]), 0);
  });
}

TEST(R2r, Wisdom_IsOfTheKinds) {
  const Extents n{8, 8, 8};
  Reals a(slab_reals({n, {}}));
  const auto plan = [&](int kind, unsigned flags) {
    return hfft_plan_r2r_3d(8, 8, 8, a.data(), a.data(), test::world(), HFFT_REDFT10, kind,
                            HFFT_REDFT10, flags);
  };
  const hfft_plan measured = plan(HFFT_DHT, HFFT_MEASURE);
  ASSERT_NE(measured, nullptr) << hfft_last_error_message();
  hfft_destroy_plan(measured);
  const hfft_plan known = plan(HFFT_DHT, HFFT_MEASURE | HFFT_WISDOM_ONLY);
  EXPECT_NE(known, nullptr) << hfft_last_error_message();
  hfft_destroy_plan(known);
  EXPECT_EQ(plan(HFFT_RODFT10, HFFT_MEASURE | HFFT_WISDOM_ONLY), nullptr);
  EXPECT_EQ(hfft_last_error(), HFFT_ERROR_NO_WISDOM);
  char *text = hfft_export_wisdom_to_string();
  ASSERT_NE(text, nullptr);
  const std::string found(rank() == 0 ? text : "lines=redft10,dht,redft10");
  EXPECT_NE(found.find("lines=redft10,dht,redft10"), std::string::npos) << found;
  EXPECT_EQ(hfft_import_wisdom_from_string(text), 1) << hfft_last_error_message();
  std::free(text);
}

using Complexes = std::vector<std::complex<double>>;

/// Kinds that combine HFFT_DFT with other kinds. r2c and c2r halve the last axis of kind HFFT_DFT.
const std::vector<Kinds> mixed_kinds{{HFFT_DFT, HFFT_DFT, HFFT_REDFT10},
                                     {HFFT_REDFT00, HFFT_DFT, HFFT_DFT},
                                     {HFFT_DFT, HFFT_RODFT11, HFFT_DHT},
                                     {HFFT_RODFT10, HFFT_DFT, HFFT_REDFT01},
                                     {HFFT_REDFT10, HFFT_R2HC, HFFT_DFT}};

/// Returns the axes of kind HFFT_DFT if `fourier`, else all other axes.
std::vector<int> axes_of(const Kinds &kinds, bool fourier) {
  std::vector<int> axes;
  for (std::size_t a = 0; a < kinds.size(); ++a)
    if ((kinds[a] == HFFT_DFT) == fourier) axes.push_back(static_cast<int>(a));
  return axes;
}

Reals real_part_of_truth(const Extents &n, const Kinds &kinds, Reals x) {
  const std::vector<int> axes = axes_of(kinds, false);
  Kinds lines;
  for (const int axis : axes)
    lines.push_back(kinds[static_cast<std::size_t>(axis)]);
  return by_fftw(n, 1, axes, lines, std::move(x));
}

/// Returns the complex transforms along the Fourier axes by the definition, for few points.
Complexes fourier(const Extents &n, const Kinds &kinds, Complexes x, int sign) {
  for (const int axis : axes_of(kinds, true)) {
    const auto a = static_cast<std::size_t>(axis);
    std::size_t stride = 1;
    for (std::size_t b = a + 1; b < n.size(); ++b)
      stride *= static_cast<std::size_t>(n[b]);
    const auto count = static_cast<std::size_t>(n[a]);
    Complexes y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::size_t k = i / stride % count;
      for (std::size_t j = 0; j < count; ++j)
        y[i] += x[i + j * stride - k * stride] *
                std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(j * k % count) /
                                    static_cast<double>(count));
    }
    x = y;
  }
  return x;
}

Complexes mixed_truth(const Extents &n, const Kinds &kinds, const Complexes &x, int sign) {
  Reals re, im;
  for (const auto &z : x) {
    re.push_back(z.real());
    im.push_back(z.imag());
  }
  re = real_part_of_truth(n, kinds, re);
  im = real_part_of_truth(n, kinds, im);
  Complexes y;
  for (std::size_t i = 0; i < x.size(); ++i)
    y.emplace_back(re[i], im[i]);
  return fourier(n, kinds, y, sign);
}

hfft_plan plan_mixed(int kind, const Extents &n, void *in, void *out, const Kinds &kinds, int sign,
                     unsigned flags) {
  const hfft_plan plan =
      hfft_plan_mixed(kind, 3, n.data(), 1, in, out, test::world(), kinds.data(), sign, flags);
  EXPECT_NE(plan, nullptr) << hfft_last_error_message();
  return plan;
}

TEST(Mixed, ComplexBothWays_MatchesDefinition) {
  const Extents n{6, 5, 8};
  for (const Kinds &kinds : mixed_kinds)
    for (const int sign : {HFFT_FORWARD, HFFT_BACKWARD}) {
      const bool transposed = sign == HFFT_FORWARD;
      const Layout in(slab(n, false, 1));
      const Layout out(slab(n, transposed, 1));
      Complexes a(slab_reals({n, {}})), b(a.size());
      const hfft_plan plan = plan_mixed(HFFT_C2C, n, a.data(), b.data(), kinds, sign,
                                        HFFT_ESTIMATE | (transposed ? HFFT_TRANSPOSED_OUT : 0U));
      ASSERT_NE(plan, nullptr);
      const Reals parts = all_values(n, 2);
      Complexes x;
      for (std::size_t i = 0; i < points(n); ++i)
        x.emplace_back(parts[2 * i], parts[2 * i + 1]);
      in.visit(n, 1, [&](std::size_t here, std::size_t global) { a[here] = x[global]; });
      EXPECT_EQ(hfft_execute(plan), HFFT_SUCCESS);
      const Complexes truth = mixed_truth(n, kinds, x, sign);
      out.visit(n, 1, [&](std::size_t here, std::size_t global) {
        EXPECT_LT(std::abs(b[here] - truth[global]), 1e-11);
      });
      hfft_destroy_plan(plan);
    }
}

/// Converts the index of a point of the half spectrum, with n/2+1 points along the last axis, into
/// its index in the array of n points.
std::size_t in_whole(const Extents &n, const Extents &half, std::size_t i) {
  std::size_t place = 0, stride = 1;
  for (std::size_t a = n.size(); a-- > 0; stride *= static_cast<std::size_t>(n[a])) {
    place += i % static_cast<std::size_t>(half[a]) * stride;
    i /= static_cast<std::size_t>(half[a]);
  }
  return place;
}

TEST(Mixed, RealToComplexAndBack_MatchesDefinition) {
  const Extents n{6, 5, 8};
  for (const Kinds &kinds : mixed_kinds)
    for (const bool transposed : {false, true}) {
      const auto halved = static_cast<std::size_t>(axes_of(kinds, true).back());
      Extents half = n;
      half[halved] = n[halved] / 2 + 1;
      const Layout reals(slab(n, false, 1));
      const Extents padding{0, 0, halved == 2 ? 2 * half[2] - n[2] : 0};
      ASSERT_EQ(hfft_layout_set_padding(reals.handle, padding.data()), HFFT_SUCCESS);
      const Layout spectrum(slab(half, transposed, 1));
      Complexes b(slab_reals({half, {}}));
      Reals a(std::max(2 * b.size(), slab_reals({n, {}})));
      Kinds inverse = kinds;
      double scale = 1;
      for (std::size_t i = 0; i < kinds.size(); ++i) {
        inverse[i] = kinds[i] == HFFT_DFT ? HFFT_DFT : test::r2r_inverse(kinds[i]);
        scale *=
            static_cast<double>(kinds[i] == HFFT_DFT ? n[i] : test::r2r_logical(kinds[i], n[i]));
      }
      const hfft_plan forward = plan_mixed(HFFT_R2C, n, a.data(), b.data(), kinds, 0,
                                           HFFT_ESTIMATE | (transposed ? HFFT_TRANSPOSED_OUT : 0U));
      const hfft_plan backward = plan_mixed(HFFT_C2R, n, b.data(), a.data(), inverse, 0,
                                            HFFT_ESTIMATE | (transposed ? HFFT_TRANSPOSED_IN : 0U));
      ASSERT_TRUE(forward != nullptr && backward != nullptr);
      const Reals x = all_values(n, 1);
      reals.visit(n, 1, [&](std::size_t here, std::size_t global) { a[here] = x[global]; });
      EXPECT_EQ(hfft_execute(forward), HFFT_SUCCESS);
      const Complexes truth = mixed_truth(n, kinds, {x.begin(), x.end()}, HFFT_FORWARD);
      spectrum.visit(half, 1, [&](std::size_t here, std::size_t global) {
        EXPECT_LT(std::abs(b[here] - truth[in_whole(n, half, global)]), 1e-11);
      });
      std::fill(a.begin(), a.end(), 0);
      EXPECT_EQ(hfft_execute(backward), HFFT_SUCCESS);
      reals.visit(n, 1, [&](std::size_t here, std::size_t global) {
        EXPECT_NEAR(a[here] / scale, x[global], 1e-13);
      });
      hfft_destroy_plan(forward);
      hfft_destroy_plan(backward);
    }
}

/// Returns a complex field. Its real parts are all_values(), its imaginary parts are these times
/// -1/2.
Complexes field_of(const Extents &n, std::ptrdiff_t howmany) {
  const Reals parts = all_values(n, howmany);
  Complexes x;
  for (const double part : parts)
    x.emplace_back(part, -part / 2);
  return x;
}

/// Tests complex plans of mixed kinds with options: fields, efforts, flags and scale, in place, in
/// either precision. An execution in the background must have the same bits.
template <class Real> void expect_mixed(unsigned flags, std::ptrdiff_t howmany, bool in_place) {
  constexpr bool twice = sizeof(Real) == sizeof(double);
  const Extents n{6, 5, 8};
  const Kinds kinds{HFFT_DFT, HFFT_REDFT10, HFFT_RODFT00};
  const Layout in(slab(n, false, howmany));
  const Layout out(slab(n, (flags & HFFT_TRANSPOSED_OUT) != 0, howmany));
  std::vector<std::complex<Real>> a(slab_reals({n, {}, howmany})), b(in_place ? 0 : a.size());
  auto &result = in_place ? a : b;
  hfft_options options = HFFT_OPTIONS_INIT;
  options.flags = flags;
  options.howmany = howmany;
  options.kinds = kinds.data();
  options.scale = 0.125;
  const auto run = [&](const auto &make, const auto &execute, const auto &start, const auto &wait,
                       const auto &destroy) {
    const auto plan = make(HFFT_C2C, 3, n.data(), a.data(), result.data(), test::world(),
                           HFFT_BACKWARD, &options);
    ASSERT_NE(plan, nullptr) << hfft_last_error_message();
    const Complexes x = field_of(n, howmany);
    const auto fill = [&] {
      in.visit(n, howmany, [&](std::size_t here, std::size_t global) {
        a[here] = static_cast<std::complex<Real>>(x[global]);
      });
    };
    fill();
    EXPECT_EQ(execute(plan), HFFT_SUCCESS);
    std::vector<Complexes> truth;
    for (std::ptrdiff_t v = 0; v < howmany; ++v) {
      Complexes one;
      for (std::size_t i = static_cast<std::size_t>(v); i < x.size();
           i += static_cast<std::size_t>(howmany))
        one.push_back(x[i]);
      truth.push_back(mixed_truth(n, kinds, one, HFFT_BACKWARD));
    }
    const auto fields = static_cast<std::size_t>(howmany);
    std::vector<std::complex<Real>> first(a.size());
    out.visit(n, howmany, [&](std::size_t here, std::size_t global) {
      first[here] = result[here];
      EXPECT_LT(std::abs(std::complex<double>(result[here]) -
                         truth[global % fields][global / fields] / 8.0),
                twice ? 1e-11 : 1e-3)
          << "flags " << flags;
    });
    fill();
    EXPECT_EQ(start(plan), HFFT_SUCCESS);
    EXPECT_EQ(wait(plan), HFFT_SUCCESS);
    out.visit(n, howmany, [&](std::size_t here, std::size_t) {
      EXPECT_EQ(result[here], first[here]) << "flags " << flags;
    });
    destroy(plan);
  };
  if constexpr (twice)
    run(hfft_plan_slabs, hfft_execute, hfft_execute_start, hfft_execute_wait, hfft_destroy_plan);
  else
    run(hfftf_plan_slabs, hfftf_execute, hfftf_execute_start, hfftf_execute_wait,
        hfftf_destroy_plan);
}

TEST(Mixed, OptionsOfComplexPlans_MatchDefinition) {
  for (const unsigned flags : {HFFT_ESTIMATE, HFFT_MEASURE, HFFT_ESTIMATE | HFFT_NONBLOCKING,
                               HFFT_ESTIMATE | HFFT_DETERMINISTIC | HFFT_TRANSPOSED_OUT}) {
    expect_mixed<double>(flags, 1, true);
    expect_mixed<double>(flags, 3, false);
    expect_mixed<float>(flags, 2, false);
  }
}

/// Returns the names of a plan's stages on this rank.
std::vector<std::string> stages_of(hfft_plan plan) {
  std::vector<hfft_stage_profile> list(16);
  list[0].size = sizeof(hfft_stage_profile);
  int count = 0;
  EXPECT_EQ(hfft_plan_profile(plan, list.data(), static_cast<int>(list.size()), &count),
            HFFT_SUCCESS);
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i)
    names.emplace_back(list[static_cast<std::size_t>(i)].name);
  return names;
}

TEST(Mixed, HalvedAxisAcrossMemoryOfOneRank_NeedsNoCopies) {
  if (ranks() > 1) GTEST_SKIP() << "several ranks copy to and from shared memory";
  const Extents n{32, 32, 32};
  const Kinds forward{HFFT_DFT, HFFT_DFT, HFFT_REDFT10};
  const Kinds backward{HFFT_DFT, HFFT_DFT, HFFT_REDFT01};
  Reals a(points({34, 34, 34})), b(a.size());
  for (const int kind : {HFFT_R2C, HFFT_C2R}) {
    const hfft_plan plan = plan_mixed(kind, n, a.data(), b.data(),
                                      kind == HFFT_R2C ? forward : backward, 0, HFFT_ESTIMATE);
    ASSERT_NE(plan, nullptr);
    const std::vector<std::string> there{"planes", "columns"}, back{"columns", "planes"};
    EXPECT_EQ(stages_of(plan), kind == HFFT_R2C ? there : back);
    hfft_destroy_plan(plan);
  }
}

TEST(R2r, BadArguments_FailOnEveryRankAndNameThem) {
  double a[64] = {};
  const auto expect = [&](std::ptrdiff_t n0, int kind0, int kind1, int code,
                          const std::string &words) {
    const hfft_plan plan =
        hfft_plan_r2r_2d(n0, 2, a, a, test::world(), kind0, kind1, HFFT_ESTIMATE);
    EXPECT_EQ(plan, nullptr);
    EXPECT_EQ(hfft_last_error(), code);
    EXPECT_EQ(hfft_last_error_message(), words);
  };
  expect(1, HFFT_REDFT00, HFFT_DHT, HFFT_ERROR_EXTENTS,
         "n[0] is 1 along an axis of kind HFFT_REDFT00, expected 2 or more");
  expect(2, HFFT_DHT, 11, HFFT_ERROR_ARGUMENT,
         "kinds[1] is 11, expected 0 to 10, a number of enum hfft_r2r_kind");
  expect(2, HFFT_DFT, HFFT_DHT, HFFT_ERROR_ARGUMENT,
         "kinds[0] is -1, expected 0 to 10, a number of enum hfft_r2r_kind");
  const Extents n{2, 2};
  const Kinds real{HFFT_DHT, HFFT_DHT};
  EXPECT_EQ(
      hfft_plan_mixed(HFFT_R2C, 2, n.data(), 1, a, a, test::world(), real.data(), 0, HFFT_ESTIMATE),
      nullptr);
  EXPECT_STREQ(hfft_last_error_message(),
               "kinds has no HFFT_DFT, expected one for the halved axis of r2c and c2r");
  EXPECT_EQ(hfft_plan_r2r(2, n.data(), a, a, test::world(), nullptr, HFFT_ESTIMATE), nullptr);
  EXPECT_EQ(hfft_last_error(), HFFT_ERROR_NULL_POINTER);
  EXPECT_STREQ(hfft_last_error_message(),
               "kinds is NULL, expected a kind of enum hfft_r2r_kind for each axis");
}

TEST(R2r, RanksOfOtherKinds_FailOnEveryRank) {
  if (ranks() == 1) return;
  double a[64] = {};
  EXPECT_EQ(hfft_plan_r2r_2d(2, 2, a, a, test::world(), HFFT_DHT,
                             rank() == 0 ? HFFT_REDFT10 : HFFT_REDFT01, HFFT_ESTIMATE),
            nullptr);
  EXPECT_EQ(hfft_last_error(), HFFT_ERROR_MISMATCH);
  EXPECT_NE(std::string(hfft_last_error_message()).find("kinds"), std::string::npos)
      << hfft_last_error_message();
}

} // namespace
} // namespace hybridfft
