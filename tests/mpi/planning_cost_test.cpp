/// Tests the memory and the network traffic of planning by measurement.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "allocation_count.h"
#include "messages/message_count.h"
#include "support/mpi_test.h"
#include "verifier/trial.h"

namespace hybridfft {
namespace {

using Api = verifier::Library<double>;

/// A problem with its arrays, on a new communicator.
class Case {
public:
  explicit Case(const std::string &text) : problem_(verifier::parse(text)) {
    MPI_Comm_dup(test::world(), &comm_);
    const auto elements =
        static_cast<std::size_t>(verifier::local_arrays<double>(problem_, comm_).elements);
    in_.resize(2 * elements);
    if (!problem_.in_place) out_.resize(2 * elements);
  }
  ~Case() { MPI_Comm_free(&comm_); }
  Case(const Case &) = delete;
  Case &operator=(const Case &) = delete;

  Api::Handle plan(unsigned effort) {
    const unsigned flags = effort | (problem_.transposed_out ? HFFT_TRANSPOSED_OUT : 0U) |
                           (problem_.transposed_in ? HFFT_TRANSPOSED_IN : 0U);
    return Api::plan(problem_, in_.data(), problem_.in_place ? in_.data() : out_.data(), comm_,
                     flags);
  }
  long long array() const { return static_cast<long long>(in_.size() * sizeof(double)); }

private:
  verifier::Problem problem_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::vector<double> in_, out_;
};

class PlanningCost : public ::testing::TestWithParam<std::string> {
protected:
  void TearDown() override {
    unsetenv("HFFT_RANKS_PER_NODE");
    unsetenv("HFFT_EXCHANGE");
    hfft_forget_wisdom();
  }
  static void expect_no_more_than_held(unsigned effort);
};

/// Allowance for memory that MPI keeps for messages, in bytes.
constexpr long long of_mpi = 1 << 20;

/// Returns the bytes of work space on this rank, as the plan reports them.
long long work_bytes(Api::Handle plan) {
  char *text = hfft_sprint_plan(plan);
  const std::string words = text != nullptr ? text : "";
  free(text);
  const std::size_t end = words.find(" bytes of work space");
  if (end == std::string::npos) return 0;
  return std::stoll(words.substr(words.rfind(' ', end - 1) + 1));
}

void PlanningCost::expect_no_more_than_held(unsigned effort) {
  // Once with shared memory, once with messages.
  for (const char *per_node : {"", "1"}) {
    if (*per_node != '\0') setenv("HFFT_RANKS_PER_NODE", per_node, 1);
    Case c(GetParam());
    Api::destroy(c.plan(HFFT_ESTIMATE)); // the first plan makes MPI connect the ranks
    const long long before = test::array_bytes().now;
    const auto measured = [&] {
      hfft_forget_wisdom();
      MPI_Barrier(test::world());
      test::reset_peak();
      return c.plan(effort);
    };
    Api::Handle plan = measured();
    test::ArrayBytes bytes = test::array_bytes();
    const auto holds_less = [&] { return bytes.peak > bytes.now + of_mpi; };
    // Until now, bytes.peak is the memory of the largest candidate. On a busy machine a smaller
    // candidate may be the fastest by chance: then measure again.
    for (int again = 0; again < 3 && !test::everywhere(!holds_less()); ++again) {
      Api::destroy(plan);
      plan = measured();
      bytes = test::array_bytes();
    }
    ASSERT_TRUE(test::everywhere(plan != nullptr)) << Api::last_error();
    EXPECT_LE(bytes.peak, bytes.now + of_mpi) << "more while planning than after it";
    EXPECT_LE(bytes.now - before, work_bytes(plan) + of_mpi) << "more than the plan says";
    ASSERT_EQ(Api::execute(plan), HFFT_SUCCESS) << Api::last_error();
    EXPECT_LE(test::array_bytes().peak, bytes.now + of_mpi) << "while executing";
    Api::destroy(plan);
    EXPECT_LE(test::array_bytes().now, before + of_mpi) << "something stays";
  }
}

TEST_P(PlanningCost, MemoryIsNeverMoreThanThePlanWillHold) {
  expect_no_more_than_held(HFFT_MEASURE);
}

class PatientPlanningCost : public PlanningCost {};
TEST_P(PatientPlanningCost, ExchangesOfFftwAmongOthers_MemoryIsNeverMore) {
  expect_no_more_than_held(HFFT_PATIENT);
}

TEST_P(PlanningCost, ExchangeOfFftw_Measured_MemoryIsNeverMore) {
  setenv("HFFT_EXCHANGE", "fftw", 1);
  expect_no_more_than_held(HFFT_MEASURE);
}

TEST_P(PlanningCost, BetweenNodesItIsTwentyExecutions) {
  if (test::size_of(test::world()) == 1) GTEST_SKIP() << "one rank sends nothing";
  setenv("HFFT_RANKS_PER_NODE", "1", 1);
  Case c(GetParam());
  Api::Handle plan = nullptr;
  const MessageCount planning = messages_of([&] { plan = c.plan(HFFT_MEASURE); });
  ASSERT_TRUE(test::everywhere(plan != nullptr)) << Api::last_error();
  const MessageCount executing = messages_of([&] { EXPECT_EQ(Api::execute(plan), HFFT_SUCCESS); });
  EXPECT_GE(planning.bytes, 2 * executing.bytes) << "nothing has been measured";
  EXPECT_LE(planning.bytes, 20 * executing.bytes + (64 << 10));
  Api::destroy(plan);
}

// The arrays have 2 MiB on each of four ranks.
INSTANTIATE_TEST_SUITE_P(Kinds, PlanningCost,
                         ::testing::Values("of]128x64x64", "if128x64x64", "ofr]128x64x128"),
                         [](const auto &info) { return test::test_name(info.param); });
INSTANTIATE_TEST_SUITE_P(Kinds, PatientPlanningCost, ::testing::Values("if128x64x64"),
                         [](const auto &info) { return test::test_name(info.param); });

} // namespace
} // namespace hybridfft
