// Compares fronts with exact distances. The errors must be those of an independent reference
// program in double precision. Results must have the same bits for any tiles, ranks and threads,
// and on emulated devices.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "hybridfft/error.hpp"
#include "solvers/levelset/solver.h"
#include "support/mpi_test.h"
#include "support/variable.h"

namespace hybridfft::levelset {
namespace {

using hybridfft::test::world;
using Distance = std::function<double(double, double, double)>;

Distance ball(double x0, double y0, double z0, double r) {
  return [=](double x, double y, double z) {
    const double a = x - x0, b = y - y0, c = z - z0;
    return std::sqrt(a * a + b * b + c * c) - r;
  };
}

/// Exact distance from the two balls of Wang's demonstration (arXiv:1612.04040), with radius r.
Distance two_balls(double r) {
  return [=](double x, double y, double z) {
    return std::min(ball(3, 5, 7, r)(x, y, z), ball(7, 5, 3, r)(x, y, z));
  };
}

Problem demonstration(Index n, int order) {
  Problem p;
  p.points = {{n, n, n}};
  p.h = 10 / static_cast<double>(n - 1);
  p.order = order;
  return p;
}

Problem unit_cube(Index n, int order) {
  Problem p;
  p.points = {{n, n, n}};
  p.h = 1 / static_cast<double>(n);
  p.origin = {p.h / 2, p.h / 2, p.h / 2};
  p.order = order;
  return p;
}

struct FrontError {
  double mean = 0, most = 0;
};

/// Returns the mean and the largest distance between an exact front and the zeros of phi on grid
/// lines, in units of h.
FrontError front_error(const Solver<double> &solver, const Distance &exact) {
  const Array<double> phi = solver.phi();
  // phi() also returns ghosts: they hold the values of neighbouring ranks.
  const grid::View<const double> v = phi.view();
  const Problem &p = solver.problem();
  double sum = 0, count = 0, most = 0;
  const Box &b = solver.box();
  for (Index i = b.lo[0]; i < b.hi[0]; ++i)
    for (Index j = b.lo[1]; j < b.hi[1]; ++j)
      for (Index k = b.lo[2]; k < b.hi[2]; ++k)
        for (int axis = 0; axis < 3; ++axis) {
          Index3 n{{i, j, k}};
          if (++n[axis] >= p.points[axis]) continue;
          const double here = v(i, j, k), next = v(n[0], n[1], n[2]);
          if ((here < 0) == (next < 0)) continue;
          double x[3] = {static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)};
          x[axis] += here / (here - next);
          const double e = std::abs(
              exact(p.origin[0] + x[2] * p.h, p.origin[1] + x[1] * p.h, p.origin[2] + x[0] * p.h));
          sum += e, count += 1, most = std::max(most, e);
        }
  const grid::Communicator &comm = solver.cartesian().communicator();
  return {comm.sum(sum) / comm.sum(count) / p.h, comm.max(most) / p.h};
}

/// Returns a motion by a constant velocity u, a constant speed f and a factor of the curvature.
Motions<double> numbers(Solver<double> &solver, const Array<double> &any,
                        const std::array<double, 3> &u, double f, double bending) {
  (void)solver;
  const double *const at = any.view().origin();
  const auto field = [at](double c) { return kernels::Field<double>{at, at, 0, 0, c}; };
  Motion<double> m;
  if (u[0] != 0 || u[1] != 0 || u[2] != 0) m.velocity = Motion<double>::Velocity::fields;
  m.fields = {{field(u[0]), field(u[1]), field(u[2])}};
  m.has_speed = f != 0;
  m.speed = field(f);
  m.bending = bending;
  return [m](double) { return m; };
}

void expect_within(double value, double expected, double share) {
  EXPECT_NEAR(value, expected, share * std::abs(expected));
}

void grow(Solver<double> &solver, int steps) {
  for (int n = 0; n < steps; ++n)
    solver.step(
        0.5 * solver.problem().h, HFFT_LAMBDA(const Point &) { return 1.0; });
}

TEST(Levelset, Demonstration_HasTheFrontErrorOfTheReference) {
  const struct {
    int order;
    double mean, most;
    std::int64_t points;
  } rows[] = {{1, 0.370, 0.501, 6010}, {5, 4.54e-3, 1.52e-2, 11038}};
  for (const auto &row : rows) {
    Solver<double> solver(grid::Communicator(world()), demonstration(51, row.order));
    solver.set(two_balls(1));
    EXPECT_EQ(solver.points(), row.points);
    grow(solver, 10);
    const FrontError e = front_error(solver, two_balls(1 + solver.time()));
    expect_within(e.mean, row.mean, 0.01);
    expect_within(e.most, row.most, 0.01);
  }
}

/// Returns phi after a motion by velocity, speed and curvature, across a periodic end and out of an
/// outflow end.
std::vector<double> moved(MPI_Comm comm, const Execution &execution, int order,
                          std::int64_t *points, double *volume, double *area) {
  Problem p = unit_cube(36, order);
  p.points = {{36, 30, 41}};
  p.ends = {End::periodic, End::outflow, End::fixed};
  Solver<double> solver(grid::Communicator(comm), p, execution);
  solver.set([](double x, double y, double z) {
    return std::min(ball(0.2, 0.5, 0.5, 0.2)(x, y, z), ball(1.0, 0.7, 0.8, 0.25)(x, y, z));
  });
  const Array<double> any = solver.make_array();
  const Motions<double> motion = numbers(solver, any, {0.9, -0.5, 0.3}, 0.2, 1e-3);
  for (int n = 0; n < 4; ++n)
    solver.move(solver.time_step(motion(0), 0.5), motion);
  *points = solver.points(), *volume = solver.volume(), *area = solver.area();
  const Array<double> phi = solver.phi();
  const grid::View<const double> v = phi.view();
  std::vector<double> values;
  const Box all = solver.cartesian().domain();
  const Box &b = solver.box();
  for (Index i = 0; i < all.hi[0]; ++i)
    for (Index j = 0; j < all.hi[1]; ++j)
      for (Index k = 0; k < all.hi[2]; ++k) {
        const bool mine = i >= b.lo[0] && i < b.hi[0] && j >= b.lo[1] && j < b.hi[1] &&
                          k >= b.lo[2] && k < b.hi[2];
        values.push_back(mine ? v(i, j, k) : 0);
      }
  std::vector<double> sum(values.size());
  MPI_Allreduce(values.data(), sum.data(), static_cast<int>(sum.size()), MPI_DOUBLE, MPI_SUM, comm);
  return sum;
}

TEST(Levelset, AnyRanksThreadsTilesAndDevices_SameBits) {
  const hybridfft::test::Variable gpu("HFFT_GPU",
                                      hybridfft::test::gpu_or("emulated:memory=128,delays=7"));
  for (const int order : {1, 5}) {
    std::int64_t points = 0, others = 0;
    double volume = 0, area = 0, other_volume = 0, other_area = 0;
    Execution dense;
    dense.dense = true;
    const std::vector<double> whole = moved(MPI_COMM_SELF, dense, order, &points, &volume, &area);
    EXPECT_GT(points, 1000);
    std::vector<Execution> executions(4);
    executions[1].tile = 8;
    executions[2].dense = true;
    executions[2].threads = 3;
    executions[3].device = grid::Device::open(grid::Communicator(world()));
    for (const Execution &execution : executions) {
      SCOPED_TRACE(::testing::Message()
                   << "order " << order << ", execution " << &execution - executions.data());
      EXPECT_EQ(moved(world(), execution, order, &others, &other_volume, &other_area), whole);
      EXPECT_EQ(others, points);
      EXPECT_EQ(other_volume, volume);
      EXPECT_EQ(other_area, area);
    }
  }
}

TEST(Levelset, UsersSpeedOfOne_SameBitsAsSpeed) {
  const grid::Communicator comm(world());
  Solver<double> mine(comm, demonstration(51, 5)), theirs(comm, demonstration(51, 5));
  mine.set(two_balls(1));
  theirs.set(two_balls(1));
  const Array<double> any = theirs.make_array();
  const Motions<double> one = numbers(theirs, any, {0, 0, 0}, 1, 0);
  grow(mine, 3);
  for (int n = 0; n < 3; ++n)
    theirs.move(0.5 * theirs.problem().h, one);
  const Array<double> a = mine.phi(), b = theirs.phi();
  const auto v = a.view(), w = b.view();
  const double difference = grid::reduce(
      grid::Host{1}, mine.box(), 0.0,
      [=](Index i, Index j, Index k) { return std::abs(v(i, j, k) - w(i, j, k)); },
      [](double x, double y) { return std::max(x, y); });
  EXPECT_EQ(difference, 0);
}

TEST(Levelset, BallCarriedOutOfASide_NothingIsLeft) {
  Solver<double> solver(grid::Communicator(world()), demonstration(51, 5));
  solver.set(ball(8, 5, 5, 1));
  const Array<double> any = solver.make_array();
  const Motions<double> motion = numbers(solver, any, {1, 0, 0}, 0, 0);
  for (int n = 0; n < 20; ++n)
    solver.move(0.5 * solver.problem().h, motion);
  const FrontError e = front_error(solver, ball(8 + solver.time(), 5, 5, 1));
  expect_within(e.mean, 2.48e-2, 0.01);
  expect_within(e.most, 0.118, 0.01);
  for (int n = 0; n < 15; ++n)
    solver.move(0.5 * solver.problem().h, motion);
  EXPECT_EQ(solver.inside(), 0);
}

TEST(Levelset, BallThroughAPeriodicCube_ComesBack) {
  Problem p = unit_cube(32, 5);
  p.ends = {End::periodic, End::periodic, End::periodic};
  Solver<double> solver(grid::Communicator(world()), p);
  solver.set(ball(0.5, 0.5, 0.5, 0.25));
  const double volume = solver.volume();
  const Array<double> any = solver.make_array();
  const Motions<double> motion = numbers(solver, any, {1, 0, 0}, 0, 0);
  for (int n = 0; n < 64; ++n)
    solver.move(0.5 * p.h, motion);
  expect_within(front_error(solver, ball(0.5, 0.5, 0.5, 0.25)).mean, 1.97e-2, 0.01);
  expect_within(solver.volume() / volume - 1, -0.0048, 0.02);
}

TEST(Levelset, BallUnderCurvature_ShrinksAsTheReference) {
  const Index n = 16;
  const double r0 = 0.3, h = 1 / 16., end = (r0 * r0 - r0 * r0 / 4) / 4;
  Solver<double> solver(grid::Communicator(world()), unit_cube(n, 5));
  solver.set(ball(0.5, 0.5, 0.5, r0));
  const Array<double> any = solver.make_array();
  const Motions<double> motion = numbers(solver, any, {0, 0, 0}, 0, 1);
  const auto steps = static_cast<int>(std::ceil(end / (0.15 * h * h)));
  for (int step = 0; step < steps; ++step)
    solver.move(end / steps, motion);
  const double mean = front_error(solver, ball(0.5, 0.5, 0.5, r0 / 2)).mean * h / (r0 / 2);
  expect_within(mean, 1.93e-2, 0.02);
}

TEST(Levelset, Redistancing_FindsTheDistance) {
  Problem p = unit_cube(24, 5);
  p.ends = {End::fixed, End::fixed, End::fixed};
  const Distance distance = ball(0.52, 0.49, 0.51, 0.27);
  const auto bad = [&](double x, double y, double z) {
    return distance(x, y, z) * (1.6 + 1.4 * std::sin(7 * x + 3 * y) * std::cos(5 * z));
  };
  Solver<double> solver(grid::Communicator(MPI_COMM_SELF), p);
  Array<double> first = solver.make_host_array();
  const auto v = first.view();
  const Box all = first.box();
  for (Index i = all.lo[0]; i < all.hi[0]; ++i)
    for (Index j = all.lo[1]; j < all.hi[1]; ++j)
      for (Index k = all.lo[2]; k < all.hi[2]; ++k)
        v(i, j, k) = bad((double(k) + 0.5) * p.h, (double(j) + 0.5) * p.h, (double(i) + 0.5) * p.h);
  // The ghosts beyond the fixed ends are extrapolated, as in the reference program.
  solver.set(first);
  for (int n = 0; n < 8; ++n)
    solver.reinitialise(3);
  const FrontError e = front_error(solver, distance);
  expect_within(e.mean, 1.39e-2, 0.02);
  expect_within(e.most, 6.3e-2, 0.02);
}

TEST(Levelset, MaskOfABall_BecomesADistance) {
  const Index n = 32;
  const double h = 1. / n;
  Solver<double> solver(grid::Communicator(world()), unit_cube(n, 5));
  const Distance distance = ball(0.513, 0.488, 0.502, 9.9 * h);
  solver.set([&](double x, double y, double z) { return distance(x, y, z) < 0 ? -h / 2 : h / 2; });
  solver.reinitialise(24);
  const FrontError e = front_error(solver, distance);
  expect_within(e.mean, 0.083, 0.02);
  expect_within(e.most, 0.476, 0.02);
  const double volume = 4 / 3. * std::numbers::pi * std::pow(9.9 * h, 3);
  EXPECT_NEAR(solver.volume() / volume - 1, -0.009, 0.0004);
}

TEST(Levelset, VolumeAndAreaOfABall) {
  const double r = 0.31;
  Solver<double> solver(grid::Communicator(world()), unit_cube(32, 5));
  solver.set(ball(0.513, 0.488, 0.502, r));
  expect_within(solver.volume() / (4 / 3. * std::numbers::pi * r * r * r) - 1, 9.0e-3, 0.01);
  expect_within(solver.area() / (4 * std::numbers::pi * r * r) - 1, 8.4e-4, 0.01);
}

TEST(Levelset, BandThinnerThanSmearing_VolumeCountsAllPoints) {
  Problem p = unit_cube(21, 5);
  p.beta = 0.8 * p.h, p.gamma = 1.1 * p.h;
  for (const Index tile : {5, 16}) {
    Execution execution;
    execution.tile = tile;
    Solver<double> solver(grid::Communicator(world()), p, execution);
    solver.set(ball(0.52, 0.47, 0.51, 0.31));
    const Array<double> phi = solver.phi();
    const auto v = phi.view();
    const double shares = grid::reduce(
        grid::Host{1}, solver.box(), 0.0,
        [=](Index i, Index j, Index k) { return inside_share(v(i, j, k) / (1.5 * p.h)); },
        [](double a, double b) { return a + b; });
    // The solver sums shares of the volume in multiples of 2^-40, so its sum has no rounding error.
    const double exact = grid::Communicator(world()).sum(shares) * p.h * p.h * p.h;
    expect_within(solver.volume(), exact, 1e-11);
  }
}

TEST(Levelset, WrongArguments_AreRefused) {
  const grid::Communicator comm(world());
  const auto refused = [](const auto &call, const std::string &text) {
    try {
      call();
      ADD_FAILURE() << text;
    } catch (const Error &error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  };
  const auto make = [&](Index points, Index tile, int threads, double x) {
    Problem p = unit_cube(8, 5);
    p.points[1] = points;
    p.origin[1] = x;
    Execution execution;
    execution.tile = tile;
    execution.threads = threads;
    return [=] { Solver<double>(comm, p, execution); };
  };
  refused(make(0, 16, 1, 0), "points: found 0 along y, expected 7 or more");
  refused(make(8, 0, 1, 0), "tile: found 0, expected 4 or more");
  refused(make(8, 16, 0, 0), "threads: found 0, expected 1 or more");
  refused(make(8, 16, 1, NAN), "origin: found nan, expected finite numbers");
  Solver<double> solver(comm, unit_cube(8, 5));
  solver.set(ball(0.5, 0.5, 0.5, 0.3));
  Array<double> other(grid::Place::host, solver.box(), grid::Widths::all(1));
  const std::string found = "points with ghosts, expected";
  refused([&] { solver.set(other); }, found);
  refused([&] { solver.restore(other, 0, 0); }, found);
  refused([&] { solver.extend(other, 1); }, found);
  for (const double dt : {-1.0, static_cast<double>(NAN)})
    refused(
        [&] {
          solver.step(
              dt, HFFT_LAMBDA(const Point &) { return 1.0; });
        },
        "dt: found");
}

TEST(Levelset, Extension_CarriesTheValueAtTheFoot) {
  const Index n = 24;
  Solver<double> solver(grid::Communicator(world()), unit_cube(n, 5));
  solver.set(ball(0.5, 0.5, 0.5, 0.28));
  const double h = solver.problem().h;
  const auto truth = [=](Index i, Index j, Index k) {
    const double x = (double(k) + 0.5) * h - 0.5, y = (double(j) + 0.5) * h - 0.5,
                 z = (double(i) + 0.5) * h - 0.5;
    const double d = std::sqrt(x * x + y * y + z * z) + 1e-9;
    return x * y / (d * d) + z / d;
  };
  const Array<double> phi = solver.phi();
  const auto p = phi.view();
  Array<double> values = solver.make_array();
  const auto v = values.view();
  const Box &b = solver.box();
  grid::parallel_for(grid::Host{1}, b, [=](Index i, Index j, Index k) {
    v(i, j, k) = std::abs(p(i, j, k)) < h ? truth(i, j, k) : 0.0;
  });
  solver.extend(values, 60);
  const double worst = grid::reduce(
      grid::Host{1}, b, 0.0,
      [=](Index i, Index j, Index k) {
        return std::abs(p(i, j, k)) < 4 * h ? std::abs(v(i, j, k) - truth(i, j, k)) : 0.0;
      },
      [](double a, double c) { return std::max(a, c); });
  expect_within(grid::Communicator(world()).max(worst), 7.4e-2, 0.02);
}

} // namespace
} // namespace hybridfft::levelset
