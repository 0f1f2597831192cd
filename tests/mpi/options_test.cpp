/// Tests options of plans: the member `size`, threads of one plan, the scale of the result, work
/// spaces, and the machine file.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <string>
#include <tuple>
#include <vector>

#include "hybridfft/hybridfft.hpp"
#include "support/mpi_test.h"
#include "support/scratch_directory.h"
#include "support/variable.h"

namespace hybridfft {
namespace {

using Extents = std::vector<std::ptrdiff_t>;
using Index = std::array<std::ptrdiff_t, 3>;
using test::rank_of;
using test::size_of;

int ranks() { return size_of(MPI_COMM_WORLD); }

/// A real number for each point, without symmetries.
double number(const Index &j) {
  return std::sin(static_cast<double>(1 + j[0] + 7 * j[1] * j[1] + 31 * j[2]));
}

/// Returns the transform of number() at k, as the sum of its definition; each is computed once.
std::complex<double> sum(const Extents &n, const Index &k, int sign) {
  static std::map<std::tuple<Extents, Index, int>, std::complex<double>> known;
  const auto [found, is_new] = known.try_emplace({n, k, sign});
  if (!is_new) return found->second;
  Index j{};
  for (j[0] = 0; j[0] < n[0]; ++j[0])
    for (j[1] = 0; j[1] < n[1]; ++j[1])
      for (j[2] = 0; j[2] < n[2]; ++j[2]) {
        double turns = 0;
        for (std::size_t a = 0; a < 3; ++a)
          turns += static_cast<double>(j[a] * k[a] % n[a]) / static_cast<double>(n[a]);
        found->second += number(j) * std::polar(1.0, sign * 2 * std::numbers::pi * turns);
      }
  return found->second;
}

template <class Real, Kind K> struct Transform {
  template <class... Shape>
  Transform(const Options &options, const Shape &...shape)
      : sizes(local_sizes<Real, K>(shape..., options)), in(sizes.allocate_in),
        out(sizes.allocate_out), plan(shape..., in, out, options) {}

  LocalSizes sizes;
  Buffer<typename Elements<Real, K>::In> in;
  Buffer<typename Elements<Real, K>::Out> out;
  Plan<Real, K> plan;
};

/// Expects each number of the result to be the scale times the sum over all points. The tolerance
/// is 32 epsilon of the largest possible sum, a wide margin for the few steps of these lengths.
template <class Real, Kind K>
void expect_scaled_sums(Transform<Real, K> &t, const Extents &n, int sign, double scale) {
  const double points = static_cast<double>(n[0] * n[1] * n[2]);
  t.plan.input().template for_each<3>([&](std::ptrdiff_t at, const Index &j) {
    if constexpr (K == Kind::c2r)
      // The transform of number(): c2r returns number() times the number of points.
      t.in[at] = std::complex<Real>(sum(n, j, -1));
    else
      t.in[at] = static_cast<Real>(number(j));
  });
  t.plan.execute();
  double worst = 0;
  t.plan.output().template for_each<3>([&](std::ptrdiff_t at, const Index &k) {
    const std::complex<double> found(t.out[at]);
    const std::complex<double> expected = K == Kind::c2r ? points * number(k) : sum(n, k, sign);
    worst = std::max(worst, std::abs(found - scale * expected));
  });
  EXPECT_LT(worst, scale * points * 32 * static_cast<double>(std::numeric_limits<Real>::epsilon()));
}

/// Lengths with kernels, whose lines fill one or several registers, and a length that needs a
/// convolution (37).
const std::vector<Extents> all_extents{{4, 3, 64}, {5, 37, 3}, {16, 4, 2}};

template <class Real, Kind K> void scaled_slabs() {
  const double scale = 0.3;
  for (const Extents &n : all_extents)
    for (const Effort effort : {Effort::estimate, Effort::measure})
      for (const Direction direction : {Direction::forward, Direction::backward})
        for (const bool transposed : {false, true})
          for (const bool deterministic : {false, true}) {
            if (K != Kind::c2c && direction == Direction::backward) continue;
            // Most measurements are left out: they take long, and a measured plan can differ from
            // an estimated one only with FFTW's kernels.
            if (effort == Effort::measure && (deterministic || transposed || &n != &all_extents[2]))
              continue;
            Options options;
            options.effort = effort;
            options.direction = direction;
            options.transposed_out = transposed;
            options.deterministic = deterministic;
            options.scale = scale;
            Transform<Real, K> t(options, std::span<const std::ptrdiff_t>(n));
            SCOPED_TRACE(t.plan.describe());
            expect_scaled_sums(t, n, static_cast<int>(direction), scale);
          }
}

TEST(Scale, OfSlabs) {
  scaled_slabs<double, Kind::c2c>();
  scaled_slabs<double, Kind::r2c>();
  scaled_slabs<double, Kind::c2r>();
  scaled_slabs<float, Kind::c2c>();
  scaled_slabs<float, Kind::c2r>();
}

Layout layout(const Extents &n, std::vector<int> parts, std::vector<int> order) {
  Layout::Options options;
  options.order = std::move(order);
  return Layout::grid(n, parts, options);
}

template <class Real, Kind K> void scaled_layouts() {
  const double scale = 1.75;
  for (const Extents &n : all_extents) {
    Extents half = n;
    if (K != Kind::c2c) half.back() = n.back() / 2 + 1;
    const Extents &from = K == Kind::c2r ? half : n;
    const Extents &to = K == Kind::r2c ? half : n;
    // The input has pencils, or blocks along the fastest axis. The output has another memory order.
    for (const bool deterministic : {false, true})
      for (const bool last : {false, true}) {
        Options options;
        options.effort = Effort::estimate;
        options.deterministic = deterministic;
        options.scale = scale;
        const Layout in =
            layout(from, last ? std::vector{1, 1, ranks()} : std::vector{1, ranks(), 1}, {0, 1, 2});
        const Layout out =
            layout(to, {ranks(), 1, 1}, last ? std::vector{2, 1, 0} : std::vector<int>{});
        Transform<Real, K> t(options, in, out);
        SCOPED_TRACE(t.plan.describe());
        expect_scaled_sums(t, n, -1, scale);
      }
  }
}

TEST(Scale, BetweenLayouts) {
  scaled_layouts<double, Kind::c2c>();
  scaled_layouts<double, Kind::r2c>();
  scaled_layouts<double, Kind::c2r>();
  scaled_layouts<float, Kind::r2c>();
}

/// Transforms an array without gaps or zeros, and returns the output.
template <Kind K, class... Shape>
std::vector<typename Elements<double, K>::Out> result(const Options &options,
                                                      const Shape &...shape) {
  Transform<double, K> t(options, shape...);
  for (std::size_t i = 0; i < t.in.size(); ++i)
    t.in[i] = std::sin(static_cast<double>(i) + rank_of(MPI_COMM_WORLD));
  t.plan.execute();
  // The values of the output, without further elements of its buffer.
  std::vector<typename Elements<double, K>::Out> values;
  t.plan.output().template for_each<3>(
      [&](std::ptrdiff_t at, const Index &) { values.push_back(t.out[at]); });
  return values;
}

/// Expects only exponents to change with a scale of a power of two.
template <Kind K, class... Shape> void expect_power_of_two(Options options, const Shape &...shape) {
  const auto plain = result<K>(options, shape...);
  options.scale = 0.125;
  const auto scaled = result<K>(options, shape...);
  ASSERT_EQ(plain.size(), scaled.size());
  double largest = 0;
  double worst = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    largest = std::max(largest, std::abs(plain[i]));
    worst = std::max(worst, std::abs(plain[i] * 0.125 - scaled[i]));
  }
  EXPECT_FALSE(test::everywhere(
      largest == 0)); // a rank may have one mode only, and this mode may not be retained
  EXPECT_EQ(worst, 0);
}

TEST(Scale, OfPrunedTransformsAndOfManyFields) {
  const Extents n{12, 10, 8};
  const Extents modes{8, 7, 6};
  Options options;
  options.effort = Effort::estimate;
  options.deterministic = true; // the same plan for all scales
  options.modes = modes;
  const std::span<const std::ptrdiff_t> grid(n);
  expect_power_of_two<Kind::r2c>(options, grid);
  expect_power_of_two<Kind::c2r>(options, grid);
  expect_power_of_two<Kind::c2c>(options, grid);
  const Layout points = layout(n, {1, ranks(), 1}, {});
  const Layout kept = layout({8, 7, 4}, {1, 1, ranks()}, {});
  expect_power_of_two<Kind::r2c>(options, points, kept);
  options.modes = {};
  options.howmany = 3;
  expect_power_of_two<Kind::c2c>(options, grid);
  Layout::Options separate;
  separate.howmany = 3;
  separate.fields = Fields::separate;
  expect_power_of_two<Kind::c2c>(options, Layout::grid(n, {ranks(), 1, 1}, separate),
                                 Layout::grid(n, {1, ranks(), 1}, separate));
}

/// Returns the error code of a plan call with these options. Stores the plan in *made, or destroys
/// it if `made` is null.
int code_with(const hfft_options &options, hfft_plan *made = nullptr) {
  const std::ptrdiff_t n[3] = {4, 4, 4};
  const auto size =
      static_cast<std::size_t>(hfft_local_size(3, n, MPI_COMM_WORLD, nullptr, nullptr));
  Buffer<std::complex<double>> a(size);
  hfft_plan plan =
      hfft_plan_slabs(HFFT_C2C, 3, n, a.data(), a.data(), MPI_COMM_WORLD, HFFT_FORWARD, &options);
  const int code = plan == nullptr ? hfft_last_error() : HFFT_SUCCESS;
  EXPECT_TRUE(test::same_everywhere(code));
  if (made != nullptr)
    *made = plan;
  else
    hfft_destroy_plan(plan);
  return code;
}

std::string last_message() { return hfft_last_error_message(); }

TEST(Options, BelongToAVersion) {
  hfft_options options = HFFT_OPTIONS_INIT;
  hfft_options by_function{};
  hfft_options_init(&by_function);
  EXPECT_EQ(by_function.size, options.size);
  EXPECT_EQ(by_function.scale, 1);
  EXPECT_EQ(by_function.howmany, 1);
  EXPECT_EQ(code_with(options), HFFT_SUCCESS);
  options.size = 0;
  EXPECT_EQ(code_with(options), HFFT_ERROR_ARGUMENT);
  EXPECT_NE(last_message().find("options.size is 0, expected " + std::to_string(sizeof(options))),
            std::string::npos);

  struct Later {
    hfft_options known = HFFT_OPTIONS_INIT;
    long long more = 0;
  } later;
  later.known.size = sizeof(later);
  EXPECT_EQ(code_with(later.known), HFFT_SUCCESS);
  later.more = 1;
  EXPECT_EQ(code_with(later.known), HFFT_ERROR_UNSUPPORTED);
}

TEST(Options, InvalidValues_AreRefused) {
  for (const double scale : {0.0, std::nan(""), HUGE_VAL}) {
    hfft_options options = HFFT_OPTIONS_INIT;
    options.scale = scale;
    EXPECT_EQ(code_with(options), HFFT_ERROR_ARGUMENT);
    EXPECT_NE(last_message().find("scale is "), std::string::npos);
  }
  hfft_options options = HFFT_OPTIONS_INIT;
  options.scale = rank_of(MPI_COMM_WORLD) + 1;
  EXPECT_EQ(code_with(options), ranks() > 1 ? HFFT_ERROR_MISMATCH : HFFT_SUCCESS);
  options = HFFT_OPTIONS_INIT;
  options.threads = -1;
  EXPECT_EQ(code_with(options), HFFT_ERROR_ARGUMENT);
  options = HFFT_OPTIONS_INIT;
  options.axes = &options.threads;
  EXPECT_EQ(code_with(options), HFFT_ERROR_ARGUMENT);
  options = HFFT_OPTIONS_INIT;
  options.time_limit = std::nan("");
  EXPECT_EQ(code_with(options), HFFT_ERROR_ARGUMENT);
  Options redistribution;
  redistribution.redistribute_only = true;
  redistribution.scale = 2;
  const Layout in = layout({4, 4, 4}, {ranks(), 1, 1}, {});
  try {
    Transform<double, Kind::c2c>(redistribution, in, in);
    ADD_FAILURE() << "a redistribution has no transform whose result could be scaled";
  } catch (const Error &e) {
    EXPECT_EQ(e.code(), HFFT_ERROR_UNSUPPORTED);
  }
}

TEST(Options, ThreadsOfOnePlan) {
  ASSERT_EQ(hfft_plan_with_nthreads(1), HFFT_SUCCESS);
  hfft_options options = HFFT_OPTIONS_INIT;
  options.flags = HFFT_ESTIMATE;
  for (const int threads : {3, 0}) {
    options.threads = threads;
    hfft_plan plan = nullptr;
    ASSERT_EQ(code_with(options, &plan), HFFT_SUCCESS);
    char *text = hfft_sprint_plan(plan);
    const std::string expected = " x " + std::to_string(threads == 0 ? 1 : threads) + " threads";
    EXPECT_NE(std::string(text).find(expected), std::string::npos) << text;
    std::free(text);
    hfft_destroy_plan(plan);
    EXPECT_EQ(hfft_planner_nthreads(), 1);
  }
  ASSERT_EQ(hfft_plan_with_nthreads(0), HFFT_SUCCESS);
}

/// Expects a wave to return after a forward and a backward transform with a scale.
void expect_there_and_back(const Options &options, std::span<const std::ptrdiff_t> n) {
  Options back = options;
  back.direction = Direction::backward;
  back.scale = 1.0 / static_cast<double>(n[0] * n[1] * n[2]);
  const LocalSizes sizes = local_sizes<double, Kind::c2c>(n, options);
  Buffer<std::complex<double>> u(sizes.allocate_in), v(sizes.allocate_out);
  Plan<double, Kind::c2c> forward(n, u, v, options), backward(n, v, u, back);
  forward.input().for_each<3>([&](std::ptrdiff_t at, const Index &j) { u[at] = number(j); });
  forward.execute();
  backward.execute();
  double worst = 0;
  forward.input().for_each<3>([&](std::ptrdiff_t at, const Index &j) {
    worst = std::max(worst, std::abs(u[at] - number(j)));
  });
  EXPECT_LT(worst, 1e-13); // a few 1e-16 times log2(1680)
}

hfft_error code_of(const std::function<void()> &f, const std::string &words) {
  try {
    f();
  } catch (const Error &e) {
    EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
    return e.code();
  }
  return HFFT_SUCCESS;
}

TEST(WorkSpace, IsSharedByPlans) {
  const Extents n{10, 14, 12};
  WorkSpace work;
  Options options;
  options.effort = Effort::estimate;
  options.nonblocking = true; // such plans have buffers between their steps
  options.work = &work;
  EXPECT_EQ(work.size(), 0U);
  expect_there_and_back(options, n);
  const std::size_t once = work.size();
  EXPECT_TRUE(ranks() == 1 || once > 0);
  expect_there_and_back(options, n);
  EXPECT_EQ(work.size(), once) << "the second pair needs no more than the first";

  // Plans between layouts, with separate fields and in single precision use the work space, too.
  Layout::Options separate;
  separate.howmany = 3;
  separate.fields = Fields::separate;
  Transform<float, Kind::c2c> fields(options, Layout::grid(n, {ranks(), 1, 1}, separate),
                                     Layout::grid(n, {1, ranks(), 1}, separate));
  fields.plan.execute();
  Transform<double, Kind::r2c> pencils(options, layout(n, {1, ranks(), 1}, {}),
                                       layout({10, 14, 7}, {1, 1, ranks()}, {}));
  expect_scaled_sums(pencils, n, -1, 1);
  EXPECT_EQ(hfft_plan_work_size(pencils.plan.handle()) <= work.size(), true);
}

TEST(WorkSpace, IsTheUsers) {
  const Extents n{10, 14, 12};
  WorkSpace work;
  Options options;
  options.effort = Effort::estimate;
  options.nonblocking = true;
  options.work = &work;
  Transform<double, Kind::c2c> t(options, std::span<const std::ptrdiff_t>(n));
  const std::size_t bytes = std::max<std::size_t>(work.size(), 64);
  Buffer<std::complex<double>> memory(bytes / 16 + 1024);
  std::byte *begin = reinterpret_cast<std::byte *>(memory.data());
  EXPECT_EQ(code_of(
                [&] {
                  work.give({begin + 16, bytes});
                },
                "expected a multiple"),
            HFFT_ERROR_ARGUMENT);
  if (work.size() > 0) {
    EXPECT_EQ(code_of(
                  [&] {
                    work.give({begin, work.size() - 1});
                  },
                  "expected " + std::to_string(work.size()) + " or more"),
              HFFT_ERROR_ARGUMENT);
  }
  expect_scaled_sums(t, n, -1, 1); // refused calls have changed nothing
  work.give({begin, bytes});
  expect_scaled_sums(t, n, -1, 1);
  if (work.size() > 0) { // the plan's buffers are in the user's memory
    double sum = 0;
    for (std::size_t i = 0; i < bytes / 16; ++i)
      sum += std::abs(memory[i]);
    EXPECT_GT(sum, 0);
  }
  // A larger problem does not fit into the user's memory: the plan fails on all ranks.
  const Extents larger{40, 42, 48};
  const auto larger_plan = [&] {
    Transform<double, Kind::c2c>(options, std::span<const std::ptrdiff_t>(larger));
  };
  EXPECT_EQ(code_of(larger_plan, "the work space has "),
            ranks() > 1 ? HFFT_ERROR_ARGUMENT : HFFT_SUCCESS);
  expect_there_and_back(options, n);
  work.give({});
  expect_scaled_sums(t, n, -1, 1);
}

TEST(WorkSpace, StartedExecution_WorkSpace_IsInUse) {
  const Extents n{10, 14, 12};
  WorkSpace work;
  Options options;
  options.effort = Effort::estimate;
  options.nonblocking = true;
  options.work = &work;
  Transform<double, Kind::c2c> one(options, std::span<const std::ptrdiff_t>(n));
  Transform<double, Kind::c2c> other(options, std::span<const std::ptrdiff_t>(n));
  const std::string words = "used by an execution of another plan";
  one.plan.start();
  EXPECT_EQ(code_of([&] { other.plan.execute(); }, words), HFFT_ERROR_ARGUMENT);
  EXPECT_EQ(code_of([&] { other.plan.start(); }, words), HFFT_ERROR_ARGUMENT);
  EXPECT_EQ(code_of([&] { work.give({}); }, words), HFFT_ERROR_ARGUMENT);
  const auto third = [&] {
    Transform<double, Kind::c2c>(options, std::span<const std::ptrdiff_t>(n));
  };
  EXPECT_EQ(code_of(third, words), HFFT_ERROR_ARGUMENT);
  one.plan.wait();
  expect_scaled_sums(other, n, -1, 1);
  // Plans keep their work space, even after its handle is destroyed. Either all ranks pass a work
  // space or none does.
  hfft_work handle = hfft_work_create();
  hfft_options c_options = HFFT_OPTIONS_INIT;
  c_options.work = handle;
  hfft_plan plan = nullptr;
  EXPECT_EQ(code_with(c_options, &plan), HFFT_SUCCESS);
  hfft_work_destroy(handle);
  hfft_destroy_plan(plan);
  handle = hfft_work_create();
  c_options.work = rank_of(MPI_COMM_WORLD) == 0 ? handle : nullptr;
  EXPECT_EQ(code_with(c_options), ranks() > 1 ? HFFT_ERROR_MISMATCH : HFFT_SUCCESS);
  hfft_work_destroy(handle);
  EXPECT_EQ(hfft_work_set_memory(nullptr, nullptr, 0), HFFT_ERROR_NULL_POINTER);
}

/// The machine file of rank 0 counts on all ranks; other ranks need not have one.
TEST(MachineFile, FileOfRank0_AppliesToAllRanks) {
  const test::ScratchDirectory scratch(MPI_COMM_WORLD);
  const Extents n{12, 10, 14};
  Options options;
  options.effort = Effort::estimate;
  const auto plan_with = [&](const std::string &text, const std::string &words) {
    const bool first = rank_of(MPI_COMM_WORLD) == 0;
    const std::string file = first ? scratch.file("machine") : "none here";
    if (first) std::ofstream(file) << text;
    const test::Variable machine("HFFT_MACHINE", file);
    return code_of(
        [&] {
          Transform<double, Kind::c2c> t(options, std::span<const std::ptrdiff_t>(n));
          expect_scaled_sums(t, n, -1, 1);
        },
        words);
  };
  EXPECT_EQ(plan_with("far_latency = 1e-3 # s\n\nnetwork_bandwidth = 1e8\n", ""), HFFT_SUCCESS);
  EXPECT_EQ(plan_with("speed = 1\n", "line 1: found 'speed = 1', expected 'name = value'"),
            HFFT_ERROR_ENVIRONMENT);
  EXPECT_EQ(plan_with("cores = 4\nsimd_rate = -1\n", "line 2: simd_rate is '-1', expected"),
            HFFT_ERROR_ENVIRONMENT);
}

} // namespace
} // namespace hybridfft
