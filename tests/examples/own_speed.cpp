// A level set with a user-defined speed, on any number of ranks: a ball grows toward a final radius
// ever more slowly. The program defines the speed at a point.
#include <cmath>
#include <cstdio>
#include <hybridfft/levelset/solver.hpp>

using namespace hybridfft;

int main(int argc, char **argv) {
  grid::Session session(argc, argv);
  const grid::Communicator world = grid::Communicator::world();
  levelset::Problem problem;
  problem.points = {{48, 48, 48}}; // along z, y, x
  problem.h = 1.0 / 48;
  problem.origin = {problem.h / 2, problem.h / 2, problem.h / 2};
  levelset::Solver<double> front(world, problem);
  const double first = 0.15, last = 0.3;
  const auto distance = HFFT_LAMBDA(double x, double y, double z) {
    return std::sqrt((x - 0.5) * (x - 0.5) + (y - 0.5) * (y - 0.5) + (z - 0.5) * (z - 0.5));
  };
  front.set([=](double x, double y, double z) { return distance(x, y, z) - first; });
  for (int step = 0; step < 60; ++step)
    front.step(
        0.5 * problem.h,
        HFFT_LAMBDA(const levelset::Point &p) { return 1 - distance(p.x, p.y, p.z) / last; });
  // The exact radius solves r' = 1 - r / last.
  const double exact = last - (last - first) * std::exp(-front.time() / last);
  const double radius = std::cbrt(3 * front.volume() / (4 * std::acos(-1.0)));
  if (world.rank() == 0) std::printf("radius %.2f, exact %.2f\n", radius, exact);
  return 0;
}
