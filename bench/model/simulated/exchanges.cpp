/// hybridfft-simulated-exchanges EXTENTS GRID EXCHANGE...: runs the exchanges of a single precision
/// complex transform on SimGrid's MPI and prints one line "GRID EXCHANGE NUMBER SECONDS
/// DESCRIPTION" for each. GRID is 1xP for slabs, else the process grid of pencils. EXCHANGE is a
/// value of HFFT_EXCHANGE or, for pencils, blocks. Plans and messages are the library's. Passes do
/// not run, because the arrays of all ranks share the same memory (SMPI's shared malloc).
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <memory>
#include <simgrid/s4u/Actor.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/mpi.h"
#include "hybridfft/pencils.hpp"
#include "plan/arguments.h"
#include "plan/lowering.h"

namespace {

using namespace hybridfft;

/// Simulated seconds between exchanges, enough for all messages to arrive.
constexpr double pause_seconds = 1;

/// Parses "8x16" as `count` numbers.
/// \throws std::invalid_argument for other texts
std::vector<std::ptrdiff_t> numbers(const std::string &text, std::size_t count) {
  std::vector<std::ptrdiff_t> list;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('x', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    const bool digits = !word.empty() && word.size() < 10 &&
                        word.find_first_not_of("0123456789") == std::string::npos;
    list.push_back(digits ? std::stol(word) : 0);
    begin = end + 1;
  }
  if (list.size() != count || *std::min_element(list.begin(), list.end()) < 1)
    throw std::invalid_argument("found '" + text + "', expected " + std::to_string(count) +
                                " positive numbers such as " +
                                (count == 2 ? "8x16" : "256x256x256"));
  return list;
}

/// Returns a complex transform with a transposed spectrum: between slabs for a grid of 1 x P ranks,
/// else between pencils.
plan::Problem problem_of(const std::vector<std::ptrdiff_t> &extents, const std::array<int, 2> &grid,
                         int ranks) {
  if (grid[0] * grid[1] != ranks)
    throw std::invalid_argument("the grid has " + std::to_string(grid[0] * grid[1]) +
                                " ranks, expected " + std::to_string(ranks));
  plan::SlabPair slabs;
  slabs.transposed_out = true;
  plan::Problem p = plan::slab_problem(plan::Kind::c2c, HFFT_FORWARD, extents, {}, 1, slabs, ranks);
  if (grid[0] > 1) {
    const Pencils layouts = pencils(extents, grid, false);
    p.slab_arrays = false;
    p.in = layouts.points;
    p.out = layouts.spectrum;
  }
  p.real_bytes = sizeof(float);
  p.effort = HFFT_ESTIMATE;
  p.pages = Pages::later;
  return p;
}

plan::Choice choice_of(const plan::Problem &p, const std::string &exchange) {
  plan::Choice choice;
  choice.algorithm = exchange::find_algorithm(exchange);
  if (choice.algorithm == nullptr && exchange != "blocks")
    throw std::invalid_argument("found '" + exchange +
                                "', expected blocks or an algorithm of HFFT_EXCHANGE");
  const std::vector<plan::OrderedPath> slabs = plan::slab_paths(p);
  choice.path = std::make_shared<const plan::OrderedPath>(
      slabs.empty() ? plan::OrderedPath{plan::find_path(p, {}), plan::working_orders(p).front()}
                    : slabs.front());
  return choice;
}

/// Returns the simulated seconds from the common start to the end of the last rank.
double seconds_of(exchange::Exchange &exchange, std::byte *send, std::byte *receive) {
  const auto latest = [] {
    double time = MPI_Wtime();
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, &time, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD),
               "MPI_Allreduce");
    return time;
  };
  const double begin = latest() + pause_seconds;
  simgrid::s4u::this_actor::sleep_for(begin - MPI_Wtime());
  exchange.begin();
  exchange.execute(send, receive);
  double end = MPI_Wtime();
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &end, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD),
             "MPI_Allreduce");
  return end - begin;
}

void measure(const plan::Problem &problem, const std::string &grid, const std::string &name) {
  const auto comm = exchange::acquire(MPI_COMM_WORLD);
  const auto plan = plan::build(problem, comm, choice_of(problem, name), true);
  if (!plan || !plan->as_chosen())
    throw std::invalid_argument("the exchange '" + name + "' does not apply to " + grid + " ranks");
  const auto array =
      static_cast<std::size_t>(plan::allocation(problem, comm->rank())) * 2 * sizeof(float);
  const std::size_t bytes = std::max(array, plan->work_size());
  void *const send = SMPI_SHARED_MALLOC(bytes);
  void *const receive = SMPI_SHARED_MALLOC(bytes);
  int number = 0;
  for (const plan::Operation &o : plan->program().operations()) {
    if (o.exchanges.empty()) continue;
    exchange::Exchange *const e = o.exchanges[0].get();
    std::byte *const window = e->window();
    const double seconds =
        seconds_of(*e, window != nullptr ? window : static_cast<std::byte *>(send),
                   window != nullptr ? window : static_cast<std::byte *>(receive));
    if (comm->rank() == 0)
      std::printf("%s %s %d %.9g %s\n", grid.c_str(), name.c_str(), number, seconds,
                  e->describe().c_str());
    ++number;
  }
  SMPI_SHARED_FREE(send);
  SMPI_SHARED_FREE(receive);
}

int run(int argc, char **argv) {
  const int ranks = mpi::size(MPI_COMM_WORLD);
  try {
    if (argc < 4) throw std::invalid_argument("expected EXTENTS GRID EXCHANGE...");
    const auto parts = numbers(argv[2], 2);
    const plan::Problem problem = problem_of(
        numbers(argv[1], 3), {static_cast<int>(parts[0]), static_cast<int>(parts[1])}, ranks);
    for (int i = 3; i < argc; ++i)
      measure(problem, argv[2], argv[i]);
  } catch (const std::exception &error) {
    if (mpi::rank(MPI_COMM_WORLD) == 0)
      std::fprintf(stderr, "hybridfft-simulated-exchanges: %s\n", error.what());
    return 1;
  }
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  const int status = run(argc, argv);
  MPI_Finalize();
  return status;
}
