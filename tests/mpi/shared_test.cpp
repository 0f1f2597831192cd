// Tests exchanges through shared memory, on the real node and on several simulated ones.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <hybridfft/hybridfft.h>
#include <mpi.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <complex>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "dropin/barriers.h"
#include "exchange/algorithms.h"
#include "exchange/communicator.h"
#include "exchange/shared_window.h"
#include "hybridfft/hybridfft.hpp"
#include "lack_of_pages.h"
#include "support/mpi_test.h"
#include "support/variable.h"
#include "transposition_cases.h"
#include "window_count.h"

namespace {

using namespace hybridfft;
using namespace hybridfft::exchange;
using namespace hybridfft::test;

/// A duplicate of the world in which nodes have `ranks_per_node` ranks each (0: the real nodes).
/// `colour_key` orders its ranks.
class Cluster {
public:
  explicit Cluster(int ranks_per_node, int colour_key = 0) {
    if (ranks_per_node > 0)
      setenv("HFFT_RANKS_PER_NODE", std::to_string(ranks_per_node).c_str(), 1);
    MPI_Comm_split(test::world(), 0, colour_key, &user_);
    comm_ = acquire(user_);
    nodes_of(*comm_);
    unsetenv("HFFT_RANKS_PER_NODE");
  }
  ~Cluster() {
    comm_.reset();
    MPI_Comm_free(&user_);
  }
  Cluster(const Cluster &) = delete;
  Cluster &operator=(const Cluster &) = delete;
  const std::shared_ptr<Communicator> &comm() const { return comm_; }

private:
  MPI_Comm user_ = MPI_COMM_NULL;
  std::shared_ptr<Communicator> comm_;
};

TEST(Nodes, CoverAllRanksInOrder) {
  for (const int per_node : {1, 2, 3}) {
    const Cluster cluster(per_node);
    const Nodes &nodes = *nodes_of(*cluster.comm());
    const int size = cluster.comm()->size();
    ASSERT_EQ(nodes.count(), (size + per_node - 1) / per_node);
    for (int r = 0; r < size; ++r) {
      EXPECT_EQ(nodes.node_of(r), r / per_node);
      EXPECT_EQ(nodes.members(r / per_node)[static_cast<std::size_t>(r % per_node)], r);
    }
    EXPECT_EQ(nodes.mine(), nodes.node_of(cluster.comm()->rank()));
    EXPECT_EQ(size_of(nodes.comm()), static_cast<int>(nodes.members(nodes.mine()).size()));
  }
}

Transposition square(int ranks, std::ptrdiff_t vec) {
  return {BlockDistribution(40, ranks), BlockDistribution(48, ranks), vec, sizeof(double)};
}
/// Returns a transposition of more than 4 MiB per rank, too large for windows with two halves.
Transposition beyond_halves(int ranks) {
  const std::ptrdiff_t vec = (std::ptrdiff_t{1} << 18) / ranks + 1;
  return {BlockDistribution(ranks, ranks), BlockDistribution(ranks, ranks), vec, sizeof(double)};
}

class SharedMemory : public ::testing::TestWithParam<int> {};

TEST_P(SharedMemory, ThereAndBack) {
  const Cluster cluster(GetParam());
  const auto &comm = cluster.comm();
  if (comm->size() == 1) GTEST_SKIP() << "one rank has no other to share with";
  for (const std::ptrdiff_t limit : {INT_MAX, 5})
    for (const Transposition &t : cases(comm->size())) {
      ExchangeOptions options;
      options.largest_count = limit;
      options.pages = limit == 5 ? Pages::later : Pages::now;
      const auto forth = make_shared_memory(t, comm, options);
      ASSERT_NE(forth, nullptr);
      expect_transposed(t, *forth, comm->rank());
      const Transposition back{t.columns, t.rows, t.vec, t.real_bytes};
      const auto home = forth->make_return(back);
      ASSERT_NE(home, nullptr);
      // After an exchange each owner changes all numbers that it has received, and sends them back.
      Buffers there(*forth);
      forth->begin();
      there.write(t, forth->send(), comm->rank());
      forth->execute(there.send(), there.receive());
      Buffers again(*home, 5000);
      again.write(back, home->send(), comm->rank());
      home->execute(again.send(), again.receive());
      again.expect(back, home->receive(), comm->rank(), home->describe());
    }
}

TEST_P(SharedMemory, IsNotOverwrittenWhileOthersRead) {
  const Cluster cluster(GetParam());
  const auto &comm = cluster.comm();
  if (comm->size() == 1) GTEST_SKIP() << "one rank has no other to share with";
  // Four exchanges alternate without other synchronisation. Three of them, of two sizes, share one
  // window; the fourth one is too large for a window with two halves.
  const Transposition t = square(comm->size(), 8);
  const Transposition wider = square(comm->size(), 20);
  const Transposition large = beyond_halves(comm->size());
  const std::vector<const Transposition *> matrices{&wider, &t, &t, &large};
  std::vector<std::unique_ptr<Exchange>> exchanges;
  for (const Transposition *m : matrices) {
    exchanges.push_back(make_shared_memory(*m, comm, {}));
    ASSERT_NE(exchanges.back(), nullptr);
  }
  EXPECT_EQ(exchanges[0]->window(), exchanges[1]->window());
  EXPECT_EQ(exchanges[0]->window(), exchanges[2]->window());
  EXPECT_NE(exchanges[0]->window(), exchanges[3]->window());
  for (int i = 0; i < 40; ++i) {
    // Sometimes the same exchange runs several times, an even or an odd number of times.
    const std::size_t k = i == 30 ? 3 : static_cast<std::size_t>(i * i / 5 % 3);
    const Transposition &m = *matrices[k];
    Exchange &e = *exchanges[k];
    Buffers buffers(e, 10000 * i);
    e.begin();
    buffers.write(m, e.send(), comm->rank());
    e.execute(buffers.send(), buffers.receive());
    // In each round another rank reads late.
    if (i % comm->size() == comm->rank()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    buffers.expect(m, e.receive(), comm->rank(), "execution " + std::to_string(i));
    if (i % 4 != 3) continue;
    const Transposition back{m.columns, m.rows, m.vec, m.real_bytes};
    const auto home = e.make_return(back);
    Buffers again(*home, 10000 * i + 5000);
    again.write(back, home->send(), comm->rank());
    home->execute(again.send(), again.receive());
    again.expect(back, home->receive(), comm->rank(), "return " + std::to_string(i));
  }
}

TEST_P(SharedMemory, SmallArrays_WaitOnce) {
  const Cluster cluster(GetParam());
  const auto &comm = cluster.comm();
  if (comm->size() == 1) GTEST_SKIP() << "one rank has no other to share with";
  // With several nodes each execution has one more barrier, after messages have arrived.
  const int messages = nodes_of(*comm)->count() > 1 ? 1 : 0;
  for (const bool small : {true, false}) {
    const Transposition t = small ? square(comm->size(), 8) : beyond_halves(comm->size());
    const auto exchange = make_shared_memory(t, comm, {});
    ASSERT_NE(exchange, nullptr);
    long before = 0;
    constexpr int executions = 5;
    for (int i = 0; i <= executions; ++i) {
      // Count barriers from the second execution on, because in the first one no window is in use.
      if (i == 1) before = dropin::barriers();
      exchange->begin();
      exchange->execute(exchange->window(), exchange->window());
    }
    EXPECT_EQ(dropin::barriers() - before, executions * (messages + (small ? 1 : 2)));
  }
}

/// A plan with transposed output. Its input is a line along axis 0, so each rank sends a part to
/// each other rank.
class TransposedPlan {
public:
  explicit TransposedPlan(std::ptrdiff_t n) : n_(n) {
    const std::ptrdiff_t total =
        hfft_local_size_3d_transposed(n, n, n, test::world(), &rows_, &row_, &columns_, &column_);
    in_.resize(static_cast<std::size_t>(total));
    out_.resize(in_.size());
    plan_ = hfft_plan_dft_3d(n, n, n, reinterpret_cast<hfft_complex *>(in_.data()),
                             reinterpret_cast<hfft_complex *>(out_.data()), test::world(),
                             HFFT_FORWARD, HFFT_ESTIMATE | HFFT_TRANSPOSED_OUT);
  }
  ~TransposedPlan() { hfft_destroy_plan(plan_); }
  TransposedPlan(const TransposedPlan &) = delete;
  TransposedPlan &operator=(const TransposedPlan &) = delete;

  /// Sets the input to `value` at (i, 0, 0) for all i, and expects its transform: n times this
  /// value at k0 = 0.
  void expect_transformed(double value) {
    std::fill(in_.begin(), in_.end(), 0.0);
    for (std::ptrdiff_t i = 0; i < rows_; ++i)
      in_[static_cast<std::size_t>(i * n_ * n_)] = value;
    ASSERT_EQ(hfft_execute(plan_), HFFT_SUCCESS) << hfft_last_error_message();
    for (std::ptrdiff_t k1 = 0; k1 < columns_; ++k1)
      for (std::ptrdiff_t k0 = 0; k0 < n_; ++k0)
        for (std::ptrdiff_t k2 = 0; k2 < n_; ++k2) {
          const auto at = static_cast<std::size_t>((k1 * n_ + k0) * n_ + k2);
          const double expected = k0 == 0 ? static_cast<double>(n_) * value : 0;
          ASSERT_LT(std::abs(out_[at] - expected), 1e-12 * static_cast<double>(n_) * value)
              << "n " << n_ << " value " << value << " at " << k1 << " " << k0 << " " << k2;
        }
  }

private:
  std::ptrdiff_t n_, rows_ = 0, row_ = 0, columns_ = 0, column_ = 0;
  std::vector<std::complex<double>> in_, out_;
  hfft_plan plan_ = nullptr;
};

TEST(TransposedPlans, WaitOncePerExecutionAndSeeNoOldValues) {
  if (size_of(test::world()) == 1) GTEST_SKIP() << "one rank has no other to share with";
  setenv("HFFT_EXCHANGE", "shared", 1);
  TransposedPlan first(16);
  TransposedPlan second(12);
  unsetenv("HFFT_EXCHANGE");
  first.expect_transformed(1);
  second.expect_transformed(2);
  const long before = dropin::barriers();
  constexpr int executions = 60;
  for (int i = 0; i < executions; ++i)
    (i % 7 < 3 ? first : second).expect_transformed(3 + i);
  EXPECT_EQ(dropin::barriers() - before, executions);
}

/// Makes /dev/shm report this many bytes until the object is destroyed.
class Room {
public:
  explicit Room(double bytes) { shared_memory_room = static_cast<std::uint64_t>(bytes); }
  ~Room() { shared_memory_room = 0; }
  Room(const Room &) = delete;
  Room &operator=(const Room &) = delete;
};

/// Returns the free bytes that windows of this many bytes need, with the reserve for MPI.
double room_for(double bytes) { return bytes * 9 / 8; }

/// Returns the bytes of the windows of all ranks for a matrix; the windows have no halves.
double bytes_of(const Transposition &t) {
  return static_cast<double>(t.rows.n() * t.columns.n() * t.vec) * 16;
}

/// Returns the number of ranks of the program, divided by the number of ranks of this test. Pages
/// are allocated at once if memory would not suffice for the same bytes on each rank of the
/// program.
double program_ratio() {
  return static_cast<double>(size_of(MPI_COMM_WORLD)) / size_of(test::world());
}

/// Memory whose pages are allocated later must not be reserved for a second window.
TEST(SharedMemoryLater, IsPromisedOnce) {
  const Cluster one(0);
  const Cluster other(0);
  const int ranks = one.comm()->size();
  if (ranks == 1) GTEST_SKIP() << "one rank has no other to share with";
  if (program_ratio() >= 1.8) GTEST_SKIP() << "there is room for two";
  const Transposition t = beyond_halves(ranks);
  const Room room(room_for(1.1 * program_ratio() * bytes_of(t)));
  ExchangeOptions options;
  options.pages = Pages::later;
  auto first = make_shared_memory(t, one.comm(), options);
  EXPECT_NE(first, nullptr);
  EXPECT_EQ(make_shared_memory(t, other.comm(), options), nullptr);
  EXPECT_NE(make_shared_memory(t, one.comm(), options), nullptr) << "the window is shared";
  first.reset();
  EXPECT_NE(make_shared_memory(t, other.comm(), options), nullptr);
}

/// Halves an even number of ranks into two groups. They request windows together, like the rows of
/// a process grid.
struct TwoGroups {
  explicit TwoGroups(int ranks)
      : group(cluster.comm()->group(ranks / 2, 1)), large(beyond_halves(ranks / 2)) {
    options.all = cluster.comm();
  }

  const Cluster cluster{0};
  const std::shared_ptr<Communicator> group;
  ExchangeOptions options;
  /// A matrix of each group whose window has no halves, and the bytes of this window.
  const Transposition large;
  const double bytes = bytes_of(large);
};

/// If memory suffices for the windows of one and a half groups, no group gets a window.
TEST(SharedMemoryLater, IsPromisedToAllGroupsTogether) {
  const int ranks = size_of(test::world());
  if (ranks < 4 || ranks % 2 != 0) GTEST_SKIP() << "no two groups of ranks";
  if (program_ratio() > 1) GTEST_SKIP() << "memory is scarce";
  TwoGroups of(ranks);
  of.options.pages = Pages::later;
  {
    const Room room(room_for(1.5 * of.bytes));
    EXPECT_EQ(make_shared_memory(of.large, of.group, of.options), nullptr);
  }
  const Room room(room_for(2.5 * of.bytes));
  const auto first = make_shared_memory(of.large, of.group, of.options);
  EXPECT_NE(first, nullptr);
  EXPECT_NE(make_shared_memory(of.large, of.group, of.options), nullptr)
      << "the windows are shared";
  const auto other = of.cluster.comm()->group(2, ranks / 2);
  EXPECT_EQ(make_shared_memory(beyond_halves(2), other, of.options), nullptr)
      << "the windows of the other dimension are promised in addition";
}

/// Two independent groups. If memory suffices for one and a half, one group gets no window, and
/// nothing fails later. If it suffices for all ranks of the program, pages are not allocated yet.
TEST(SharedMemoryLater, ScarceMemory_IsAllocatedAtOnce) {
  const int ranks = size_of(test::world());
  if (ranks < 4 || ranks % 2 != 0) GTEST_SKIP() << "no two groups of ranks";
  if (!asks_for_pages()) GTEST_SKIP() << "pages come with their first use";
  TwoGroups of(ranks);
  of.options.all = nullptr;
  of.options.pages = Pages::later;
  const bool late = rank_of(test::world()) >= ranks / 2;
  lacks_pages = late;
  {
    const Room room(room_for(1.5 * of.bytes));
    EXPECT_EQ(make_shared_memory(of.large, of.group, of.options) == nullptr, late);
  }
  const Room room(room_for(2.5 * program_ratio() * of.bytes));
  EXPECT_NE(make_shared_memory(of.large, of.group, of.options), nullptr);
  lacks_pages = false;
}

/// Windows with two halves are for small exchanges. One group has a small and the other one a large
/// exchange: both must get the same kind of window, or both must get none.
TEST(SharedMemoryLater, IsOfOneKindInUnequalGroups) {
  const int ranks = size_of(test::world());
  if (ranks < 4 || ranks % 2 != 0) GTEST_SKIP() << "no two groups of ranks";
  const TwoGroups of(ranks);
  Transposition t = of.large;
  if (of.cluster.comm()->rank() >= ranks / 2) t.vec = 3;
  {
    const Room room(room_for(0.5 * of.bytes));
    EXPECT_EQ(make_shared_memory(t, of.group, of.options), nullptr);
  }
  const auto exchange = make_shared_memory(t, of.group, of.options);
  ASSERT_NE(exchange, nullptr);
  expect_transposed(t, *exchange, of.group->rank());
}

/// A plan exchanges within rows and within columns of ranks. The windows of all rows have as many
/// bytes as the array, and so have the windows of all columns. If memory suffices for a part of
/// these windows only, the plan sends messages instead.
TEST(SharedMemoryLater, MemoryMissingLater_UsesMessages) {
  const int ranks = size_of(test::world());
  if (ranks < 4 || ranks % 2 != 0) GTEST_SKIP() << "no rows and columns of ranks";
  // Above 4 MiB per rank a window has one buffer. Smaller windows have two halves, used in turns,
  // which would double their bytes.
  const std::vector<std::ptrdiff_t> n{24, 24, 512 * ranks};
  const double bytes = 24.0 * 24 * 512 * ranks * 16;
  const Layout in = Layout::grid(n, {2, ranks / 2, 1});
  const Layout out = Layout::grid(n, {1, 2, ranks / 2});
  Options options{.comm = test::world()};
  options.effort = Effort::estimate;
  const auto sizes = local_sizes<double, Kind::c2c>(in, out, options);
  Buffer<std::complex<double>> a(sizes.allocate_in), b(sizes.allocate_out);
  const auto shares_memory = [&](double room_bytes) {
    const Room room(room_for(room_bytes));
    Plan<double, Kind::c2c> plan(in, out, a, b, options);
    return plan.describe().find("shared memory of") != std::string::npos;
  };
  EXPECT_TRUE(shares_memory(2.5 * bytes));
  EXPECT_FALSE(shares_memory(0.75 * bytes));
}

/// Pencils exchange data within rows and columns of the process grid. If one row or column lacks
/// memory in its first execution, the plan fails on all ranks.
TEST(SharedMemoryLater, IsLackedByAllRanksOfAPlan) {
  const int ranks = size_of(test::world());
  if (ranks < 4 || ranks % 2 != 0) GTEST_SKIP() << "no rows and columns of ranks";
  if (!asks_for_pages()) GTEST_SKIP() << "pages come with their first use";
  const Variable exchange("HFFT_EXCHANGE", "shared");
  const std::vector<std::ptrdiff_t> n{16, 12, 10};
  const Layout in = Layout::grid(n, {2, ranks / 2, 1});
  const Layout out = Layout::grid(n, {1, 2, ranks / 2});
  Options options{.comm = test::world()};
  options.effort = Effort::estimate;
  const auto sizes = local_sizes<double, Kind::c2c>(in, out, options);
  Buffer<std::complex<double>> a(sizes.allocate_in), b(sizes.allocate_out);
  Plan<double, Kind::c2c> plan(in, out, a, b, options);
  ASSERT_NE(plan.describe().find("shared memory of"), std::string::npos) << plan.describe();
  const auto execute = [&] {
    try {
      plan.execute();
    } catch (const Error &e) {
      return e.code();
    }
    return HFFT_SUCCESS;
  };
  lacks_pages = rank_of(test::world()) == 0;
  EXPECT_EQ(execute(), HFFT_ERROR_OUT_OF_MEMORY);
  lacks_pages = false;
  EXPECT_EQ(execute(), HFFT_SUCCESS) << "there is room again";
}

TEST_P(SharedMemory, ReturnExchange_NeedsTheSameBlocks) {
  const Cluster cluster(GetParam());
  const auto &comm = cluster.comm();
  if (comm->size() == 1) GTEST_SKIP() << "one rank has no other to share with";
  const BlockDistribution rows(12, comm->size());
  const BlockDistribution columns(10, comm->size());
  const auto forth = make_shared_memory({rows, columns, 1, sizeof(float)}, comm, {});
  ASSERT_NE(forth, nullptr);
  const BlockDistribution other(12, comm->size(), 12);
  EXPECT_EQ(forth->make_return({columns, other, 1, sizeof(float)}), nullptr);
}

// The real nodes, and several simulated nodes; the last one may be smaller.
INSTANTIATE_TEST_SUITE_P(RanksPerNode, SharedMemory, ::testing::Values(0, 2, 3),
                         [](const auto &info) { return std::to_string(info.param); });

TEST(SharedMemory, RanksOfANodeNeedNotFollowEachOther) {
  // Nodes whose ranks are numbered backwards, or assigned to the nodes one by one in turn.
  const int rank = rank_of(test::world());
  for (const int key : {-rank, rank % 2 * 100 + rank}) {
    const Cluster cluster(2, key);
    const auto &comm = cluster.comm();
    if (comm->size() == 1) GTEST_SKIP() << "one rank has no other to share with";
    for (const Transposition &t : cases(comm->size())) {
      const auto exchange = make_shared_memory(t, comm, {});
      ASSERT_NE(exchange, nullptr);
      expect_transposed(t, *exchange, comm->rank());
    }
  }
}

TEST(SharedMemory, IsNotOfferedToSingleRanks) {
  const Cluster cluster(1);
  const auto &comm = cluster.comm();
  const Transposition t{BlockDistribution(8, comm->size()), BlockDistribution(8, comm->size()), 1,
                        sizeof(double)};
  EXPECT_EQ(make_shared_memory(t, comm, {}), nullptr);
}

TEST(SharedMemory, HugeRequest_IsRefused) {
  const auto comm = acquire(test::world());
  if (comm->size() == 1) GTEST_SKIP() << "one rank has no other to share with";
  // The exchange would have 2^50 elements. The request is refused without any output or allocation,
  // and small requests still work.
  const std::ptrdiff_t n = std::ptrdiff_t{1} << 20;
  const Transposition huge{BlockDistribution(n, comm->size()), BlockDistribution(n, comm->size()),
                           1024, sizeof(double)};
  EXPECT_EQ(make_shared_memory(huge, comm, {}), nullptr);
  const Transposition small{BlockDistribution(8, comm->size()), BlockDistribution(8, comm->size()),
                            1, sizeof(double)};
  const auto exchange = make_shared_memory(small, comm, {});
  ASSERT_NE(exchange, nullptr);
  expect_transposed(small, *exchange, comm->rank());
}

/// Sets a limit of this process until the object is destroyed.
class Limit {
public:
  Limit(__rlimit_resource resource, rlim_t soft) : resource_(resource) {
    getrlimit(resource_, &before_);
    rlimit limit = before_;
    limit.rlim_cur = soft;
    setrlimit(resource_, &limit);
  }
  ~Limit() { setrlimit(resource_, &before_); }
  Limit(const Limit &) = delete;
  Limit &operator=(const Limit &) = delete;

private:
  __rlimit_resource resource_;
  rlimit before_{};
};

/// Returns the descriptor that the next opened file will get.
rlim_t open_files() {
  const int next = open("/dev/null", O_RDONLY | O_CLOEXEC);
  close(next);
  return static_cast<rlim_t>(next);
}

/// All ranks must exchange messages instead. Otherwise MPI would wait forever for a rank that
/// cannot open a file, or a signal would end the process.
TEST(SharedMemory, RankWithoutDescriptorsOrLargeFiles_Request_IsRefusedOnAllRanks) {
  const auto comm = acquire(test::world());
  if (comm->size() == 1) GTEST_SKIP() << "one rank has no other to share with";
  constexpr std::ptrdiff_t n = 512; // 2 MiB in total
  const Transposition t{BlockDistribution(n, comm->size()), BlockDistribution(n, comm->size()), 1,
                        sizeof(double)};
  for (const auto &[resource, soft] :
       {std::pair(RLIMIT_NOFILE, open_files()), std::pair(RLIMIT_FSIZE, rlim_t{1} << 20)}) {
    const bool last = comm->rank() == comm->size() - 1;
    std::optional<Limit> limit;
    if (last) limit.emplace(resource, soft);
    const auto refused = make_shared_memory(t, comm, {});
    limit.reset();
    EXPECT_EQ(refused, nullptr) << "limit " << resource;
  }
  const auto exchange = make_shared_memory(t, comm, {});
  ASSERT_NE(exchange, nullptr) << "without limits";
  expect_transposed(t, *exchange, comm->rank());
}

TEST(SharedWindow, IsOneForManyAndGrows) {
  const Cluster cluster(0);
  const auto &comm = cluster.comm();
  const int before = live_windows();
  {
    std::vector<std::unique_ptr<Exchange>> held;
    std::size_t n = 8;
    for (int i = 0; i < 100; ++i, n += 2) {
      const Transposition t{BlockDistribution(static_cast<std::ptrdiff_t>(n), comm->size()),
                            BlockDistribution(static_cast<std::ptrdiff_t>(n), comm->size()), 64,
                            sizeof(double)};
      held.push_back(make_shared_memory(t, comm, {}));
      if (comm->size() == 1) GTEST_SKIP() << "one rank has no other to share with";
      ASSERT_NE(held.back(), nullptr);
    }
    // Matrices grow from 8 x 8 to 206 x 206, by a factor of 663. Each new window is at least 1.5
    // times as large as the last one: log(663) / log(1.5) = 16.02 windows. Small and large windows
    // are rounded up separately, and there is a first one of each.
    EXPECT_GT(live_windows(), before);
    EXPECT_LE(live_windows() - before, 20);
    const Transposition first{BlockDistribution(8, comm->size()),
                              BlockDistribution(8, comm->size()), 64, sizeof(double)};
    expect_transposed(first, *held.front(), comm->rank());
  }
  EXPECT_EQ(live_windows(), before) << "windows outlive their exchanges";
}

TEST(SharedWindow, WindowReadByMessages_IsLeakedOnAllRanks) {
  const Cluster cluster(0);
  const auto &comm = cluster.comm();
  if (comm->size() == 1) GTEST_SKIP() << "one rank has no other to share with";
  const int before = live_windows();
  std::shared_ptr<SharedWindow> window;
  ASSERT_TRUE(acquire_window(*comm, {[] { return std::size_t{8}; },
                                     [&](const std::shared_ptr<SharedWindow> &w) { window = w; }}));
  if (comm->rank() == 0) window->leave();
  window.reset();
  EXPECT_EQ(live_windows(), before + 1);
}

TEST(RanksPerNode, OtherThanNumbersAreErrorsOnAllRanks) {
  for (const char *text : {"two", "0", "-1", "2x"}) {
    setenv("HFFT_RANKS_PER_NODE", text, 1);
    MPI_Comm user = MPI_COMM_NULL;
    MPI_Comm_dup(test::world(), &user);
    {
      const auto comm = acquire(user);
      EXPECT_ANY_THROW(nodes_of(*comm)) << text;
    }
    MPI_Comm_free(&user);
  }
  unsetenv("HFFT_RANKS_PER_NODE");
}

} // namespace
