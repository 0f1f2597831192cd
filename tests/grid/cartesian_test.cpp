// Tests boxes, cuts, regions, arrays and loops on one rank. Counts and values derived by hand are
// the truth.

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <numeric>

#include "hybridfft/grid/array.hpp"
#include "hybridfft/grid/cartesian.hpp"
#include "hybridfft/grid/choice.hpp"
#include "hybridfft/grid/parallel_for.hpp"
#include "hybridfft/grid/regions.hpp"
#include "support/mpi_test.h"

namespace hybridfft::grid {
namespace {

std::string refusal(const std::string &text, const Index3 &extents) {
  try {
    read_cuts(text, extents);
  } catch (const Error &e) {
    EXPECT_EQ(e.code(), HFFT_ERROR_ARGUMENT);
    return e.what();
  }
  return "accepted";
}

TEST(Cuts, Text_IsRead) {
  const Cuts even = read_cuts("2x1x3", {{5, 4, 8}});
  EXPECT_EQ(even[0], (std::vector<Index>{3, 2}));
  EXPECT_EQ(even[1], (std::vector<Index>{4}));
  EXPECT_EQ(even[2], (std::vector<Index>{3, 3, 2}));
  const Cuts uneven = read_cuts("40+56x22+18+20x1", {{96, 60, 7}});
  EXPECT_EQ(uneven[0], (std::vector<Index>{40, 56}));
  EXPECT_EQ(uneven[1], (std::vector<Index>{22, 18, 20}));
  EXPECT_EQ(uneven[2], (std::vector<Index>{7}));
}

TEST(Cuts, WrongSum_IsRefusedWithBothNumbers) {
  const Index3 n{{8, 8, 8}};
  EXPECT_EQ(refusal("2x2", n), "the grid '2x2' has 2 axes, expected 3, such as 2x2x1");
  EXPECT_NE(refusal("9x1x1", n).find("8 points into 9 blocks"), std::string::npos);
  EXPECT_NE(refusal("3+4x1x1", n).find("hold 7 points, expected the 8"), std::string::npos);
  EXPECT_NE(refusal("3+6x1x1", n).find("hold more than the 8 points"), std::string::npos);
  for (const char *bad : {"", "x", "0x1x1", "-1x1x1", "2x1x", "2x1x1x", "ax1x1", "2.5x1x1",
                          "3+x1x1", "99999999999999999999x1x1"})
    EXPECT_NE(refusal(bad, n).find("expected"), std::string::npos) << bad;
}

/// Returns the number of faces between nodes for the blocks of a periodic grid. Block b is on node
/// nodes[owners[b]].
int faces_between_nodes(const Index3 &parts, const std::vector<int> &owners,
                        const std::vector<int> &nodes) {
  const auto node = [&](Index i, Index j, Index k) {
    const Index block = ((i % parts[0]) * parts[1] + j % parts[1]) * parts[2] + k % parts[2];
    return nodes.at(static_cast<std::size_t>(owners.at(static_cast<std::size_t>(block))));
  };
  int faces = 0;
  for (Index i = 0; i < parts[0]; ++i)
    for (Index j = 0; j < parts[1]; ++j)
      for (Index k = 0; k < parts[2]; ++k)
        faces += (node(i, j, k) != node(i + 1, j, k)) + (node(i, j, k) != node(i, j + 1, k)) +
                 (node(i, j, k) != node(i, j, k + 1));
  return faces;
}

/// Numbers of blocks, the node of each rank, and the expected numbers of faces between nodes.
/// by_rank: blocks are owned in the order of ranks. by_node: owners_by_node chooses the owners.
struct Nodes {
  Index3 parts;
  std::function<int(int)> node;
  int ranks, by_rank, by_node;
};

class OwnersByNode : public testing::TestWithParam<Nodes> {};

TEST_P(OwnersByNode, EachRankOwnsAsMany_FewFacesCrossNodes) {
  const Nodes &c = GetParam();
  std::vector<int> nodes, consecutive, count(static_cast<std::size_t>(c.ranks));
  for (int rank = 0; rank < c.ranks; ++rank)
    nodes.push_back(c.node(rank));
  const Index3 extents{{16 * c.parts[0], 16 * c.parts[1], 16 * c.parts[2]}};
  const std::vector<int> owners = owners_by_node(even_cuts(extents, c.parts), nodes);
  const auto blocks = static_cast<int>(owners.size());
  for (int block = 0; block < blocks; ++block) {
    consecutive.push_back(block / (blocks / c.ranks));
    ++count.at(static_cast<std::size_t>(owners[static_cast<std::size_t>(block)]));
  }
  EXPECT_EQ(count, std::vector<int>(count.size(), blocks / c.ranks));
  EXPECT_EQ(faces_between_nodes(c.parts, consecutive, nodes), c.by_rank);
  EXPECT_EQ(faces_between_nodes(c.parts, owners, nodes), c.by_node);
}

int alone(int) { return 0; }
template <int ranks> int together(int rank) { return rank / ranks; }
template <int nodes> int in_turn(int rank) { return rank % nodes; }

INSTANTIATE_TEST_SUITE_P(
    All, OwnersByNode,
    testing::Values(Nodes{{{2, 2, 2}}, alone, 8, 0, 0}, Nodes{{{2, 2, 2}}, together<4>, 8, 8, 8},
                    // The blocks of a node change from 1 x 2 to 2 x 1.
                    Nodes{{{2, 4, 1}}, together<2>, 8, 12, 8},
                    // Each node has every second rank. Its blocks become one half of the domain.
                    Nodes{{{2, 2, 2}}, in_turn<2>, 8, 8, 8},
                    Nodes{{{4, 2, 1}}, in_turn<2>, 8, 8, 4},
                    // 16 ranks. The blocks of a node change from 1 x 1 x 4 to 1 x 2 x 2. The 4 x 2
                    // x 2 blocks are halved.
                    Nodes{{{1, 2, 8}}, together<4>, 16, 20, 8},
                    Nodes{{{4, 2, 2}}, in_turn<2>, 16, 16, 8},
                    Nodes{{{4, 4, 1}}, together<4>, 16, 16, 16},
                    // Each rank owns two blocks.
                    Nodes{{{2, 8, 2}}, together<2>, 16, 48, 32},
                    // One node has 8 ranks, the other one has 4.
                    Nodes{{{3, 2, 2}}, [](int rank) { return rank < 8 ? 0 : 1; }, 12, 8, 8},
                    // 8 ranks per node. Their blocks are 2 x 2 x 2 instead of 1 x 1 x 8.
                    Nodes{{{8, 8, 8}}, together<8>, 512, 1024, 768}),
    [](const auto &info) {
      return std::to_string(info.param.ranks) + "ranks_" + std::to_string(info.index);
    });

TEST(OwnersByNode, BlocksNoMultipleOfRanks_AreRefused) {
  try {
    owners_by_node(even_cuts({{16, 16, 16}}, {{2, 3, 1}}), std::vector<int>{0, 0, 1, 1});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error &e) {
    EXPECT_EQ(e.code(), HFFT_ERROR_ARGUMENT);
    EXPECT_NE(std::string(e.what()).find("6 blocks on 4 ranks, expected a multiple"),
              std::string::npos)
        << e.what();
  }
}

TEST(SharesBySpeed, OneFastRankAndOneSlow_TakeEqualTimes) {
  // Each rank also computes 8 ghost planes. The fast rank owns n planes and needs a third of the
  // time per plane: n + 8 = 3 (100 - n + 8), so n = 79.
  const Shares shares =
      shares_by_speed({{20, 10, 100}}, {{1, 1, 2}}, std::vector{3e-9, 1e-9}, {{8, 8, 8}}, 8);
  EXPECT_EQ(shares.cuts[2], (std::vector<Index>{79, 21}));
  EXPECT_EQ(shares.cuts[0], (std::vector<Index>{20}));
  EXPECT_EQ(shares.owners, (std::vector<int>{1, 0}));
  EXPECT_NEAR(shares.seconds, 20 * 10 * 87e-9, 1e-12);
}

TEST(SharesBySpeed, RanksOfTwoSpeeds_LayersHaveOneSpeed) {
  // Every second rank is four times slower.
  std::vector<double> seconds;
  for (int rank = 0; rank < 8; ++rank)
    seconds.push_back(rank % 2 == 0 ? 1 : 4);
  const Shares shares = shares_by_speed({{64, 64, 64}}, {{2, 2, 2}}, seconds, {{8, 8, 8}}, 0);
  EXPECT_EQ(shares.cuts[0], (std::vector<Index>{52, 12}));
  EXPECT_EQ(shares.cuts[1], (std::vector<Index>{32, 32}));
  EXPECT_EQ(shares.owners, (std::vector<int>{0, 2, 4, 6, 1, 3, 5, 7}));
  // With the minimum of 16 points, the slow layer of 12 is too thin and gets 16.
  const Shares thick = shares_by_speed({{64, 64, 64}}, {{2, 2, 2}}, seconds, {{16, 16, 16}}, 0);
  EXPECT_EQ(thick.cuts[0], (std::vector<Index>{48, 16}));
  EXPECT_NEAR(thick.seconds, 16 * 32 * 32 * 4, 1e-9);
}

TEST(SharesBySpeed, OneRankAndEqualRanks_AreEvenCuts) {
  const std::vector<double> one{1}, four(4, 2e-9);
  EXPECT_EQ(shares_by_speed({{9, 5, 7}}, {{1, 1, 1}}, one, {{8, 8, 8}}, 4).cuts,
            even_cuts({{9, 5, 7}}, {{1, 1, 1}}));
  const Shares shares = shares_by_speed({{30, 30, 1}}, {{2, 2, 1}}, four, {{8, 8, 8}}, 4);
  EXPECT_EQ(shares.cuts, even_cuts({{30, 30, 1}}, {{2, 2, 1}}));
  EXPECT_EQ(shares.owners, (std::vector<int>{0, 1, 2, 3}));
}

TEST(SharesBySpeed, TooThinBlocks_AreRefusedWithNumbers) {
  const std::vector<double> two{1, 2};
  EXPECT_THROW(shares_by_speed({{20, 20, 20}}, {{2, 2, 1}}, two, {{8, 8, 8}}, 0), Error);
  EXPECT_THROW(shares_by_speed({{12, 20, 20}}, {{2, 1, 1}}, two, {{8, 8, 8}}, 0), Error);
}

TEST(Cartesian, UnevenCuts_BlocksTileDomain) {
  const Cartesian c(Communicator(test::world()), read_cuts("2+3x1x4+1+2", {{5, 4, 7}}),
                    {true, false, false});
  EXPECT_EQ(c.blocks(), 6);
  Index points = 0;
  for (int b = 0; b < c.blocks(); ++b) {
    EXPECT_EQ(c.block_at(c.place(b)), b);
    points += c.box(b).points();
    for (int other = 0; other < b; ++other)
      EXPECT_TRUE(intersection(c.box(b), c.box(other)).empty());
  }
  EXPECT_EQ(points, c.domain().points());
  EXPECT_EQ(c.neighbour(0, {{-1, 0, 1}}), 4);
  EXPECT_EQ(c.neighbour(0, {{2, 0, 0}}), 0);
  EXPECT_EQ(c.neighbour(0, {{0, 1, 0}}), std::nullopt);
  EXPECT_EQ(c.neighbour(0, {{0, 0, -1}}), std::nullopt);
}

TEST(Regions, AnyWidths_TileBox) {
  for (Index below = 0; below < 8; ++below)
    for (Index above = 0; above < 8; ++above) {
      const Box box({{3, -2, 10}}, {{9, 3, 17}});
      const Widths widths{{{below, 1, 0}}, {{above, 2, below}}};
      const Regions parts = regions(box, widths);
      EXPECT_LE(parts.boundary.size(), 6U);
      std::vector<int> hits(static_cast<std::size_t>(box.points()), 0);
      const auto hit = [&](const Box &piece, int mark) {
        EXPECT_TRUE(piece.empty() || box.contains(piece));
        parallel_for(Host{}, piece, [&](Index i, Index j, Index k) {
          hits[static_cast<std::size_t>(((i - 3) * 5 + j + 2) * 7 + k - 10)] += mark;
        });
      };
      for (const Box &piece : parts.boundary)
        hit(piece, 1);
      hit(parts.interior, 100);
      Index interior = 0;
      for (Index i = 3; i < 9; ++i)
        for (Index j = -2; j < 3; ++j)
          for (Index k = 10; k < 17; ++k) {
            const bool inside =
                i >= 3 + below && i < 9 - above && j >= -1 && j < 1 && k < 17 - below;
            interior += inside ? 1 : 0;
            EXPECT_EQ(hits[static_cast<std::size_t>(((i - 3) * 5 + j + 2) * 7 + k - 10)],
                      inside ? 100 : 1);
          }
      EXPECT_EQ(parts.interior.points(), interior);
    }
}

TEST(Array, Default_HasAlignedRowsAndZeros) {
  Array<float> a(Place::host, Box({{-1, 5, 7}}, {{2, 9, 40}}), {{{1, 0, 3}}, {{2, 1, 0}}}, 2);
  const View<float> v = a.view();
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&v(-1, 5, 7)) % 64, 0U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&v(1, 8, 7)) % 64, 0U);
  EXPECT_EQ(a.pitch() / 16 % 2, 1);
  const auto sum = [&](const View<const float> &view) {
    return reduce(
        Host{3}, a.box(), 0.0,
        [=](Index i, Index j, Index k) { return static_cast<double>(view(i, j, k)); },
        [](double x, double y) { return x + y; });
  };
  EXPECT_EQ(sum(v), 0);
  parallel_for(
      Host{3}, a.box(),
      HFFT_LAMBDA(Index i, Index j, Index k) { v(i, j, k) = static_cast<float>(i + j + k); });
  const Array<float> copy = a.copy_to(Place::host);
  parallel_for(Host{}, a.box(), [=](Index i, Index j, Index k) { v(i, j, k) = 0; });
  double expected = 0;
  for (Index i = -2; i < 4; ++i)
    for (Index j = 5; j < 10; ++j)
      for (Index k = 4; k < 40; ++k)
        expected += static_cast<double>(i + j + k);
  EXPECT_EQ(sum(copy.view()), expected);
}

TEST(Array, Alignment_IsHonoured) {
  const Box box({{-1, 5, 7}}, {{2, 9, 40}});
  const Widths ghosts{{{1, 0, 3}}, {{2, 1, 0}}};
  for (const Index point : {0, 1, 14, 15})
    for (const Index lines : {0, 3}) {
      Array<float> plain(Place::host, box, ghosts, 1, {point, 0});
      Array<float> a(Place::host, box, ghosts, 1, {point, lines});
      const View<float> v = a.view();
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&v(0, 6, 7 + point)) % 64, 0U);
      EXPECT_EQ(a.bytes(), plain.bytes() + static_cast<std::size_t>(lines) * 64);
      for (const int axis : {0, 1})
        EXPECT_EQ(v.stride(axis), plain.view().stride(axis));
      EXPECT_EQ(v.offset(), plain.view().offset());
      v(-2, 5, 4) = 1;
      v(3, 9, 39) = 2;
      const Array<float> copy = a.copy_to(Place::host);
      EXPECT_EQ(copy.alignment(), a.alignment());
      EXPECT_EQ(copy.view()(-2, 5, 4), 1);
      EXPECT_EQ(copy.view()(3, 9, 39), 2);
    }
  EXPECT_THROW(Array<float>(Place::host, box, ghosts, 1, {-1, 0}), Error);
  EXPECT_THROW(Array<float>(Place::host, box, ghosts, 1, {0, -1}), Error);
}

TEST(Array, NoDeviceOrHugeSize_IsRefused) {
  EXPECT_THROW(Array<double>(Place::device, Box(4, 4, 4)), Error); // no device is given
  const Index huge = Index{1} << 40;
  try {
    Array<double>(Place::host, Box(huge, huge, 8));
    ADD_FAILURE();
  } catch (const Error &e) {
    EXPECT_EQ(e.code(), HFFT_ERROR_OVERFLOW);
  }
  const Array<double> none(Place::host, Box(0, 4, 4), Widths::all(1));
  EXPECT_TRUE(none.box().empty());
}

TEST(Reduce, AnyThreads_SameBits) {
  const Box box({{1, 2, 3}}, {{12, 9, 41}});
  const auto f = [](Index i, Index j, Index k) {
    return 1.0 / static_cast<double>(i * 131 + j * 17 + k);
  };
  const auto sum = [&](int threads) {
    return reduce(Host{threads}, box, 0.0, f, [](double a, double b) { return a + b; });
  };
  const double one = sum(1);
  for (int threads = 2; threads < 9; ++threads)
    EXPECT_EQ(sum(threads), one);
  const double largest =
      reduce(Host{2}, box, 0.0, f, [](double a, double b) { return a > b ? a : b; });
  EXPECT_EQ(largest, 1.0 / (131 + 34 + 3));
}

} // namespace
} // namespace hybridfft::grid
