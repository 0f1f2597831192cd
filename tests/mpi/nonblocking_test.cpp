/// Tests executions in the background: several at once, started in the same order on all ranks,
/// with waits in any order. They must give the bits of plain executions, and misuse must be an
/// error.

#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hybridfft/hybridfft.hpp"
#include "support/mpi_test.h"
#include "verifier/hash.h"

namespace hybridfft {
namespace {

using Extents = std::array<std::ptrdiff_t, 3>;

/// A plan with its arrays, for any type of transform.
class Job {
public:
  virtual ~Job() = default;
  virtual void fill(std::uint64_t seed) = 0;
  virtual void execute() = 0;
  virtual void start() = 0;
  virtual bool test() = 0;
  virtual void wait() = 0;
  virtual std::vector<std::byte> result() const = 0;
};

template <class Real, Kind K> class JobOf final : public Job {
  using In = typename Elements<Real, K>::In;
  using Out = typename Elements<Real, K>::Out;

public:
  JobOf(const Extents &n, Options options, bool nonblocking = true) {
    options.comm = test::world();
    options.nonblocking = nonblocking;
    options.effort = Effort::estimate;
    allocate(local_sizes<Real, K>(n, options));
    plan_ = Plan<Real, K>(n, in_, out_, options);
  }
  JobOf(const Layout &in, const Layout &out, Options options, bool nonblocking = true) {
    options.comm = test::world();
    options.nonblocking = nonblocking;
    options.effort = Effort::estimate;
    allocate(local_sizes<Real, K>(in, out, options));
    plan_ = Plan<Real, K>(in, out, in_, out_, options);
  }

  void fill(std::uint64_t seed) override {
    std::memset(static_cast<void *>(in_.data()), 0, in_.size() * sizeof(In));
    plan_.input().template for_each<3>([&](std::ptrdiff_t at, const Extents &i) {
      // Fields of a point have different values, because they differ in `at`.
      const auto key = static_cast<std::uint64_t>(((i[0] * 1009 + i[1]) * 1009 + i[2]) * 1009 + at);
      in_[at] = static_cast<Real>(static_cast<double>(verifier::mix(seed, key)) * 0x1p-63 - 1);
    });
  }
  std::string describe() const { return plan_.describe(); }
  void execute() override { plan_.execute(); }
  void start() override { plan_.start(); }
  bool test() override { return plan_.test(); }
  void wait() override { plan_.wait(); }
  std::vector<std::byte> result() const override {
    std::vector<std::byte> bytes;
    plan_.output().template for_each<3>([&](std::ptrdiff_t at, const Extents &) {
      const auto *p = reinterpret_cast<const std::byte *>(out_.data() + at);
      bytes.insert(bytes.end(), p, p + sizeof(Out));
    });
    return bytes;
  }

private:
  void allocate(const LocalSizes &sizes) {
    in_ = Buffer<In>(sizes.allocate_in);
    out_ = Buffer<Out>(sizes.allocate_out);
  }

  Buffer<In> in_;
  Buffer<Out> out_;
  Plan<Real, K> plan_;
};

/// Factors the number of ranks into a process grid, 1 x p x q or 2 x 2 x 2.
std::array<int, 3> brick() {
  const int ranks = test::size_of(test::world());
  if (ranks == 8) return {2, 2, 2};
  for (int p = 2; p * p <= ranks; ++p)
    if (ranks % p == 0) return {1, p, ranks / p};
  return {1, 1, ranks};
}

/// points() returns pencils along n2, spectrum() pencils along n0, both on a two-dimensional
/// process grid. bricks() divides all axes.
Layout points(const Extents &n, const Layout::Options &options = {}) {
  const auto p = brick();
  return Layout::grid(n, {p[0] * p[1], p[2], 1}, options);
}
Layout spectrum(const Extents &n, const Layout::Options &options = {}) {
  const auto p = brick();
  return Layout::grid(n, {1, p[0] * p[1], p[2]}, options);
}
Layout bricks(const Extents &n, const Layout::Options &options = {}) {
  const auto p = brick();
  return Layout::grid(n, {p[0], p[1], p[2]}, options);
}
/// Returns the boxes of bricks(), assigned to the ranks in reverse order.
Layout mirrored(const Extents &n) {
  const Layout forward = bricks(n);
  std::vector<IndexBox> boxes;
  for (int r = forward.ranks(); r-- > 0;)
    boxes.push_back(forward.box(r));
  return Layout::boxes(n, boxes);
}

/// Makes plans between slabs. Plans between other layouts are in the middle of the list.
std::vector<std::unique_ptr<Job>> jobs() {
  std::vector<std::unique_ptr<Job>> list;
  const auto add = [&]<class Real, Kind K>(const Extents &n, const Options &options) {
    list.push_back(std::make_unique<JobOf<Real, K>>(n, options));
  };
  // The same problem twice: only the order of the starts distinguishes their messages.
  add.operator()<double, Kind::c2c>({12, 10, 6}, {.comm = test::world()});
  add.operator()<double, Kind::c2c>({12, 10, 6}, {.comm = test::world()});
  add.operator()<double, Kind::c2c>({12, 10, 6}, {.comm = test::world(), .transposed_out = true});
  add.operator()<float, Kind::r2c>({9, 17, 8}, {.comm = test::world()});
  add.operator()<double, Kind::c2r>({7, 5, 10}, {.comm = test::world(), .transposed_in = true});
  add.operator()<float, Kind::c2c>({1, 8, 4}, {.comm = test::world(), .wire = Wire::bfloat16});
  // Messages above the eager limit of MPI libraries.
  add.operator()<float, Kind::c2c>({64, 64, 32}, {.comm = test::world()});
  const auto between = [&]<class Real, Kind K>(const Layout &in, const Layout &out,
                                               const Options &options = {.comm = test::world()}) {
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(list.size() / 2),
                std::make_unique<JobOf<Real, K>>(in, out, options));
  };
  between.operator()<double, Kind::c2c>(points({12, 10, 6}), spectrum({12, 10, 6}));
  between.operator()<double, Kind::c2c>(points({12, 10, 6}), spectrum({12, 10, 6}));
  between.operator()<float, Kind::r2c>(points({9, 17, 8}), spectrum({9, 17, 5}));
  between.operator()<double, Kind::c2r>(spectrum({7, 5, 6}), points({7, 5, 10}));
  between.operator()<double, Kind::c2c>(bricks({12, 10, 6}), mirrored({12, 10, 6}));
  between.operator()<float, Kind::r2c>(bricks({9, 7, 8}), bricks({9, 7, 5}));
  between.operator()<double, Kind::c2c>(bricks({9, 7, 8}), mirrored({9, 7, 8}),
                                        {.comm = test::world(), .redistribute_only = true});
  between.operator()<float, Kind::c2c>(points({64, 64, 32}), spectrum({64, 64, 32}));
  // Fields that are transformed one after another, each with its own messages.
  const Layout::Options fields{{}, {}, 3, Fields::separate};
  between.operator()<double, Kind::c2c>(points({66, 64, 32}, fields), bricks({66, 64, 32}, fields));
  return list;
}

/// Returns the results of plain executions.
std::vector<std::vector<std::byte>> expected(const std::vector<std::unique_ptr<Job>> &all,
                                             std::uint64_t seed) {
  std::vector<std::vector<std::byte>> results;
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i]->fill(seed + i);
    all[i]->execute();
    results.push_back(all[i]->result());
    all[i]->fill(seed + i);
  }
  return results;
}

/// Starts all jobs, calls `meanwhile`, then waits for them in another order on each rank: results
/// must have the bits of execute().
void expect_bits_with(const std::function<void(std::vector<std::unique_ptr<Job>> &)> &meanwhile) {
  std::vector<std::unique_ptr<Job>> all = jobs();
  for (std::uint64_t round = 0; round < 2; ++round) {
    const auto results = expected(all, 100 * round);
    for (const auto &job : all)
      job->start();
    meanwhile(all);
    const auto rank = static_cast<std::size_t>(test::rank_of(test::world()));
    for (std::size_t i = 0; i < all.size(); ++i)
      all[(i + rank) % all.size()]->wait();
    for (std::size_t i = 0; i < all.size(); ++i)
      EXPECT_TRUE(all[i]->result() == results[i]) << "job " << i << " round " << round;
  }
}

TEST(Nonblocking, SeveralAtOnceWithoutProgress) {
  expect_bits_with([](auto &) {});
}

TEST(Nonblocking, TestAloneGetsThemDone) {
  expect_bits_with([](auto &all) {
    const std::size_t first = static_cast<std::size_t>(test::rank_of(test::world())) % all.size();
    for (bool done = false; !done;) {
      done = true;
      for (std::size_t i = 0; i < all.size(); ++i)
        done = all[(i + first) % all.size()]->test() && done;
    }
  });
}

TEST(Nonblocking, OtherCallsInBetween) {
  JobOf<double, Kind::c2c> other({10, 6, 4}, {.comm = test::world()});
  other.fill(5);
  other.execute();
  const auto once = other.result();
  expect_bits_with([&](auto &all) {
    all.front()->test();
    other.fill(5);
    other.execute();
    EXPECT_TRUE(other.result() == once);
    EXPECT_TRUE(test::everywhere(true));
    all.back()->test();
  });
}

hfft_error code_of(const std::function<void()> &f) {
  try {
    f();
  } catch (const Error &e) {
    return e.code();
  }
  return HFFT_SUCCESS;
}

TEST(Nonblocking, MisuseIsAnError) {
  JobOf<double, Kind::c2c> job({12, 10, 6}, {.comm = test::world()});
  job.fill(1);
  EXPECT_EQ(code_of([&] { job.wait(); }), HFFT_ERROR_ARGUMENT);
  EXPECT_EQ(code_of([&] { job.test(); }), HFFT_ERROR_ARGUMENT);
  job.start();
  EXPECT_EQ(code_of([&] { job.start(); }), HFFT_ERROR_ARGUMENT);
  EXPECT_EQ(code_of([&] { job.execute(); }), HFFT_ERROR_ARGUMENT);
  EXPECT_NE(std::string(hfft_last_error_message()).find("not been waited for"), std::string::npos);
  job.wait();
  EXPECT_EQ(code_of([&] { job.wait(); }), HFFT_ERROR_ARGUMENT);
  job.execute();
  EXPECT_EQ(hfft_plan_under_way(nullptr), 0);
}

TEST(Nonblocking, PlansUnderWayAreNotDestroyed) {
  const std::ptrdiff_t size = hfft_local_size_3d(8, 6, 4, test::world(), nullptr, nullptr);
  Buffer<std::complex<double>> a(static_cast<std::size_t>(size));
  auto *raw = reinterpret_cast<hfft_complex *>(a.data());
  const hfft_plan plan = hfft_plan_dft_3d(8, 6, 4, raw, raw, test::world(), HFFT_FORWARD,
                                          HFFT_ESTIMATE | HFFT_NONBLOCKING);
  ASSERT_NE(plan, nullptr) << hfft_last_error_message();
  EXPECT_EQ(hfft_execute_start_dft(plan, raw, raw), HFFT_SUCCESS);
  EXPECT_EQ(hfft_plan_under_way(plan), 1);
  hfft_destroy_plan(plan);
  EXPECT_EQ(hfft_last_error(), HFFT_ERROR_ARGUMENT);
  EXPECT_NE(std::string(hfft_last_error_message()).find("under way"), std::string::npos);
  EXPECT_EQ(hfft_execute_wait(plan), HFFT_SUCCESS);
  EXPECT_EQ(hfft_plan_under_way(plan), 0);
  hfft_destroy_plan(plan);
}

/// In C++ the destructor of a plan waits for its execution.
TEST(Nonblocking, TheEndOfAPlanWaitsForIt) {
  for (int i = 0; i < 3; ++i) {
    JobOf<double, Kind::c2c> job({12, 10, 6}, {.comm = test::world()});
    job.fill(1);
    job.start();
  }
  JobOf<double, Kind::c2c> after({12, 10, 6}, {.comm = test::world()});
  after.fill(1);
  after.execute();
}

/// One rank waits for a plan at once, the others after hundreds of executions of another plan.
TEST(Nonblocking, SomeWaitManyExecutionsLater) {
  JobOf<double, Kind::c2c> held({4, 3, 2}, {.comm = test::world()});
  JobOf<double, Kind::c2c> many({4, 3, 2}, {.comm = test::world()});
  held.fill(1);
  held.execute();
  const std::vector<std::byte> expected = held.result();
  held.fill(1);
  many.fill(2);
  held.start();
  if (test::rank_of(test::world()) == 0) held.wait();
  for (int i = 0; i < 600; ++i) {
    many.start();
    many.wait();
  }
  if (test::rank_of(test::world()) != 0) held.wait();
  EXPECT_EQ(held.result(), expected);
}

/// The last rank starts only after the others have returned from start(): so start() waits for no
/// other rank.
template <Kind K> void expect_return(JobOf<double, K> job) {
  const int last = test::size_of(test::world()) - 1;
  job.fill(3);
  char token = 0;
  if (test::rank_of(test::world()) == last) {
    for (int r = 0; r < last; ++r)
      MPI_Recv(&token, 1, MPI_CHAR, r, 0, test::world(), MPI_STATUS_IGNORE);
    job.start();
  } else {
    job.start();
    job.test();
    MPI_Send(&token, 1, MPI_CHAR, last, 0, test::world());
  }
  job.wait();
}

TEST(Nonblocking, StartReturnsBeforeOthersBegin) {
  const Extents n{24, 20, 16};
  const Layout::Options fields{{}, {}, 3, Fields::separate};
  for (const char *exchange : {"", "shared", "pipelined"}) {
    setenv("HFFT_EXCHANGE", exchange, 1);
    expect_return(JobOf<double, Kind::c2c>(n, {.comm = test::world()}));
    expect_return(JobOf<double, Kind::c2c>(points(n), spectrum(n), {}));
    expect_return(JobOf<double, Kind::c2c>(bricks(n), bricks(n), {}));
    expect_return(
        JobOf<double, Kind::r2c>(points({66, 64, 64}, fields), spectrum({66, 64, 33}, fields), {}));
  }
  unsetenv("HFFT_EXCHANGE");
  if (test::size_of(test::world()) > 1) {
    JobOf<double, Kind::r2c> job(points({66, 64, 64}, fields), spectrum({66, 64, 33}, fields), {});
    EXPECT_NE(job.describe().find("other fields"), std::string::npos);
  }
}

/// Expects start() to accept plans without HFFT_NONBLOCKING, and arrays other than the plan's.
template <class Make> void expect_start_of_any_plan(const Make &make) {
  const Extents n{8, 6, 4};
  for (const char *exchange :
       {"alltoallv", "shared", "pairwise", "pipelined", "eager", "datatypes", "fftw"}) {
    setenv("HFFT_EXCHANGE", exchange, 1);
    Options options{.comm = test::world()};
    options.effort = Effort::estimate;
    Buffer<std::complex<float>> in(8 * 6 * 4);
    Buffer<std::complex<float>> out(8 * 6 * 4);
    Buffer<std::complex<float>> other(8 * 6 * 4);
    Plan<float, Kind::c2c> plan = make(n, in.span(), out.span(), options);
    plan.input().for_each<3>([&](std::ptrdiff_t at, const Extents &i) {
      in[at] = {static_cast<float>(i[0] - i[2]), static_cast<float>(i[1] % 3)};
    });
    plan.execute();
    plan.start(in, other);
    EXPECT_TRUE(plan.under_way());
    plan.wait();
    for (std::ptrdiff_t i = 0; i < plan.output().size(); ++i)
      EXPECT_EQ(other[i], out[i]) << exchange;
    unsetenv("HFFT_EXCHANGE");
  }
}

TEST(Nonblocking, AnyPlanCanBeStarted) {
  using ComplexPlan = Plan<float, Kind::c2c>;
  expect_start_of_any_plan([](const Extents &n, auto in, auto out, const Options &options) {
    return ComplexPlan(n, in, out, options);
  });
  expect_start_of_any_plan([](const Extents &n, auto in, auto out, const Options &options) {
    return ComplexPlan(points(n), spectrum(n), in, out, options);
  });
  expect_start_of_any_plan([](const Extents &n, auto in, auto out, const Options &options) {
    return ComplexPlan(bricks(n), mirrored(n), in, out, options);
  });
}

/// Tests two plans whose messages need progress, `first` and `last`, and between them the plan
/// `waiting`, which blocks in start(). Each rank waits for `first` before the start of `waiting`,
/// after it, or at the end.
void expect_any_order(Job &first, Job &waiting, Job &last) {
  const std::array<Job *, 3> all{&first, &waiting, &last};
  std::vector<std::vector<std::byte>> results;
  for (Job *job : all) {
    job->fill(7);
    job->execute();
    results.push_back(job->result());
  }
  for (int round = 0; round < 3; ++round) {
    for (Job *job : all)
      job->fill(7);
    const int when = (test::rank_of(test::world()) + round) % 3;
    first.start();
    if (when == 0) first.wait();
    waiting.start();
    if (when == 0) waiting.wait();
    if (when == 1) first.wait();
    last.start();
    last.wait();
    if (when == 2) first.wait();
    if (when != 0) waiting.wait();
    for (std::size_t i = 0; i < all.size(); ++i)
      EXPECT_TRUE(all[i]->result() == results[i]) << "job " << i << ", round " << round;
  }
}

TEST(Nonblocking, StartedPlans_BesideBlockingOnes_Complete) {
  const Extents large{48, 32, 32};
  const Extents n{24, 20, 16};
  JobOf<double, Kind::c2c> slabs(large, {});
  JobOf<float, Kind::c2c> layouts(points(large), spectrum(large), {});
  for (const char *exchange : {"alltoallv", "shared", "pipelined"}) {
    setenv("HFFT_EXCHANGE", exchange, 1);
    JobOf<double, Kind::c2c> plain(n, {}, false);
    expect_any_order(slabs, plain, layouts);
    JobOf<double, Kind::c2c> between(bricks(n), mirrored(n), {}, false);
    expect_any_order(layouts, between, slabs);
    unsetenv("HFFT_EXCHANGE");
  }
}

} // namespace
} // namespace hybridfft
