/// main() of GoogleTest programs that run on several ranks. Every rank runs every test; a test
/// passes when it passed on all ranks, and so does the program.

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace {

/// A communicator of the frame's own: tests cannot disturb it.
MPI_Comm frame = MPI_COMM_NULL;
int rank = 0;

/// Progress from rank 0 only; failures from every rank that has them, with its number.
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
    std::printf("[rank %d] %s:%d: %s\n%s\n", rank, r.file_name() != nullptr ? r.file_name() : "?",
                r.line_number(), r.failed() ? "Failure" : "Note", r.message());
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
  std::unique_ptr<testing::TestEventListener> standard_;
};

/// Meets the other ranks at the end of each test, so that rank 0 can report a test that failed
/// elsewhere. A rank that left a test early, by an exception or a fatal failure, may have left
/// the others waiting for it inside the test: it gives up after HFFT_TEST_PATIENCE seconds (20)
/// and ends the job.
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

} // namespace

int main(int argc, char **argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  testing::InitGoogleTest(&argc, argv);
  if (provided < MPI_THREAD_FUNNELED) {
    std::fprintf(stderr, "this MPI does not provide MPI_THREAD_FUNNELED\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &frame);
  // One report file, not one per rank over each other.
  if (rank != 0) GTEST_FLAG_SET(output, "");
  testing::TestEventListeners &listeners = testing::UnitTest::GetInstance()->listeners();
  listeners.Append(new RankPrinter(listeners.Release(listeners.default_result_printer())));
  listeners.Append(new Agreement);

  int failed = RUN_ALL_TESTS();
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, frame);
  MPI_Comm_free(&frame);
  MPI_Finalize();
  return failed;
}
