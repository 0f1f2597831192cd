// Tests the forest of blocks. The truths are linear functions of the position, a run on one rank
// with the same bits, and counts of a reference program.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "hybridfft/error.hpp"
#include "hybridfft/grid/block_exchange.hpp"
#include "hybridfft/grid/for_blocks.hpp"
#include "hybridfft/grid/halo.hpp"
#include "support/mpi_test.h"

namespace hybridfft::grid {
namespace {

using Random = std::mt19937;

/// Returns random marks for this rank's leaves. Each rank draws marks for all leaves in the order
/// of the curve, so they do not depend on the number of ranks.
std::vector<std::int8_t> random_marks(const Forest &forest, Random &random, int least) {
  std::vector<std::int8_t> all, mine;
  for (std::size_t n = 0; n < forest.leaves().size(); ++n)
    all.push_back(static_cast<std::int8_t>(std::uniform_int_distribution<int>(least, 1)(random)));
  for (const Index leaf : forest.mine())
    mine.push_back(all[static_cast<std::size_t>(leaf)]);
  return mine;
}

ForestShape shape_of(int dimensions, bool absent) {
  ForestShape s{.dimensions = dimensions,
                .trees = {{dimensions == 3 ? 3 : 1, 3, 3}},
                .cells = 4,
                .max_level = 2};
  s.present.assign(dimensions == 3 ? 27 : 9, 1);
  if (absent) s.present[0] = 0;
  return s;
}

constexpr double edge = 0.25; // edge of a cell of level 0

/// Returns z + 2 y + 3 x (in 2D: y + 2 x) at the point i, j, k of a leaf. `offset` is the distance
/// of points from the leaf's nodes in cells: 0.5 for centres of cells.
double linear(const Leaf &leaf, int dimensions, Index cells, double offset, Index i, Index j,
              Index k) {
  const double h = edge / static_cast<double>(1 << leaf.level);
  const Index at[3] = {i, j, k};
  double sum = 0;
  for (int a = 3 - dimensions; a < 3; ++a)
    sum += (a - 2 + dimensions) * h * (static_cast<double>(leaf.place[a] * cells + at[a]) + offset);
  return sum;
}

/// Calls f(value, i, j, k, leaf, inner) for all points of own leaves and of `ghosts` layers around
/// them. `inner` is false for ghosts.
template <class F>
void for_points(const Forest &forest, const Blocks<double> &blocks, Index ghosts, const F &f) {
  const BlockView<double> view = blocks.view();
  const bool deep = forest.shape().dimensions == 3;
  const Index n = forest.shape().cells + (blocks.traits().centring == Centring::node ? 1 : 0);
  const auto inner = [n](Index p) { return p >= 0 && p < n; };
  for (const Index leaf : forest.mine())
    for (Index i = deep ? -ghosts : 0; i < (deep ? n + ghosts : 1); ++i)
      for (Index j = -ghosts; j < n + ghosts; ++j)
        for (Index k = -ghosts; k < n + ghosts; ++k)
          f(view.at(forest.slot(leaf), 0, i, j, k), i, j, k,
            forest.leaves()[static_cast<std::size_t>(leaf)],
            (!deep || inner(i)) && inner(j) && inner(k));
}

/// Returns the largest error at all points, ghosts included. Points that depend on values outside
/// the domain are skipped: the blocks `mask`, filled on one rank, hold NaN there. Returns 1 if no
/// ghost was compared.
double error_of(const Forest &forest, const Blocks<double> &blocks, const Forest &one,
                const Blocks<double> &mask, double offset) {
  const BlockView<double> touched = mask.view();
  double largest = 0;
  Index ghosts = 0;
  for_points(forest, blocks, 2,
             [&](double value, Index i, Index j, Index k, const Leaf &leaf, bool inner) {
               if (std::isnan(touched.at(one.slot(*one.find(leaf)), 0, i, j, k))) return;
               ghosts += inner ? 0 : 1;
               const double truth =
                   linear(leaf, forest.shape().dimensions, forest.shape().cells, offset, i, j, k);
               const double error = std::abs(value - truth);
               largest = std::isnan(error) ? HUGE_VAL : std::max(largest, error);
             });
  const double count = forest.communicator().sum(static_cast<double>(ghosts));
  return count > 0 ? forest.communicator().max(largest) : 1;
}

void set_linear(const Forest &forest, Blocks<double> &blocks, double offset) {
  for_points(forest, blocks, 2,
             [&](double &value, Index i, Index j, Index k, const Leaf &leaf, bool inner) {
               value = inner ? linear(leaf, forest.shape().dimensions, forest.shape().cells, offset,
                                      i, j, k)
                             : std::numeric_limits<double>::quiet_NaN();
             });
}

/// Blocks of cells and of nodes filled with a linear function. The forest changes afterwards.
struct LinearBlocks {
  LinearBlocks(MPI_Comm comm, int dimensions)
      : forest(Communicator(comm), shape_of(dimensions, true)),
        cells(forest, Place::host, 1, {.interpolation = Interpolation::linear}),
        nodes(forest, Place::host, 1, {.centring = Centring::node}) {
    Random random(7);
    for (int n = 0; n < 2; ++n)
      forest.adapt(random_marks(forest, random, 0));
    fill();
    forest.adapt(random_marks(forest, random, -1), nodes);
    set_linear(forest, cells, 0.5);
    exchange(forest, cells, nodes);
  }
  void fill() {
    set_linear(forest, cells, 0.5);
    set_linear(forest, nodes, 0);
    exchange(forest, cells, nodes);
  }
  Forest forest;
  Blocks<double> cells, nodes;
};

TEST(Forest, LinearFunctions_AreExact) {
  for (const int dimensions : {2, 3}) {
    LinearBlocks one(MPI_COMM_SELF, dimensions), many(test::world(), dimensions);
    // adapt() has carried the inner nodes to the new leaves.
    double carried = 0;
    for_points(many.forest, many.nodes, 0,
               [&](double value, Index i, Index j, Index k, const Leaf &leaf, bool) {
                 carried =
                     std::max(carried, std::abs(value - linear(leaf, dimensions, 4, 0, i, j, k)));
               });
    EXPECT_LE(carried, 1e-14);
    one.fill();
    many.fill();
    EXPECT_LE(error_of(many.forest, many.cells, one.forest, one.cells, 0.5), 1e-14);
    EXPECT_LE(error_of(many.forest, many.nodes, one.forest, one.nodes, 0), 1e-14);
  }
}

/// Adapts, exchanges and smooths blocks several times, so that values of own leaves can be compared
/// at the end.
struct Sequence {
  Sequence(MPI_Comm comm, int dimensions, int depth, bool migrating)
      : forest(Communicator(comm), periodic(dimensions)),
        cells(forest, Place::host, 2, traits(Interpolation::limited)),
        other(forest, Place::host, 1, traits(Interpolation::linear)),
        nodes(forest, Place::host, 1, {.centring = Centring::node}) {
    Random random(11);
    forest.halo_depth(depth);
    fill();
    for (int n = 0; n < (dimensions == 3 ? 2 : 4); ++n) {
      forest.adapt(random_marks(forest, random, -1), cells, other, nodes);
      const int to = static_cast<int>(random() % 64);
      if (migrating) migrate(n, to);
      for (int step = 0; step < depth + 1; ++step)
        advance();
    }
  }

  static BlockTraits traits(Interpolation interpolation) {
    BlockTraits t{.interpolation = interpolation, .absent = End::wall};
    for (auto &axis : t.sides)
      axis = {End::outflow, End::wall};
    return t;
  }

  static ForestShape periodic(int dimensions) {
    ForestShape s = shape_of(dimensions, true);
    s.periodic = {dimensions == 3, false, true};
    if (dimensions == 3) s.trees[0] = 2, s.present.resize(18), s.max_level = 1;
    return s;
  }

  void fill() {
    const auto a = cells.view(), b = other.view(), c = nodes.view();
    const auto value = [](const Cell &p) {
      return std::sin(1.7 * static_cast<double>(p.i + 4 * p.place[0]) +
                      2.3 * static_cast<double>(p.j + 4 * p.place[1]) +
                      0.9 * static_cast<double>(p.k + 4 * p.place[2]));
    };
    for_blocks(Host{2}, forest, {.centring = Centring::cell}, [=](const Cell &p) {
      a(p) = value(p);
      a(p, 1) = 2 - value(p);
      b(p) = value(p) * value(p);
    });
    for_blocks(Host{}, forest, {.centring = Centring::node},
               [=](const Cell &p) { c(p) = value(p); });
  }

  void migrate(int n, int to) {
    std::vector<Move> moves;
    for (std::size_t m = 0; m < forest.mine().size(); m += 3)
      moves.push_back({forest.mine()[m], to % forest.communicator().size()});
    forest.move(moves, nodes, other, cells);
    if (n % 2 == 1) forest.balance(-1, {}, cells, other, nodes);
  }

  /// Replaces each value by a mean of the value and two points in each direction.
  void advance() {
    exchange(forest, cells, nodes, other);
    Blocks<double> a = like(cells), b = like(other), c = like(nodes);
    copy(nodes, c, Centring::node); // nodes on faces of blocks keep their values
    smooth(cells, a, {.centring = Centring::cell});
    smooth(other, b, {.centring = Centring::cell});
    smooth(nodes, c, {.part = Part::inner, .width = 2, .centring = Centring::node});
    copy(a, cells, Centring::cell);
    copy(b, other, Centring::cell);
    copy(c, nodes, Centring::node);
  }

  void smooth(const Blocks<double> &from, Blocks<double> &to, const Where &where) {
    const auto in = from.view(), out = to.view();
    const Index variables = from.variables(), deep = forest.shape().dimensions - 2;
    for_blocks(Host{2}, forest, where, [=](const Cell &p) {
      for (Index v = 0; v < variables; ++v) {
        double sum = in(p, v);
        for (const Index d : {-2, -1, 1, 2})
          sum += 0.05 * (in(p, v, deep * d, 0, 0) + in(p, v, 0, d, 0) + in(p, v, 0, 0, d));
        out(p, v) = sum / 1.6;
      }
    });
  }

  void copy(const Blocks<double> &from, Blocks<double> &to, Centring centring) {
    const auto in = from.view(), out = to.view();
    const Index variables = from.variables();
    for_blocks(Host{}, forest, {.centring = centring}, [=](const Cell &p) {
      for (Index v = 0; v < variables; ++v)
        out(p, v) = in(p, v);
    });
  }

  Forest forest;
  Blocks<double> cells, other, nodes;
};

void expect_same(const Sequence &one, const Sequence &many, int dimensions, int depth) {
  ASSERT_TRUE(std::ranges::equal(one.forest.leaves(), many.forest.leaves()));
  const ForestShape &s = one.forest.shape();
  Index points = dimensions == 3 ? s.cells + 1 : 1;
  points *= (s.cells + 1) * (s.cells + 1) * 2;
  std::vector<double> a(static_cast<std::size_t>(points)), b = a;
  for (const auto blocks : {&Sequence::cells, &Sequence::other, &Sequence::nodes}) {
    Index differing = 0;
    for (const Index leaf : many.forest.mine()) {
      read_block(one.*blocks, one.forest.slot(leaf), a.data());
      read_block(many.*blocks, many.forest.slot(leaf), b.data());
      differing += std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) != 0 ? 1 : 0;
    }
    EXPECT_EQ(0, differing) << dimensions << " dimensions, depth " << depth;
  }
}

TEST(Forest, ChangesAndSteps_HaveBitsOfOneRank) {
  for (const int dimensions : {2, 3})
    for (const int depth : {1, 3}) {
      if (dimensions == 3 && depth == 1)
        continue; // three dimensions are slow, and depth 3 includes depth 1
      // Results depend on the depth, since it sets the number of steps. Both runs have the same
      // depth.
      const Sequence one(MPI_COMM_SELF, dimensions, depth, false);
      const Sequence many(test::world(), dimensions, depth, true);
      expect_same(one, many, dimensions, depth);
    }
}

/// Returns true if two leaves share a face, an edge or a corner.
bool touch(const Leaf &a, const Leaf &b) {
  for (int axis = 0; axis < 3; ++axis) {
    const Index edge_a = Index{16} >> a.level, edge_b = Index{16} >> b.level;
    const Index low_a = a.place[axis] * edge_a, low_b = b.place[axis] * edge_b;
    if (low_a > low_b + edge_b || low_b > low_a + edge_a) return false;
  }
  return true;
}

TEST(Forest, TouchingLeaves_DifferByOneLevel) {
  Random random(3);
  Forest forest(Communicator(test::world()), shape_of(3, true));
  for (int n = 0; n < 4; ++n) {
    forest.adapt(random_marks(forest, random, -1));
    Index wrong = 0;
    for (const Leaf &a : forest.leaves())
      for (const Leaf &b : forest.leaves())
        wrong += touch(a, b) && std::abs(a.level - b.level) > 1 ? 1 : 0;
    EXPECT_EQ(0, wrong);
    std::set<Index> slots;
    for (const Index leaf : forest.mine())
      slots.insert(forest.slot(leaf));
    EXPECT_EQ(forest.mine().size(), slots.size());
  }
}

/// Refines the leaves near the surface `distance` = 0.3, `levels` times.
template <class Distance>
void refine(Forest &forest, Index trees, int levels, double factor, const Distance &distance) {
  for (int l = 0; l < levels; ++l) {
    std::vector<std::int8_t> marks;
    for (const Index n : forest.mine()) {
      const Leaf &leaf = forest.leaves()[static_cast<std::size_t>(n)];
      const double w = 1. / static_cast<double>(trees << leaf.level);
      const double x = (static_cast<double>(leaf.place[2]) + 0.5) * w - 0.5;
      const double y = (static_cast<double>(leaf.place[1]) + 0.5) * w - 0.5;
      marks.push_back(std::abs(distance(x, y) - 0.3) < factor * w ? 1 : 0);
    }
    forest.adapt(marks);
  }
}

/// Returns the share of faces between leaves of different owners, for a periodic square of 2 x 2
/// trees. A face counts once for each side.
double faces_between_ranks(const Forest &forest) {
  double faces = 0, between = 0;
  const auto count = [&](Index s, const Leaf &other) {
    const std::optional<Index> t = forest.find(other);
    if (!t) return;
    const Leaf &leaf = forest.leaves()[static_cast<std::size_t>(s)];
    int touching = 0, apart = 0;
    for (int a = 1; a < 3; ++a) {
      const double e = 1. / (1 << leaf.level), f = 1. / (1 << other.level);
      double gap = (static_cast<double>(leaf.place[a]) + 0.5) * e -
                   (static_cast<double>(other.place[a]) + 0.5) * f;
      gap = std::abs(gap - 2 * std::round(gap / 2));
      touching += std::abs(gap - 0.5 * (e + f)) < 1e-9 ? 1 : 0;
      apart += gap > 0.5 * (e + f) + 1e-9 ? 1 : 0;
    }
    if (touching != 1 || apart > 0) return;
    ++faces;
    between += forest.owner(s) != forest.owner(*t) ? 1 : 0;
  };
  for (Index s = 0; s < static_cast<Index>(forest.leaves().size()); ++s)
    for (const Index dj : {-1, 0, 1})
      for (const Index dk : {-1, 0, 1}) {
        const Leaf &leaf = forest.leaves()[static_cast<std::size_t>(s)];
        const Index n = Index{2} << leaf.level;
        const Index j = (leaf.place[1] + dj + n) % n, k = (leaf.place[2] + dk + n) % n;
        if (dj == 0 && dk == 0) continue;
        count(s, {leaf.level, {{0, j, k}}});
        count(s, {leaf.level - 1, {{0, j / 2, k / 2}}});
        for (Index q = 0; q < 4; ++q)
          count(s, {leaf.level + 1, {{0, 2 * j + q / 2, 2 * k + q % 2}}});
      }
  return between / faces;
}

TEST(Forest, Balance_SharesRingEvenly) {
  const Communicator comm(test::world());
  Forest forest(comm, {.dimensions = 2,
                       .trees = {{1, 2, 2}},
                       .cells = 8,
                       .max_level = 4,
                       .periodic = {false, true, true}});
  refine(forest, 2, 4, 1, [](double x, double y) { return std::hypot(x, y); });
  EXPECT_EQ(412U, forest.leaves().size());
  forest.balance(-1, {});
  const double mean = 412. / comm.size();
  EXPECT_LE(comm.max(static_cast<double>(forest.mine().size())), std::max(1.0098 * mean, mean + 1));
  EXPECT_FALSE(forest.balance(0.1, {}));
  const double expected =
      comm.size() == 4 ? 0.061 : 0.140; // of a reference program on 4 and on 8 ranks
  if (comm.size() % 4 == 0) {
    EXPECT_NEAR(expected, faces_between_ranks(forest), 5e-4);
  }
  for (std::size_t m = 0; m < forest.mine().size(); ++m)
    EXPECT_EQ(static_cast<Index>(m), forest.slot(forest.mine()[m]));
}

/// On four ranks, the exchange that serves `depth` rounds sends at least the number of cells of a
/// reference program, and at most 1.3 times as many.
TEST(Forest, HaloDepth_SendsCountOfReference) {
  const Communicator comm(test::world());
  Forest forest(comm, {.dimensions = 2,
                       .trees = {{1, 4, 4}},
                       .cells = 16,
                       .max_level = 2,
                       .periodic = {false, true, true}});
  refine(forest, 4, 2, 0.6, [](double x, double y) { return std::hypot(x, y); });
  EXPECT_EQ(124U, forest.leaves().size());
  forest.balance(-1, {});
  if (comm.size() != 4) return;
  Blocks<double> u(forest, Place::host);
  BlockHalo halo(forest, u);
  const std::pair<int, double> counts[] = {{1, 3058}, {2, 6074}, {3, 9114}, {4, 12122}, {6, 18190}};
  for (const auto &[depth, cells] : counts) {
    forest.halo_depth(depth);
    halo.start();
    halo.finish();
    const double sent = comm.sum(static_cast<double>(halo.bytes_sent())) / sizeof(double);
    EXPECT_LE(sent, 1.3 * cells) << "depth " << depth;
    EXPECT_GE(sent, cells) << "depth " << depth;
  }
}

TEST(Forest, OneLevel_EqualsCartesianAndHalo) {
  const Communicator comm(test::world());
  const Index n = 8, ranks = comm.size();
  Forest forest(comm, {.trees = {{1, 1, ranks}}, .cells = n, .periodic = {true, true, true}});
  Blocks<double> u(forest, Place::host), v = like(u);
  const Cartesian cartesian(comm, even_cuts({{n, n, n * ranks}}, {{1, 1, ranks}}),
                            {true, true, true});
  const Box box = cartesian.box(cartesian.mine()[0]);
  Array<double> a(Place::host, box, Widths::all(2)), b(Place::host, box, Widths::all(2));
  const View<double> first = a.view();
  const BlockView<double> same = u.view();
  for_blocks(Host{}, forest, {}, [=](const Cell &c) {
    const Index k = c.k + n * c.place[2];
    first(c.i, c.j, k) = same(c) = std::sin(static_cast<double>(c.i * c.j + 3 * k));
  });
  for (int step = 0; step < 3; ++step) {
    Halo<double>(cartesian, std::array{&a}).exchange();
    exchange(forest, u);
    const View<double> in = a.view(), out = b.view();
    parallel_for(Host{}, box, [=](Index i, Index j, Index k) {
      out(i, j, k) = 0.1 * (in(i, j, k) + in(i - 2, j, k) + in(i, j + 1, k) + in(i, j, k - 2));
    });
    const BlockView<double> f = u.view(), g = v.view();
    for_blocks(Host{}, forest, {}, [=](const Cell &c) {
      g(c) = 0.1 * (f(c) + f(c, 0, -2, 0, 0) + f(c, 0, 0, 1, 0) + f(c, 0, 0, 0, -2));
    });
    std::swap(a, b);
    std::swap(u, v);
  }
  const View<double> end = a.view();
  const BlockView<double> blocks = u.view();
  const double differing = reduce(
      Host{}, forest, {}, 0.,
      [=](const Cell &c) { return blocks(c) == end(c.i, c.j, c.k + n * c.place[2]) ? 0. : 1.; },
      [](double x, double y) { return x + y; });
  EXPECT_EQ(0, differing);
}

/// Returns the message of the Error that a call throws on all ranks.
template <class F> std::string refusal(const F &call) {
  try {
    call();
  } catch (const Error &e) {
    return e.what();
  }
  return "";
}

TEST(Forest, BadArguments_AreRefusedOnAllRanks) {
  const Communicator comm(test::world());
  ForestShape shape{.dimensions = 2, .trees = {{1, 2, 2}}, .cells = 8, .max_level = 1};
  Forest forest(comm, shape);
  EXPECT_EQ("move: leaf 1 twice, expected each at most once", refusal([&] {
              const Move both[] = {{1, 0}, {1, 0}};
              forest.move(comm.rank() == 0 ? std::span<const Move>(both) : std::span<const Move>());
            }));
  EXPECT_EQ("halo_depth is 0, expected 1 or more", refusal([&] { forest.halo_depth(0); }));
  const auto make = [&](std::vector<Leaf> leaves) {
    return refusal([&] { const Forest other(comm, shape, leaves); });
  };
  const std::vector<Leaf> all{{0, {}}, {0, {{0, 0, 1}}}, {0, {{0, 1, 0}}}, {0, {{0, 1, 1}}}};
  EXPECT_EQ("", make(all));
  EXPECT_EQ("leaf of level 0, place (0, 1): there is a gap before it",
            make({all[0], all[2], all[3]}));
  EXPECT_EQ("leaf of level 0, place (1, 0): overlaps another leaf",
            make({all[0], all[1], all[1], all[2], all[3]}));
  EXPECT_EQ("leaf of level 2, place (0, 0): expected a level from 0 to 1",
            make({{2, {}}, all[1], all[2], all[3]}));
  shape.cells = 7;
  EXPECT_EQ(
      "blocks of a forest have 7 cells along each axis, expected an even number of at least 4",
      refusal([&] { const Forest odd(comm, shape); }));
}

TEST(Forest, TooFewSlots_ChangesNothing) {
  const Communicator comm(test::world());
  Forest forest(
      comm, {.dimensions = 2, .trees = {{1, 4, 4}}, .cells = 8, .max_level = 2, .capacity = 30});
  Blocks<double> u(forest, Place::host);
  const std::vector<std::int8_t> marks(forest.mine().size(), 1);
  const std::uint64_t before = forest.generation();
  bool refused = false;
  for (int n = 0; n < 2 && !refused; ++n) {
    const std::vector<std::int8_t> all(forest.mine().size(), 1);
    const std::size_t leaves = forest.leaves().size();
    const std::string message = refusal([&] { forest.adapt(all, u); });
    refused = !message.empty();
    if (!refused) continue;
    EXPECT_NE(std::string::npos, message.find("blocks, has room for 30")) << message;
    EXPECT_EQ(leaves, forest.leaves().size());
  }
  EXPECT_TRUE(refused || comm.size() > 4);
  EXPECT_LE(before, forest.generation());
}

TEST(Forest, FamilyOnAllRanks_CoarsensOnRankOfFirstMember) {
  const Communicator comm(test::world());
  for (const int d : {2, 3}) {
    Forest forest(comm, {.dimensions = d, .trees = {{1, 2, 2}}, .cells = 4, .max_level = 1});
    Blocks<double> u(forest, Place::host);
    forest.adapt(std::vector<std::int8_t>(forest.mine().size(), 1));
    const Index members = Index{1} << d;
    ASSERT_EQ(4 * members, static_cast<Index>(forest.leaves().size()));
    const auto rank_of = [&](Index leaf) { return static_cast<int>((leaf + 1) % comm.size()); };
    std::vector<Move> moves;
    for (const Index leaf : forest.mine())
      moves.push_back({leaf, rank_of(leaf)});
    forest.move(moves, u);
    const auto fill = u.view();
    for_blocks(Host{}, forest, {}, [=](const Cell &c) {
      fill(c) = static_cast<double>(64 * (2 * c.place[1] + c.place[2]) + c.i + 4 * c.j + 16 * c.k);
    });
    const Changes changes = forest.adapt(std::vector<std::int8_t>(forest.mine().size(), -1), u);
    EXPECT_EQ(4 * members, changes.coarsened);
    ASSERT_EQ(4U, forest.leaves().size());
    for (Index tree = 0; tree < 4; ++tree) {
      ASSERT_EQ(rank_of(tree * members), forest.owner(tree));
      if (forest.owner(tree) != comm.rank()) continue;
      const Leaf &leaf = forest.leaves()[static_cast<std::size_t>(tree)];
      for (Index j = 0; j < 4; ++j)
        for (Index k = 0; k < 4; ++k) { // points of the first plane
          const Index child = 2 * (2 * leaf.place[1] + j / 2) + 2 * leaf.place[2] + k / 2;
          const double mean = static_cast<double>(64 * child + 4 * (j % 2 * 2) + 16 * (k % 2 * 2)) +
                              (d == 3 ? 0.5 : 0.) + 10;
          EXPECT_EQ(mean, u.view().at(forest.slot(tree), 0, 0, j, k)) << tree << ' ' << j << k;
        }
    }
  }
}

TEST(Forest, Changes_NeedSlotsOfOldNewAndGhostBlocks) {
  Random random(23);
  Forest forest(Communicator(test::world()), shape_of(2, true));
  Blocks<double> u(forest, Place::host), v = like(u);
  constexpr std::size_t slot = 8 * 8 * sizeof(double);
  std::size_t most = 0;
  for (int n = 0; n < 12; ++n) {
    const std::size_t before = forest.mine().size();
    if (n % 3 == 2)
      forest.balance(-1, {}, u, v);
    else
      forest.adapt(random_marks(forest, random, -1), u, v);
    most = std::max(most, before + forest.mine().size() +
                              static_cast<std::size_t>(forest.ghost_blocks()));
    EXPECT_LE(u.bytes(), std::max<std::size_t>(most, before + 1) * slot) << "change " << n;
    EXPECT_EQ(u.bytes(), v.bytes());
  }
}

/// Blocks on a forest of one level. change() removes and adds leaves.
struct Tiles {
  static constexpr Index trees = 6;

  explicit Tiles(MPI_Comm comm) : forest(Communicator(comm), shape()), u(forest, Place::host) {
    std::vector<std::int8_t> sign(trees * trees);
    for (std::size_t t = 0; t < sign.size(); ++t)
      sign[t] = t % 2 == 0 ? std::int8_t{1} : std::int8_t{-1};
    u.absent(sign, 1000.);
    for (const Index leaf : forest.mine())
      set(leaf);
  }

  static ForestShape shape() {
    ForestShape s{.dimensions = 2, .trees = {{1, trees, trees}}, .cells = 4};
    s.periodic = {false, false, true};
    for (Index t = 0; t < trees * trees; ++t)
      s.present.push_back(t % 5 == 0 ? 0 : 1);
    return s;
  }
  static double value(Index j, Index k) { return std::sin(static_cast<double>(31 * j + k)); }

  void set(Index leaf) {
    const Leaf &at = forest.leaves()[static_cast<std::size_t>(leaf)];
    for (Index j = 0; j < 4; ++j)
      for (Index k = 0; k < 4; ++k)
        u.view().at(forest.slot(leaf), 0, 0, j, k) =
            value(4 * at.place[1] + j, 4 * at.place[2] + k);
  }

  /// Removes every fifth leaf and adds the absent leaves of a row. Returns the places of the added
  /// leaves.
  std::vector<Leaf> change(Index row) {
    std::vector<Leaf> added, mine;
    std::vector<Index> removed;
    for (Index k = 0; k < trees; ++k) {
      const Leaf leaf{0, {{0, row, k}}};
      if (!forest.find(leaf)) added.push_back(leaf);
      if (added.size() % static_cast<std::size_t>(forest.communicator().size()) ==
              static_cast<std::size_t>(forest.communicator().rank()) &&
          !added.empty() && added.back() == leaf)
        mine.push_back(leaf);
    }
    for (const Index leaf : forest.mine())
      if (leaf % 5 == 1) removed.push_back(leaf);
    forest.set_leaves(mine, removed, u);
    return added;
  }

  /// Returns the number of wrong values at points of own blocks within the domain.
  Index wrong() const {
    Index count = 0;
    for_points(forest, u, 2, [&](double found, Index j0, Index j, Index k, const Leaf &at, bool) {
      const Index n = 4 * trees, y = 4 * at.place[1] + j, x = (4 * at.place[2] + k + n) % n;
      if (y < 0 || y >= n || j0 != 0) return;
      const bool there = forest.find({0, {{0, y / 4, x / 4}}}).has_value();
      const double absent = (y / 4 * trees + x / 4) % 2 == 0 ? 1000 : -1000;
      count += found == (there ? value(y, x) : absent) ? 0 : 1;
    });
    return static_cast<Index>(forest.communicator().sum(static_cast<double>(count)));
  }

  Forest forest;
  Blocks<double> u;
};

TEST(Forest, SetLeaves_KeepsValuesAndFillsAbsentTrees) {
  for (const int depth : {1, 2}) {
    Tiles tiles(test::world());
    tiles.forest.halo_depth(depth);
    for (Index round = 0; round < 6; ++round) {
      const std::uint64_t before = tiles.forest.generation();
      const std::vector<Leaf> added = tiles.change(round);
      EXPECT_LT(before, tiles.forest.generation());
      for (const Leaf &leaf : added) {
        const std::optional<Index> at = tiles.forest.find(leaf);
        ASSERT_TRUE(at.has_value());
        if (tiles.forest.owner(*at) != tiles.forest.communicator().rank()) continue;
        EXPECT_EQ(0., tiles.u.view().at(tiles.forest.slot(*at), 0, 0, 2, 1));
        tiles.set(*at);
      }
      if (round == 3) tiles.forest.balance(-1, {}, tiles.u);
      exchange(tiles.forest, tiles.u);
      EXPECT_EQ(0, tiles.wrong()) << "round " << round << ", depth " << depth;
    }
  }
}

TEST(Forest, SetLeaves_RefusesWrongLeaves) {
  const Communicator comm(test::world());
  Tiles tiles(test::world());
  const bool first = comm.rank() == 0;
  const auto set = [&](std::vector<Leaf> add, std::vector<Index> remove) {
    if (!first) add.clear(), remove.clear();
    return refusal([&] { tiles.forest.set_leaves(add, remove, tiles.u); });
  };
  EXPECT_EQ("set_leaves: leaf of level 0, place (1, 0): exists already",
            set({{0, {{0, 0, 1}}}}, {}));
  EXPECT_EQ("set_leaves: leaf of level 0, place (0, 6): expected level 0 and a place in the box of "
            "trees",
            set({{0, {{0, 6, 0}}}}, {}));
  EXPECT_EQ("set_leaves: leaf of level 1, place (0, 0): expected level 0 and a place in the box of "
            "trees",
            set({{1, {}}}, {}));
  EXPECT_EQ("set_leaves: removes leaf 28, expected 0 to 27", set({}, {28}));
  EXPECT_EQ("set_leaves: removes leaf 3 twice, expected each at most once", set({}, {3, 3}));
  std::vector<Index> all(28);
  for (std::size_t n = 0; n < all.size(); ++n)
    all[n] = static_cast<Index>(n);
  EXPECT_EQ("set_leaves: removes all leaves, expected one to stay at least", set({}, all));
  EXPECT_EQ("absent: found 2 signs, expected one for each of 36 trees", refusal([&] {
              tiles.u.absent(std::vector<std::int8_t>{1, 1}, 1.);
            }));
  Forest levels(comm, shape_of(2, false));
  EXPECT_EQ("set_leaves: found a forest of levels 0 to 2, expected one level",
            refusal([&] { levels.set_leaves({}, {}); }));
  EXPECT_EQ("a forest has 1 x 3000000 x 3000000 trees, expected at most 2147483647", refusal([&] {
              const Forest huge(comm, {.dimensions = 2, .trees = {{1, 3000000, 3000000}}});
            }));
}

TEST(Forest, GhostsAtFacesOnly_EqualAllGhosts) {
  Random random(5);
  Forest forest(Communicator(test::world()), shape_of(3, true));
  BlockTraits traits{.absent = End::wall};
  for (auto &axis : traits.sides)
    axis = {End::outflow, End::wall};
  Blocks<double> all(forest, Place::host, 1, traits);
  traits.edges = false;
  Blocks<double> faces(forest, Place::host, 1, traits);
  forest.adapt(random_marks(forest, random, 0));
  const auto a = all.view(), b = faces.view();
  for_points(forest, all, 2,
             [](double &value, Index, Index, Index, const Leaf &, bool) { value = 7; });
  for_points(forest, faces, 2,
             [](double &value, Index, Index, Index, const Leaf &, bool) { value = 7; });
  for_blocks(Host{}, forest, {}, [=](const Cell &c) {
    a(c) = b(c) = std::sin(static_cast<double>(c.slot + c.i + 5 * c.j + 17 * c.k));
  });
  exchange(forest, all, faces);
  Index wrong = 0, compared = 0;
  for (const Index leaf : forest.mine())
    for (Index i = -2; i < 6; ++i)
      for (Index j = -2; j < 6; ++j)
        for (Index k = -2; k < 6; ++k) {
          int beyond = 0;
          for (const Index p : {i, j, k})
            beyond += p < 0 || p >= 4 ? 1 : 0;
          const Index slot = forest.slot(leaf);
          const double found = b.at(slot, 0, i, j, k);
          wrong += found == (beyond > 1 ? 7. : a.at(slot, 0, i, j, k)) ? 0 : 1;
          compared += beyond == 1 && found != 7. ? 1 : 0;
        }
  EXPECT_EQ(0, wrong);
  EXPECT_TRUE(compared > 0 || forest.mine().empty());
}

} // namespace
} // namespace hybridfft::grid
