// Diffusion on an adaptive mesh that follows a moving circle, on any number of ranks. The program
// has the formula for one grid point; the library applies it to the blocks of all levels. Diffusion
// does not change a linear function. The program prints whether this holds on the adaptive mesh.
#include <array>
#include <cmath>
#include <cstdio>
#include <hybridfft/grid/block_exchange.hpp>
#include <hybridfft/grid/for_blocks.hpp>

namespace grid = hybridfft::grid;
using grid::Index;

namespace {

/// Returns 1 (refine) for each block of this rank near the circle at this step, -1 (coarsen) for
/// others.
std::vector<std::int8_t> marks(const grid::Forest &forest, const grid::Index3 &trees, int step) {
  std::vector<std::int8_t> marks;
  for (const Index n : forest.mine()) {
    const grid::Leaf &leaf = forest.leaves()[std::size_t(n)];
    const double edge = 1.0 / double(trees[2] << leaf.level);
    const double x = (double(leaf.place[2]) + 0.5) * edge - 0.3 - 0.002 * step;
    const double y = (double(leaf.place[1]) + 0.5) * edge - 0.5;
    marks.push_back(std::abs(std::hypot(x, y) - 0.2) < edge ? 1 : -1);
  }
  return marks;
}

} // namespace

int main(int argc, char **argv) {
  grid::Session session(argc, argv);
  const grid::Communicator world = grid::Communicator::world();
  const grid::Host host{1};
  grid::Forest forest(
      world, {.dimensions = 2, .trees = {{1, 2, 2}}, .cells = 8, .halo = 2, .max_level = 2});
  grid::Blocks<double> f(forest, grid::Place::host, 1, {.centring = grid::Centring::node}),
      g = like(f);
  std::array<double, 3> h{}, rate{}; // mesh width and diffusion number of each level
  for (std::size_t l = 0; l < 3; ++l) {
    h[l] = 1.0 / double(16 << l);
    rate[l] = 0.2 * h[2] * h[2] / (h[l] * h[l]);
  }
  const auto exact = [=](const grid::Cell &c) {
    const double edge = h[std::size_t(c.level)];
    return 1 + 2 * edge * double(8 * c.place[2] + c.k) - 3 * edge * double(8 * c.place[1] + c.j);
  };
  const auto start = f.view(), copy = g.view();
  grid::for_blocks(host, forest, {}, [=](const grid::Cell &c) { start(c) = copy(c) = exact(c); });

  forest.halo_depth(4); // messages are exchanged every four steps; same results
  const int steps = 200;
  for (int step = 0; step < steps; ++step) {
    grid::exchange(forest, f);
    const auto in = f.view(), out = g.view();
    grid::for_blocks(
        host, forest, {.part = grid::Part::inner}, HFFT_LAMBDA(const grid::Cell &c) {
          out(c) = in(c) + rate[std::size_t(c.level)] *
                               (in(c, 0, 0, 0, -1) + in(c, 0, 0, 0, 1) + in(c, 0, 0, -1, 0) +
                                in(c, 0, 0, 1, 0) - 4 * in(c));
        });
    std::swap(f, g);
    if (step % 4 == 3) {
      forest.adapt(marks(forest, {{1, 2, 2}}, step), f, g);
      forest.balance(0.1, {}, f, g);
    }
  }

  const auto end = f.view();
  const double deviation = grid::reduce(
      host, forest, {}, 0.0, [=](const grid::Cell &c) { return std::abs(end(c) - exact(c)); },
      [](double a, double b) { return a > b ? a : b; });
  if (world.rank() == 0)
    std::printf("%zu leaves after %d steps: %s\n", forest.leaves().size(), steps,
                deviation < 1e-13 ? "exact to rounding" : "wrong");
  return deviation < 1e-13 ? 0 : 1;
}
