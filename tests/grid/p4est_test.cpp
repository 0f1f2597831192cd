// Compares refined leaves of a forest with p4est, which keeps neighbours within one level by
// another algorithm. This file is compiled for two dimensions and, with HFFT_P8EST, for three.
// p4est is under the GPL, so only this test is linked with it.
#if defined(HFFT_P8EST)
#include <p4est_to_p8est.h>
#include <p8est_extended.h>
#else
#include <p4est_extended.h>
#endif

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include "hybridfft/grid/forest.hpp"
#include "support/mpi_test.h"

namespace hybridfft::grid {
namespace {

using Key = std::array<Index, 4>; ///< level, and place along i, j, k
using Keys = std::set<Key>;

Key key_of(p4est_t *forest, p4est_topidx_t tree, const p4est_quadrant_t *q) {
  const p4est_connectivity_t *c = forest->connectivity;
  // The trees of a brick lie along a curve. The first vertex of a tree gives its place.
  const double *const corner = c->vertices + 3 * c->tree_to_vertex[P4EST_CHILDREN * tree];
  const auto along = [&](int axis, p4est_qcoord_t at) {
    return (static_cast<Index>(std::lround(corner[axis])) << q->level) +
           (at >> (P4EST_MAXLEVEL - q->level));
  };
  Key key{q->level, 0, along(1, q->y), along(0, q->x)};
#if defined(HFFT_P8EST)
  key[1] = along(2, q->z);
#endif
  return key;
}

Keys leaves_of(p4est_t *forest) {
  Keys keys;
  for (p4est_topidx_t t = forest->first_local_tree; t <= forest->last_local_tree; ++t) {
    sc_array_t *const quadrants = &p4est_tree_array_index(forest->trees, t)->quadrants;
    for (std::size_t n = 0; n < quadrants->elem_count; ++n)
      keys.insert(key_of(forest, t, p4est_quadrant_array_index(quadrants, n)));
  }
  return keys;
}

Keys leaves_of(const Forest &forest) {
  Keys keys;
  for (const Leaf &leaf : forest.leaves())
    keys.insert({leaf.level, leaf.place[0], leaf.place[1], leaf.place[2]});
  return keys;
}

int is_chosen(p4est_t *forest, p4est_topidx_t tree, p4est_quadrant_t *q) {
  return static_cast<const Keys *>(forest->user_pointer)->contains(key_of(forest, tree, q)) ? 1 : 0;
}

/// Refines random leaves of both meshes in `rounds` rounds and compares their leaves.
void compare(const Index3 &trees, const Periodic &periodic, unsigned seed, int rounds) {
  const Communicator world(test::world());
  Forest forest(world, {.dimensions = P4EST_DIM,
                        .trees = trees,
                        .cells = 4,
                        .max_level = rounds,
                        .periodic = periodic});
  const auto length = [&](int axis) { return static_cast<int>(trees[axis]); };
  const std::unique_ptr<p4est_connectivity_t, void (*)(p4est_connectivity_t *)> brick(
#if defined(HFFT_P8EST)
      p8est_connectivity_new_brick(length(2), length(1), length(0), periodic[2], periodic[1],
                                   periodic[0]),
#else
      p4est_connectivity_new_brick(length(2), length(1), periodic[2], periodic[1]),
#endif
      p4est_connectivity_destroy);
  const std::unique_ptr<p4est_t, void (*)(p4est_t *)> truth(
      p4est_new_ext(MPI_COMM_SELF, brick.get(), 0, 0, 1, 0, nullptr, nullptr), p4est_destroy);
  std::mt19937 random(seed);
  for (int round = 0; round < rounds; ++round) {
    Keys chosen;
    std::vector<std::int8_t> all, mine;
    for (const Key &key : leaves_of(truth.get()))
      if (random() % 5 == 0) chosen.insert(key);
    for (const Leaf &leaf : forest.leaves())
      all.push_back(chosen.contains({leaf.level, leaf.place[0], leaf.place[1], leaf.place[2]}) ? 1
                                                                                               : 0);
    for (const Index leaf : forest.mine())
      mine.push_back(all[static_cast<std::size_t>(leaf)]);
    forest.adapt(mine);
    truth->user_pointer = &chosen;
    p4est_refine(truth.get(), 0, is_chosen, nullptr);
    p4est_balance(truth.get(), P4EST_CONNECT_FULL, nullptr);
    const Keys expected = leaves_of(truth.get());
    EXPECT_EQ(forest.leaves().size(), expected.size()) << "round " << round;
    EXPECT_EQ(leaves_of(forest), expected) << "round " << round;
    EXPECT_GT(expected.size(), chosen.size());
  }
}

TEST(P4est, RandomRefinement_HasSameLeaves) {
  sc_set_log_defaults(nullptr, nullptr, SC_LP_SILENT);
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const bool around = seed % 2 == 0;
    compare({{P4EST_DIM == 3 ? 2 : 1, 3, 2}}, {around, around, seed == 4}, seed,
            P4EST_DIM == 3 ? 3 : 5);
  }
}

} // namespace
} // namespace hybridfft::grid
