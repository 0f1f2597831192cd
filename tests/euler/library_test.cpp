// Compares ghosts, changes of the mesh and nodes of a forest with values of an independent solver.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "block_cases.h"
#include "hybridfft/grid/block_exchange.hpp"
#include "hybridfft/grid/for_blocks.hpp"
#include "support/mpi_test.h"

namespace hybridfft::grid {
namespace {

using test::BlockCase;
using test::for_values;

constexpr double rounding = 4e-15; // for values of order 1

void set(const Forest &forest, Blocks<double> &u, const std::vector<double> &values) {
  for_values(forest, u, 0, [&](double &value, std::size_t at) { value = values[at]; });
}

double difference(const Forest &forest, const Blocks<double> &u, Index ghosts,
                  const std::vector<double> &truth) {
  double largest = 0;
  for_values(forest, u, ghosts, [&](double value, std::size_t at) {
    const double error = std::abs(value - truth[at]);
    largest = std::isnan(error) ? HUGE_VAL : std::max(largest, error);
  });
  return forest.communicator().max(largest);
}

std::vector<std::uint8_t> present_of(const BlockCase &c) {
  std::vector<std::uint8_t> present;
  for (const double p : c("in/present"))
    present.push_back(p != 0 ? 1 : 0);
  return present;
}

TEST(BlockExchange, TwoDimensions_EqualsReference) {
  const Communicator comm(test::world());
  for (const bool limited : {true, false}) {
    const BlockCase c(test::world(), limited ? "ghosts_limited" : "ghosts_linear");
    Forest forest(comm,
                  {.dimensions = 2,
                   .trees = {{1, 3, 3}},
                   .present = present_of(c),
                   .cells = 4,
                   .max_level = 2,
                   .periodic = {false, false, true}},
                  c.leaves());
    BlockTraits traits{.interpolation = limited ? Interpolation::limited : Interpolation::linear,
                       .absent = End::wall,
                       .vector = 1};
    traits.sides[1] = {End::wall, End::outflow};
    for (const int depth : {1, 2, 3}) {
      forest.halo_depth(depth);
      Blocks<double> u(forest, Place::host, 4, traits);
      set(forest, u, c("in/u"));
      exchange(forest, u);
      EXPECT_LE(difference(forest, u, 2, c("out/u")), rounding) << "depth " << depth;
    }
  }
}

TEST(BlockExchange, ThreeDimensions_EqualsReference) {
  const BlockCase c(test::world(), "ghosts_3d");
  Forest forest(Communicator(test::world()),
                {.trees = {{1, 2, 2}}, .present = present_of(c), .cells = 4, .max_level = 1},
                c.leaves());
  BlockTraits traits{.absent = End::outflow, .vector = 1};
  traits.sides = {
      {{End::wall, End::outflow}, {End::outflow, End::wall}, {End::wall, End::outflow}}};
  Blocks<double> u(forest, Place::host, 5, traits);
  set(forest, u, c("in/u"));
  exchange(forest, u);
  EXPECT_LE(difference(forest, u, 2, c("out/u")), rounding);
}

std::vector<std::int8_t> marks_of(const BlockCase &c, const Forest &forest) {
  const std::vector<double> all = c("in/marks");
  const std::vector<Leaf> order = c.leaves();
  std::vector<std::int8_t> marks(forest.mine().size());
  for (std::size_t n = 0; n < order.size(); ++n)
    for (std::size_t m = 0; m < marks.size(); ++m)
      if (forest.mine()[m] == *forest.find(order[n])) marks[m] = static_cast<std::int8_t>(all[n]);
  return marks;
}

const ForestShape changing{
    .trees = {{1, 1, 2}}, .cells = 4, .max_level = 2, .periodic = {true, true, true}};

TEST(Adapt, Cells_EqualReference) {
  const BlockCase c(test::world(), "adapt");
  Forest forest(Communicator(test::world()), changing, c.leaves());
  const auto make = [&](Interpolation interpolation) {
    Blocks<double> f(forest, Place::host, 1, {.interpolation = interpolation});
    set(forest, f, c("in/f"));
    return f;
  };
  Blocks<double> limited = make(Interpolation::limited), linear = make(Interpolation::linear),
                 copy = make(Interpolation::copy);
  const Changes changes = forest.adapt(marks_of(c, forest), limited, linear, copy);
  EXPECT_TRUE(changes.any());
  ASSERT_TRUE(std::ranges::equal(forest.leaves(), c.leaves("out/leaf")));
  EXPECT_LE(difference(forest, limited, 0, c("out/limited")), rounding);
  EXPECT_LE(difference(forest, linear, 0, c("out/linear")), rounding);
  EXPECT_LE(difference(forest, copy, 0, c("out/copy")), rounding);
}

TEST(Adapt, Nodes_EqualReference) {
  const BlockCase c(test::world(), "adapt_nodes");
  Forest forest(Communicator(test::world()), changing, c.leaves());
  Blocks<double> f(forest, Place::host, 1, {.centring = Centring::node});
  set(forest, f, c("in/f"));
  forest.adapt(marks_of(c, forest), f);
  exchange(forest, f);
  EXPECT_LE(difference(forest, f, 0, c("out/f")), rounding);
}

struct Diffuse {
  BlockView<double> in, out;
  double dt, h;
  HFFT_HOST_DEVICE void operator()(const Cell &c) const {
    const double size = h / static_cast<double>(1 << c.level);
    const double y = in(c, 0, 0, -1, 0) - 2 * in(c) + in(c, 0, 0, 1, 0);
    const double x = in(c, 0, 0, 0, -1) - 2 * in(c) + in(c, 0, 0, 0, 1);
    out(c) = in(c) + dt * (y + x) / (size * size);
  }
};

TEST(Nodes, Diffusion_EqualsReference) {
  const BlockCase c(test::world(), "nodes");
  for (const int depth : {1, 2, 4}) {
    Forest forest(Communicator(test::world()),
                  {.dimensions = 2, .trees = {{1, 2, 2}}, .cells = 8, .max_level = 2}, c.leaves());
    Blocks<double> f(forest, Place::host, 1, {.centring = Centring::node}), g = like(f);
    set(forest, f, c("in/f"));
    set(forest, g, c("in/f"));
    forest.halo_depth(depth);
    for (int step = 0; step < 10; ++step) {
      exchange(forest, f);
      for_blocks(Host{}, forest, {.part = Part::inner},
                 Diffuse{f.view(), g.view(), c("in/dt")[0], c("in/h")[0]});
      std::swap(f, g);
    }
    forest.touch();
    exchange(forest, f);
    EXPECT_LE(difference(forest, f, 0, c("out/f")), rounding) << "depth " << depth;
    const std::vector<double> ghosts = c("out/ghosts");
    double largest = 0;
    for_values(forest, f, 2, [&](double value, std::size_t at) {
      if (ghosts[at] != 0) largest = std::max(largest, std::abs(value - ghosts[at]));
    });
    EXPECT_LE(largest, rounding) << "depth " << depth;
  }
}

} // namespace
} // namespace hybridfft::grid
