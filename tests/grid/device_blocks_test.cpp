// Compares blocks on a device with blocks on the host, bit for bit. Both run the same functions of
// a point. The emulated device delays its work by random times.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "hybridfft/grid/block_exchange.hpp"
#include "hybridfft/grid/for_blocks.hpp"
#include "support/mpi_test.h"
#include "support/variable.h"

namespace hybridfft::grid {
namespace {

template <class T> struct FillBlocks {
  HFFT_HOST_DEVICE void operator()(const Cell &c) const {
    for (int v = 0; v < variables; ++v) {
      const auto n = 31 * c.level + 7 * (c.i + 4 * c.place[0]) + 3 * (c.j + 4 * c.place[1]) + c.k +
                     4 * c.place[2] + v;
      values(c, v) = T(1) / static_cast<T>(n % 17 + 3);
    }
  }
  BlockView<T> values;
  int variables;
};

template <class T> struct FluxAlong {
  HFFT_HOST_DEVICE void operator()(const Cell &c) const {
    for (int v = 0; v < variables; ++v)
      flux(c, v) = T(0.3) * u(c, v) + T(0.7) * *(&u(c, v) - u.stride(axis));
  }
  BlockView<T> u, flux;
  int axis, variables;
};

template <class T> struct AddFluxes {
  HFFT_HOST_DEVICE void operator()(const Cell &c) const {
    for (int v = 0; v < variables; ++v) {
      T sum = 0;
      for (int a = first; a < 3; ++a) {
        const T *const f = &flux[a](c, v);
        sum += *f - f[flux[a].stride(a)];
      }
      u(c, v) += T(0.1) * sum;
    }
  }
  BlockView<T> u, flux[3];
  int first, variables;
};

template <class T> struct SmoothNodes {
  HFFT_HOST_DEVICE void operator()(const Cell &c) const {
    out(c) = T(0.5) * in(c) + T(0.125) * (in(c, 0, 0, -1, 0) + in(c, 0, 0, 1, 0) +
                                          in(c, 0, 0, 0, -1) + in(c, 0, 0, 0, 1));
  }
  BlockView<T> in, out;
};

template <class T> struct ValueOf {
  HFFT_HOST_DEVICE double operator()(const Cell &c) const { return static_cast<double>(u(c, 1)); }
  BlockView<T> u;
};
struct Add {
  HFFT_HOST_DEVICE double operator()(double a, double b) const { return a + b; }
};

template <class T> Blocks<T> make(const Host &, const Forest &f, int n, const BlockTraits &t) {
  return Blocks<T>(f, Place::host, n, t);
}
template <class T> Blocks<T> make(const Device &d, const Forest &f, int n, const BlockTraits &t) {
  return Blocks<T>(d, f, n, t);
}

template <class T> void append(const Forest &forest, const Blocks<T> &u, std::vector<T> &values) {
  Index points = forest.shape().cells + (u.traits().centring == Centring::node ? 1 : 0);
  points *= points * (forest.shape().dimensions == 3 ? points : 1);
  std::vector<T> block(static_cast<std::size_t>(u.variables() * points));
  for (const Index leaf : forest.mine()) {
    read_block(u, forest.slot(leaf), block.data());
    values.insert(values.end(), block.begin(), block.end());
  }
}

std::vector<std::int8_t> marks_of(const Forest &forest, int round) {
  std::vector<std::int8_t> marks;
  for (const Index leaf : forest.mine())
    marks.push_back(static_cast<std::int8_t>((leaf * leaf + round) % 3 - (round > 0 ? 1 : 0)));
  return marks;
}

/// Runs all operations of a forest on a mesh that changes. Returns the values of own leaves and,
/// for each round, the sum of all cells.
template <class T, class Exec> std::vector<T> compute(const Exec &exec, int d, int depth) {
  ForestShape shape{.dimensions = d, .trees = {{d == 3 ? 2 : 1, 2, 3}}, .cells = 4, .max_level = 1};
  shape.present.assign(static_cast<std::size_t>(shape.trees[0] * 6), 1);
  shape.present[1] = 0;
  shape.periodic = {false, false, true};
  Forest forest(Communicator(test::world()), shape);
  BlockTraits traits{.absent = End::wall, .vector = 1};
  traits.sides[0] = traits.sides[1] = {End::outflow, End::wall};
  Blocks<T> u = make<T>(exec, forest, 4, traits);
  Blocks<T> nodes = make<T>(exec, forest, 1, {.centring = Centring::node}), next = like(nodes);
  std::vector<Blocks<T>> fluxes;
  for (int a = 3 - d; a < 3; ++a)
    fluxes.push_back(
        make<T>(exec, forest, 4,
                {.centring = static_cast<Centring>(static_cast<int>(Centring::face_i) + a)}));
  for_blocks(exec, forest, {.centring = Centring::cell}, FillBlocks<T>{u.view(), 4});
  for_blocks(exec, forest, {.centring = Centring::node}, FillBlocks<T>{nodes.view(), 1});
  forest.halo_depth(depth);
  std::vector<T> values;
  for (int round = 0; round < 3; ++round) {
    forest.adapt(marks_of(forest, round), u, nodes);
    forest.balance(-1, {}, nodes, u);
    for_blocks(exec, forest, {.centring = Centring::node}, FillBlocks<T>{next.view(), 1});
    for (int step = 0; step < depth; ++step) {
      exchange(forest, u, nodes);
      AddFluxes<T> add{u.view(), {}, 3 - d, 4};
      for (int a = 3 - d; a < 3; ++a) {
        Blocks<T> &flux = fluxes[static_cast<std::size_t>(a - 3 + d)];
        add.flux[a] = flux.view();
        for_blocks(exec, forest, {.centring = flux.traits().centring},
                   FluxAlong<T>{u.view(), flux.view(), a, 4});
        correct_fluxes(forest, flux);
      }
      for_blocks(exec, forest,
                 Pass{{.blocks = BlockChoice::uncorrected, .centring = Centring::cell}, add},
                 Pass{{.blocks = BlockChoice::corrected, .centring = Centring::cell}, add});
      for_blocks(exec, forest, {.part = Part::inner, .centring = Centring::node},
                 SmoothNodes<T>{nodes.view(), next.view()});
      for_blocks(exec, forest,
                 {.from_level = 1, .part = Part::side, .axis = 1, .centring = Centring::cell},
                 FillBlocks<T>{u.view(), 2});
      std::swap(nodes, next);
    }
    append(forest, u, values);
    append(forest, nodes, values);
    values.push_back(static_cast<T>(
        reduce(exec, forest, {.centring = Centring::cell}, 0., ValueOf<T>{u.view()}, Add{})));
  }
  return values;
}

template <class T> void compare(int d, int depth) {
  const Device device = Device::open(Communicator(test::world()));
  const std::vector<T> host = compute<T>(Host{}, d, depth), gpu = compute<T>(device, d, depth);
  ASSERT_EQ(host.size(), gpu.size());
  EXPECT_GT(host.size(), 100U);
  EXPECT_EQ(0, std::memcmp(host.data(), gpu.data(), host.size() * sizeof(T)))
      << d << " dimensions, depth " << depth;
}

TEST(DeviceBlocks, AllOperations_HaveBitsOfHost) {
  const test::Variable emulated("HFFT_GPU", "emulated:memory=64,delays=5");
  compare<double>(2, 1);
  compare<double>(2, 3);
  compare<double>(3, 1);
  compare<float>(2, 2);
}

} // namespace
} // namespace hybridfft::grid
