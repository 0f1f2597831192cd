/// Executions in the background: several at once, in the same order on all ranks and waited for in
/// any, give the bits of plain executions; misuse is an error.

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
#include "support/verify/hash.h"

namespace hybridfft {
namespace {

using Extents = std::array<std::ptrdiff_t, 3>;

/// A plan with its arrays, whatever its type.
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
  JobOf(const Extents &n, Options options) {
    options.nonblocking = true;
    options.effort = Effort::estimate;
    const LocalSizes sizes = local_sizes<Real, K>(n, options);
    in_ = Buffer<In>(sizes.allocate_in);
    out_ = Buffer<Out>(sizes.allocate_out);
    plan_ = Plan<Real, K>(n, in_, out_, options);
  }

  void fill(std::uint64_t seed) override {
    std::memset(static_cast<void *>(in_.data()), 0, in_.size() * sizeof(In));
    plan_.input().template for_each<3>([&](std::ptrdiff_t at, const Extents &i) {
      const auto key = static_cast<std::uint64_t>((i[0] * 1009 + i[1]) * 1009 + i[2]);
      in_[at] = static_cast<Real>(static_cast<double>(verifier::mix(seed, key)) * 0x1p-63 - 1);
    });
  }
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
  Buffer<In> in_;
  Buffer<Out> out_;
  Plan<Real, K> plan_;
};

std::vector<std::unique_ptr<Job>> jobs() {
  std::vector<std::unique_ptr<Job>> list;
  const auto add = [&]<class Real, Kind K>(const Extents &n, const Options &options) {
    list.push_back(std::make_unique<JobOf<Real, K>>(n, options));
  };
  // The same problem twice: only the order of the starts tells their messages apart.
  add.operator()<double, Kind::c2c>({12, 10, 6}, {});
  add.operator()<double, Kind::c2c>({12, 10, 6}, {});
  add.operator()<double, Kind::c2c>({12, 10, 6}, {.transposed_out = true});
  add.operator()<float, Kind::r2c>({9, 17, 8}, {});
  add.operator()<double, Kind::c2r>({7, 5, 10}, {.transposed_in = true});
  add.operator()<float, Kind::c2c>({1, 8, 4}, {.wire = Wire::bfloat16});
  // Messages above the limit of what MPI libraries send without asking.
  add.operator()<float, Kind::c2c>({64, 64, 32}, {});
  return list;
}

/// What plain executions give.
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

/// Waits in another order on each rank: how does it begin?
void expect_bits_with(const std::function<void(std::vector<std::unique_ptr<Job>> &)> &meanwhile) {
  std::vector<std::unique_ptr<Job>> all = jobs();
  for (std::uint64_t round = 0; round < 2; ++round) {
    const auto results = expected(all, 100 * round);
    for (const auto &job : all)
      job->start();
    meanwhile(all);
    const auto rank = static_cast<std::size_t>(test::rank_of(MPI_COMM_WORLD));
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
    const std::size_t first = static_cast<std::size_t>(test::rank_of(MPI_COMM_WORLD)) % all.size();
    for (bool done = false; !done;) {
      done = true;
      for (std::size_t i = 0; i < all.size(); ++i)
        done = all[(i + first) % all.size()]->test() && done;
    }
  });
}

TEST(Nonblocking, OtherCallsInBetween) {
  JobOf<double, Kind::c2c> other({10, 6, 4}, {});
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
  JobOf<double, Kind::c2c> job({12, 10, 6}, {});
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
  EXPECT_EQ(hfft_execute_start(nullptr), HFFT_ERROR_NULL_POINTER);
  EXPECT_EQ(hfft_execute_wait(nullptr), HFFT_ERROR_NULL_POINTER);
  EXPECT_EQ(hfftf_execute_test(nullptr, nullptr), HFFT_ERROR_NULL_POINTER);
  EXPECT_EQ(hfft_plan_under_way(nullptr), 0);
}

TEST(Nonblocking, PlansUnderWayAreNotDestroyed) {
  const std::ptrdiff_t size = hfft_local_size_3d(8, 6, 4, MPI_COMM_WORLD, nullptr, nullptr);
  Buffer<std::complex<double>> a(static_cast<std::size_t>(size));
  auto *raw = reinterpret_cast<hfft_complex *>(a.data());
  const hfft_plan plan = hfft_plan_dft_3d(8, 6, 4, raw, raw, MPI_COMM_WORLD, HFFT_FORWARD,
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

/// In C++ the end of a plan waits.
TEST(Nonblocking, TheEndOfAPlanWaitsForIt) {
  for (int i = 0; i < 3; ++i) {
    JobOf<double, Kind::c2c> job({12, 10, 6}, {});
    job.fill(1);
    job.start();
  }
  JobOf<double, Kind::c2c> after({12, 10, 6}, {});
  after.fill(1);
  after.execute();
}

/// Five hundred numbers tell executions apart, and one more is refused before it could be mistaken.
/// Alone, as messages have no part in it.
TEST(Nonblocking, NumbersAreNotUsedTwiceAtOnce) {
  JobOf<double, Kind::c2c> held({4, 3, 2}, {.comm = MPI_COMM_SELF});
  JobOf<double, Kind::c2c> many({4, 3, 2}, {.comm = MPI_COMM_SELF});
  held.fill(1);
  many.fill(2);
  for (int round = 0; round < 2; ++round) {
    held.start();
    for (int i = 1; i < 500; ++i) {
      many.start();
      many.wait();
    }
    EXPECT_EQ(code_of([&] { many.start(); }), HFFT_ERROR_ARGUMENT);
    held.wait();
    many.start();
    many.wait();
  }
}

/// Plans that were not asked for it, and arrays of the user's.
TEST(Nonblocking, AnyPlanCanBeStarted) {
  for (const char *exchange :
       {"alltoallv", "shared", "pairwise", "pipelined", "eager", "datatypes", "fftw"}) {
    setenv("HFFT_EXCHANGE", exchange, 1);
    Options options;
    options.effort = Effort::estimate;
    const Extents n{8, 6, 4};
    const LocalSizes sizes = local_sizes<float, Kind::c2c>(n, options);
    Buffer<std::complex<float>> in(sizes.allocate_in);
    Buffer<std::complex<float>> out(sizes.allocate_out);
    Buffer<std::complex<float>> other(sizes.allocate_out);
    Plan<float, Kind::c2c> plan(n, in, out, options);
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

} // namespace
} // namespace hybridfft
