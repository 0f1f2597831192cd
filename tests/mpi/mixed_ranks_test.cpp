/// Tests ranks with different instruction sets and different environments: they must choose the
/// same plan, with features that all ranks have.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <numbers>
#include <string>
#include <vector>

#include "base/binding.h"
#include "hybridfft/hybridfft.hpp"
#include "hybridfft/operators.hpp"
#include "plan/machine.h"
#include "simd/transpose.h"
#include "support/mpi_test.h"
#include "verifier/verify.h"
#include "verifier/verify_layouts.h"

namespace hybridfft {
namespace {

/// Gives the ranks of MPI_COMM_WORLD different instruction sets in turn: scalar, AVX2, the best.
/// Runs before main(), because the library reads the variable only once.
const bool sets_differ = [] {
  const char *rank = std::getenv("OMPI_COMM_WORLD_RANK");
  if (rank == nullptr) rank = std::getenv("PMI_RANK");
  if (rank == nullptr) return false;
  const int which = std::atoi(rank) % 3;
  if (which == 0) setenv("HFFT_SIMD", "scalar", 1);
  if (which == 1 && simd::supported(simd::find("avx2"))) setenv("HFFT_SIMD", "avx2", 1);
  return true;
}();

/// Tests with all ranks in order, all ranks in reverse, and only the ranks with AVX2.
class MixedRanks : public ::testing::Test {
protected:
  MixedRanks() {
    const int rank = test::rank_of(MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed_);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 3 != 0 ? 0 : 1, rank, &alike_);
  }
  ~MixedRanks() override {
    MPI_Comm_free(&reversed_);
    MPI_Comm_free(&alike_);
  }
  MPI_Comm reversed_ = MPI_COMM_NULL;
  MPI_Comm alike_ = MPI_COMM_NULL;
};

/// Sets an environment variable of the calling rank, or removes it if the value is empty, until the
/// object is destroyed.
class Variable {
public:
  Variable(const char *name, const std::string &value) : name_(name) {
    const char *before = std::getenv(name);
    if (before != nullptr) before_ = before;
    if (value.empty())
      unsetenv(name);
    else
      setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (before_.empty())
      unsetenv(name_);
    else
      setenv(name_, before_.c_str(), 1);
  }
  Variable(const Variable &) = delete;
  Variable &operator=(const Variable &) = delete;

private:
  const char *name_;
  std::string before_;
};

void expect_right(const char *problem, MPI_Comm comm, Effort effort) {
  const auto report = verifier::verify(verifier::parse(problem), comm, {.effort = effort});
  EXPECT_TRUE(report.passed()) << problem << "\n" << report.failures();
}

void expect_right_between_layouts(const char *problem, Effort effort) {
  const auto report =
      verifier::verify(verifier::parse_layout_problem(problem), MPI_COMM_WORLD, {.effort = effort});
  EXPECT_TRUE(report.passed()) << problem << "\n" << report.failures();
}

TEST_F(MixedRanks, PlansAreRight) {
  ASSERT_TRUE(sets_differ);
  for (MPI_Comm comm : {MPI_COMM_WORLD, reversed_, alike_}) {
    expect_right("of16x12x20", comm, Effort::estimate);
    expect_right("sor]13x9x14@2", comm, Effort::measure);
    hfft_forget_wisdom();
  }
  expect_right("ib8x31x10", MPI_COMM_WORLD, Effort::measure);
  expect_right("of16x12x20", MPI_COMM_WORLD, Effort::patient);
  expect_right("ib8x12x10", alike_, Effort::patient);
  hfft_forget_wisdom();
}

TEST_F(MixedRanks, PlansBetweenLayoutsAreRight) {
  for (const Effort effort : {Effort::estimate, Effort::measure}) {
    expect_right_between_layouts("of16x12x20:0.1.2:0/3.1.2>2.1/3.0", effort);
    expect_right_between_layouts("ofr9x12x14:0.1.2:1/3.0.2>0/3.2.1", effort);
    expect_right_between_layouts("sob10x12x6*v2:0.2:2/3.1.0>1/3.0.2s", effort);
    hfft_forget_wisdom();
  }
}

/// The tiles of in-place exchanges are the same on all ranks, whatever their numbers of threads.
TEST_F(MixedRanks, ThreadsDifferInPlace) {
  setenv("HFFT_EXCHANGE", "swap", 1);
  const std::string threads = std::to_string(test::rank_of(MPI_COMM_WORLD) + 1);
  expect_right(("if300x300@" + threads).c_str(), MPI_COMM_WORLD, Effort::estimate);
  unsetenv("HFFT_EXCHANGE");
}

TEST_F(MixedRanks, SomeHaveThreadsOfTheEnvironment) {
  const bool mine = test::rank_of(MPI_COMM_WORLD) == 0;
  const Variable threads("OMP_NUM_THREADS", mine ? "2" : "");
  EXPECT_GE(default_threads(MPI_COMM_WORLD), 1);
}

bool everywhere() { return true; }
bool nowhere() { return false; }

/// Two kinds of processors. Each prefers an instruction set that the other kind lacks, so all ranks
/// must use the best of their common sets.
TEST_F(MixedRanks, DisjointSets_CommonSetIsChosen) {
  const bool odd = test::rank_of(MPI_COMM_WORLD) % 2 != 0;
  const auto only = [odd](bool odd_ones) { return odd == odd_ones ? everywhere : nowhere; };
  const auto set = [](const char *name, int preference, bool (*supported)()) {
    return simd::InstructionSet{name, preference, supported, nullptr, nullptr};
  };
  const simd::InstructionSet plain = set("plain", 0, everywhere),
                             wide = set("wide", 30, only(true)),
                             shared = set("shared", 10, everywhere),
                             scalable = set("scalable", 20, only(false));
  const std::array<simd::Isa, 4> sets{&plain, &wide, &shared, &scalable};
  const auto agreed = [&](simd::Isa mine) {
    plan::CommonIsa common(sets);
    Agreement agreement(MPI_COMM_WORLD);
    agreement.reach([&] { common.join(agreement, mine); });
    return common.isa();
  };
  const simd::Isa mine = simd::select(sets, {});
  EXPECT_EQ(mine, odd ? &wide : &scalable);
  const bool alone = test::size_of(MPI_COMM_WORLD) == 1;
  EXPECT_EQ(agreed(mine), alone ? &scalable : &shared);
  // One rank uses scalar instructions, so that all ranks have only these in common.
  EXPECT_EQ(agreed(test::rank_of(MPI_COMM_WORLD) == 0 ? &plain : mine), &plain);
}

TEST_F(MixedRanks, Description_NamesTheInstructions) {
  using Transform = Plan<double, Kind::c2c>;
  const std::vector<std::ptrdiff_t> n{16, 12, 20};
  const int ranks = test::size_of(MPI_COMM_WORLD);
  const Layout rows = Layout::grid(n, {ranks, 1, 1});
  const Layout columns = Layout::grid(n, {1, 1, ranks});
  Buffer<std::complex<double>> in(16 * 12 * 20);
  Buffer<std::complex<double>> out(16 * 12 * 20);
  const Options options{.effort = Effort::estimate};
  const bool has_better = simd::active() != simd::find("scalar");
  for (const Transform &plan :
       {Transform(n, in, out, options), Transform(rows, columns, in, out, options)})
    EXPECT_EQ(plan.describe().find("kernels for scalar") != std::string::npos, has_better)
        << plan.describe();
}

/// Wisdom contains the processor names of all ranks, because wisdom files may come from many
/// machines.
TEST_F(MixedRanks, WisdomIsOfAllRanks) {
  const Variable free("HFFT_THREADS", "fewer"); // measurements with `all` are stored apart
  hfft_forget_wisdom();
  expect_right("of16x12x20", MPI_COMM_WORLD, Effort::measure);
  if (test::rank_of(MPI_COMM_WORLD) == 0) {
    EXPECT_NE(export_wisdom().find(" simd=scalar "), std::string::npos) << export_wisdom();
  }
  Options options;
  options.wisdom_only = true;
  const std::array<std::ptrdiff_t, 3> n{16, 12, 20};
  Buffer<std::complex<double>> in(16 * 12 * 20);
  Buffer<std::complex<double>> out(16 * 12 * 20);
  EXPECT_NO_THROW((Plan<double, Kind::c2c>(n, in, out, options)));
  hfft_forget_wisdom();
}

std::uint64_t several_names(const std::string &mine, MPI_Comm comm) {
  Agreement agreement(comm);
  plan::CommonName name;
  agreement.reach([&] { name.join(agreement, mine); });
  return name.several(comm);
}

TEST_F(MixedRanks, NamesOfAllProcessors) {
  const int rank = test::rank_of(MPI_COMM_WORLD);
  EXPECT_EQ(several_names("Processor A", MPI_COMM_WORLD), 0U);
  const std::string mine(1, static_cast<char>('A' + rank));
  plan::Machine machine;
  EXPECT_EQ(plan::processor_name(machine), plan::cpu_model());
  machine.processors = several_names(mine, MPI_COMM_WORLD);
  EXPECT_EQ(plan::processor_name(machine).substr(0, 8), "several-");
  EXPECT_EQ(several_names(mine, reversed_), machine.processors)
      << "the order of ranks does not count";
  EXPECT_NE(several_names(rank == 1 ? "Z" : mine, MPI_COMM_WORLD), machine.processors);
  EXPECT_EQ(several_names(mine, MPI_COMM_SELF), 0U);
}

/// Expects forward and backward transforms to multiply a wave by the number of points.
void expect_identity(MPI_Comm comm) {
  const std::array<std::ptrdiff_t, 3> n{12, 10, 16};
  OperatorPlan<double> plan(n, 1, comm, 1);
  const auto wave = [](std::ptrdiff_t k) {
    return std::cos(2 * std::numbers::pi * 3 * static_cast<double>(k) / 16);
  };
  plan.planes({}, std::array{0}, [&](const auto &line) {
    for (std::ptrdiff_t k = 0; k < 16; ++k)
      line.scratch[0][k] = wave(k) + static_cast<double>(line.j);
  });
  plan.lines(std::array<OperatorPlan<double>::Product, 1>{{{0, {{0}}}}});
  // Tolerance: half a dozen roundings of numbers up to 10 * 1920.
  plan.planes(std::array{OperatorPlan<double>::Source{0}}, {}, [&](const auto &line) {
    for (std::ptrdiff_t k = 0; k < 16; ++k)
      EXPECT_NEAR(line.in[0][k], 1920 * (wave(k) + static_cast<double>(line.j)), 1e-10);
  });
}

TEST_F(MixedRanks, OperatorPlansHaveCommonKernels) {
  if (simd::supported(simd::find("avx2"))) {
    if (test::rank_of(MPI_COMM_WORLD) % 3 != 0) expect_identity(alike_);
    // The plan fails on all ranks, because one of them has no kernels.
    try {
      const OperatorPlan<double> plan({12, 10, 16}, 1, MPI_COMM_WORLD, 1);
      ADD_FAILURE() << "a rank has no kernels";
    } catch (const Error &e) {
      EXPECT_EQ(e.code(), HFFT_ERROR_UNSUPPORTED) << e.what();
    }
  }
}

/// The environment of rank 0 counts.
TEST_F(MixedRanks, DifferentEnvironments_Rank0Decides) {
  const int rank = test::rank_of(MPI_COMM_WORLD);
  const std::array<std::ptrdiff_t, 3> n{16, 12, 20};
  const std::vector<std::string> exchanges{"pairwise", "alltoallv", "shared", "pipelined", ""};
  for (std::size_t turn = 0; turn < exchanges.size(); ++turn) {
    const std::string mine = exchanges[(turn + static_cast<std::size_t>(rank)) % exchanges.size()];
    const Variable exchange("HFFT_EXCHANGE", mine);
    expect_right("of16x12x20", MPI_COMM_WORLD, Effort::measure);
    expect_right_between_layouts("of16x12x20:0.1.2:0/3.1.2>2.1/3.0", Effort::measure);
    if (rank % 3 != 0 && simd::supported(simd::find("avx2"))) expect_identity(alike_);
    Buffer<std::complex<double>> data(local_sizes<double, Kind::c2c>(n).allocate_in);
    // Each rank has a different number of threads.
    const Options options{.effort = Effort::measure, .transposed_out = true, .threads = rank + 1};
    const Plan<double, Kind::c2c> plan(n, data, data, options);
    if (turn < 2) {
      EXPECT_NE(plan.describe().find("exchange " + exchanges[turn]), std::string::npos)
          << plan.describe();
    }
    hfft_forget_wisdom();
  }
}

} // namespace
} // namespace hybridfft
