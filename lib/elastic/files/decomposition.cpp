#include "elastic/files/decomposition.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>
#include <vector>

#include "hybridfft/error.hpp"
#include "hybridfft/grid/choice.hpp"
#include "hybridfft/grid/parallel_for.hpp"

namespace hybridfft::elastic {

namespace {

/// Cells along z that the block at a free surface has to have.
Index least_cells_below(Surface surface) {
  return surface == Surface::fs4 ? 4 : surface == Surface::fs2 ? 2 : 1;
}

bool allowed(const Problem &problem, const Index3 &parts) {
  return problem.cells[2] / parts[2] >= least_cells_below(problem.surface) || parts[2] == 1;
}

/// The largest number of blocks, up to that of ranks, that the cells can be cut into.
Index most_blocks(const Problem &problem, Index ranks) {
  for (Index blocks = ranks; blocks > 1; --blocks)
    if (std::ranges::any_of(grid::possible_parts(blocks, problem.cells),
                            [&](const Index3 &parts) { return allowed(problem, parts); }))
      return blocks;
  return 1;
}

grid::Cuts cheapest_cuts(const Problem &problem, const grid::Communicator &comm) {
  const grid::Network network = grid::measure(comm);
  constexpr double bytes_of_layers = 18. / 3 * 4; // a point's, for an axis with three ghosts
  const Index3 parts = grid::cheapest_parts(
      comm, most_blocks(problem, comm.size()), problem.cells, [&](const Index3 &p) {
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
  const Index least = least_cells_below(problem.surface);
  if (cuts[2].front() < least)
    throw Error(HFFT_ERROR_ARGUMENT,
                "the block below the free surface: found " + std::to_string(cuts[2].front()) +
                    " cells along z, expected at least " + std::to_string(least));
  cuts[2].front() += problem.planes_above();
  std::vector<int> owners(blocks);
  std::iota(owners.begin(), owners.end(), 0);
  return grid::Cartesian(comm, std::move(cuts), problem.periodic, std::move(owners));
}

std::string name_of(const Method &method) {
  const char *const exchange = method.exchange == Exchange::each   ? "each"
                               : method.exchange == Exchange::wide ? "wide"
                                                                   : "least";
  return std::string(exchange) +
         (method.schedule == grid::Schedule::in_order ? ", in order" : ", all at once");
}

namespace {

/// Seconds of a step of waves that are not there, on the slowest rank.
template <class Real>
double seconds_of_step(const grid::Cartesian &cartesian, const Problem &problem,
                       const Method &method) {
  grid::Box box;
  if (!cartesian.mine().empty()) box = cartesian.box(cartesian.mine().front());
  Cells<Real> cells;
  cartesian.communicator().agree(
      [&] { cells = Cells<Real>(box, Solver<Real>::ghosts(method.exchange), method.threads); });
  for (grid::Array<Real> *array : {&cells.vp, &cells.vs, &cells.rho}) {
    const grid::View<Real> v = array->view();
    grid::parallel_for({method.threads}, box, [=](Index i, Index j, Index k) { v(i, j, k) = 1; });
  }
  Solver<Real> solver(cartesian, problem, std::move(cells), {}, method);
  constexpr int steps = 4; // after one that warms caches up
  solver.begin();
  solver.step(0);
  cartesian.communicator().max(0.); // ranks begin together
  const auto begin = std::chrono::steady_clock::now();
  for (int n = 0; n < steps; ++n)
    solver.step(n);
  solver.settle();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  return cartesian.communicator().max(elapsed.count()) / steps;
}

} // namespace

template <class Real>
Method fastest_method(const grid::Cartesian &cartesian, const Problem &problem,
                      const std::optional<Exchange> &exchange,
                      const std::optional<grid::Schedule> &schedule, const Method &method,
                      std::string &report) {
  std::vector<Exchange> exchanges{Exchange::least, Exchange::each, Exchange::wide};
  std::vector<grid::Schedule> schedules{grid::Schedule::all_at_once, grid::Schedule::in_order};
  if (exchange) exchanges = {*exchange};
  if (schedule || exchange) schedules = {schedule.value_or(grid::Schedule::all_at_once)};
  // One rank has no other to exchange with.
  if (cartesian.blocks() == 1 && !exchange) exchanges = {Exchange::least};
  if (cartesian.blocks() == 1 && !schedule) schedules = {grid::Schedule::all_at_once};
  Method best = method;
  best.exchange = exchanges.front();
  best.schedule = schedules.front();
  double least = std::numeric_limits<double>::infinity();
  if (exchanges.size() * schedules.size() == 1) return best;
  for (const Exchange e : exchanges)
    for (const grid::Schedule s : schedules) {
      Method tried = method;
      tried.exchange = e;
      tried.schedule = s;
      const double seconds = seconds_of_step<Real>(cartesian, problem, tried);
      report += (report.empty() ? "" : "; ") + name_of(tried) + " " +
                std::to_string(1e3 * seconds).substr(0, 6) + " ms";
      if (seconds >= least) continue;
      least = seconds;
      best = tried;
    }
  return best;
}

template Method fastest_method<float>(const grid::Cartesian &, const Problem &,
                                      const std::optional<Exchange> &,
                                      const std::optional<grid::Schedule> &, const Method &,
                                      std::string &);
template Method fastest_method<double>(const grid::Cartesian &, const Problem &,
                                       const std::optional<Exchange> &,
                                       const std::optional<grid::Schedule> &, const Method &,
                                       std::string &);

} // namespace hybridfft::elastic
