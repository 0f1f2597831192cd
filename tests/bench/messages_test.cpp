// Counts MPI calls of executions: each exchange sends the minimum of bytes and messages, and makes
// no unnecessary copy. docs/benchmarks.md has the formulas of the minimum.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstdlib>
#include <string>
#include <vector>

#include "hybridfft/pencils.hpp"
#include "messages/heap_count.h"
#include "messages/message_count.h"
#include "support/mpi_test.h"
#include "support/variable.h"

namespace hybridfft {
namespace {

using Extents = std::vector<std::ptrdiff_t>;

int ranks() { return test::size_of(test::world()); }
int rank() { return test::rank_of(test::world()); }

/// The points first ... end - 1 of a block, computed by an independent implementation of FFTW's
/// rule.
struct Range {
  std::ptrdiff_t first, end;
};

Range block(std::ptrdiff_t n, std::ptrdiff_t parts, std::ptrdiff_t part) {
  const std::ptrdiff_t size = (n + parts - 1) / parts;
  return {std::min(part * size, n), std::min((part + 1) * size, n)};
}

using Box = std::array<Range, 3>;

std::ptrdiff_t common(const Box &a, const Box &b) {
  std::ptrdiff_t points = 1;
  for (std::size_t d = 0; d < 3; ++d)
    points *= std::max<std::ptrdiff_t>(
        std::min(a[d].end, b[d].end) - std::max(a[d].first, b[d].first), 0);
  return points;
}

/// Minimum of messages and numbers that a rank sends between two distributions of an array. Box r
/// of a distribution belongs to rank r.
struct Least {
  long long messages = 0;
  long long numbers = 0;
  long long kept = 0; ///< numbers kept on the rank

  Least &add(const std::vector<Box> &from, const std::vector<Box> &to, int mine) {
    for (int r = 0; r < static_cast<int>(to.size()); ++r) {
      const std::ptrdiff_t points =
          common(from[static_cast<std::size_t>(mine)], to[static_cast<std::size_t>(r)]);
      if (r == mine) kept += points;
      if (r == mine || points == 0) continue;
      ++messages;
      numbers += points;
    }
    return *this;
  }
};

std::vector<Box> slabs(const Extents &n, std::size_t axis) {
  std::vector<Box> boxes;
  for (int r = 0; r < ranks(); ++r) {
    Box box{Range{0, n[0]}, Range{0, n[1]}, Range{0, n[2]}};
    box[axis] = block(n[axis], ranks(), r);
    boxes.push_back(box);
  }
  return boxes;
}

/// Boxes of pencils along an axis: grid[0] and grid[1] divide the two other axes, in this order.
std::vector<Box> pencils_along(const Extents &n, std::array<int, 2> grid, std::size_t axis) {
  std::vector<Box> boxes;
  for (int r = 0; r < ranks(); ++r) {
    const std::array<int, 2> at{r / grid[1], r % grid[1]};
    Box box;
    std::size_t next = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      if (d == axis) {
        box[d] = {0, n[d]};
        continue;
      }
      box[d] = block(n[d], grid[next], at[next]);
      ++next;
    }
    boxes.push_back(box);
  }
  return boxes;
}

/// A plan with its own input and output arrays.
template <class Real, Kind K> struct Transform {
  template <class... Where>
  Transform(const Options &options, const Where &...where)
      : sizes(local_sizes<Real, K>(where..., options)), in(sizes.allocate_in),
        out(sizes.allocate_out), plan(where..., in, out, options) {}

  LocalSizes sizes;
  Buffer<typename Elements<Real, K>::In> in;
  Buffer<typename Elements<Real, K>::Out> out;
  Plan<Real, K> plan;
};

Options estimated() {
  Options options{.comm = test::world()};
  options.effort = Effort::estimate;
  return options;
}

double copied_bytes(auto &plan) {
  plan.set_profiling(true);
  plan.execute();
  double bytes = 0;
  for (const hfft_stage_profile &s : plan.profile())
    if (std::string(s.name).starts_with("copy")) bytes += s.bytes / 2; // read and written
  plan.set_profiling(false);
  return bytes;
}

/// Expects that one execution with this algorithm sends the minimum number of messages and bytes.
/// \param bytes size of a number
template <class Transform>
void expect_min(const char *algorithm, Transform &t, const Least &least, std::size_t bytes) {
  const std::string name(algorithm);
  const MessageCount count = messages_of([&t] { t.plan.execute(); });
  const std::string text = name + "\n" + t.plan.describe();
  EXPECT_EQ(count.bytes, least.numbers * static_cast<long long>(bytes)) << text;
  // The exchanges "pipelined" and "eager" may send a message in parts, before the pass that writes
  // it has ended.
  if (name != "pipelined" && name != "eager") {
    EXPECT_EQ(count.messages, least.messages) << text;
  }
  // A collective call also passes the numbers that stay on the rank. Point-to-point algorithms send
  // no message to the rank itself.
  const bool collective = name == "alltoallv" || name == "datatypes";
  EXPECT_LE(count.self_bytes, collective ? least.kept * static_cast<long long>(bytes) : 0) << text;
  // Only derived datatypes let MPI pack numbers; the passes of the library have packed them
  // already.
  if (name != "datatypes") {
    EXPECT_EQ(count.packed_bytes, 0) << text;
  }
}

constexpr std::array algorithms{"alltoallv", "pairwise", "pipelined", "eager", "datatypes"};

/// One of P ranks sends V/P (1 - 1/P) of the V numbers of an array: once if the spectrum stays
/// transposed, else twice.
TEST(LeastMessages, Slabs) {
  for (const Extents &n : {Extents{24, 16, 12}, Extents{13, 9, 10}})
    for (const char *algorithm : algorithms) {
      const test::Variable exchange("HFFT_EXCHANGE", algorithm);
      for (const bool transposed : {true, false}) {
        Options options = estimated();
        options.transposed_out = transposed;
        Least c2c;
        c2c.add(slabs(n, 0), slabs(n, 1), rank());
        if (!transposed) c2c.add(slabs(n, 1), slabs(n, 0), rank());
        Transform<double, Kind::c2c> complex(options, n);
        expect_min(algorithm, complex, c2c, 16);
        if (transposed) {
          EXPECT_EQ(copied_bytes(complex.plan), 0) << complex.plan.describe();
        }
        const Extents half{n[0], n[1], n[2] / 2 + 1};
        Least r2c;
        r2c.add(slabs(half, 0), slabs(half, 1), rank());
        if (!transposed) r2c.add(slabs(half, 1), slabs(half, 0), rank());
        Transform<float, Kind::r2c> real(options, n);
        expect_min(algorithm, real, r2c, 8);
      }
    }
}

/// Least::add() yields the formula V/P (1 - 1/P) of the previous test for equal blocks.
TEST(LeastMessages, FormulaOfSlabs) {
  const std::ptrdiff_t p = ranks();
  const Extents n{4 * p, 3 * p, 10};
  Least least;
  least.add(slabs(n, 0), slabs(n, 1), rank());
  EXPECT_EQ(least.messages, p - 1);
  EXPECT_EQ(least.numbers * p * p, n[0] * n[1] * n[2] * (p - 1));
}

/// One of P = P1 x P2 ranks sends V/P (1 - 1/P1) + V/P (1 - 1/P2) of the V numbers of an array.
TEST(LeastMessages, Pencils) {
  for (const Extents &n : {Extents{96, 64, 96}, Extents{65, 70, 66}})
    for (int p1 = 1; p1 <= ranks(); ++p1) {
      if (ranks() % p1 != 0) continue;
      const std::array<int, 2> grid{p1, ranks() / p1};
      Least least;
      // Axes 2, 1 and 0 are transformed in this order, each while it is not distributed. The first
      // exchange is within rows of the grid, the second one within columns.
      const std::vector<Box> between = pencils_along(n, grid, 1);
      least.add(pencils_along(n, grid, 2), between, rank());
      least.add(between, pencils_along(n, grid, 0), rank());
      for (const char *algorithm : {"alltoallv", "pairwise"}) {
        const test::Variable exchange("HFFT_EXCHANGE", algorithm);
        const Pencils p = pencils(n, grid, false);
        Transform<double, Kind::c2c> t(estimated(), p.points, p.spectrum);
        expect_min(algorithm, t, least, 16);
        EXPECT_EQ(copied_bytes(t.plan), 0) << t.plan.describe();
      }
    }
}

/// Between any two layouts a rank sends exactly the numbers that it does not keep. (A plan may go
/// through a third layout if messages are small: it sends more bytes in fewer messages.)
TEST(LeastMessages, Redistribution) {
  const Extents n{96, 80, 96};
  const std::vector<Box> from = slabs(n, 0), to = slabs(n, 2);
  for (const char *algorithm : {"alltoallv", "pairwise"}) {
    const test::Variable exchange("HFFT_EXCHANGE", algorithm);
    Options options = estimated();
    options.redistribute_only = true;
    const std::vector<int> first{ranks(), 1, 1}, last{1, 1, ranks()};
    Transform<double, Kind::c2c> t(options, Layout::grid(n, first), Layout::grid(n, last));
    Least least;
    least.add(from, to, rank());
    expect_min(algorithm, t, least, 16);
  }
}

/// Nodes of two ranks, with the exchange through shared memory: no message stays within a node, and
/// messages between two nodes carry the minimum of bytes.
TEST(LeastMessages, PairsOfNodes) {
  // The library reads the variable only once per process, so the test cannot set it.
  ASSERT_STREQ(std::getenv("HFFT_RANKS_PER_NODE"), "2") << "expected in the environment";
  const test::Variable exchange("HFFT_EXCHANGE", "shared");
  const Extents n{24, 16, 12};
  Options options = estimated();
  options.transposed_out = true;
  Transform<double, Kind::c2c> t(options, n);
  const MessageCount count = messages_of([&t] { t.plan.execute(); });
  const TrafficCount traffic = node_traffic(count, test::world());
  if (rank() != 0) return;
  ASSERT_EQ(traffic.nodes, (ranks() + 1) / 2);
  const std::vector<Box> from = slabs(n, 0), to = slabs(n, 1);
  for (int a = 0; a < traffic.nodes; ++a)
    for (int b = 0; b < traffic.nodes; ++b) {
      long long numbers = 0;
      for (int i = 0; i < ranks(); ++i)
        for (int j = 0; j < ranks(); ++j)
          if (i / 2 == a && j / 2 == b && a != b)
            numbers += common(from[static_cast<std::size_t>(i)], to[static_cast<std::size_t>(j)]);
      EXPECT_EQ(traffic.bytes[static_cast<std::size_t>(a * traffic.nodes + b)], 16 * numbers)
          << "from node " << a << " to node " << b << "\n"
          << t.plan.describe();
    }
}

/// Tests the counter itself: one call of each kind, with known sizes.
TEST(MessageCount, CallsOfEachKind_AreCounted) {
  const int p = ranks();
  const int next = (rank() + 1) % p, before = (rank() + p - 1) % p;
  const int to = [next] {
    MPI_Group group = MPI_GROUP_NULL, world = MPI_GROUP_NULL;
    MPI_Comm_group(test::world(), &group);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    int translated = 0;
    MPI_Group_translate_ranks(group, 1, &next, world, &translated);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    return translated;
  }();
  std::vector<double> sent(static_cast<std::size_t>(8 * p), 1), got(sent.size());
  MPI_Datatype gaps = MPI_DATATYPE_NULL;
  MPI_Type_vector(2, 1, 3, MPI_DOUBLE, &gaps);
  MPI_Type_commit(&gaps);
  MPI_Request persistent = MPI_REQUEST_NULL;
  MPI_Send_init(sent.data(), 5, MPI_DOUBLE, next, 3, test::world(), &persistent);
  const MessageCount count = messages_of([&] {
    MPI_Sendrecv(sent.data(), 3, MPI_DOUBLE, next, 1, got.data(), 3, MPI_DOUBLE, before, 1,
                 test::world(), MPI_STATUS_IGNORE);
    MPI_Sendrecv(sent.data(), 1, gaps, next, 2, got.data(), 2, MPI_DOUBLE, before, 2, test::world(),
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < 2; ++i) {
      MPI_Request receive = MPI_REQUEST_NULL;
      MPI_Irecv(got.data(), 5, MPI_DOUBLE, before, 3, test::world(), &receive);
      MPI_Start(&persistent);
      MPI_Wait(&receive, MPI_STATUS_IGNORE);
      MPI_Wait(&persistent, MPI_STATUS_IGNORE);
    }
    MPI_Alltoall(sent.data(), 8, MPI_DOUBLE, got.data(), 8, MPI_DOUBLE, test::world());
    double sum = 1;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, test::world());
  });
  MPI_Request_free(&persistent);
  MPI_Type_free(&gaps);
  const long long of_ring =
      (3 + 2 + 2 * 5) * 8; // bytes for the next rank, which is this rank if p = 1
  const long long of_all = 8 * 8;
  EXPECT_EQ(count.collectives, 2);
  EXPECT_EQ(count.packed_bytes, 16);
  EXPECT_EQ(count.self_bytes, of_all + (p == 1 ? of_ring : 0));
  EXPECT_EQ(count.bytes, (p - 1) * of_all + (p == 1 ? 0 : of_ring));
  EXPECT_EQ(count.messages, p - 1 + (p == 1 ? 0 : 4));
  if (p > 1) {
    EXPECT_EQ(count.to[static_cast<std::size_t>(to)].bytes, of_ring + of_all);
  }
}

/// For any number of ranks, the second plan on a communicator takes at most 8 collective calls and
/// no message. On each rank it keeps at most 40 kB of memory, and 256 bytes more for each rank of
/// the communicator. Executions allocate no memory. bench/results/ranks.md has measurements for
/// more ranks.
TEST(Growth, OfPlansAndExecutions) {
  const Extents n{64, 64, 4};
  const Options options = estimated();
  Transform<double, Kind::c2c> first(options, std::span<const std::ptrdiff_t>(n));
  Buffer<std::complex<double>> in(first.sizes.allocate_in), out(first.sizes.allocate_out);
  Plan<double, Kind::c2c> plan;
  HeapCount heap;
  const MessageCount count = messages_of([&] {
    start_counting_heap();
    plan = Plan<double, Kind::c2c>(n, in, out, options);
    heap = stop_counting_heap();
  });
  EXPECT_LE(count.collectives, 8);
  EXPECT_EQ(count.messages, 0);
  EXPECT_GT(heap.allocations, 0) << "nothing is counted";
  EXPECT_LE(heap.kept, 40000 + 256 * ranks());
  plan.execute();
  const MessageCount run = messages_of([&] {
    start_counting_heap();
    plan.execute();
    heap = stop_counting_heap();
  });
  EXPECT_EQ(heap.allocations, 0);
  EXPECT_LE(run.messages, 2 * (ranks() - 1)) << "there and back";
}

} // namespace
} // namespace hybridfft
