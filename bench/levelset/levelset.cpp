// Measures steps of level sets in single precision, and OpenVDB's level-set advection if CMake has
// found it. Both run alternately, and the shortest time counts. Times are CPU times on one thread,
// so that other programs have little effect, and elapsed times on several threads.
//
//     hybridfft-bench-levelset                    deformation on 128^3 and 256^3 points, one thread
//     hybridfft-bench-levelset --threads 2 64 128 two threads, other numbers of points
//     hybridfft-bench-levelset --growth           the source paper's demonstration, 101^3 and 201^3
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "hybridfft/grid/communicator.hpp"
#include "hybridfft/levelset/solver.hpp"

#ifdef HFFT_OPENVDB
#include <openvdb/openvdb.h>
#include <openvdb/tools/LevelSetAdvect.h>
#include <openvdb/tools/LevelSetSphere.h>
#include <tbb/global_control.h>
#endif

namespace {

using namespace hybridfft::levelset;
using hybridfft::grid::Array;

constexpr double pi = std::numbers::pi, radius = 0.15, centre = 0.35;

int threads = 1; ///< number of threads of both programs

double seconds_now() {
  std::timespec t{};
  clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct Result {
  double seconds = std::numeric_limits<double>::infinity(); ///< seconds of a step
  std::int64_t points = 0;
  double mean = 0; ///< mean distance of the final front from the initial ball, in grid spacings
};

double distance(double x, double y, double z) {
  return std::abs(std::hypot(x - centre, y - centre, z - centre) - radius);
}

/// Enright's deformation field. Its components are products of functions of one coordinate.
struct Deformation {
  Deformation(const Solver<float> &solver, double flow_period) : period(flow_period) {
    const Problem &p = solver.problem();
    for (Index n = 0; n < p.points[0]; ++n) {
      const double x = p.origin[0] + static_cast<double>(n) * p.h, s = std::sin(pi * x);
      squared.push_back(static_cast<float>(s * s));
      twice.push_back(static_cast<float>(std::sin(2 * pi * x)));
    }
  }
  Motion<float> at(double time) const {
    Motion<float> m;
    m.velocity = Motion<float>::Velocity::table;
    const double f = std::cos(pi * time / period);
    for (int c = 0; c < 3; ++c) {
      m.table.factor[c] = static_cast<float>(c == 0 ? 2 * f : -f);
      for (int axis = 0; axis < 3; ++axis)
        m.table.along[c][axis] = (c == axis ? squared : twice).data();
    }
    return m;
  }
  double period;
  std::vector<float> squared, twice;
};

double front_error(const Solver<float> &solver) {
  const Array<float> phi = solver.phi();
  const auto v = phi.view();
  const Problem &p = solver.problem();
  double sum = 0, count = 0;
  for (const Box &b : solver.active_tiles())
    for (Index i = b.lo[0]; i < b.hi[0]; ++i)
      for (Index j = b.lo[1]; j < b.hi[1]; ++j)
        for (Index k = b.lo[2]; k < b.hi[2]; ++k)
          for (int a = 0; a < 3; ++a) {
            Index3 n{{i, j, k}};
            if (++n[a] >= p.points[a]) continue;
            const double here = v(i, j, k), next = v(n[0], n[1], n[2]);
            if ((here < 0) == (next < 0)) continue;
            double x[3] = {double(i), double(j), double(k)};
            x[a] += here / (here - next);
            sum += distance(p.origin[0] + x[2] * p.h, p.origin[1] + x[1] * p.h,
                            p.origin[2] + x[0] * p.h);
            ++count;
          }
  return sum / count / p.h;
}

/// Measures this library with `steps` time steps: one period of the deformation, forward and
/// backward.
Result ours(Index n, int steps) {
  Problem p;
  p.points = {{n, n, n}};
  p.h = 1 / static_cast<double>(n);
  p.origin = {p.h / 2, p.h / 2, p.h / 2};
  p.beta = 3 * p.h, p.gamma = 5 * p.h; // gamma is the half width of OpenVDB's band in openvdbs()
  Execution execution;
  execution.threads = threads;
  Solver<float> solver(hybridfft::grid::Communicator(MPI_COMM_SELF), p, execution);
  solver.set([](double x, double y, double z) {
    return std::hypot(x - centre, y - centre, z - centre) - radius;
  });
  const double dt = 0.25 * p.h;
  const Deformation flow(solver, steps * dt);
  const double begin = seconds_now();
  for (int step = 0; step < steps; ++step)
    solver.move(dt, [&](double time) { return flow.at(time); });
  Result r;
  r.seconds = (seconds_now() - begin) / steps;
  r.points = solver.points();
  r.mean = front_error(solver);
  return r;
}

#ifdef HFFT_OPENVDB
struct Field {
  using ValueType = float;
  using VectorType = openvdb::Vec3f;
  const openvdb::math::Transform &transform() const { return *map; }
  VectorType operator()(const openvdb::Vec3d &p, ValueType time) const {
    const float x = float(pi * p[0]), y = float(pi * p[1]), z = float(pi * p[2]);
    const float f = std::cos(float(pi) * time / period);
    const float sx = std::sin(x), sy = std::sin(y), sz = std::sin(z);
    const float tx = std::sin(2 * x), ty = std::sin(2 * y), tz = std::sin(2 * z);
    return {2 * f * sx * sx * ty * tz, -f * tx * sy * sy * tz, -f * tx * ty * sz * sz};
  }
  VectorType operator()(const openvdb::Coord &at, ValueType time) const {
    return (*this)(map->indexToWorld(at), time);
  }
  openvdb::math::Transform::Ptr map;
  float period;
};

double front_error(const openvdb::FloatGrid &grid, double h) {
  double sum = 0, count = 0;
  const auto access = grid.getConstAccessor();
  for (auto it = grid.cbeginValueOn(); it; ++it)
    for (int a = 0; a < 3; ++a) {
      openvdb::Coord next = it.getCoord();
      ++next[a];
      const double here = *it, there = access.getValue(next);
      if ((here < 0) == (there < 0)) continue;
      openvdb::Vec3d x = it.getCoord().asVec3d();
      x[a] += here / (here - there);
      x = grid.transform().indexToWorld(x);
      sum += distance(x[0], x[1], x[2]);
      ++count;
    }
  return sum / count / h;
}

Result openvdbs(Index n, int steps) {
  using namespace openvdb;
  const double h = 1 / static_cast<double>(n), end = steps * 0.25 * h;
  const auto grid =
      tools::createLevelSetSphere<FloatGrid>(float(radius), Vec3f(float(centre)), float(h), 5.F);
  const Field field{math::Transform::createLinearTransform(h), float(end)};
  tools::LevelSetAdvection<FloatGrid, Field> advection(*grid, field);
  advection.setSpatialScheme(math::HJWENO5_BIAS);
  advection.setTemporalScheme(math::TVD_RK3);
  advection.setTrackerSpatialScheme(math::HJWENO5_BIAS);
  advection.setTrackerTemporalScheme(math::TVD_RK3);
  advection.setNormCount(1);
  advection.setGrainSize(threads == 1 ? 0 : 1); // 0: one thread
  const double begin = seconds_now();
  std::size_t taken = 0;
  for (int step = 0; step < steps; ++step) // steps of equal lengths, as in ours()
    taken += advection.advect(float(step * 0.25 * h), float((step + 1) * 0.25 * h));
  Result r;
  r.seconds = (seconds_now() - begin) / static_cast<double>(taken);
  r.points = static_cast<std::int64_t>(grid->activeVoxelCount());
  r.mean = front_error(*grid, h);
  return r;
}
#endif

void take_least(Result &best, const Result &found) {
  const double least = std::min(best.seconds, found.seconds);
  best = found;
  best.seconds = least;
}

void compare(Index n) {
  constexpr int steps = 16, rounds = 3;
  Result mine, theirs;
  for (int round = 0; round < rounds; ++round) {
    take_least(mine, ours(n, steps));
#ifdef HFFT_OPENVDB
    take_least(theirs, openvdbs(n, steps));
#endif
  }
  std::printf("| %td^3 | %.4g | %lld | %.3g | %.4g | %lld | %.3g | %.2f |\n", n, mine.seconds,
              static_cast<long long>(mine.points), mine.mean, theirs.seconds,
              static_cast<long long>(theirs.points), theirs.mean, theirs.seconds / mine.seconds);
}

/// Returns the seconds of ten steps of the demonstration, and the initial number of points in the
/// tube T around the front, |phi| < gamma.
std::pair<double, double> demonstration(Index n, int order) {
  Problem p;
  p.points = {{n, n, n}};
  p.h = 10 / static_cast<double>(n - 1);
  p.order = order;
  Solver<double> solver(hybridfft::grid::Communicator(MPI_COMM_SELF), p);
  solver.set([](double x, double y, double z) {
    return std::min(std::hypot(x - 3, y - 5, z - 7), std::hypot(x - 7, y - 5, z - 3)) - 1;
  });
  const auto points = static_cast<double>(solver.points());
  const Array<double> any = solver.make_array();
  Motion<double> m;
  m.has_speed = true;
  m.speed = {any.view().origin(), any.view().origin(), 0, 0, 1};
  const double begin = seconds_now();
  for (int step = 0; step < 10; ++step)
    solver.move(0.5 * p.h, [&](double) { return m; });
  return {seconds_now() - begin, points};
}

void growth() {
  std::printf("| order | s, 101^3 | s, 201^3 | ratio | points of T | ratio |\n"
              "|---|---|---|---|---|---|\n");
  for (const int order : {1, 5}) {
    double seconds[2] = {1e9, 1e9}, points[2] = {0, 0};
    for (int round = 0; round < 4; ++round)
      for (const int size : {0, 1}) {
        const auto [s, t] = demonstration(size == 0 ? 101 : 201, order);
        seconds[size] = std::min(seconds[size], s);
        points[size] = t;
      }
    std::printf("| %d | %.4g | %.4g | %.2f | %.0f, %.0f | %.2f |\n", order, seconds[0], seconds[1],
                seconds[1] / seconds[0], points[0], points[1], points[1] / points[0]);
  }
}

} // namespace

int main(int argc, char **argv) {
  const hybridfft::grid::Session session(argc, argv);
#ifdef HFFT_OPENVDB
  openvdb::initialize();
#endif
  if (argc > 1 && std::string(argv[1]) == "--growth") {
    growth();
    return 0;
  }
  int first = 1;
  if (argc > 2 && std::string(argv[1]) == "--threads") {
    threads = std::max(1, std::atoi(argv[2]));
    first = 3;
  }
#ifdef HFFT_OPENVDB
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(threads));
#endif
  std::printf(
      "| grid | s/step | points of T | mean front error / h | OpenVDB: s/step | active points "
      "| mean front error / h | OpenVDB/HybridFFT |\n|---|---|---|---|---|---|---|---|\n");
  if (argc == first)
    for (const Index n : {128, 256})
      compare(n);
  for (int a = first; a < argc; ++a)
    compare(std::atoi(argv[a]));
  return 0;
}
