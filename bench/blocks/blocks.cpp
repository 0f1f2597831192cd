// Measures steps of the Euler solver on a forest of blocks, and the same functions on one large
// block as a uniform grid. Times are CPU times of one thread, so other programs have little effect;
// --wall selects the wall clock.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <map>
#include <string>
#include <vector>

#include "solvers/euler/solver.h"
#include "support/cli_options.h"
#include "support/mpi_main.h"

namespace {

using namespace hybridfft;
using namespace hybridfft::euler;

double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// A Gaussian pulse of density of width 0.04 in the periodic unit cube, moving with a flow along
/// (1, 1, 1).
double density(double t, double z, double y, double x) {
  double r2 = 0;
  for (const double at : {z, y, x}) {
    const double d = at - t - std::floor(at - t) - 0.5;
    r2 += d * d;
  }
  return 1 + std::exp(-r2 / (2 * 0.04 * 0.04));
}

struct Mesh {
  Index trees, cells;
  int max_level;
};

/// One block, equal blocks, or blocks of three levels.
enum class MeshKind { uniform, blocks, levels };

struct Options {
  Index finest = 192;
  std::vector<Index> cells{8, 12, 16};
  double t_end = HUGE_VAL;
  std::int64_t steps = 3;
  std::vector<MeshKind> meshes{MeshKind::uniform, MeshKind::blocks, MeshKind::levels};
  int halo_depth = 1;
  bool wall = false;
};

Problem pulse(const Mesh &mesh, double t_end) {
  Problem p;
  p.shape.trees = {{mesh.trees, mesh.trees, mesh.trees}};
  p.shape.cells = mesh.cells;
  p.shape.max_level = mesh.max_level;
  p.shape.periodic = {true, true, true};
  p.h = 1 / static_cast<double>(mesh.trees * mesh.cells);
  p.t_end = t_end;
  if (mesh.max_level > 0) {
    p.refine_above = 0.008;
    p.coarsen_below = 0.002;
  }
  return p;
}

/// Calls f(n, z, y, x) for the cells of a leaf, with the number n of the cell and its centre.
template <class F> void for_cells(const Problem &p, const grid::Leaf &leaf, const F &f) {
  const Index n = p.shape.cells;
  const double h = p.h / static_cast<double>(Index{1} << leaf.level);
  const auto at = [&](int axis, Index cell) {
    return (static_cast<double>(leaf.place[axis] * n + cell) + 0.5) * h;
  };
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      for (Index k = 0; k < n; ++k)
        f(static_cast<std::size_t>((i * n + j) * n + k), at(0, i), at(1, j), at(2, k));
}

void set(Solver<double> &solver) {
  const Problem &p = solver.problem();
  const auto cells = static_cast<std::size_t>(solver.values_of_leaf() / 5);
  std::vector<double> u(5 * cells);
  for (const Index leaf : solver.forest().mine()) {
    for_cells(p, solver.forest().leaves()[static_cast<std::size_t>(leaf)],
              [&](std::size_t c, double z, double y, double x) {
                const double rho = density(0, z, y, x);
                u[c] = u[cells + c] = u[2 * cells + c] = u[3 * cells + c] = rho;
                u[4 * cells + c] = 1 / (p.gamma - 1) + 1.5 * rho;
              });
    solver.write(leaf, u.data());
  }
}

/// Mean error of the density against the exact solution.
double error(Solver<double> &solver) {
  const Problem &p = solver.problem();
  std::vector<double> u(static_cast<std::size_t>(solver.values_of_leaf()));
  double sum = 0;
  for (const Index leaf : solver.forest().mine()) {
    const grid::Leaf &at = solver.forest().leaves()[static_cast<std::size_t>(leaf)];
    const double volume = std::pow(p.h / static_cast<double>(Index{1} << at.level), 3);
    solver.read(leaf, u.data());
    for_cells(p, at, [&](std::size_t c, double z, double y, double x) {
      sum += volume * std::abs(u[c] - density(solver.clock().time, z, y, x));
    });
  }
  return solver.forest().communicator().sum(sum);
}

struct Figures {
  std::string leaves; ///< number of leaves on each level
  double updates = 0, seconds = 0, error = 0;
  Profile profile;
};

Figures measure(const grid::Communicator &comm, const Mesh &mesh, const Options &o) {
  const auto now = o.wall ? wall_seconds : processor_seconds;
  EulerMethod method;
  method.clock = now;
  method.halo_depth = o.halo_depth;
  Problem problem = pulse(mesh, o.t_end);
  if (o.halo_depth > 1)
    problem.dt_interval = o.halo_depth; // each new dt needs a reduction, so compute it less often
  Solver<double> solver(comm, problem, {}, method);
  solver.start([&] { set(solver); });
  solver.step(); // a warm-up: touches all pages of memory
  const Profile before = solver.profile();
  const auto first = static_cast<double>(solver.clock().cell_updates);
  comm.max(0.); // ranks begin together
  const double begin = now();
  for (std::int64_t s = 0; s < o.steps && !solver.done(); ++s)
    solver.step();
  Figures f;
  f.seconds = comm.max(now() - begin);
  f.updates = static_cast<double>(solver.clock().cell_updates) - first;
  f.profile = solver.profile();
  for (const auto part : {&Profile::kernels, &Profile::halo, &Profile::messages, &Profile::adapt,
                          &Profile::migration})
    f.profile.*part = comm.max(f.profile.*part - before.*part);
  f.error = error(solver);
  std::vector<int> levels(static_cast<std::size_t>(mesh.max_level) + 1);
  for (const grid::Leaf &leaf : solver.forest().leaves())
    ++levels[static_cast<std::size_t>(leaf.level)];
  for (const int count : levels)
    f.leaves += (f.leaves.empty() ? "" : ", ") + std::to_string(count);
  return f;
}

void print(const Mesh &mesh, const Figures &f) {
  const Profile &p = f.profile;
  std::printf("| %td^3 | %s | %.3g | %.2f | %.2f | %.2f | %.1f %% | %.3e |\n", mesh.cells,
              f.leaves.c_str(), f.seconds, f.updates / p.kernels / 1e6, f.updates / f.seconds / 1e6,
              (f.seconds - p.kernels - p.adapt - p.migration) / p.kernels,
              100 * (p.adapt + p.migration + p.messages) / f.seconds, f.error);
  std::fflush(stdout);
}

int run(const grid::Communicator &comm, const Options &o) {
  if (comm.rank() == 0)
    std::printf(
        "| blocks | leaves by level | s | Mcells/s, kernels | Mcells/s | (exchange + control) / "
        "kernels | adapt, migration, messages | L1 error |\n|---|---|---|---|---|---|---|---|\n");
  std::vector<Mesh> meshes;
  const auto wanted = [&](MeshKind kind) {
    return std::ranges::find(o.meshes, kind) != o.meshes.end();
  };
  if (wanted(MeshKind::uniform)) meshes.push_back({1, o.finest, 0});
  for (const Index n : o.cells) {
    if (n < 4 || n % 2 != 0 || o.finest % (4 * n) != 0)
      throw Error(HFFT_ERROR_ARGUMENT, "--cells: found " + std::to_string(n) +
                                           ", expected an even number of which 4 times divide " +
                                           std::to_string(o.finest));
    if (wanted(MeshKind::blocks)) meshes.push_back({o.finest / n, n, 0});
    if (wanted(MeshKind::levels)) meshes.push_back({o.finest / n / 4, n, 2});
  }
  for (const Mesh &mesh : meshes) {
    const Figures f = measure(comm, mesh, o);
    if (comm.rank() == 0) print(mesh, f);
  }
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Steps of Euler's equations on blocks and on a uniform grid, a pulse in a cube",
               "hybridfft-bench-blocks");
  Options o;
  app.add_option("finest", o.finest, "Finest cells along each axis")
      ->capture_default_str()
      ->check(tools::between<Index>(32, 1024));
  app.add_option("--cells", o.cells, "Cells of a block along each axis")->capture_default_str();
  app.add_option("--t_end", o.t_end, "End of the run, s");
  app.add_option("--steps", o.steps, "Steps that are timed, after a first one")
      ->capture_default_str();
  tools::add_choice(app, "--meshes", o.meshes,
                    std::map<std::string, MeshKind>{{"uniform", MeshKind::uniform},
                                                    {"blocks", MeshKind::blocks},
                                                    {"levels", MeshKind::levels}},
                    "One block, equal blocks, blocks of three levels")
      ->default_str("uniform blocks levels");
  app.add_option("--halo_depth", o.halo_depth, "Exchanges per message")->capture_default_str();
  app.add_flag("--wall", o.wall, "Times of the wall clock");
  return tools::run(argc, argv, app,
                    [&](MPI_Comm world) { return run(grid::Communicator(world), o); });
}
