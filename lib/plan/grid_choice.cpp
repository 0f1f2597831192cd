// Chooses a process grid for pencils: by a rule, from wisdom, or by timing plans on several grids.
#include "plan/create.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <tuple>

#include "base/agreement.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mpi.h"
#include "plan/arguments.h"
#include "plan/choice.h"
#include "plan/path.h"
#include "plan/problem.h"
#include "wisdom/store.h"

namespace hybridfft::plan {

using wisdom::recall_choice;
using wisdom::remember;

namespace {

/// Maximum number of timed grids if ranks are on several nodes; the likeliest ones are timed. Each
/// grid gets two executions.
constexpr std::size_t max_between_nodes = 8;

/// A grid slower than the best time by this factor is not timed again.
constexpr double hopeless = 1.5;
/// Total seconds of timed executions after which the minimum varies little.
constexpr double budget_seconds = 1.0;

void check(const PencilProblem &p, int ranks) {
  check_extents(static_cast<int>(p.extents.size()), p.extents.data(), p.howmany, 0, 0, ranks,
                p.real_bytes);
  check_flags(p.flags);
  check_threads(p.threads);
}

/// Returns a layout of pencils along axis `whole`. In two dimensions they are lines, distributed
/// over one dimension of the grid.
Layout pencils(const PencilProblem &p, std::size_t whole, const std::array<int, 2> &grid,
               bool halved) {
  std::vector<std::ptrdiff_t> n = p.extents;
  if (halved) n.back() = n.back() / 2 + 1;
  std::vector<int> parts(n.size(), 1);
  const std::size_t first = whole == 0 ? 1 : 0;
  parts[first] = grid[0];
  if (n.size() > 2) parts[first + 1] = grid[1];
  return Layout::grid(n, parts, {{}, {}, p.howmany, p.fields});
}

Problem problem_on(const PencilProblem &p, const std::array<int, 2> &grid) {
  Problem l;
  l.kind = p.kind;
  l.real_bytes = p.real_bytes;
  l.sign = p.kind == Kind::c2r ? HFFT_BACKWARD : HFFT_FORWARD;
  l.axes.resize(p.extents.size());
  std::iota(l.axes.begin(), l.axes.end(), 0);
  // The kind does not matter, because all kinds move the same numbers.
  if (p.kind == Kind::r2r) l.kinds.assign(l.axes.size(), local::LineKind::redft10);
  // The spectrum is distributed as pencils along the first axis.
  const Layout points = pencils(p, p.extents.size(), grid, false);
  const Layout spectrum = pencils(p, 0, grid, l.halves());
  l.in = p.kind == Kind::c2r ? spectrum : points;
  l.out = p.kind == Kind::c2r ? points : spectrum;
  l.flags = HFFT_ESTIMATE;
  l.threads = p.threads;
  l.time_limit = p.time_limit;
  return l;
}

/// Returns the smaller of two numbers: of the ranks with points of the input, and of the ranks with
/// points of the output.
int working(const Problem &l) {
  int max_idle = 0;
  for (const Layout *layout : {&l.in, &l.out}) {
    int idle = 0;
    for (int r = 0; r < layout->ranks(); ++r)
      idle += layout->box(r).points() == 0 ? 1 : 0;
    max_idle = std::max(max_idle, idle);
  }
  return l.in.ranks() - max_idle;
}

using Grids = std::vector<std::array<int, 2>>;

/// Returns the grids with the most working ranks. Grids with rows within a node come first. Among
/// these, and among the others, grids closer to a square come first; of two equally close grids,
/// the one with shorter rows.
Grids candidates(const PencilProblem &p, int ranks, std::int64_t ranks_per_node) {
  Grids grids;
  int most = 0;
  for (int first = 1; first <= ranks; ++first) {
    const std::array<int, 2> grid{first, ranks / first};
    if (ranks % first != 0 || (p.extents.size() == 2 && grid[1] > 1)) continue;
    const int n = working(problem_on(p, grid));
    if (n > most) grids.clear();
    most = std::max(most, n);
    if (n == most) grids.push_back(grid);
  }
  const auto leaves_node = [&](const std::array<int, 2> &g) {
    return ranks_per_node < ranks && ranks_per_node % g[1] != 0;
  };
  const auto slimness = [](const std::array<int, 2> &g) {
    return std::abs(std::log(static_cast<double>(g[0]) / g[1]));
  };
  std::stable_sort(grids.begin(), grids.end(), [&](const auto &a, const auto &b) {
    return std::tuple(leaves_node(a), slimness(a), a[1]) <
           std::tuple(leaves_node(b), slimness(b), b[1]);
  });
  return grids;
}

/// Returns the grid in rank 0's wisdom if it is one of rank 0's `grids`. Throws if HFFT_WISDOM_ONLY
/// is set and wisdom has none.
std::optional<std::array<int, 2>> recalled(const exchange::Communicator &comm,
                                           const std::function<std::string()> &key,
                                           const PencilProblem &p, const Grids &grids) {
  const std::string known = recall_choice(comm, key, effort_of(p.flags));
  std::array<int, 2> grid{};
  const bool admitted = mpi::everywhere(comm.get(), [&] {
    if (!known.empty()) grid = parse_grid(known);
    return comm.rank() != 0 || std::find(grids.begin(), grids.end(), grid) != grids.end();
  });
  if (admitted) return grid;
  if ((p.flags & HFFT_WISDOM_ONLY) != 0)
    mpi::fail(HFFT_ERROR_NO_WISDOM, [] {
      return "HFFT_WISDOM_ONLY was asked for, and wisdom has no process grid for these pencils, "
             "machine and number of ranks and threads from the same effort or more";
    });
  return std::nullopt;
}

/// Returns the seconds of the slowest rank: the minimum of the first execution and up to `repeats`
/// more. Returns infinity if the first execution takes more than `hopeless` times `best`.
/// Collective.
double time_plan(Plan &plan, void *in, void *out, int repeats, double best,
                 const Deadline &deadline) {
  const auto time = [&] { return time_once(plan.comm()->get(), [&] { plan.execute(in, out); }); };
  double least = time();
  if (least > hopeless * best) return infinity;
  double spent = 0;
  for (int i = 0; i < repeats && spent < budget_seconds; ++i) {
    if (deadline.seconds_left() < least) break;
    const double seconds = time();
    least = std::min(least, seconds);
    spent += seconds;
  }
  return least;
}

double seconds_on(const PencilProblem &p, const std::array<int, 2> &grid, MPI_Comm comm,
                  const exchange::Communicator &owned, int repeats, double best,
                  const Deadline &deadline) {
  Problem l;
  Memory in;
  Memory out;
  mpi::all_or_none(owned.get(), [&] {
    l = problem_on(p, grid);
    const auto bytes = static_cast<std::size_t>(allocation(l, owned.rank())) * 2 * p.real_bytes;
    in = Memory(bytes, p.threads);
    out = Memory(bytes, p.threads);
  });
  const auto problem = [&](int ranks) {
    l.input = in.data();
    l.output = out.data();
    check(l, ranks);
    return l;
  };
  const auto plan = create(comm, {std::cref(problem)});
  return time_plan(*plan, in.data(), out.data(), repeats, best, deadline);
}

} // namespace

std::array<int, 2> choose_grid(MPI_Comm comm, const std::function<PencilProblem()> &arguments) {
  const auto owned = exchange::acquire(comm);
  PencilProblem p;
  MachineNumbers numbers;
  std::int64_t flags = 0;
  Agreement agreement(owned->get());
  agreement.reach([&] {
    p = arguments();
    check(p, owned->size());
    numbers.join(agreement, p.threads, p.time_limit);
    flags = p.flags;
    agreement.first(flags);
  });
  p.flags = static_cast<unsigned>(flags);
  const Machine machine = numbers.machine(*owned);
  const bool several_nodes = machine.several_nodes(owned->size());
  Grids grids;
  std::int64_t count = 0; // number of grids on rank 0
  mpi::all_or_none(owned->get(),
                   [&] {
                     grids = candidates(p, owned->size(), machine.ranks_per_node);
                     if (several_nodes && grids.size() > max_between_nodes)
                       grids.resize(max_between_nodes);
                     if (owned->rank() == 0) count = static_cast<std::int64_t>(grids.size());
                   },
                   {&count, 1});
  std::array<int, 2> best = grids.front();
  std::string key;
  if (count > 1) {
    const auto make_key = [&] {
      if (owned->rank() == 0) key = wisdom_key(p, machine, owned->size());
      return key;
    };
    if (const auto known = recalled(*owned, std::cref(make_key), p, grids)) return *known;
  }
  if (effort_of(p.flags) == FFTW_ESTIMATE) count = 1;
  const Deadline deadline(owned->get(), machine.time_limit);
  double least = infinity;
  bool cut_short = false;
  for (std::int64_t i = 0; count > 1 && i < count; ++i) {
    std::array<int, 2> grid = grids[std::min(static_cast<std::size_t>(i), grids.size() - 1)];
    mpi::check(MPI_Bcast(grid.data(), 2, MPI_INT, 0, owned->get()), "MPI_Bcast");
    cut_short = i > 0 && deadline.seconds_left() < 8 * least;
    if (cut_short) break;
    const double seconds =
        seconds_on(p, grid, comm, *owned, several_nodes ? 1 : 3, least, deadline);
    if (seconds >= least) continue;
    least = seconds;
    best = grid;
  }
  mpi::check(MPI_Bcast(best.data(), 2, MPI_INT, 0, owned->get()), "MPI_Bcast");
  if (count > 1 && !cut_short)
    mpi::all_or_none(owned->get(), [&] {
      if (owned->rank() == 0) remember(key, {effort_of(p.flags), least, serialize(best)});
    });
  return best;
}

} // namespace hybridfft::plan
