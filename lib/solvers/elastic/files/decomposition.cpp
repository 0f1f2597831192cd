#include "solvers/elastic/files/decomposition.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

#include "hybridfft/error.hpp"
#include "hybridfft/grid/choice.hpp"
#include "hybridfft/grid/parallel_for.hpp"

namespace hybridfft::elastic {

namespace {

/// Returns the minimum number of cells along z in the block at a free surface.
Index min_cells_below(Surface surface) {
  return surface == Surface::fs4 ? 4 : surface == Surface::fs2 ? 2 : 1;
}

bool allowed(const Problem &problem, const Index3 &parts) {
  return problem.cells[2] / parts[2] >= min_cells_below(problem.surface) || parts[2] == 1;
}

/// Returns the largest number of blocks, at most `ranks`, into which the cells can be divided.
Index max_blocks(const Problem &problem, Index ranks) {
  for (Index blocks = ranks; blocks > 1; --blocks)
    if (std::ranges::any_of(grid::possible_parts(blocks, problem.cells),
                            [&](const Index3 &parts) { return allowed(problem, parts); }))
      return blocks;
  return 1;
}

grid::Cuts cheapest_cuts(const Problem &problem, const grid::Communicator &comm) {
  const grid::Network network = grid::measure(comm);
  constexpr double bytes_of_layers =
      18. / 3 * 4; // 18 field layers per axis, counted as 3 ghost layers of 6 fields of 4 bytes
  const Index3 parts = grid::cheapest_parts(
      comm, max_blocks(problem, comm.size()), problem.cells, [&](const Index3 &p) {
        if (!allowed(problem, p)) return std::numeric_limits<double>::infinity();
        return grid::exchange_seconds(network, problem.cells, p, {{{2, 2, 2}}, {{1, 1, 1}}},
                                      bytes_of_layers);
      });
  return grid::even_cuts(problem.cells, parts);
}

} // namespace

grid::Cartesian decompose(const Problem &problem, const std::string &sizes,
                          const grid::Communicator &comm) {
  grid::Cuts cuts =
      sizes.empty() ? cheapest_cuts(problem, comm) : grid::read_cuts(sizes, problem.cells);
  const std::size_t blocks = cuts[0].size() * cuts[1].size() * cuts[2].size();
  if (!sizes.empty() && blocks != static_cast<std::size_t>(comm.size()))
    throw Error(HFFT_ERROR_ARGUMENT, "--grid " + sizes + ": found " + std::to_string(blocks) +
                                         " blocks, expected one for each of " +
                                         std::to_string(comm.size()) + " ranks");
  const Index least = min_cells_below(problem.surface);
  if (cuts[2].front() < least)
    throw Error(HFFT_ERROR_ARGUMENT,
                "the block below the free surface: found " + std::to_string(cuts[2].front()) +
                    " cells along z, expected at least " + std::to_string(least));
  cuts[2].front() += problem.planes_above();
  std::vector<int> owners = grid::owners_by_node(cuts, comm);
  return grid::Cartesian(comm, std::move(cuts), problem.periodic, std::move(owners));
}

std::string name_of(const Method &method) {
  const char *const exchange = method.exchange == GhostExchange::each   ? "each"
                               : method.exchange == GhostExchange::wide ? "wide"
                                                                        : "least";
  return std::string(exchange) +
         (method.schedule == grid::Schedule::in_order ? ", in order" : ", all at once") +
         (method.sweeps == Sweeps::fused ? ", fused" : "");
}

namespace {

/// Measures the seconds of a time step with zero fields, on the slowest rank.
template <class Real>
double seconds_of_step(const grid::Cartesian &cartesian, const Problem &problem,
                       const Method &method) {
  grid::Box box;
  if (!cartesian.mine().empty()) box = cartesian.box(cartesian.mine().front());
  Cells<Real> cells;
  const bool qualities = problem.quality && problem.quality->in_cells;
  cartesian.communicator().agree([&] {
    cells = Cells<Real>(box, Solver<Real>::ghosts(method.exchange), method.threads, qualities);
  });
  for (grid::Array<Real> *array : cells.arrays(qualities)) {
    const grid::View<Real> v = array->view();
    grid::parallel_for({method.threads}, box, [=](Index i, Index j, Index k) { v(i, j, k) = 1; });
  }
  Solver<Real> solver(cartesian, problem, std::move(cells), {}, method);
  constexpr int steps = 4; // after one warm-up
  solver.begin();
  solver.step(0);
  cartesian.communicator().max(0.); // synchronises the ranks before timing
  const auto begin = std::chrono::steady_clock::now();
  for (int n = 0; n < steps; ++n)
    solver.step(n);
  solver.settle();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  return cartesian.communicator().max(elapsed.count()) / steps;
}

/// A candidate for the measurement: ghost exchange and sweeps.
struct Candidate {
  GhostExchange exchange = GhostExchange::least;
  grid::Schedule schedule = grid::Schedule::all_at_once;
  Sweeps sweeps = Sweeps::automatic;
};

/// Returns the candidates permitted by the user's choices.
/// \param alone true if one rank has all cells
std::vector<Candidate> allowed_candidates(bool alone, const std::optional<GhostExchange> &exchange,
                                          const std::optional<grid::Schedule> &schedule,
                                          bool on_device) {
  std::vector<GhostExchange> exchanges{GhostExchange::least, GhostExchange::each,
                                       GhostExchange::wide};
  std::vector<grid::Schedule> schedules{grid::Schedule::all_at_once, grid::Schedule::in_order};
  // A single rank exchanges ghosts only with itself, so there is only one candidate.
  if (alone) exchanges = {GhostExchange::least};
  if (exchange) exchanges = {*exchange};
  if (schedule || exchange || alone) schedules = {schedule.value_or(grid::Schedule::all_at_once)};
  std::vector<Candidate> all;
  for (const GhostExchange e : exchanges)
    for (const grid::Schedule s : schedules) {
      all.push_back({e, s, Sweeps::automatic});
      // A fused sweep waits for the exchanged stresses; separate sweeps compute while they arrive.
      // The fused sweep is tried only if the user has not chosen the exchange.
      if (!exchange && !alone && !on_device && e != GhostExchange::wide)
        all.push_back({e, s, Sweeps::fused});
    }
  return all;
}

Method with(Method method, const Candidate &candidate) {
  method.exchange = candidate.exchange;
  method.schedule = candidate.schedule;
  method.sweeps = candidate.sweeps;
  return method;
}

} // namespace

template <class Real>
Method fastest_method(const grid::Cartesian &cartesian, const Problem &problem,
                      const std::optional<GhostExchange> &exchange,
                      const std::optional<grid::Schedule> &schedule, const Method &method,
                      std::string &report) {
  const std::vector<Candidate> candidates =
      allowed_candidates(cartesian.blocks() == 1, exchange, schedule, method.device.has_value());
  Candidate best = candidates.front();
  double least = std::numeric_limits<double>::infinity();
  for (const Candidate &candidate : candidates) {
    if (candidates.size() == 1) break;
    const Method tried = with(method, candidate);
    const double seconds = seconds_of_step<Real>(cartesian, problem, tried);
    report += (report.empty() ? "" : "; ") + name_of(tried) + " " +
              std::to_string(1e3 * seconds).substr(0, 6) + " ms";
    if (seconds >= least) continue;
    least = seconds;
    best = candidate;
  }
  return with(method, best);
}

template Method fastest_method<float>(const grid::Cartesian &, const Problem &,
                                      const std::optional<GhostExchange> &,
                                      const std::optional<grid::Schedule> &, const Method &,
                                      std::string &);
template Method fastest_method<double>(const grid::Cartesian &, const Problem &,
                                       const std::optional<GhostExchange> &,
                                       const std::optional<grid::Schedule> &, const Method &,
                                       std::string &);

} // namespace hybridfft::elastic
