/// Tests the paths of transforms between layouts, and their steps.

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "local/line_fft.h"
#include "plan/arguments.h"
#include "plan/lowering.h"
#include "plan/step.h"
#include "support/skipped_cases.h"

namespace hybridfft::plan {
namespace {

Layout grid(const Extents &n, const std::vector<int> &parts, const std::vector<int> &order = {}) {
  return Layout::grid(n, parts, {order, {}, 1, Fields::interleaved});
}

Problem problem(const Layout &in, const Layout &out, const std::vector<int> &axes,
                Kind kind = Kind::c2c) {
  Problem p;
  p.kind = kind;
  p.axes = axes;
  p.in = in;
  p.out = out;
  p.flags = HFFT_ESTIMATE;
  check(p, in.ranks());
  return p;
}

Steps steps_of(const Problem &p, int rank) {
  return lower_path(p, along({find_path(p, {}), working_orders(p).front()}), rank);
}

std::string kinds(const Steps &steps) {
  std::string text;
  for (const profile::Stage &s : stages_of(steps, sizeof(double)))
    text += (text.empty() ? "" : " ") + s.name;
  return text;
}

const Extents cube{32, 32, 32};

TEST(Path, PencilsExchangeWithinRowsAndColumnsWithoutCopies) {
  const auto p = problem(grid(cube, {4, 4, 1}), grid(cube, {1, 4, 4}), {0, 1, 2});
  for (const int rank : {0, 5, 15}) {
    const auto steps = steps_of(p, rank);
    EXPECT_EQ(kinds(steps), "planes exchange columns exchange 2 columns 2");
    for (const Step &s : steps)
      if (s.kind == StepKind::exchange) {
        EXPECT_EQ(s.blocks.sent.size(), 4U);
        EXPECT_EQ(s.blocks.received.size(), 4U);
        for (const exchange::RankBytes &b : s.blocks.sent)
          EXPECT_EQ(b.count, 32 * 8 * 8 / 4 * 16);
      }
  }
}

TEST(Path, DataInPlace_AreNotMoved) {
  // An axis that every rank has completely is transformed without an exchange.
  EXPECT_EQ(kinds(steps_of(problem(grid(cube, {1, 1, 4}), grid(cube, {1, 1, 4}), {0, 1}), 1)),
            "columns columns 2");
  EXPECT_EQ(kinds(steps_of(problem(grid(cube, {2, 2, 1}), grid(cube, {2, 2, 1}), {2}), 3)),
            "planes");
  // The FFT itself writes the output in another memory order if this only permutes complete
  // columns.
  EXPECT_EQ(
      kinds(steps_of(problem(grid(cube, {1, 1, 4}), grid(cube, {1, 1, 4}, {1, 0, 2}), {1}), 0)),
      "columns");
  // A redistribution copies data to messages, exchanges these, and copies data out of them. Ranks
  // whose part stays the same, and is contiguous, only copy.
  EXPECT_EQ(kinds(steps_of(problem(grid(cube, {4, 1, 1}), grid(cube, {1, 1, 4}), {}), 2)),
            "copy exchange copy 2");
  EXPECT_EQ(kinds(steps_of(problem(grid(cube, {4, 1, 1}), grid(cube, {4, 1, 1}), {}), 2)), "copy");
}

TEST(Path, PlanesAreTransformedInCache) {
  if (!local::LineFft<double>::applies(simd::active(), 32))
    GTEST_SKIP() << test::this_machine << "no kernels";
  EXPECT_EQ(kinds(steps_of(problem(grid(cube, {4, 1, 1}), grid(cube, {4, 1, 1}), {1, 2}), 1)),
            "planes");
  // The FFTs of planes write directly to messages; in the other direction they read from messages.
  EXPECT_EQ(kinds(steps_of(problem(grid(cube, {4, 1, 1}), grid(cube, {1, 4, 1}), {0, 1, 2}), 1)),
            "planes exchange columns");
  const Extents half{32, 32, 17};
  EXPECT_EQ(kinds(steps_of(problem(grid(half, {1, 4, 1}),
                                   Layout::grid(cube, {4, 1, 1}, {{}, {0, 0, 2}, 1, {}}), {0, 1, 2},
                                   Kind::c2r),
                           1)),
            "columns exchange planes");
  // Planes of 512 x 512 complex numbers in double precision are larger than caches.
  const Extents large{4, 512, 512};
  EXPECT_EQ(kinds(steps_of(problem(grid(large, {4, 1, 1}), grid(large, {4, 1, 1}), {1, 2}), 1)),
            "planes columns");
}

TEST(Path, RealDataTravelAsHalvesOfComplexOnes) {
  const Extents half{32, 32, 17};
  const auto p = problem(Layout::grid(cube, {4, 4, 1}, {{}, {0, 0, 2}, 1, {}}),
                         grid(half, {1, 4, 4}), {0, 1, 2}, Kind::r2c);
  const auto steps = steps_of(p, 0);
  EXPECT_EQ(kinds(steps), "planes exchange columns exchange 2 columns 2");
  EXPECT_EQ(steps[0].transform.kind, Kind::r2c);
  // If the axis halved by r2c is distributed, the real numbers are exchanged before any FFT.
  const auto cut = problem(grid(cube, {1, 4, 4}), grid(half, {4, 4, 1}), {0, 1, 2}, Kind::r2c);
  const auto first = steps_of(cut, 0);
  EXPECT_EQ(kinds(first).substr(0, 13), "copy exchange");
  EXPECT_TRUE(first[1].from.real);
}

/// No step between the first and the last exchange copies data: the FFTs read and write the
/// messages, even if an exchange divides several axes.
TEST(Path, BricksAreCopiedAtTheEndsOnly) {
  const auto p = problem(grid(cube, {2, 2, 2}), grid(cube, {2, 2, 2}), {0, 1, 2});
  const Choice path = along({find_path(p, shared_prices), working_orders(p).front()});
  for (const int rank : {0, 5, 7}) {
    const std::string found = kinds(lower_path(p, path, rank));
    EXPECT_EQ(found.find("copy 3"), std::string::npos) << found;
    EXPECT_EQ(found.substr(0, 4), "copy") << found;
    EXPECT_EQ(found.substr(found.size() - 6), "copy 2") << found;
  }
}

/// Returns, for each offset of a storage, the index of its element as one number; -1 in gaps.
std::vector<std::ptrdiff_t> indices(const Storage &s) {
  std::vector<std::ptrdiff_t> list(static_cast<std::size_t>(s.elements), -1);
  for (const StoredBox &b : s.boxes)
    for (std::ptrdiff_t i = 0; i < b.box.count[0]; ++i)
      for (std::ptrdiff_t j = 0; j < b.box.count[1]; ++j)
        for (std::ptrdiff_t k = 0; k < b.box.count[2]; ++k)
          list.at(static_cast<std::size_t>(b.base + i * b.stride[0] + j * b.stride[1] +
                                           k * b.stride[2])) =
              ((b.box.start[0] + i) * 100 + b.box.start[1] + j) * 100 + b.box.start[2] + k;
  return list;
}

/// Returns the offsets of the elements of a matrix, row by row, column by column.
std::vector<std::ptrdiff_t> offsets(const SplitRows &m) {
  std::vector<std::ptrdiff_t> list;
  for (std::ptrdiff_t r = 0; r < m.rows; ++r)
    for (const Piece &p : m.pieces)
      for (std::ptrdiff_t c = 0; c < p.count; ++c)
        for (std::ptrdiff_t v = 0; v < m.vec; ++v)
          list.push_back(p.base + r * p.row_stride + c * p.column_stride + v);
  return list;
}

TEST(Cells, HoldEveryLineOnceOnBothSides) {
  const auto box = [](Extents start, Extents count) {
    start.push_back(0);
    count.push_back(1);
    return IndexBox{start, count};
  };
  const AxisOrder order{3, 0, 1, 2};
  const IndexBox whole = box({0, 0, 0}, {6, 8, 10});
  const std::vector<IndexBox> before{box({0, 0, 0}, {6, 3, 4}), box({0, 3, 0}, {6, 5, 4}),
                                     box({0, 0, 4}, {2, 8, 6}), box({2, 0, 4}, {4, 8, 6})};
  const std::vector<IndexBox> after{box({0, 0, 0}, {3, 8, 10}), box({3, 0, 0}, {3, 2, 10}),
                                    box({3, 2, 0}, {3, 6, 10})};
  const Storage from = stored(whole, before, order, false, 16).storage;
  const Storage to = stored(whole, after, order, false, 16).storage;
  const auto from_indices = indices(from);
  const auto to_indices = indices(to);
  for (const int axis : {0, 1, 2}) {
    const auto matrices = as_matrices(from, to, order, axis, 1000);
    ASSERT_TRUE(matrices);
    std::vector<std::ptrdiff_t> found;
    for (const MatrixPair &m : *matrices) {
      EXPECT_EQ(m.source.columns, whole.count[static_cast<std::size_t>(axis)]);
      EXPECT_EQ(m.source.stored_columns(), m.source.columns);
      const auto in = offsets(m.source);
      const auto out = offsets(m.destination);
      ASSERT_EQ(in.size(), out.size());
      for (std::size_t i = 0; i < in.size(); ++i) {
        const std::ptrdiff_t index = from_indices.at(static_cast<std::size_t>(in[i]));
        EXPECT_EQ(index, to_indices.at(static_cast<std::size_t>(out[i])));
        found.push_back(index);
      }
    }
    std::sort(found.begin(), found.end());
    EXPECT_EQ(std::adjacent_find(found.begin(), found.end()), found.end());
    EXPECT_EQ(found.size(), 480U);
    EXPECT_FALSE(as_matrices(from, to, order, axis, 2)) << "too many";
  }
}

/// In a transform of pencils each exchange is between the ranks of a row or a column of the process
/// grid, and each rank keeps a part of its data. On a square grid another path swaps rows and
/// columns. On the diagonal of the grid it moves as much data as the right path, but on all other
/// ranks it moves more. It must not be chosen.
TEST(Path, PencilsOnSquareGridsKeepTheirRowsAndColumns) {
  for (const int q : {16, 25, 64}) {
    const Extents n{q, q, q};
    const Problem p = problem(grid(n, {q, q, 1}), grid(n, {1, q, q}), {0, 1, 2});
    for (const int r : {1, q, q * q - 2}) {
      int exchanges = 0;
      for (const Step &s : steps_of(p, r)) {
        if (!s.is_exchange()) continue;
        EXPECT_EQ(s.blocks.sent.size(), static_cast<std::size_t>(q));
        EXPECT_TRUE(std::any_of(s.blocks.sent.begin(), s.blocks.sent.end(),
                                [r](const exchange::RankBytes &b) { return b.rank == r; }))
            << q << " x " << q << " ranks, exchange " << exchanges << " of rank " << r;
        ++exchanges;
      }
      EXPECT_EQ(exchanges, 2);
    }
  }
}

/// Expects that in each exchange every rank sends as many bytes as the receiver expects.
void expect_what_is_sent(const Problem &p) {
  const Path path = find_path(p, {});
  const auto ranks = static_cast<std::size_t>(p.in.ranks());
  std::vector<Steps> all;
  for (int r = 0; r < p.in.ranks(); ++r) {
    auto steps = lower_path(p, along({path, working_orders(p).front()}), r);
    std::erase_if(steps, [](const Step &s) { return s.kind != StepKind::exchange; });
    all.push_back(std::move(steps));
  }
  ASSERT_FALSE(all[0].empty());
  for (std::size_t e = 0; e < all[0].size(); ++e)
    for (std::size_t r = 0; r < ranks; ++r) {
      ASSERT_EQ(all[r].size(), all[0].size());
      for (const exchange::RankBytes &sent : all[r][e].blocks.sent) {
        std::ptrdiff_t expected = 0;
        for (const exchange::RankBytes &b :
             all[static_cast<std::size_t>(sent.rank)][e].blocks.received)
          if (b.rank == static_cast<int>(r)) expected = b.count;
        EXPECT_EQ(sent.count, expected);
      }
    }
}

TEST(Path, SentBlocks_MatchReceivedBlocks) {
  expect_what_is_sent(
      problem(grid({9, 7, 5}, {2, 3, 1}), grid({9, 7, 5}, {3, 1, 2}, {2, 0, 1}), {0, 1, 2}));
}

Problem pruned(const Layout &points, const Layout &spectrum, const Extents &modes, bool backward) {
  Problem p;
  p.axes = {0, 1, 2};
  p.sign = backward ? HFFT_BACKWARD : HFFT_FORWARD;
  p.in = backward ? spectrum : points;
  p.out = backward ? points : spectrum;
  p.modes = modes;
  p.flags = HFFT_ESTIMATE;
  check(p, points.ranks());
  return p;
}

/// An axis with one mode is on one of two ranks, but its points are distributed over both.
TEST(Path, AnAxisOfOneModeIsCutAgain) {
  for (const bool backward : {false, true})
    expect_what_is_sent(pruned(grid({8, 6, 3}, {1, 2, 2}), grid({8, 1, 2}, {1, 2, 2}, {1, 2, 0}),
                               {8, 1, 2}, backward));
}

/// After each FFT of a pruned transform, only the retained modes of its axis are stored and
/// exchanged.
TEST(Path, PrunedPencilsGetSmaller) {
  const auto forth = steps_of(
      pruned(grid(cube, {4, 4, 1}), grid({16, 16, 16}, {1, 4, 4}), {16, 16, 16}, false), 0);
  EXPECT_EQ(kinds(forth), "planes exchange columns exchange 2 columns 2");
  std::vector<std::ptrdiff_t> points;
  for (const Step &s : forth)
    points.push_back(s.to.box.points());
  EXPECT_EQ(points, (std::vector<std::ptrdiff_t>{8 * 8 * 16, 8 * 32 * 4, 8 * 16 * 4, 32 * 4 * 4,
                                                 16 * 4 * 4}));
  EXPECT_TRUE(forth[0].pruned && !forth[0].pruned->spectrum_in);
  EXPECT_EQ(forth[0].transform.extents, (std::vector<std::ptrdiff_t>{32}));
}

TEST(Path, SlabsBecomeSlabPlans) {
  const Layout rows = Layout::slab(cube, 4);
  const Layout columns = Layout::slab(cube, 4, {true, 0, 1, 0});
  const auto slabs = slab_pair(problem(rows, columns, {2, 0, 1}));
  ASSERT_TRUE(slabs.has_value());
  EXPECT_TRUE(slabs->transposed_out && !slabs->transposed_in);
  EXPECT_FALSE(slab_pair(problem(rows, columns, {0, 1})));
  EXPECT_FALSE(slab_pair(problem(rows, grid(cube, {1, 4, 1}), {0, 1, 2})));
  const Extents half{32, 32, 17};
  const auto real = [&](std::ptrdiff_t padding) {
    return slab_pair(problem(Layout::slab(cube, 4, {false, 0, 1, padding}), Layout::slab(half, 4),
                             {0, 1, 2}, Kind::r2c))
        .has_value();
  };
  EXPECT_TRUE(real(2));
  EXPECT_FALSE(real(0)) << "tight real lines are not FFTW's";
}

/// If a problem of slabs is described by layouts, it is recognised as slabs. Blocks of the default
/// length are reported as 0.
TEST(Path, SlabPairsAreFoundAgain) {
  for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r})
    for (const bool in : {false, true})
      for (const bool out : {false, true})
        for (const std::ptrdiff_t howmany : {1, 3}) {
          const int sign = kind == Kind::c2r ? HFFT_BACKWARD : HFFT_FORWARD;
          const std::ptrdiff_t oblock = out ? 3 : 4; // of 7 points if transposed, else of 9
          Problem p = slab_problem(kind, sign, {9, 7, 6}, {}, howmany, {in, out, 4, oblock}, 3);
          p.slab_arrays = false;
          const auto found = slab_pair(p);
          ASSERT_TRUE(found.has_value());
          EXPECT_EQ(found->transposed_in, in);
          EXPECT_EQ(found->transposed_out, out);
          EXPECT_EQ(found->iblock, 4);
          EXPECT_EQ(found->oblock, out ? 0 : 4);
        }
}

/// Returns the descriptions of all paths of slabs for the problem.
std::vector<std::string> paths_of(const Problem &p) {
  std::vector<std::string> list;
  for (const OrderedPath &path : slab_paths(p))
    list.push_back(describe(path.path));
  return list;
}

TEST(Path, PlanesGoBeforeTheColumnsOfSlabsOrAfterThem) {
  using Texts = std::vector<std::string>;
  Problem p = slab_problem(Kind::c2c, HFFT_FORWARD, {8, 6, 4}, {}, 1, {false, true, 0, 0}, 2);
  EXPECT_EQ(paths_of(p), (Texts{"n0(8/2) n1(6) n2(4): planes n2 n1, n1(6/2) n0(8) n2(4): n0",
                                "n0(8/2) n1(6) n2(4): n1, n1(6/2) n0(8) n2(4): planes n0 n2"}));
  p = slab_problem(Kind::c2c, HFFT_FORWARD, {8, 6, 4}, {}, 1, {}, 2);
  EXPECT_EQ(
      paths_of(p),
      (Texts{"n0(8/2) n1(6) n2(4): planes n2 n1, 2 ranks over n1: n0, n0(8/2) n1(6) n2(4):",
             "n0(8/2) n1(6) n2(4):, 2 ranks over n1: n0, n0(8/2) n1(6) n2(4): planes n1 n2"}));
  p.deterministic = true;
  EXPECT_EQ(paths_of(p).size(), 1U);
  p.sign = HFFT_BACKWARD;
  EXPECT_EQ(paths_of(p),
            Texts{"n0(8/2) n1(6) n2(4):, 2 ranks over n1: n0, n0(8/2) n1(6) n2(4): planes n1 n2"});
}

/// A pruned transform between layouts has no path of slabs, because its arrays have no room for the
/// complete grid.
TEST(Path, PrunedSlabsOfLayoutsAreNoSlabPlans) {
  Problem p = slab_problem(Kind::c2c, HFFT_FORWARD, {8, 6, 4}, {4, 3, 4}, 1, {}, 2);
  EXPECT_EQ(slab_paths(p).size(), 1U);
  p.slab_arrays = false;
  EXPECT_TRUE(slab_paths(p).empty());
}

TEST(Path, MismatchedArguments_AreRefused) {
  const auto refused = [](const Layout &in, const Layout &out, const std::vector<int> &axes,
                          Kind kind, const char *words) {
    try {
      problem(in, out, axes, kind);
      ADD_FAILURE() << "accepted, expected: " << words;
    } catch (const Failure &e) {
      EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
    }
  };
  const Layout a = grid(cube, {2, 2, 1});
  refused(a, grid({32, 32, 31}, {2, 2, 1}), {0}, Kind::c2c, "is 32x32x31, expected 32x32x32");
  refused(a, grid(cube, {2, 2, 1}), {0}, Kind::r2c, "is 32x32x32, expected 17x32x32");
  refused(a, grid({32, 32}, {2, 2}), {0}, Kind::c2c, "has 3 axes and the output 2");
  refused(a, grid(cube, {2, 1, 1}), {0}, Kind::c2c, "for 2 ranks, expected 4");
  refused(a, a, {3}, Kind::c2c, "axes has 3, expected numbers of 0 to 2");
  refused(a, a, {1, 1}, Kind::c2c, "1 twice");
  refused(a, a, {}, Kind::r2c, "axes is empty");
  refused(a, Layout::grid(cube, std::vector<int>{2, 2, 1}, {{}, {}, 2, Fields::separate}), {0},
          Kind::c2c, "howmany is 1 in the input and 2 in the output");
}

} // namespace
} // namespace hybridfft::plan
