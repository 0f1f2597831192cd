// Compares the ghosts after halo exchanges with a function of the global index. Cuts, owners,
// widths, fields and periodic axes are random, in both schedules. Often some ranks own no block, so
// a run on eight ranks also tests smaller numbers of owners.

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "hybridfft/grid/choice.hpp"
#include "hybridfft/grid/halo.hpp"
#include "hybridfft/grid/parallel_for.hpp"
#include "hybridfft/grid/regions.hpp"
#include "support/mpi_test.h"
#include "support/variable.h"

namespace hybridfft::grid {
namespace {

constexpr double untouched = -1;

using Random = std::mt19937;

/// Returns a random number. All ranks draw the same ones in the same order.
Index number(Random &random, Index least, Index most) {
  return std::uniform_int_distribution<Index>(least, most)(random);
}

/// Returns the sizes of up to four random blocks along an axis.
std::vector<Index> random_sizes(Random &random) {
  std::vector<Index> sizes(static_cast<std::size_t>(number(random, 1, 4)));
  for (Index &size : sizes)
    size = number(random, 1, 6);
  return sizes;
}

struct Problem {
  Cuts cuts;
  Periodic periodic{};
  std::vector<int> owners;
  std::vector<Widths> widths; ///< widths per field
};

Problem random_problem(Random &random, int ranks, Index widest) {
  Problem p;
  std::size_t blocks = 1;
  for (std::size_t a = 0; a < 3; ++a) {
    p.cuts[a] = random_sizes(random);
    p.periodic[a] = number(random, 0, 1) == 1;
    blocks *= p.cuts[a].size();
  }
  const Index used = number(random, 1, ranks);
  for (std::size_t b = 0; b < blocks; ++b)
    p.owners.push_back(static_cast<int>(number(random, 0, used - 1)));
  p.widths.resize(static_cast<std::size_t>(number(random, 1, 3)));
  for (Widths &w : p.widths)
    for (int a = 0; a < 3; ++a) {
      w.below[a] = number(random, 0, widest);
      w.above[a] = number(random, 0, widest);
    }
  return p;
}

double value(std::size_t field, Index i, Index j, Index k) {
  return static_cast<double>(((static_cast<Index>(field) * 100 + i) * 100 + j) * 100 + k);
}

/// Returns the value of a point of a field expected after an exchange.
double expected(const Cartesian &c, std::size_t field, Index3 at) {
  const Box domain = c.domain();
  for (int a = 0; a < 3; ++a) {
    const Index n = domain.hi[a];
    if (at[a] >= 0 && at[a] < n) continue;
    if (!c.periodic()[static_cast<std::size_t>(a)]) return untouched;
    at[a] = (at[a] % n + n) % n;
  }
  return value(field, at[0], at[1], at[2]);
}

template <class T> using Fields = std::vector<std::unique_ptr<Array<T>>>;

/// Returns arrays of all fields and blocks of this rank. Ghosts hold `untouched`. `more` adds
/// ghosts that an exchange does not fill.
template <class T> Fields<T> filled(const Cartesian &c, const Problem &p, Index more) {
  Fields<T> fields;
  for (std::size_t f = 0; f < p.widths.size(); ++f)
    for (const int block : c.mine()) {
      Widths ghosts = p.widths[f];
      for (int a = 0; a < 3; ++a)
        ghosts.below[a] += more;
      fields.push_back(std::make_unique<Array<T>>(Place::host, c.box(block), ghosts));
      const View<T> v = fields.back()->view();
      parallel_for(Host{}, fields.back()->box(),
                   [=](Index i, Index j, Index k) { v(i, j, k) = T(untouched); });
      parallel_for(Host{}, c.box(block),
                   [=](Index i, Index j, Index k) { v(i, j, k) = T(value(f, i, j, k)); });
    }
  return fields;
}

template <class T> std::vector<Array<T> *> pointers(const Fields<T> &fields) {
  std::vector<Array<T> *> all;
  for (const auto &field : fields)
    all.push_back(field.get());
  return all;
}

/// Number of points with a wrong value.
template <class T> Index wrong_points(const Cartesian &c, const Problem &p, const Fields<T> &all) {
  Index wrong = 0;
  const std::size_t blocks = c.mine().size();
  for (std::size_t n = 0; n < all.size(); ++n) {
    const std::size_t f = n / blocks;
    const Box valid = grown(all[n]->inner(), p.widths[f]);
    const View<const T> v = static_cast<const Array<T> &>(*all[n]).view();
    const Box box = all[n]->box();
    for (Index i = box.lo[0]; i < box.hi[0]; ++i)
      for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index k = box.lo[2]; k < box.hi[2]; ++k) {
          const bool filled = valid.contains(Box({{i, j, k}}, {{i + 1, j + 1, k + 1}}));
          if (v(i, j, k) != T(filled ? expected(c, f, {{i, j, k}}) : untouched)) ++wrong;
        }
  }
  return wrong;
}

/// Returns the number of this rank's ghosts that other ranks own.
Index foreign_ghosts(const Cartesian &c, const Problem &p) {
  Index count = 0;
  const Box domain = c.domain();
  for (const Widths &w : p.widths)
    for (const int block : c.mine()) {
      const Box box = grown(c.box(block), w);
      for (Index i = box.lo[0]; i < box.hi[0]; ++i)
        for (Index j = box.lo[1]; j < box.hi[1]; ++j)
          for (Index k = box.lo[2]; k < box.hi[2]; ++k) {
            if (expected(c, 0, {{i, j, k}}) == untouched) continue;
            Index3 at{{i, j, k}};
            Index3 place;
            for (int a = 0; a < 3; ++a) {
              at[a] = (at[a] % domain.hi[a] + domain.hi[a]) % domain.hi[a];
              const std::vector<Index> &starts = c.starts(a);
              place[a] = std::upper_bound(starts.begin(), starts.end(), at[a]) - starts.begin() - 1;
            }
            if (c.owner(c.block_at(place)) != c.communicator().rank()) ++count;
          }
    }
  return count;
}

template <class T> void exchange_randomly(unsigned seed, int rounds, Index widest) {
  const Communicator world(test::world());
  Random random(seed);
  double exchanged = 0;
  for (int round = 0; round < rounds; ++round) {
    const Problem p = random_problem(random, world.size(), widest);
    const int threads = static_cast<int>(number(random, 1, 3));
    const Index more = number(random, 0, 2);
    const Cartesian c(world, p.cuts, p.periodic, p.owners);
    for (const Schedule schedule : {Schedule::all_at_once, Schedule::in_order}) {
      const Fields<T> fields = filled<T>(c, p, more);
      Halo<T> halo(c, pointers(fields), p.widths, schedule, threads);
      halo.exchange();
      EXPECT_EQ(wrong_points(c, p, fields), 0)
          << "round " << round << (schedule == Schedule::in_order ? ", in order" : "");
      // Repeats with other values, since requests are persistent.
      for (const auto &field : fields) {
        const View<T> v = field->view();
        parallel_for(Host{}, field->inner(), [=](Index i, Index j, Index k) { v(i, j, k) += 1; });
      }
      halo.start();
      while (!halo.test()) // polling alone must complete the messages
        std::this_thread::yield();
      EXPECT_TRUE(halo.test());
      halo.finish();
      for (const auto &field : fields) {
        const View<T> v = field->view();
        parallel_for(Host{}, field->box(), [=](Index i, Index j, Index k) {
          if (v(i, j, k) != T(untouched)) v(i, j, k) -= 1;
        });
      }
      EXPECT_EQ(wrong_points(c, p, fields), 0) << "second exchange of round " << round;
      if (schedule == Schedule::all_at_once) {
        const double sent = world.sum(static_cast<double>(halo.bytes_sent()));
        const double owed = world.sum(static_cast<double>(foreign_ghosts(c, p)));
        EXPECT_EQ(sent, owed * sizeof(T));
        exchanged += sent;
      }
    }
  }
  if (world.size() > 1) {
    EXPECT_GT(exchanged, 0);
  }
}

/// The transport of ghosts, selected by HFFT_HALO.
class Transport : public ::testing::TestWithParam<const char *> {
protected:
  bool shared() const { return std::string(GetParam()) == "shared"; }

private:
  test::Variable variable_{"HFFT_HALO", GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Halo, Transport, ::testing::Values("shared", "messages"),
                         [](const auto &tested) { return std::string(tested.param); });

/// Returns boxes made by cuts across random axes at random places. A rank owns one box or none.
std::vector<Box> random_boxes(Random &random, const Index3 &extents, int ranks) {
  std::vector<Box> boxes{{extents[0], extents[1], extents[2]}};
  while (static_cast<int>(boxes.size()) < ranks && number(random, 0, 9) > 0) {
    const auto n = static_cast<std::size_t>(number(random, 0, Index(boxes.size()) - 1));
    const auto axis = static_cast<int>(number(random, 0, 2));
    if (boxes[n].extent(axis) < 2) continue;
    Box rest = boxes[n];
    boxes[n].hi[axis] = rest.lo[axis] = number(random, rest.lo[axis] + 1, rest.hi[axis] - 1);
    boxes.push_back(rest);
  }
  boxes.resize(static_cast<std::size_t>(ranks));
  std::shuffle(boxes.begin(), boxes.end(), random);
  return boxes;
}

TEST_P(Transport, IrregularBoxes_MatchFunctionOfIndex) {
  const Communicator world(test::world());
  Random random(11);
  for (int round = 0; round < 40; ++round) {
    const Problem p = random_problem(random, world.size(), 4);
    const Index3 extents{{number(random, 1, 9), number(random, 2, 12), number(random, 1, 12)}};
    const Cartesian c(world, extents, random_boxes(random, extents, world.size()), p.periodic);
    for (const Schedule schedule : {Schedule::all_at_once, Schedule::in_order}) {
      const Fields<double> fields = filled<double>(c, p, 1);
      Halo<double> halo(c, pointers(fields), p.widths, schedule, 1);
      halo.exchange();
      EXPECT_EQ(wrong_points(c, p, fields), 0) << "round " << round;
    }
  }
}

TEST(IrregularBoxes, OverlapsAndGaps_Refused) {
  const Communicator self(MPI_COMM_SELF);
  for (const Box &box : {Box(4, 4, 3), Box(4, 4, 5), Box()})
    EXPECT_THROW(Cartesian(self, {{4, 4, 4}}, std::vector<Box>{box}, Periodic{}), Error);
  EXPECT_THROW(Cartesian(self, {{4, 4, 4}}, std::vector<Box>(2, Box(4, 4, 4)), Periodic{}), Error);
  const Cartesian one(self, {{4, 4, 4}}, std::vector<Box>{Box(4, 4, 4)}, Periodic{});
  EXPECT_EQ(one.blocks(), 1);
}

TEST_P(Transport, RandomBlocks_MatchFunctionOfIndex) {
  exchange_randomly<double>(1, 25, 3);
  exchange_randomly<float>(2, 12, 4);
  exchange_randomly<std::int16_t>(3, 5, 1);
}

TEST_P(Transport, WidthsBeyondBlocksAndPeriods_MatchFunctionOfIndex) {
  exchange_randomly<double>(4, 8, 9);
}

/// One block per rank, in a row along axis 0.
struct Ring {
  Ring(const Communicator &comm, const Widths &widths, bool periodic, Index extent = 4,
       bool around = false)
      : problem{{std::vector<Index>(static_cast<std::size_t>(comm.size()), extent),
                 {extent},
                 {extent + 1}},
                {periodic, around, around},
                {},
                {widths}},
        cartesian(comm, problem.cuts, problem.periodic),
        fields(filled<double>(cartesian, problem, 0)) {}
  Halo<double> halo(Schedule schedule = Schedule::all_at_once, int threads = 1) const {
    return {cartesian, pointers(fields), problem.widths, schedule, threads};
  }
  Index wrong() const { return wrong_points(cartesian, problem, fields); }
  /// Adds x to all values except ghosts beyond the ends of the domain.
  void add(double x) const {
    for (const auto &field : fields) {
      const View<double> v = field->view();
      parallel_for(Host{}, field->box(), [=](Index i, Index j, Index k) {
        if (v(i, j, k) != untouched) v(i, j, k) += x;
      });
    }
  }
  /// Overwrites all ghosts, so that an exchange must fill them.
  void forget_ghosts() const {
    for (const auto &field : fields) {
      const View<double> v = field->view();
      const Box inner = field->inner();
      parallel_for(Host{}, field->box(), [=](Index i, Index j, Index k) {
        if (!inner.contains(Box({{i, j, k}}, {{i + 1, j + 1, k + 1}}))) v(i, j, k) = untouched;
      });
    }
  }

  Problem problem;
  Cartesian cartesian;
  Fields<double> fields;
};

void delay() { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }

TEST_P(Transport, HalosInFlightAtOnce_AreCorrect) {
  const Communicator world(test::world());
  std::vector<std::unique_ptr<Ring>> rings;
  std::vector<Halo<double>> halos;
  for (int n = 0; n < 4; ++n) {
    rings.push_back(std::make_unique<Ring>(world, Widths::all(n % 2 + 1), true));
    halos.push_back(rings.back()->halo(n < 2 ? Schedule::all_at_once : Schedule::in_order));
  }
  // Each rank starts and finishes the exchanges in another order.
  std::vector<std::size_t> order{0, 1, 2, 3};
  for (int round = 0; round < 30; ++round) {
    std::rotate(order.begin(), order.begin() + (world.rank() + round) % 4, order.end());
    for (const std::size_t n : order)
      halos[n].start();
    std::reverse(order.begin(), order.end());
    for (const std::size_t n : order)
      halos[n].finish();
    for (const auto &ring : rings) {
      ring->add(-round);
      EXPECT_EQ(ring->wrong(), 0) << "round " << round;
      ring->add(round + 1);
      ring->forget_ghosts();
    }
  }
}

TEST_P(Transport, NeighboursInOtherOrder_StartDoesNotWait) {
  // Even ranks start the next exchange of `a` before `b`. Odd ranks first finish `b`.
  const Communicator world(test::world());
  const Ring first(world, Widths::all(1), true), second(world, Widths::all(2), true);
  Halo<double> a = first.halo(), b = second.halo();
  for (int round = 0; round < 20; ++round) {
    a.start();
    if (world.rank() % 2 == 0) {
      a.finish();
      a.start();
      b.start();
      b.finish();
    } else {
      b.start();
      b.finish();
      a.finish();
      a.start();
    }
    a.finish();
    EXPECT_EQ(first.wrong() + second.wrong(), 0);
    first.forget_ghosts();
    second.forget_ghosts();
  }
}

TEST_P(Transport, WaitForGhosts_AdvancesMessagesOfProgram) {
  const Communicator world(test::world());
  const Ring ring(world, Widths::all(1), true);
  Halo<double> halo = ring.halo();
  // An odd rank exchanges only after a message from an even rank has arrived. The message is too
  // large for MPI's buffers, so the even rank must advance it.
  std::vector<char> data(std::size_t{8} << 20, static_cast<char>(world.rank()));
  MPI_Request request = MPI_REQUEST_NULL;
  const auto count = static_cast<int>(data.size());
  const int rank = world.rank();
  if (rank % 2 == 0 && rank + 1 < world.size())
    MPI_Isend(data.data(), count, MPI_CHAR, rank + 1, 0, world.handle(), &request);
  if (rank % 2 == 1) {
    MPI_Recv(data.data(), count, MPI_CHAR, rank - 1, 0, world.handle(), MPI_STATUS_IGNORE);
    EXPECT_EQ(data.back(), rank - 1);
  }
  halo.exchange();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQ(ring.wrong(), 0);
}

TEST_P(Transport, InOrder_TestStartsLaterAxes) {
  const Communicator world(test::world());
  const Ring ring(world, Widths::all(1), true, 4, true); // distributed along the first axis only
  Halo<double> halo = ring.halo(Schedule::in_order);
  for (int round = 0; round < 3; ++round) {
    ring.forget_ghosts();
    halo.start();
    while (!halo.test())
      std::this_thread::yield();
    EXPECT_EQ(ring.wrong(), 0) << "before finish(), round " << round;
    halo.finish();
    EXPECT_EQ(ring.wrong(), 0) << "round " << round;
  }
}

TEST_P(Transport, SendingRanksOnly_DoNotOverwriteDataInUse) {
  const Communicator world(test::world());
  const Ring ring(world, {{{2, 0, 0}}, {}}, false);
  for (const Schedule schedule : {Schedule::all_at_once, Schedule::in_order}) {
    Halo<double> halo = ring.halo(schedule);
    for (int round = 0; round < 100; ++round) {
      halo.start();
      if (world.rank() > 0 && round % 20 == 7) delay();
      halo.finish();
      ring.add(-round);
      EXPECT_EQ(ring.wrong(), 0) << "round " << round;
      ring.add(round + 1);
      ring.forget_ghosts();
    }
    ring.add(-100);
  }
}

TEST_P(Transport, HalosDestroyedInAnyOrder_AreCorrect) {
  const Communicator world(test::world());
  std::vector<std::unique_ptr<Ring>> rings;
  std::vector<std::unique_ptr<Halo<double>>> halos;
  for (int n = 0; n < 3; ++n) {
    rings.push_back(std::make_unique<Ring>(world, Widths::all(n + 1), true));
    halos.push_back(std::make_unique<Halo<double>>(rings.back()->halo()));
  }
  for (const auto &halo : halos)
    halo->start();
  if (world.rank() % 2 == 1) std::reverse(halos.begin(), halos.end());
  for (auto &halo : halos) {
    // Some ranks are late, so they still read when their neighbours continue.
    if (world.rank() % 3 == 1) delay();
    halo->finish();
    halo.reset();
  }
  for (const auto &ring : rings)
    EXPECT_EQ(ring->wrong(), 0);
}

TEST_P(Transport, HalosDestroyedInFlight_OverwriteNoMemory) {
  const Communicator world(test::world());
  const Ring ring(world, Widths::all(1), true, 14);
  auto halo = std::make_unique<Halo<double>>(ring.halo());
  const auto give_up = [&] {
    halo->start();
    halo.reset();
  };
  // Even ranks destroy their halo, as after a failure, and reuse the memory before odd ranks send.
  const bool even = world.rank() % 2 == 0;
  std::vector<std::vector<char>> others;
  if (even) {
    give_up();
    others.assign(64, std::vector<char>(4096, 'x'));
  }
  MPI_Barrier(world.handle());
  if (!even) give_up();
  MPI_Barrier(world.handle());
  Halo<double> next = ring.halo();
  next.exchange();
  EXPECT_EQ(ring.wrong(), 0);
  for (const std::vector<char> &memory : others)
    EXPECT_EQ(std::count(memory.begin(), memory.end(), 'x'), 4096);
}

TEST_P(Transport, ThreadsAndLargeHalos_AreCorrect) {
  const Communicator world(test::world());
  const Ring ring(world, {{{3, 1, 2}}, {{2, 3, 5}}}, true, 90 / world.size() + 30);
  for (const int threads : {1, 3}) {
    Halo<double> halo = ring.halo(Schedule::all_at_once, threads);
    EXPECT_EQ(halo.bytes_shared(), shared() ? halo.bytes_sent() : 0);
    halo.exchange();
    EXPECT_EQ(ring.wrong(), 0) << threads;
    ring.forget_ghosts();
  }
}

/// A new communicator with the ranks of the world in another order. Its nodes are not known yet, so
/// HFFT_RANKS_PER_NODE applies to it.
class Reordered {
public:
  Reordered() {
    const Communicator world(test::world());
    MPI_Comm_split(test::world(), 0, world.rank() * 5 % world.size(), &comm_);
  }
  ~Reordered() { MPI_Comm_free(&comm_); }
  Reordered(const Reordered &) = delete;
  Reordered &operator=(const Reordered &) = delete;
  Communicator get() const { return Communicator(comm_); }

private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

TEST_P(Transport, RanksOfOneNode_ShareMemory) {
  for (const int per_node : {1, 2, 3}) {
    const test::Variable nodes("HFFT_RANKS_PER_NODE", std::to_string(per_node));
    const Reordered reordered;
    const Communicator comm = reordered.get();
    const Ring ring(comm, {{{1, 0, 0}}, {{2, 0, 0}}}, true);
    Halo<double> halo = ring.halo();
    // Two planes go to the rank below and one to the rank above. A node has consecutive ranks.
    Index expected = 0;
    for (const int step : {-1, 1}) {
      const int to = (comm.rank() + step + comm.size()) % comm.size();
      if (to != comm.rank() && to / per_node == comm.rank() / per_node)
        expected += (step < 0 ? 2 : 1) * 4 * 5 * static_cast<Index>(sizeof(double));
    }
    EXPECT_EQ(halo.bytes_shared(), shared() ? expected : 0) << per_node;
    for (int round = 0; round < 20; ++round) {
      halo.exchange();
      EXPECT_EQ(ring.wrong(), 0) << per_node << " ranks per node, round " << round;
      ring.forget_ghosts();
    }
  }
}

/// Sets a resource limit of this process until the object is destroyed.
class Limit {
public:
  Limit(__rlimit_resource resource, rlim_t value) : resource_(resource) {
    getrlimit(resource, &before_);
    rlimit limit = before_;
    limit.rlim_cur = value;
    setrlimit(resource, &limit);
  }
  ~Limit() { setrlimit(resource_, &before_); }
  Limit(const Limit &) = delete;
  Limit &operator=(const Limit &) = delete;

private:
  __rlimit_resource resource_;
  rlimit before_{};
};

/// Until the object is destroyed, no further file can be opened. The limit stays above the files
/// that are already open, since MPI polls them.
class NoMoreFiles {
public:
  NoMoreFiles() {
    for (int &file : taken_)
      file = dup(STDERR_FILENO);
    limit_ = std::make_unique<Limit>(RLIMIT_NOFILE, static_cast<rlim_t>(taken_.back()) + 1);
  }
  ~NoMoreFiles() {
    for (const int file : taken_)
      close(file);
  }
  NoMoreFiles(const NoMoreFiles &) = delete;
  NoMoreFiles &operator=(const NoMoreFiles &) = delete;

private:
  std::array<int, 100> taken_{}; ///< file descriptors in use, so that no file can be opened
  std::unique_ptr<Limit> limit_;
};

TEST(Halo, RanksWithoutSharedMemory_UseMessages) {
  const Communicator world(test::world());
  const auto exchange = [&](bool sends, bool reads) {
    const Ring ring(world, Widths::all(1), true);
    Halo<double> halo = [&] {
      // Unless `sends`, the last rank cannot write files above 100 bytes. Unless `reads`, it cannot
      // open files, its own or those of other ranks.
      const bool last = world.rank() == world.size() - 1;
      const Limit size(RLIMIT_FSIZE, last && !sends ? 100 : RLIM_INFINITY);
      std::unique_ptr<NoMoreFiles> files;
      if (last && !reads) files = std::make_unique<NoMoreFiles>();
      return ring.halo();
    }();
    for (int round = 0; round < 10; ++round) {
      halo.exchange();
      EXPECT_EQ(ring.wrong(), 0);
      ring.forget_ghosts();
    }
    return world.sum(static_cast<double>(halo.bytes_shared()));
  };
  const int n = world.size();
  const double all = exchange(true, true);
  EXPECT_EQ(all > 0, n > 1);
  // If the last rank cannot write shared memory, its two faces are sent as messages. If it also
  // cannot read shared memory, the faces of its neighbours are sent as messages, too.
  EXPECT_EQ(exchange(false, true), all * (n - 1) / n);
  EXPECT_EQ(exchange(false, false), n > 1 ? all * (n - 2) / n : 0);
}

TEST(Halo, UnknownTransport_IsRefusedOnAllRanks) {
  const Communicator world(test::world());
  const Ring ring(world, Widths::all(1), true);
  const test::Variable variable("HFFT_HALO", world.rank() == world.size() - 1 ? "shard" : "shared");
  try {
    ring.halo();
    ADD_FAILURE();
  } catch (const Error &e) {
    EXPECT_EQ(e.code(), HFFT_ERROR_ENVIRONMENT);
    EXPECT_STREQ(e.what(), "the environment variable HFFT_HALO is 'shard', expected one of shared, "
                           "messages");
  }
}

TEST(Halo, InOrder_SendsToFacesOnly) {
  const Communicator world(test::world());
  if (world.size() != 8) GTEST_SKIP() << "needs 8 ranks";
  // 2 x 2 x 2 blocks on eight ranks: a block has 7 neighbours, 3 of them at faces.
  const Cartesian c(world, even_cuts({{8, 8, 8}}, {{2, 2, 2}}), {false, false, false});
  Array<double> a(Place::host, c.box(c.mine()[0]), Widths::all(1));
  const std::array<Array<double> *, 1> arrays{&a};
  EXPECT_EQ(Halo<double>(c, arrays).messages_sent(), 7);
  EXPECT_EQ(Halo<double>(c, arrays, {}, Schedule::in_order).messages_sent(), 3);
}

/// Runs diffusion on a grid with open ends along one axis, with an exchange every `steps` steps.
std::vector<double> diffuse(const Communicator &world, const Cuts &cuts, int steps, bool overlap) {
  const Cartesian c(world, cuts, {true, false, true});
  const Widths one = Widths::all(1);
  Fields<double> old_fields, new_fields;
  for (const int block : c.mine())
    for (Fields<double> *fields : {&old_fields, &new_fields})
      fields->push_back(
          std::make_unique<Array<double>>(Place::host, c.box(block), one.times(steps)));
  const auto fill = [&](Array<double> &array) {
    const View<double> v = array.view();
    parallel_for(Host{2}, array.inner(), [=](Index i, Index j, Index k) {
      v(i, j, k) = 1 / (1.0 + static_cast<double>(i * 7 + j * 3 + k));
    });
  };
  for (const auto &array : old_fields)
    fill(*array);
  Halo<double> of_old(c, pointers(old_fields)), of_new(c, pointers(new_fields));
  of_old.exchange();
  for (int step = 0; step < 6; ++step) {
    for (std::size_t b = 0; b < c.mine().size(); ++b) {
      const View<const double> u = static_cast<const Array<double> &>(*old_fields[b]).view();
      const View<double> v = new_fields[b]->view();
      const auto compute = [&](const Box &box) {
        parallel_for(
            Host{2}, box, HFFT_LAMBDA(Index i, Index j, Index k) {
              v(i, j, k) = u(i, j, k) + 0.1 * (u(i - 1, j, k) + u(i + 1, j, k) + u(i, j - 1, k) +
                                               u(i, j + 1, k) + u(i, j, k - 1) + u(i, j, k + 1) -
                                               6 * u(i, j, k));
            });
      };
      const auto boxes = boxes_between_exchanges(c, c.mine()[b], one, steps);
      if (overlap && c.mine().size() == 1 && steps == 1)
        overlapped(of_new, regions(boxes[0], one), compute);
      else
        compute(boxes[static_cast<std::size_t>(step % steps)]);
    }
    const bool exchanged = overlap && c.mine().size() == 1 && steps == 1;
    if (!exchanged && (step + 1) % steps == 0) of_new.exchange();
    std::swap(old_fields, new_fields);
    std::swap(of_old, of_new);
  }
  // Gathers all values in the order of the grid.
  const Box domain = c.domain();
  std::vector<double> mine(static_cast<std::size_t>(domain.points()));
  for (const auto &array : old_fields) {
    const View<double> v = array->view();
    parallel_for(Host{}, array->inner(), [&](Index i, Index j, Index k) {
      mine[static_cast<std::size_t>((i * domain.hi[1] + j) * domain.hi[2] + k)] = v(i, j, k);
    });
  }
  MPI_Allreduce(MPI_IN_PLACE, mine.data(), static_cast<int>(mine.size()), MPI_DOUBLE, MPI_SUM,
                world.handle());
  return mine;
}

TEST(Halo, StencilsOnEveryCut_SameBits) {
  const Communicator world(test::world());
  const Index3 n{{6, 7, 9}};
  const std::vector<double> whole = diffuse(world, even_cuts(n, {{1, 1, 1}}), 1, false);
  EXPECT_GT(*std::max_element(whole.begin(), whole.end()), 0.1);
  for (const Index3 &parts : {Index3{{1, 1, 2}}, Index3{{2, 2, 2}}, Index3{{3, 2, 3}}})
    for (const int steps : {1, 2, 3}) {
      EXPECT_EQ(diffuse(world, even_cuts(n, parts), steps, false), whole) << steps;
    }
  const Cuts uneven{std::vector<Index>{1, 5}, {4, 3}, {2, 7}};
  EXPECT_EQ(diffuse(world, uneven, 1, false), whole);
}

TEST(Halo, Overlapped_SameBits) {
  const Communicator world(test::world());
  const Index3 n{{6, 7, 9}};
  const auto parts = Index3{{1, 1, static_cast<Index>(world.size())}};
  EXPECT_EQ(diffuse(world, even_cuts(n, parts), 1, true),
            diffuse(world, even_cuts(n, parts), 1, false));
}

void expect_refused(const std::function<void()> &call, const std::string &words) {
  try {
    call();
    ADD_FAILURE() << "accepted: " << words;
  } catch (const Error &e) {
    EXPECT_EQ(e.code(), HFFT_ERROR_ARGUMENT);
    EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
  }
}

TEST(Halo, WrongArguments_AreRefusedOnAllRanks) {
  const Communicator world(test::world());
  const Cartesian c(world, even_cuts({{8, 8, 8}}, {{8, 1, 1}}), {true, true, true});
  Fields<double> fields;
  for (const int block : c.mine())
    fields.push_back(std::make_unique<Array<double>>(Place::host, c.box(block), Widths::all(1)));
  const std::vector<Widths> wide{Widths::all(2)};
  expect_refused([&] { Halo<double>(c, pointers(fields), wide); }, "2 ghosts below along axis 0, "
                                                                   "expected 0 to 1");
  const std::vector<Widths> many{Widths::all(1), Widths::all(1)};
  expect_refused([&] { Halo<double>(c, pointers(fields), many); }, "a halo has widths of 2 fields, "
                                                                   "expected those of 1");
  // Rank 0 owns the only block. Other ranks own none, but pass arrays.
  const Cartesian first(world, even_cuts({{8, 8, 8}}, {{1, 1, 1}}), {true, true, true}, {0});
  Array<double> whole(Place::host, Box(8, 8, 8), Widths::all(1));
  const std::vector<Array<double> *> arrays(world.rank() == 0 ? 1 : 2, &whole);
  if (world.size() > 1)
    expect_refused([&] { Halo<double>(first, arrays, std::vector{Widths::all(1)}); },
                   "a halo has 2 arrays, expected 1 fields for each of 0 blocks");
  if (!c.mine().empty() && c.mine()[0] == 0)
    fields[0] = std::make_unique<Array<double>>(Place::host, Box(2, 8, 8), Widths::all(1));
  expect_refused([&] { Halo<double>(c, pointers(fields)); }, "covers 0..2 x 0..8 x 0..8, expected "
                                                             "the box of its block, 0..1");
  expect_refused(
      [&] {
        Cartesian(world, even_cuts({{8, 8, 8}}, {{2, 1, 1}}), {}, {0, 99});
      },
      "on rank 99, expected 0 to " + std::to_string(world.size() - 1));
}

TEST(Choice, OwnersByNode_NodesOfTwoRanks_BoxesOfNeighbours) {
  const test::Variable two("HFFT_RANKS_PER_NODE", "2");
  MPI_Comm own = MPI_COMM_NULL; // a communicator without cached nodes
  MPI_Comm_dup(test::world(), &own);
  const Communicator comm(own);
  const Index ranks = comm.size();
  if (ranks % 2 == 0) {
    // There are 2 x n/2 blocks. Pairs along the shorter axis share a node, with few faces between
    // nodes.
    const std::vector<int> owners =
        owners_by_node(even_cuts({{8, 64, 1}}, {{2, ranks / 2, 1}}), comm);
    for (Index j = 0; j < ranks / 2; ++j)
      EXPECT_EQ(owners[static_cast<std::size_t>(j)] / 2,
                owners[static_cast<std::size_t>(ranks / 2 + j)] / 2)
          << j;
  }
  // With fewer blocks than ranks, the first ranks own them.
  EXPECT_EQ(owners_by_node(even_cuts({{8, 8, 8}}, {{1, 1, 1}}), comm), std::vector<int>{0});
  MPI_Comm_free(&own);
}

TEST(Choice, PartsByTime_CheapestOnSlowestRank) {
  const Communicator world(test::world());
  const Index3 n{{8, 100, 100}};
  // Counts all factorisations of 12 with at most 8 blocks along axis 0.
  Index count = 0;
  for (Index a = 1; a <= 8; ++a)
    for (Index b = 1; b <= 12; ++b)
      for (Index c = 1; c <= 12; ++c)
        count += a * b * c == 12 ? 1 : 0;
  EXPECT_EQ(static_cast<Index>(possible_parts(12, n).size()), count);
  // Rank 0 alone measures {4, 3, 1} as slow. No rank must select it.
  const auto seconds = [&](const Index3 &parts) {
    if (parts == Index3{{4, 3, 1}}) return world.rank() == 0 ? 9.0 : 0.0;
    return parts == Index3{{2, 6, 1}} ? 1.0 : 2.0;
  };
  EXPECT_EQ(cheapest_parts(world, 12, n, seconds), (Index3{{2, 6, 1}}));
  EXPECT_THROW(cheapest_parts(world, 1009 * 1009, n, seconds), Error);
  // At equal costs, blocks are along axis 0.
  const auto equal = [](const Index3 &) { return 1.0; };
  EXPECT_EQ(cheapest_parts(world, 8, n, equal), (Index3{{8, 1, 1}}));
}

TEST(Choice, PartsRefusedByOneRank_AreSkipped) {
  const Communicator world(test::world());
  const Index3 n{{8, 100, 100}};
  const int last = world.size() - 1;
  const auto refused = [&](double cost) {
    return [&world, last, cost](const Index3 &parts) {
      return world.rank() == last && parts[0] > 1 ? cost : 1 / static_cast<double>(parts[0]);
    };
  };
  for (const double cost : {HUGE_VAL, std::nan("")})
    EXPECT_EQ(cheapest_parts(world, 8, n, refused(cost)), (Index3{{1, 8, 1}}));
  expect_refused([&] { cheapest_parts(world, 8, n, [](const Index3 &) { return HUGE_VAL; }); },
                 "8 x 100 x 100 points cannot be cut into 8 blocks that are allowed: all 10 ways");
  expect_refused(
      [&] {
        cheapest_parts(world, 8, n, [&](const Index3 &) -> double {
          if (world.rank() == last) throw Error(HFFT_ERROR_ARGUMENT, "no cost is known");
          return 1;
        });
      },
      "no cost is known");
}

TEST(Choice, Measurement_ReceivesNoMessageOfProgram) {
  const Communicator world(test::world());
  // The program sends a message now and receives it after the measurement.
  const int to = (world.rank() + world.size() / 2) % world.size();
  const int from = (world.rank() - world.size() / 2 + world.size()) % world.size();
  const int mine = world.rank();
  int theirs = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(&mine, 1, MPI_INT, to, 0, world.handle(), &request);
  measure(world);
  MPI_Recv(&theirs, 1, MPI_INT, from, 0, world.handle(), MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQ(theirs, from);
}

TEST(Choice, Exchange_CostsLatencyAndBytes) {
  const Communicator world(test::world());
  const Network network = measure(world);
  EXPECT_EQ(network.latency > 0, world.size() > 1);
  EXPECT_GE(network.per_byte, 0);
  // Two faces of 10 x 20 points along axis 0, and two of (4 + 3) x 20 points along axis 1.
  const Network unit{100, 1};
  EXPECT_EQ(exchange_seconds(unit, {{8, 20, 20}}, {{2, 2, 1}}, {{{1, 2, 0}}, {{2, 2, 5}}}, 4),
            4 * 100 + 4 * (3 * 10 * 20 + 4 * 7 * 20));
  expect_refused(
      [&] {
        exchange_seconds(unit, {{8, 20, 20}}, {{2, 0, 1}}, {}, 4);
      },
      "8 x 20 x 20 points cannot be cut into 2 x 0 x 1 blocks");
}

} // namespace
} // namespace hybridfft::grid
