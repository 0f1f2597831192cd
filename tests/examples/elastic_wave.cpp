// Simulates a plane shear wave along x with lib/solvers/elastic on any number of ranks. It compiles
// with the installed headers of hybridfft::grid alone. It compares the result with the exact
// solution of the difference equations.
#include <cmath>
#include <cstdio>
#include <utility>

#include "hybridfft/grid/parallel_for.hpp"
#include "solvers/elastic/solver.h"

using namespace hybridfft;
using namespace hybridfft::elastic;

int main(int argc, char **argv) {
  grid::Session session(argc, argv);
  const grid::Communicator world = grid::Communicator::world();
  const Index n = 24;
  Problem problem;
  problem.cells = {{n, 8, 8}};
  problem.h = 1;
  problem.dt = 0.5 * largest_time_step(problem.h, 1.8);
  problem.periodic = {true, true, true};
  const grid::Cartesian cartesian(world, grid::even_cuts(problem.cells, {{world.size(), 1, 1}}),
                                  problem.periodic);
  const grid::Box box = cartesian.box(cartesian.mine()[0]);
  const Method method;
  Cells<double> cells(box, Solver<double>::ghosts(method.exchange), 1);
  const auto vp = cells.vp.view(), vs = cells.vs.view(), rho = cells.rho.view();
  grid::parallel_for({1}, box, [=](Index i, Index j, Index k) {
    vp(i, j, k) = 1.8;
    vs(i, j, k) = rho(i, j, k) = 1;
  });
  Solver<double> solver(cartesian, problem, std::move(cells), {}, method);

  // Exact solution: vy = cos(k x - w t), sxy = -impedance cos(k x - w t). The difference equations
  // determine w and the impedance.
  const double k = 2 * std::acos(-1.0) / n;
  const double difference = 2 * (near * std::sin(k / 2) + far * std::sin(3 * k / 2));
  const double w = 2 / problem.dt * std::asin(difference * problem.dt / 2);
  const double impedance = difference / (2 / problem.dt * std::sin(w * problem.dt / 2));
  const auto wave = [=, dt = problem.dt](double x, double step) {
    return std::cos(k * x - w * step * dt);
  };
  const auto v = solver.field(vy).view(), s = solver.field(sxy).view();
  grid::parallel_for({1}, box, [=](Index i, Index j, Index l) {
    v(i, j, l) = wave(double(i), -0.5);
    s(i, j, l) = -impedance * wave(double(i) + 0.5, 0);
  });
  const int steps = 100;
  solver.begin();
  for (int step = 0; step < steps; ++step)
    solver.step(step);
  solver.settle();
  const double deviation = world.max(grid::reduce(
      grid::Host{1}, box, 0.0,
      [=](Index i, Index j, Index l) {
        return std::abs(v(i, j, l) - wave(double(i), steps - 0.5));
      },
      [](double a, double b) { return a > b ? a : b; }));
  if (world.rank() == 0)
    std::printf("after %d steps: %s\n", steps, deviation < 1e-12 ? "exact to rounding" : "wrong");
  return deviation < 1e-12 ? 0 : 1;
}
