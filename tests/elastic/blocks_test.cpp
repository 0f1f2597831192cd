// Compares the results of a small problem with those of an independent solver in double precision.
// The problem has all features: a random medium, absorbing layers on all closed sides, a moment
// tensor, a free surface and attenuation. Results for all cuts and exchanges must have the same
// bits as on one rank.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "elastic/elastic_run.h"
#include "io/hdf5.h"
#include "support/variable.h"

namespace hybridfft::elastic {
namespace {

using test::Material;
using test::Waves;

const std::string folder = HFFT_TEST_DATA "/elastic/";

/// The data of the test case, read on all ranks.
struct Case {
  std::map<std::string, std::vector<double>> values;
  Case(MPI_Comm comm) {
    const io::File file = io::File::open(folder + "everything.h5", comm);
    for (const char *name : {"vp", "vs", "rho", "dt", "width", "delay"})
      values[name] = file.read_all<double>(name);
  }
  Material operator()(const Index3 &n, Index i, Index j, Index k) const {
    const auto at = static_cast<std::size_t>((i * n[1] + j) * n[2] + k);
    return {values.at("vp")[at], values.at("vs")[at], values.at("rho")[at]};
  }
};

Problem problem_of(const std::string &variant, const Case &c) {
  Problem p;
  p.cells = {{20, 18, 16}};
  p.h = 1;
  p.dt = c.values.at("dt")[0];
  p.steps = 60;
  p.surface = variant == "closed" ? Surface::none : variant == "fs4" ? Surface::fs4 : Surface::fs2;
  p.sponge = {4, .92};
  if (variant == "q") p.quality = Quality{60, 40, .01, .2, .05};
  return p;
}

template <class Real>
std::unique_ptr<Waves<Real>> run(MPI_Comm comm, const Problem &problem, const Case &c,
                                 const Method &method, std::optional<grid::Cuts> cuts) {
  // A shorter run has a shorter delay, so that the pulse fits into its steps.
  const double delay = c.values.at("delay")[0] * static_cast<double>(problem.steps) / 60;
  const test::Gaussian rate{c.values.at("width")[0], delay};
  auto r = std::make_unique<Waves<Real>>(
      comm, problem, [&](Index i, Index j, Index k) { return c(problem.cells, i, j, k); },
      test::moment(problem, {{9, 8, 7}}, {.3, -.9, .6, .5, -.2, .6}, rate), method, cuts);
  r->advance(problem.steps);
  return r;
}

std::vector<std::string> variants() { return {"fs2", "fs4", "closed", "q"}; }

TEST(ElasticBlocks, AllFeatures_MatchReference) {
  const Case c(hybridfft::test::world());
  for (const std::string &variant : variants()) {
    const Problem problem = problem_of(variant, c);
    const auto r = run<double>(MPI_COMM_SELF, problem, c, {}, std::nullopt);
    const io::File file =
        io::File::open(folder + "everything_" + variant + ".h5", hybridfft::test::world());
    for (int f = 0; f < fields; ++f) {
      const std::string name = field_names[static_cast<std::size_t>(f)];
      const std::vector<double> expected = file.read_all<double>(name);
      double largest = 0, deviation = 0;
      std::size_t n = 0;
      for (Index i = 0; i < problem.cells[0]; ++i)
        for (Index j = 0; j < problem.cells[1]; ++j)
          for (Index k = 0; k < problem.cells[2]; ++k, ++n) {
            largest = std::max(largest, std::abs(expected[n]));
            deviation = std::max(deviation, std::abs(expected[n] - r->at(f, i, j, k)));
          }
      EXPECT_LE(deviation, 1e-11 * largest) << variant << " " << name;
    }
  }
}

/// Returns the number of values of a field whose bits differ from a run on one rank.
template <class Real> Index differences(Waves<Real> &cut, Waves<Real> &whole, int f) {
  return grid::reduce(
      grid::Host{1}, f == vz ? cut->box() : cut->cells(), Index{0},
      [&](Index i, Index j, Index k) {
        const Real a = cut->field(f).view()(i, j, k), b = whole->field(f).view()(i, j, k);
        return std::memcmp(&a, &b, sizeof a) == 0 ? Index{0} : Index{1};
      },
      [](Index a, Index b) { return a + b; });
}

/// Returns cuts of 20 x 18 x (16 + planes above) cells for a number of ranks: even and uneven,
/// along one, two and three axes.
std::vector<grid::Cuts> cuts_for(int ranks, const Problem &p) {
  const Index3 n = p.extents();
  const Index top = p.planes_above();
  std::vector<grid::Cuts> all{grid::even_cuts(n, {{ranks, 1, 1}}),
                              grid::even_cuts(n, {{1, ranks, 1}})};
  if (ranks == 1) return {all[0]};
  if (ranks <= 4) all.push_back(grid::even_cuts(n, {{1, 1, ranks}}));
  if (ranks % 2 == 0)
    all.push_back({std::vector<Index>{3, 17}, grid::even_sizes(n[1], ranks / 2), {n[2]}});
  if (ranks % 4 == 0)
    all.push_back({grid::even_sizes(n[0], ranks / 4), std::vector<Index>{13, 5},
                   std::vector<Index>{4 + top, 12}});
  return all;
}

constexpr std::int64_t few_steps = 12; ///< enough for waves to cross a block and its ghosts

template <class Real> void expect_the_same_bits(const std::vector<std::string> &variants) {
  const MPI_Comm comm = hybridfft::test::world();
  const Case c(comm);
  const int ranks = hybridfft::test::size_of(comm);
  for (const std::string &variant : variants) {
    Problem problem = problem_of(variant, c);
    problem.steps = few_steps;
    const auto whole = run<Real>(MPI_COMM_SELF, problem, c, {}, std::nullopt);
    int turn = 0;
    for (const grid::Cuts &cuts : cuts_for(ranks, problem))
      for (const GhostExchange exchange :
           {GhostExchange::each, GhostExchange::wide, GhostExchange::least}) {
        // Schedules, numbers of threads and sweeps alternate between runs.
        const auto schedule =
            turn % 2 == 0 ? grid::Schedule::all_at_once : grid::Schedule::in_order;
        Method method{exchange, schedule, 1 + turn % 3};
        if (turn / 2 % 2 == 0) method.sweeps = Sweeps::fused;
        const auto cut = run<Real>(comm, problem, c, method, cuts);
        ++turn;
        Index found = 0;
        for (int f = 0; f < fields; ++f)
          found += differences(*cut, *whole, f);
        EXPECT_EQ(found, 0) << variant << ", exchange " << static_cast<int>(exchange) << ", "
                            << cuts[0].size() << " x " << cuts[1].size() << " x " << cuts[2].size();
      }
  }
}

TEST(ElasticBlocks, AllCutsInDouble_SameBits) { expect_the_same_bits<double>(variants()); }
TEST(ElasticBlocks, AllCutsInSingle_SameBits) { expect_the_same_bits<float>({"q"}); }

/// Compares the kernels on the emulated device with the host. The device delays its work by random
/// times, and its memory is hidden from the host. Threads of the host flush denormal numbers, so
/// float has a tolerance.
template <class Real> void expect_the_same_on_a_device(const std::string &variant) {
  const MPI_Comm comm = hybridfft::test::world();
  const hybridfft::test::Variable gpu("HFFT_GPU",
                                      hybridfft::test::gpu_or("emulated:memory=128,delays=7"));
  const Case c(comm);
  Problem problem = problem_of(variant, c);
  problem.steps = few_steps;
  const auto whole = run<Real>(MPI_COMM_SELF, problem, c, {}, std::nullopt);
  const grid::Cuts cuts = cuts_for(hybridfft::test::size_of(comm), problem).back();
  const grid::Device device = grid::Device::open(grid::Communicator(comm));
  for (const GhostExchange exchange :
       {GhostExchange::each, GhostExchange::wide, GhostExchange::least}) {
    Method method{.exchange = exchange, .device = device};
    if (exchange == GhostExchange::wide) method.schedule = grid::Schedule::in_order;
    const auto cut = run<Real>(comm, problem, c, method, cuts);
    for (int f = 0; f < fields; ++f) {
      const grid::View<Real> a = (*cut)->on_host((*cut)->field(f)).view();
      const grid::View<Real> b = (*whole)->field(f).view();
      double largest = 0, deviation = 0;
      const grid::Box box = f == vz ? (*cut)->box() : (*cut)->cells();
      for (Index i = box.lo[0]; i < box.hi[0]; ++i)
        for (Index j = box.lo[1]; j < box.hi[1]; ++j)
          for (Index k = box.lo[2]; k < box.hi[2]; ++k) {
            largest = std::max(largest, std::abs(static_cast<double>(b(i, j, k))));
            deviation = std::max(deviation, std::abs(static_cast<double>(a(i, j, k)) -
                                                     static_cast<double>(b(i, j, k))));
          }
      largest = cut->comm().max(largest);
      EXPECT_LE(deviation, (sizeof(Real) == 8 ? 1e-300 : 1e-7) * largest)
          << variant << " field " << f << ", exchange " << static_cast<int>(exchange);
    }
  }
}

TEST(ElasticBlocks, Device_MatchesHost) {
  expect_the_same_on_a_device<double>("fs2");
  expect_the_same_on_a_device<double>("q");
  expect_the_same_on_a_device<float>("fs4");
}

/// Compares every kind of exchange between `parts` blocks with one rank.
void expect_the_same_bits(const Problem &problem, const Case &c, const Index3 &parts) {
  const auto whole = run<float>(MPI_COMM_SELF, problem, c, {}, std::nullopt);
  for (const GhostExchange exchange :
       {GhostExchange::each, GhostExchange::wide, GhostExchange::least}) {
    const auto cut = run<float>(hybridfft::test::world(), problem, c,
                                {.exchange = exchange, .schedule = grid::Schedule::in_order},
                                grid::even_cuts(problem.extents(), parts));
    for (int f = 0; f < fields; ++f)
      EXPECT_EQ(differences(*cut, *whole, f), 0) << static_cast<int>(exchange) << " field " << f;
  }
}

/// x and y are periodic, so ghosts wrap around. Some blocks are thinner than their ghosts.
TEST(ElasticBlocks, PeriodicAxes_SameBits) {
  const MPI_Comm comm = hybridfft::test::world();
  const Case c(comm);
  Problem problem = problem_of("q", c);
  problem.periodic = {true, true, false};
  problem.steps = few_steps;
  expect_the_same_bits(problem, c, {{1, hybridfft::test::size_of(comm), 1}});
}

/// Odd and even cells have different mechanisms. On periodic axes with an odd number of cells, the
/// ghosts beyond an end have the mechanisms of the cells at the opposite end.
TEST(ElasticBlocks, OddPeriodicAxes_SameBits) {
  const MPI_Comm comm = hybridfft::test::world();
  const Case c(comm);
  Problem problem = problem_of("q", c);
  problem.surface = Surface::none;
  problem.cells = {{20, 17, 15}};
  problem.periodic = {false, true, true};
  problem.steps = few_steps;
  const int ranks = hybridfft::test::size_of(comm);
  expect_the_same_bits(problem, c, {{1, 1, ranks}});
  expect_the_same_bits(problem, c, {{1, ranks, 1}});
}

} // namespace
} // namespace hybridfft::elastic
