/// main() of GoogleTest programs on several ranks. Every rank runs every test. A test fails if it
/// fails on any rank, and the exit status is the same on all ranks. The option --ranks=8,6+2
/// (rank_groups.h) repeats the tests on groups of the ranks.

#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "support/mpi_test.h"
#include "support/rank_groups.h"
#include "support/skipped_cases.h"

namespace {

using namespace hybridfft;

/// Copy of MPI_COMM_WORLD for this file: its messages never meet messages of the tests.
MPI_Comm frame = MPI_COMM_NULL;
int rank = 0;

/// Prints progress on rank 0 only, and failures on every failed rank, with its number.
class RankPrinter : public testing::EmptyTestEventListener {
public:
  explicit RankPrinter(testing::TestEventListener *standard) : standard_(standard) {}

  void OnTestProgramStart(const testing::UnitTest &t) override {
    if (rank == 0) standard_->OnTestProgramStart(t);
  }
  void OnTestIterationStart(const testing::UnitTest &t, int iteration) override {
    if (rank == 0) standard_->OnTestIterationStart(t, iteration);
  }
  void OnTestSuiteStart(const testing::TestSuite &t) override {
    if (rank == 0) standard_->OnTestSuiteStart(t);
  }
  void OnTestStart(const testing::TestInfo &t) override {
    if (rank == 0) standard_->OnTestStart(t);
  }
  void OnTestPartResult(const testing::TestPartResult &r) override {
    if (!r.failed() && rank != 0) return;
    std::printf("[rank %d]%s %s:%d: %s\n%s\n", rank, place_in_group().c_str(),
                r.file_name() != nullptr ? r.file_name() : "?", r.line_number(),
                r.failed() ? "Failure" : "Note", r.message());
    std::fflush(stdout);
  }
  void OnTestEnd(const testing::TestInfo &t) override {
    if (rank == 0) standard_->OnTestEnd(t);
  }
  void OnTestSuiteEnd(const testing::TestSuite &t) override {
    if (rank == 0) standard_->OnTestSuiteEnd(t);
  }
  void OnTestIterationEnd(const testing::UnitTest &t, int iteration) override {
    if (rank == 0) standard_->OnTestIterationEnd(t, iteration);
  }

private:
  static std::string place_in_group() {
    const int size = test::size_of(test::world());
    if (size == test::size_of(MPI_COMM_WORLD)) return "";
    return " (rank " + std::to_string(test::rank_of(test::world())) + " of " +
           std::to_string(size) + ")";
  }

  std::unique_ptr<testing::TestEventListener> standard_;
};

/// Lets each repetition of the tests run on the next round's groups of ranks.
class RoundStarter : public testing::EmptyTestEventListener {
public:
  explicit RoundStarter(test::Rounds rounds) : rounds_(std::move(rounds)) {}

  void OnTestIterationStart(const testing::UnitTest & /*all*/, int iteration) override {
    const auto &sizes = rounds_[static_cast<std::size_t>(iteration) % rounds_.size()];
    test::enter_round(sizes);
    if (rank != 0 || rounds_.size() == 1) return;
    std::string text;
    for (const int size : sizes)
      text += (text.empty() ? "" : " + ") + std::to_string(size);
    std::printf("On groups of %s ranks\n", text.c_str());
  }

private:
  test::Rounds rounds_;
};

/// Gathers the results of all ranks at the end of each test, so that rank 0 reports failures of
/// other ranks. A rank that left a test early, by an exception or a fatal failure, may have left
/// others waiting in a collective call of the test. It aborts the job if the others do not end the
/// test within HFFT_TEST_PATIENCE seconds (default 20).
class Agreement : public testing::EmptyTestEventListener {
public:
  void OnTestEnd(const testing::TestInfo &test) override {
    const bool failed = test.result()->Failed();
    std::vector<int> all(static_cast<std::size_t>(size()), 0);
    const int mine = failed ? 1 : 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallgather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, frame, &request);
    const double deadline = MPI_Wtime() + patience();
    for (int done = 0; done == 0;) {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done == 0 && failed && MPI_Wtime() > deadline) give_up(test);
      // Sleeping leaves the processor to a group of ranks that still computes.
      if (done == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    std::string others;
    for (int r = 0; r < size(); ++r)
      if (all[static_cast<std::size_t>(r)] != 0) others += " " + std::to_string(r);
    if (rank == 0 && !failed && !others.empty()) ADD_FAILURE() << "failed on rank" << others;
  }

private:
  static double patience() {
    const char *seconds = std::getenv("HFFT_TEST_PATIENCE");
    return seconds != nullptr ? std::atof(seconds) : 20.0;
  }

  static int size() {
    int n = 1;
    MPI_Comm_size(frame, &n);
    return n;
  }
  [[noreturn]] static void give_up(const testing::TestInfo &test) {
    std::printf("[rank %d] %s.%s failed here %.0f s ago and other ranks are still in it: "
                "aborting\n",
                rank, test.test_suite_name(), test.name(), patience());
    std::fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::abort();
  }
};

/// Removes --ranks from the arguments and returns its rounds; without it, one round on all ranks.
test::Rounds take_rounds(int &argc, char **argv) {
  std::string text = std::to_string(test::size_of(MPI_COMM_WORLD));
  int kept = 0;
  for (int i = 0; i < argc; ++i) {
    const std::string_view argument = argv[i];
    constexpr std::string_view name = "--ranks=";
    if (argument.substr(0, name.size()) == name)
      text = argument.substr(name.size());
    else
      argv[kept++] = argv[i];
  }
  argc = kept;
  try {
    return test::parse_rounds(text, test::size_of(MPI_COMM_WORLD));
  } catch (const std::exception &e) {
    std::fprintf(stderr, "--ranks=%s: %s\n", text.c_str(), e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::abort();
  }
}

/// Sums the counts of all ranks and returns the exit status of SkippedCases::report(). A suite that
/// ran on some ranks and was skipped on others counts as run. Collective.
int report_skipped_cases(test::SkippedCases &cases) {
  for (auto &[name, count] : cases.suites()) {
    std::array<int, 3> counts{count.run, count.skipped, count.skipped_by_machine};
    MPI_Allreduce(MPI_IN_PLACE, counts.data(), 3, MPI_INT, MPI_SUM, frame);
    count = {counts[0], counts[1], counts[2]};
  }
  int status = rank == 0 ? cases.report() : 0;
  MPI_Bcast(&status, 1, MPI_INT, 0, frame);
  return status;
}

} // namespace

int main(int argc, char **argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  test::Rounds rounds = take_rounds(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  if (provided < MPI_THREAD_FUNNELED) {
    std::fprintf(stderr, "this MPI does not provide MPI_THREAD_FUNNELED\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &frame);
  // Only rank 0 writes the report file (--gtest_output).
  if (rank != 0) GTEST_FLAG_SET(output, "");
  if (rounds.size() > 1) GTEST_FLAG_SET(repeat, static_cast<int>(rounds.size()));
  // GoogleTest deletes its listeners.
  testing::TestEventListeners &listeners = testing::UnitTest::GetInstance()->listeners();
  listeners.Append(new RankPrinter(listeners.Release(listeners.default_result_printer())));
  listeners.Append(new RoundStarter(std::move(rounds)));
  listeners.Append(new Agreement);
  auto *skipped = new test::SkippedCases;
  listeners.Append(skipped);

  int failed = RUN_ALL_TESTS();
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, frame);
  if (failed == 0 && !GTEST_FLAG_GET(list_tests)) failed = report_skipped_cases(*skipped);
  test::leave_rounds();
  MPI_Comm_free(&frame);
  MPI_Finalize();
  return failed;
}
