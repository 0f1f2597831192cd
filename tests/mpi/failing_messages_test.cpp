/// Tests failures of MPI in the middle of an execution or a sweep. Afterwards no message arrives in
/// freed memory or in the memory of the next sweep: all receives are cancelled or complete. No
/// message is sent from freed memory.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

#include "hybridfft/hybridfft.hpp"
#include "hybridfft/operators.hpp"
#include "support/mpi_test.h"
#include "support/skipped_cases.h"

namespace {

enum class Call { none, send, wait };

Call failing = Call::none;
int calls_before = 0; ///< successful calls of the kind `failing` before the one that fails
/// Receives that are posted but not completed.
std::set<MPI_Request> posted;
std::size_t posted_at_failure = 0; ///< size of `posted` when a call failed last

/// Returns true once, on all ranks, for the failing call. A barrier orders all earlier sends before
/// the failures of all ranks.
bool fails(Call call) {
  if (failing != call || calls_before-- > 0) return false;
  failing = Call::none;
  posted_at_failure = posted.size();
  MPI_Barrier(hybridfft::test::world());
  return true;
}

/// True: sends never complete.
bool endless = false;
/// Memory read by sends. Keeping the addresses lets the leak checker reach blocks leaked on
/// purpose.
struct Range {
  std::uintptr_t first = 0, end = 0;
};
std::vector<Range> read_by_sends;

/// True: the next receive has room for one byte, so its message is too long.
bool truncating = false;

/// While `holding` is true, the next message is copied to `held`, and sent later.
bool holding = false;
class HeldMessage {
public:
  HeldMessage(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
      : to_(to), tag_(tag), comm_(comm) {
    int bytes = 0;
    MPI_Pack_size(count, type, comm, &bytes);
    packed_.resize(static_cast<std::size_t>(bytes));
    MPI_Pack(buffer, count, type, packed_.data(), bytes, &size_, comm);
  }
  void send() const { PMPI_Send(packed_.data(), size_, MPI_PACKED, to_, tag_, comm_); }

private:
  std::vector<char> packed_;
  int size_ = 0;
  int to_, tag_;
  MPI_Comm comm_;
};
std::optional<HeldMessage> held;

/// Starts a message that never completes.
int send_endlessly(const void *buffer, int count, MPI_Datatype type, MPI_Request *request) {
  MPI_Aint lower = 0, extent = 0, true_lower = 0, true_extent = 0;
  MPI_Type_get_extent(type, &lower, &extent);
  MPI_Type_get_true_extent(type, &true_lower, &true_extent);
  const auto first =
      reinterpret_cast<std::uintptr_t>(buffer) + static_cast<std::uintptr_t>(true_lower);
  read_by_sends.push_back(
      {first, first + static_cast<std::uintptr_t>((count - 1) * extent + true_extent)});
  return PMPI_Irecv(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_SELF, request);
}

} // namespace

// MPI's profiling interface (MPI 3.1, section 14.2): a program may define MPI_X, and call PMPI_X.
// MPICH's <mpi.h> does not declare its functions as visible.
#pragma GCC visibility push(default)
extern "C" {

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request *request) {
  if (std::exchange(truncating, false)) {
    type = MPI_BYTE;
    count = 1;
  }
  const int code = PMPI_Irecv(buffer, count, type, from, tag, comm, request);
  if (code == MPI_SUCCESS) posted.insert(*request);
  return code;
}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request) {
  if (fails(Call::send)) return MPI_ERR_OTHER;
  if (holding && !held) {
    held.emplace(buffer, count, type, to, tag, comm);
    return PMPI_Irecv(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, comm, request);
  }
  if (endless) return send_endlessly(buffer, count, type, request);
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

/// Runs f(). After `before` successful calls of this kind, the next one fails on all ranks, so no
/// rank waits for another. Returns the error code thrown by f.
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

/// A communicator for one test. Its unreceived messages cannot reach the next test.
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

/// On grids of this size MPI sends messages eagerly.
constexpr std::ptrdiff_t n = 8;

void fill(const OperatorPlan<float>::Line &l) { std::fill_n(l.scratch[0], n, 1.0F); }
void ignore(const OperatorPlan<float>::Line &) {}

using Operators = OperatorPlan<float>;
/// Multiplies field 0 by one.
const std::array<Operators::Product, 1> product{{{0, {{0, nullptr, nullptr}}}}};

TEST_F(FailingMessages, OfASweepLeaveNothingUnderWay) {
  if (!Operators::supports({n, n, n})) GTEST_SKIP() << test::this_machine << "no kernels";
  { // Receives of the written field are posted, and messages of other fields are in flight.
    const OwnCommunicator comm;
    Operators plan({n, n, n}, 2, comm.get(), 1);
    plan.planes({}, std::array{1}, fill);
    EXPECT_EQ(failure(Call::send, 0, [&] { plan.planes({}, std::array{0}, fill); }),
              HFFT_ERROR_MPI);
    EXPECT_GT(posted_at_failure, 0U);
    EXPECT_TRUE(posted.empty()) << posted.size() << " receives after a send that failed";
  }
  { // The failure concerns messages of a field read by the sweep.
    const OwnCommunicator comm;
    Operators plan({n, n, n}, 1, comm.get(), 1);
    plan.planes({}, std::array{0}, fill);
    EXPECT_EQ(failure(Call::wait, 0, [&] { plan.lines(product); }), HFFT_ERROR_MPI);
    EXPECT_GT(posted_at_failure, 0U);
    EXPECT_TRUE(posted.empty()) << posted.size() << " receives after waiting that failed";
  }
  { // The failure occurs in a sweep without outputs.
    const OwnCommunicator comm;
    Operators plan({n, n, n}, 1, comm.get(), 1);
    plan.planes({}, std::array{0}, fill);
    plan.lines(product);
    EXPECT_EQ(
        failure(Call::wait, 0, [&] { plan.planes(std::array{Operators::Source{0}}, {}, ignore); }),
        HFFT_ERROR_MPI);
    EXPECT_TRUE(posted.empty()) << posted.size() << " receives after a sweep that only reads";
  }
}

/// Sets field 0 to a value at all points, applies the operator, and expects the value everywhere.
void expect_value(Operators &plan, float value) {
  const auto set = [value](const Operators::Line &l) { std::fill_n(l.scratch[0], n, value); };
  plan.planes({}, std::array{0}, set);
  plan.lines(product);
  float least = 1e30F, most = -1e30F;
  plan.planes(std::array{Operators::Source{0}}, {}, [&](const Operators::Line &l) {
    const auto [low, high] = std::minmax_element(l.in[0], l.in[0] + n);
    least = std::min(least, *low);
    most = std::max(most, *high);
  });
  // A constant has one nonzero mode, so all sums are exact. Without normalisation both transforms
  // together multiply by n^3.
  constexpr auto scale = static_cast<float>(n * n * n);
  if (least > most) return; // a rank without planes
  EXPECT_EQ(least, scale * value);
  EXPECT_EQ(most, scale * value);
}

/// After a failed sweep a plan works again as soon as its fields have been written again. Tests an
/// exchange with overlap (`pipelined`) and one without.
TEST_F(FailingMessages, FailedSweep_NextSweep_GetsNoOldMessages) {
  if (!Operators::supports({n, n, n})) GTEST_SKIP() << test::this_machine << "no kernels";
  for (const std::string exchange : {"pipelined", "pairwise"}) {
    setenv("HFFT_EXCHANGE", exchange.c_str(), 1);
    for (const bool reading : {false, true})
      for (const Call call : {Call::send, Call::wait}) {
        SCOPED_TRACE(exchange + (call == Call::send ? ", a send" : ", waiting") +
                     (reading ? ", lines" : ", planes"));
        const OwnCommunicator comm;
        Operators plan({n, n, n}, 2, comm.get(), 1);
        plan.planes({}, std::array{1}, fill);
        if (reading) plan.planes({}, std::array{0}, fill);
        const auto sweep = [&] {
          if (reading) return plan.lines(product);
          plan.planes({}, std::array{0}, fill);
          plan.lines(product); // `pipelined` waits for messages in this sweep
        };
        EXPECT_EQ(failure(call, 0, sweep), HFFT_ERROR_MPI);
        ASSERT_TRUE(posted.empty()) << posted.size() << " receives that the next sweep would meet";
        EXPECT_EQ(failure(Call::none, 0, [&] { plan.lines(product); }), HFFT_ERROR_ARGUMENT)
            << "the field is lost";
        EXPECT_EQ(failure(Call::none, 0,
                          [&] {
                            plan.lines(std::array{Operators::Product{1, {{1}}}});
                          }),
                  HFFT_ERROR_ARGUMENT)
            << "so is the one that was under way";
        expect_value(plan, 3);
        expect_value(plan, 5);
      }
  }
}

/// After a failed sweep the plan gets new buffers, because sends may still read the old ones.
TEST_F(FailingMessages, FailedSweep_UnsentMessages_KeepTheOldBuffers) {
#ifdef __SANITIZE_ADDRESS__
  const __lsan::ScopedDisabler left_on_purpose;
#endif
  if (!Operators::supports({n, n, n})) GTEST_SKIP() << test::this_machine << "no kernels";
  for (const std::string exchange : {"pipelined", "pairwise"}) {
    SCOPED_TRACE(exchange);
    setenv("HFFT_EXCHANGE", exchange.c_str(), 1);
    const OwnCommunicator comm;
    Operators plan({n, n, n}, 1, comm.get(), 1);
    const auto sweep = [&] {
      plan.planes({}, std::array{0}, fill);
      plan.lines(product);
    };
    for (int times = 0; times < 3; ++times) { // enough to use all buffers, four at most
      endless = true;
      EXPECT_EQ(failure(Call::wait, 0, sweep), HFFT_ERROR_MPI);
      endless = false;
      ASSERT_TRUE(posted.empty()) << posted.size() << " receives that the next sweep would meet";
    }
    expect_value(plan, 3);
  }
}

/// Blocks are equal on one to three ranks, so `swap` can exchange in place.
TEST_F(FailingMessages, FailedExecution_LateMessages_DoNotTouchTheArrays) {
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

/// A plan with planes on every rank. Different values in each execution reveal messages of other
/// executions.
class SmallPlan {
public:
  explicit SmallPlan(MPI_Comm comm) {
    Options options{.comm = comm};
    options.effort = Effort::estimate;
    const LocalSizes sizes = local_sizes<float, Kind::c2c>(extents_, options);
    in_ = Buffer<std::complex<float>>(sizes.allocate_in);
    out_ = Buffer<std::complex<float>>(sizes.allocate_out);
    plan_.emplace(extents_, in_, out_, options);
  }
  void execute(float value) {
    std::fill(in_.begin(), in_.end(), value);
    plan_->execute();
  }
  /// Expects n^3 times the value at the origin, and zeros elsewhere.
  void expect_transform(float value) {
    execute(value);
    plan_->output().for_each<3>([&](auto at, const auto &k) {
      const bool origin = k[0] == 0 && k[1] == 0 && k[2] == 0;
      const float expected = origin ? value * static_cast<float>(8 * 8 * n) : 0;
      EXPECT_EQ(out_[at], std::complex<float>(expected));
    });
  }

private:
  std::array<std::ptrdiff_t, 3> extents_{8, 8, n};
  Buffer<std::complex<float>> in_{1}, out_{1};
  std::optional<Plan<float, Kind::c2c>> plan_;
};

/// A message that is sent late, after a failure, must not reach a new communicator, even if MPI
/// gives it the context of the freed one.
TEST_F(FailingMessages, FailedExecution_NewCommunicator_GetsNoOldMessages) {
  for (const std::string exchange : {"pipelined", "pairwise"}) {
    SCOPED_TRACE(exchange);
    setenv("HFFT_EXCHANGE", exchange.c_str(), 1);
    {
      const OwnCommunicator comm;
      SmallPlan plan(comm.get());
      holding = true;
      EXPECT_EQ(failure(Call::wait, 0, [&] { plan.execute(7); }), HFFT_ERROR_MPI);
      holding = false;
    }
    ASSERT_TRUE(held.has_value());
    const OwnCommunicator comm;
    SmallPlan plan(comm.get());
    held->send();
    held.reset();
    MPI_Barrier(test::world());
    for (const float value : {1.0F, 2.0F})
      plan.expect_transform(value);
  }
}

/// MPI itself detects this failure. Only pairs of ranks exchange data, so no third rank waits for
/// them. MPICH passes such failures to the error handler of MPI_COMM_WORLD. Its default ends the
/// job, but the library must return a code.
TEST_F(FailingMessages, TruncatedMessage_Execution_ReturnsTheFailure) {
  const int rank = test::rank_of(test::world());
  MPI_Comm pair = MPI_COMM_NULL;
  MPI_Comm_split(test::world(), rank / 2, rank, &pair);
  {
    SmallPlan plan(pair);
    const bool alone = test::size_of(pair) == 1;
    truncating = !alone;
    EXPECT_EQ(failure(Call::none, 0, [&] { plan.execute(1); }),
              alone ? HFFT_SUCCESS : HFFT_ERROR_MPI);
    EXPECT_FALSE(truncating);
  }
  MPI_Comm_free(&pair);
}

/// Returns true if the range is mapped. Freeing a large block of memory unmaps its pages.
bool is_mapped(const Range &r) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t first = r.first / page * page;
  return msync(reinterpret_cast<void *>(first), r.end - first, MS_ASYNC) == 0;
}

/// Covers the work buffers of `pipelined` and `pairwise`, and the messages of `swap` and of reduced
/// precision.
TEST_F(FailingMessages, UnsentMessages_DestroyedPlan_KeepTheirMemory) {
#ifdef __SANITIZE_ADDRESS__
  const __lsan::ScopedDisabler left_on_purpose;
#endif
  struct Case {
    std::string exchange;
    Wire wire = Wire::full;
  };
  for (const Case &c :
       {Case{"pipelined"}, Case{"pairwise"}, Case{"swap"}, Case{"pipelined", Wire::half}}) {
    SCOPED_TRACE(c.exchange + (c.wire == Wire::full ? "" : ", half precision"));
    setenv("HFFT_EXCHANGE", c.exchange.c_str(), 1);
    const OwnCommunicator comm;
    Options options{.comm = test::world()};
    options.comm = comm.get();
    options.effort = Effort::estimate;
    options.wire = c.wire;
    const std::array<std::ptrdiff_t, 3> extents{48, 48, 48};
    const LocalSizes sizes = local_sizes<float, Kind::c2c>(extents, options);
    Buffer<std::complex<float>> array(std::max(sizes.allocate_in, sizes.allocate_out));
    const std::size_t before = read_by_sends.size();
    {
      Plan<float, Kind::c2c> plan(extents, array, array, options);
      endless = true;
      EXPECT_EQ(failure(Call::wait, 0, [&] { plan.execute(); }), HFFT_ERROR_MPI);
      endless = false;
      EXPECT_NO_THROW(plan.execute()) << "the plan has its memory, too";
    }
    const auto begin = reinterpret_cast<std::uintptr_t>(array.begin());
    const auto end = reinterpret_cast<std::uintptr_t>(array.end());
    EXPECT_GT(read_by_sends.size(), before);
    for (std::size_t i = before; i < read_by_sends.size(); ++i) {
      const Range &r = read_by_sends[i];
      EXPECT_TRUE(r.end <= begin || r.first >= end) << "the user's array";
      EXPECT_TRUE(is_mapped(r));
    }
  }
}

} // namespace
} // namespace hybridfft
