// If one rank has no memory at any step of planning, all ranks must fail together. Otherwise they
// would wait for this rank in a reduction that it does not reach.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/agreement.h"
#include "base/error.h"
#include "base/mpi.h"
#include "hybridfft/hybridfft.h"
#include "hybridfft/operators.h"
#include "support/failing_allocations.h"
#include "support/mpi_test.h"

namespace hybridfft {
namespace {

using test::failing_allocations;
using test::rank_of;
using test::size_of;

class Memory : public ::testing::Test {
protected:
  void TearDown() override {
    unsetenv("HFFT_EXCHANGE");
    if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
  }

  /// Returns a communicator unknown to the library.
  MPI_Comm fresh() {
    if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
    MPI_Comm_dup(test::world(), &comm_);
    return comm_;
  }

  /// Returns the maximum of a value over all ranks.
  static int most(int value) {
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MAX, test::world());
    return value;
  }

  /// Expects a plan on all ranks, or none and the same reason on all.
  static void expect_agreement(hfft_plan plan, const std::string &where) {
    const int code = plan != nullptr ? HFFT_SUCCESS : hfft_last_error();
    EXPECT_EQ(most(code), -most(-code)) << where;
    EXPECT_TRUE(code == HFFT_SUCCESS || code == HFFT_ERROR_OUT_OF_MEMORY)
        << where << ": " << hfft_last_error_message();
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// Returns the code on which all ranks agree after a step of each rank. On the last rank the step
/// fails with the code `here`, unless this is HFFT_SUCCESS. With `exhaust` this rank then has no
/// memory left to agree.
int agreed_code(hfft_error here, bool exhaust) {
  int code = HFFT_SUCCESS;
  const bool last = rank_of(test::world()) == size_of(test::world()) - 1;
  const Failure failure(here, std::string(10000, 'x'));
  try {
    mpi::all_or_none(test::world(), [&] {
      failing_allocations.exhausted = exhaust && last;
      if (last && here != HFFT_SUCCESS) throw failure;
    });
  } catch (const Failure &e) {
    code = e.code();
  }
  failing_allocations.exhausted = false;
  return code;
}

TEST_F(Memory, AgreementTakesNone) {
  // The long reason of a failure takes memory to copy, on the failing rank and on all others.
  EXPECT_EQ(agreed_code(HFFT_ERROR_ARGUMENT, true), HFFT_ERROR_ARGUMENT);
  EXPECT_EQ(agreed_code(HFFT_ERROR_OUT_OF_MEMORY, true), HFFT_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(agreed_code(HFFT_SUCCESS, true), HFFT_SUCCESS);
  EXPECT_EQ(agreed_code(HFFT_ERROR_ARGUMENT, false), HFFT_ERROR_ARGUMENT);
}

TEST_F(Memory, SeveralFailures_LargestCodeOfLowestRank_IsReported) {
  const int rank = rank_of(test::world());
  try {
    mpi::all_or_none(test::world(), [&] {
      throw Failure(rank == 0 ? HFFT_ERROR_ARGUMENT : HFFT_ERROR_MPI,
                    "rank " + std::to_string(rank));
    });
    ADD_FAILURE() << "no failure";
  } catch (const Failure &e) {
    EXPECT_STREQ(e.what(), size_of(test::world()) == 1 ? "rank 0" : "rank 1");
  }
}

TEST_F(Memory, ArgumentsAreComparedWithoutAny) {
  const int rank = rank_of(test::world());
  failing_allocations.exhausted = true;
  bool differs = false;
  try {
    Agreement agreement(test::world());
    agreement.reach([&] { agreement.same({{"first", 1}, {"second", rank, true}}); });
  } catch (const Failure &) {
    differs = true;
  } catch (const std::bad_alloc &) {
    differs = true; // thrown after the reduction, so on all ranks alike
  }
  failing_allocations.exhausted = false;
  EXPECT_EQ(differs, size_of(test::world()) > 1);
}

/// Makes the same plan again and again. On the last rank allocation number 0 fails, then number 1,
/// 2 ... 32, 34 ..., until the plan needs no further allocation. In a first series only this
/// allocation fails, in a second series all later ones fail, too. `plan(comm)` makes and destroys a
/// plan, and returns its code. All ranks must fail together, or some would wait forever.
template <class F>
void expect_agreement_at_each_allocation(const F &plan, MPI_Comm comm, const std::string &what) {
  const bool last = rank_of(comm) == size_of(comm) - 1;
  for (const bool one : {true, false}) {
    int failures = 0;
    int code = HFFT_ERROR_INTERNAL;
    for (long i = 0; code != HFFT_SUCCESS; i += 1 + i / 32) {
      MPI_Comm fresh = MPI_COMM_NULL;
      MPI_Comm_dup(comm, &fresh);
      if (last) failing_allocations.left = i;
      failing_allocations.only_one = one;
      code = plan(fresh);
      // The plan may succeed although an allocation failed, if this allocation was optional.
      const bool reached =
          last && failing_allocations.left <= 0 && (!one || failing_allocations.left < 0);
      failing_allocations.left = -1;
      MPI_Comm_free(&fresh);
      std::array<int, 3> all{code, -code, reached ? 1 : 0};
      MPI_Allreduce(MPI_IN_PLACE, all.data(), 3, MPI_INT, MPI_MAX, comm);
      ASSERT_EQ(all[0], -all[1]) << what << ", allocation " << i << ": "
                                 << hfft_last_error_message();
      ASSERT_TRUE(code == HFFT_SUCCESS || code == HFFT_ERROR_OUT_OF_MEMORY)
          << what << ", allocation " << i << ": " << hfft_last_error_message();
      failures += code != HFFT_SUCCESS ? 1 : 0;
      if (code == HFFT_SUCCESS && all[2] != 0)
        code = HFFT_ERROR_INTERNAL; // continue with the next one
    }
    EXPECT_EQ(code, HFFT_SUCCESS) << what;
    EXPECT_GT(failures, 10) << what << ": the allocator does not fail";
  }
}

/// Returns the error code of a call for a plan, and destroys the plan.
int code_of(hfft_plan plan) {
  const int code = plan != nullptr ? HFFT_SUCCESS : hfft_last_error();
  hfft_destroy_plan(plan);
  return code;
}

TEST_F(Memory, AnyAllocationOfASlabPlanMayFail) {
  const std::ptrdiff_t n[3] = {8, 6, 10};
  std::vector<double> in(2000);
  std::vector<double> out(2000);
  auto *from = reinterpret_cast<hfft_complex *>(in.data());
  auto *to = reinterpret_cast<hfft_complex *>(out.data());
  for (const char *exchange : {"", "alltoallv", "pipelined", "fftw"}) {
    setenv("HFFT_EXCHANGE", exchange, 1);
    const auto plan = [&](MPI_Comm comm) {
      return code_of(hfft_plan_dft(3, n, from, to, comm, HFFT_FORWARD, HFFT_ESTIMATE));
    };
    expect_agreement_at_each_allocation(plan, test::world(), std::string("slabs ") + exchange);
  }
}

TEST_F(Memory, AnyAllocationOfAMeasuredPlanMayFail) {
  const std::ptrdiff_t n[2] = {6, 4};
  std::vector<double> in(400);
  std::vector<double> out(400);
  setenv("HFFT_EXCHANGE", "alltoallv",
         1); // otherwise timing would determine the number of allocations
  const auto plan = [&](MPI_Comm comm) {
    hfft_forget_wisdom();
    return code_of(hfft_plan_dft_r2c(2, n, in.data(), reinterpret_cast<hfft_complex *>(out.data()),
                                     comm, HFFT_MEASURE));
  };
  expect_agreement_at_each_allocation(plan, test::world(), "measured");
}

/// Expects agreement for plans between layouts on the process grids `one` and `other`.
void expect_agreement_between(const std::array<int, 3> &one, const std::array<int, 3> &other,
                              unsigned effort, const std::string &what) {
  const std::array<std::ptrdiff_t, 3> n{8, 6, 10};
  hfft_layout first = hfft_layout_grid(3, n.data(), one.data());
  hfft_layout second = hfft_layout_grid(3, n.data(), other.data());
  const std::array<int, 3> axes{0, 1, 2};
  std::vector<double> in(2000);
  std::vector<double> out(2000);
  const auto plan = [&](MPI_Comm comm) {
    hfft_forget_wisdom();
    return code_of(hfft_plan_layout_dft(
        first, second, 3, axes.data(), reinterpret_cast<hfft_complex *>(in.data()),
        reinterpret_cast<hfft_complex *>(out.data()), comm, HFFT_FORWARD, effort));
  };
  expect_agreement_at_each_allocation(plan, test::world(), what);
  hfft_layout_destroy(first);
  hfft_layout_destroy(second);
}

TEST_F(Memory, AnyAllocationOfALayoutPlanMayFail) {
  const int ranks = size_of(test::world());
  for (const unsigned effort : {HFFT_ESTIMATE, HFFT_MEASURE}) {
    // Otherwise timing would determine the number of allocations.
    if (effort == HFFT_MEASURE) setenv("HFFT_EXCHANGE", "pairwise", 1);
    expect_agreement_between({1, ranks, 1}, {1, 1, ranks}, effort, "layouts");
  }
}

/// Rows and columns of ranks request their windows together.
TEST_F(Memory, AnyAllocationOfPencilsInSharedMemoryMayFail) {
  const int ranks = size_of(test::world());
  if (ranks % 2 != 0) GTEST_SKIP() << "no rows and columns of ranks";
  setenv("HFFT_EXCHANGE", "shared", 1);
  expect_agreement_between({2, ranks / 2, 1}, {1, 2, ranks / 2}, HFFT_ESTIMATE, "pencils");
}

/// Operators on slabs and on pencils. The forward and the backward transform exchange by messages
/// or through shared windows.
TEST_F(Memory, AnyAllocationOfASpectralOperatorMayFail) {
  const int ranks = size_of(test::world());
  const std::array<std::ptrdiff_t, 3> n{8, 6, 10};
  const int two = ranks % 2 == 0 ? 2 : 1;
  std::vector<double> in(1000), out(1000);
  const hfft_spectrum_work nothing = [](auto...) {};
  hfft_options options = HFFT_OPTIONS_INIT;
  options.flags = HFFT_ESTIMATE;
  for (const char *exchange : {"pairwise", "shared"})
    for (const std::array<int, 3> &parts :
         {std::array<int, 3>{ranks, 1, 1}, std::array<int, 3>{ranks / two, two, 1}}) {
      setenv("HFFT_EXCHANGE", exchange, 1);
      hfft_layout layout = hfft_layout_grid(3, n.data(), parts.data());
      const auto plan = [&](MPI_Comm comm) {
        return code_of(hfft_plan_spectral_operator(HFFT_R2C, layout, layout, in.data(), out.data(),
                                                   comm, nothing, nullptr, &options));
      };
      expect_agreement_at_each_allocation(plan, test::world(), std::string("operator ") + exchange);
      hfft_layout_destroy(layout);
    }
}

/// Operator plans with shared memory and with messages, and their tables of factors.
TEST_F(Memory, AnyAllocationOfAnOperatorPlanMayFail) {
  if (hfft_operator_supports(8, 6, 10) == 0) GTEST_SKIP() << "no kernels";
  const auto one = [](std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t, void *) { return 1.0; };
  for (const char *exchange : {"shared", "pipelined", "pairwise"}) {
    setenv("HFFT_EXCHANGE", exchange, 1);
    const auto plan = [&](MPI_Comm comm) {
      const hfft_operator_plan made = hfft_plan_operator(8, 6, 10, 2, comm, 1);
      if (made == nullptr) return hfft_last_error();
      const hfft_table table = hfft_operator_table(made, one, nullptr);
      const int code = table == nullptr ? hfft_last_error() : static_cast<int>(HFFT_SUCCESS);
      hfft_destroy_table(table);
      hfft_destroy_operator(made);
      return code;
    };
    expect_agreement_at_each_allocation(plan, test::world(), std::string("sweeps ") + exchange);
  }
}

std::size_t mapped_bytes() {
  std::FILE *file = std::fopen("/proc/self/statm", "r");
  unsigned long pages = 0;
  const int read = file != nullptr ? std::fscanf(file, "%lu", &pages) : 0;
  if (file != nullptr) std::fclose(file);
  return read == 1 ? pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) : 0;
}

/// Simulates ulimit -v: an address space slightly larger than the present use, on all ranks or on
/// the last one.
TEST_F(Memory, ALimitOfTheAddressSpaceIsAnErrorOnAllRanksOrNone) {
  const std::ptrdiff_t n[3] = {96, 96, 96};
  const bool last = rank_of(test::world()) == size_of(test::world()) - 1;
  std::ptrdiff_t rows = 0;
  std::ptrdiff_t start = 0;
  const auto size = static_cast<std::size_t>(hfft_local_size(3, n, test::world(), &rows, &start));
  hfft_complex *in = hfft_alloc_complex(size);
  hfft_complex *out = hfft_alloc_complex(size);
  rlimit before{};
  getrlimit(RLIMIT_AS, &before);
  for (const char *exchange : {"", "shared"})
    for (const bool all : {true, false})
      for (const std::size_t megabytes : {1U, 4U, 8U, 14U, 20U, 30U, 45U, 60U, 100U, 200U}) {
        setenv("HFFT_EXCHANGE", exchange, 1);
        MPI_Comm comm = fresh();
        rlimit limit = before;
        limit.rlim_cur = mapped_bytes() + (megabytes << 20U);
        if (all || last) setrlimit(RLIMIT_AS, &limit);
        const hfft_plan plan = hfft_plan_dft(3, n, in, out, comm, HFFT_FORWARD, HFFT_ESTIMATE);
        setrlimit(RLIMIT_AS, &before);
        const std::string where = std::string(exchange) + ", " + std::to_string(megabytes) + " MiB";
        expect_agreement(plan, where);
        if (plan == nullptr) {
          const std::string reason = hfft_last_error_message();
          EXPECT_NE(reason.find("cannot be allocated"), std::string::npos)
              << where << ": " << reason;
        } else {
          EXPECT_EQ(hfft_execute(plan), HFFT_SUCCESS) << where;
        }
        hfft_destroy_plan(plan);
      }
  hfft_free(in);
  hfft_free(out);
}

} // namespace
} // namespace hybridfft
