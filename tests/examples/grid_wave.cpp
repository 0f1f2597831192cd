// Computes a standing wave in a periodic box by finite differences of second order, on any number
// of ranks. The library distributes the boxes, exchanges ghosts and runs the loops. The program
// compares the result with the exact solution of the difference equations.
#include <array>
#include <cmath>
#include <cstdio>
#include <hybridfft/grid/parallel_for.hpp>
#include <hybridfft/grid/regions.hpp>

using namespace hybridfft::grid;

int main(int argc, char **argv) {
  Session session(argc, argv);
  const Communicator world = Communicator::world();
  const Index n = 64;
  // One block per rank along the first axis.
  const Cartesian cartesian(world, even_cuts({{n, n, n}}, {{world.size(), 1, 1}}),
                            {true, true, true});
  const Box box = cartesian.box(cartesian.mine()[0]);
  const Host host{1};

  // Three time levels of the pressure, with one layer of ghosts around the box of this rank.
  std::array<Array<double>, 3> p;
  for (Array<double> &level : p)
    level = Array<double>(Place::host, box, Widths::all(1));
  const double k = 2 * std::acos(-1.0) / n, dt = 0.5; // c = dx = 1
  // Numerical dispersion relation: sin(w dt / 2) = dt sqrt(3) sin(k / 2).
  const double w = 2 / dt * std::asin(dt * std::sqrt(3.0) * std::sin(k / 2));
  const auto exact = [=](Index i, Index j, Index l, int step) {
    return std::sin(k * double(i)) * std::sin(k * double(j)) * std::sin(k * double(l)) *
           std::cos(w * dt * step);
  };
  for (int step = 0; step < 2; ++step) {
    const View<double> start = p[std::size_t(step)].view();
    parallel_for(host, box,
                 [=](Index i, Index j, Index l) { start(i, j, l) = exact(i, j, l, step); });
  }

  std::array<Halo<double>, 3> halo{Halo<double>(cartesian, std::array{&p[0]}),
                                   Halo<double>(cartesian, std::array{&p[1]}),
                                   Halo<double>(cartesian, std::array{&p[2]})};
  halo[1].exchange();
  const Regions parts = regions(box, Widths::all(1));
  const int steps = 100;
  for (int step = 2; step <= steps; ++step) {
    const View<double> next = p[std::size_t(step % 3)].view();
    const View<const double> now = p[std::size_t((step + 2) % 3)].view();
    const View<const double> last = p[std::size_t((step + 1) % 3)].view();
    // Computes the faces first, and sends them while the interior is computed.
    overlapped(halo[std::size_t(step % 3)], parts, [&](const Box &part) {
      parallel_for(
          host, part, HFFT_LAMBDA(Index i, Index j, Index l) {
            next(i, j, l) =
                2 * now(i, j, l) - last(i, j, l) +
                dt * dt *
                    (now(i - 1, j, l) + now(i + 1, j, l) + now(i, j - 1, l) + now(i, j + 1, l) +
                     now(i, j, l - 1) + now(i, j, l + 1) - 6 * now(i, j, l));
          });
    });
  }

  const View<const double> end = p[steps % 3].view();
  const double deviation = reduce(
      host, box, 0.0,
      [=](Index i, Index j, Index l) { return std::abs(end(i, j, l) - exact(i, j, l, steps)); },
      [](double a, double b) { return a > b ? a : b; });
  const double largest = world.max(deviation);
  if (world.rank() == 0)
    std::printf("after %d steps: %s\n", steps, largest < 1e-12 ? "exact to rounding" : "wrong");
  return largest < 1e-12 ? 0 : 1;
}
