/// After a failure of MPI in the middle of an execution or a sweep no message arrives in memory
/// that its owner frees: all receives are cancelled or complete.
#include <gtest/gtest.h>

#include <climits>
#include <cstdlib>
#include <set>
#include <string>

#include "hybridfft/hybridfft.hpp"
#include "hybridfft/operators.hpp"
#include "support/mpi_test.h"
#include "support/skipped_cases.h"

namespace {

enum class Call { none, send, wait };

Call failing = Call::none;
int calls_before = 0; ///< calls of that kind which do not fail yet
/// Receives that have been posted and are not known to be complete.
std::set<MPI_Request> posted;

bool fails(Call call) { return failing == call && calls_before-- <= 0; }

} // namespace

// The profiling interface of MPI (MPI 3.1, section 14.2): a program may define MPI_X over PMPI_X.
// MPICH's <mpi.h> does not say that its functions are visible.
#pragma GCC visibility push(default)
extern "C" {

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request *request) {
  const int code = PMPI_Irecv(buffer, count, type, from, tag, comm, request);
  if (code == MPI_SUCCESS) posted.insert(*request);
  return code;
}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request) {
  if (fails(Call::send)) return MPI_ERR_OTHER;
  return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

int MPI_Test(MPI_Request *request, int *complete, MPI_Status *status) {
  const MPI_Request before = *request;
  const int code = PMPI_Test(request, complete, status);
  if (*complete != 0) posted.erase(before);
  return code;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
  posted.erase(*request);
  return PMPI_Wait(request, status);
}

int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses) {
  if (fails(Call::wait)) return MPI_ERR_OTHER;
  for (int i = 0; i < count; ++i)
    posted.erase(requests[i]);
  return PMPI_Waitall(count, requests, statuses);
}

} // extern "C"
#pragma GCC visibility pop

namespace hybridfft {
namespace {

/// What f throws while the call of this kind fails, on all ranks: none waits for another then.
template <class F> hfft_error failure(Call call, int before, const F &f) {
  hfft_error code = HFFT_SUCCESS;
  failing = call;
  calls_before = before;
  try {
    f();
  } catch (const Error &e) {
    code = e.code();
  }
  failing = Call::none;
  MPI_Barrier(test::world());
  return code;
}

/// A communicator of a test's own: messages that were not received do not reach the next test.
class OwnCommunicator {
public:
  OwnCommunicator() { MPI_Comm_dup(test::world(), &comm_); }
  ~OwnCommunicator() { MPI_Comm_free(&comm_); }
  MPI_Comm get() const { return comm_; }

private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

class FailingMessages : public ::testing::Test {
protected:
  void SetUp() override {
    if (test::size_of(test::world()) == 1) GTEST_SKIP() << "no messages";
    setenv("HFFT_EXCHANGE", "pipelined", 1);
  }
  void TearDown() override { unsetenv("HFFT_EXCHANGE"); }
};

/// So little that MPI sends it at once.
constexpr std::ptrdiff_t n = 8;

void fill(const OperatorPlan<float>::Line &l) { std::fill_n(l.scratch[0], n, 1.0F); }
void ignore(const OperatorPlan<float>::Line &) {}

TEST_F(FailingMessages, OfASweepLeaveNothingUnderWay) {
  using Plan = OperatorPlan<float>;
  if (!Plan::supports({n, n, n})) GTEST_SKIP() << test::this_machine << "no kernels";
  const std::array<Plan::Product, 1> product{{{0, {{0, nullptr, nullptr}}}}};
  { // The receives of the field that is written are posted, of others messages are under way.
    const OwnCommunicator comm;
    Plan plan({n, n, n}, 2, comm.get(), 1);
    plan.planes({}, std::array{1}, fill);
    EXPECT_EQ(failure(Call::send, 0, [&] { plan.planes({}, std::array{0}, fill); }),
              HFFT_ERROR_MPI);
    EXPECT_FALSE(posted.empty());
  }
  EXPECT_TRUE(posted.empty()) << posted.size() << " receives after a send that failed";
  { // Messages of the field that is read.
    const OwnCommunicator comm;
    Plan plan({n, n, n}, 1, comm.get(), 1);
    plan.planes({}, std::array{0}, fill);
    EXPECT_EQ(failure(Call::wait, 0, [&] { plan.lines(product); }), HFFT_ERROR_MPI);
    EXPECT_FALSE(posted.empty());
  }
  EXPECT_TRUE(posted.empty()) << posted.size() << " receives after waiting that failed";
  { // In a sweep that writes nothing.
    const OwnCommunicator comm;
    Plan plan({n, n, n}, 1, comm.get(), 1);
    plan.planes({}, std::array{0}, fill);
    plan.lines(product);
    EXPECT_EQ(failure(Call::wait, 0, [&] { plan.planes(std::array{Plan::Source{0}}, {}, ignore); }),
              HFFT_ERROR_MPI);
  }
  EXPECT_TRUE(posted.empty()) << posted.size() << " receives after a sweep that only reads";
}

/// In place for `swap`, with equal blocks on one to three ranks.
TEST_F(FailingMessages, OfAnExecutionLeaveTheArraysAlone) {
  for (const std::string exchange : {"pipelined", "pairwise", "swap"})
    for (const Call call : {Call::send, Call::wait}) {
      setenv("HFFT_EXCHANGE", exchange.c_str(), 1);
      const OwnCommunicator comm;
      Options options{.comm = test::world()};
      options.comm = comm.get();
      options.effort = Effort::estimate;
      const std::array<std::ptrdiff_t, 3> extents{6, 6, n};
      const LocalSizes sizes = local_sizes<float, Kind::c2c>(extents, options);
      Buffer<std::complex<float>> in(sizes.allocate_in), out(sizes.allocate_out);
      Plan<float, Kind::c2c> plan(extents, in, exchange == "swap" ? in : out, options);
      EXPECT_NE(plan.describe().find(exchange), std::string::npos) << plan.describe();
      EXPECT_EQ(failure(call, 0, [&] { plan.execute(); }), HFFT_ERROR_MPI) << exchange;
      EXPECT_TRUE(posted.empty()) << exchange << ": " << posted.size() << " receives after "
                                  << (call == Call::send ? "a send" : "waiting") << " that failed";
    }
}

} // namespace
} // namespace hybridfft
