// Tests decisions of the cost model that must be clear.
#include "plan/candidates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/fftw.h"
#include "base/machine_parameters.h"
#include "plan/arguments.h"
#include "plan/lowering.h"

namespace {

using namespace hybridfft;
using namespace hybridfft::plan;

Machine machine(int threads) {
  Machine m;
  m.small_tile = 32 << 10;
  m.large_tile = 256 << 10;
  m.cores = threads;
  m.threads = threads;
  return m;
}

Problem problem(const std::vector<std::ptrdiff_t> &n, int ranks, Kind kind = Kind::c2c) {
  return slab_problem(kind, kind == Kind::c2r ? HFFT_BACKWARD : HFFT_FORWARD, n, {}, 1, {}, ranks);
}

Choice best(const std::vector<std::ptrdiff_t> &n, int threads, int ranks,
            const Overrides &overrides = {}) {
  const Problem p = problem(n, ranks);
  Machine m = machine(threads);
  m.overrides = overrides;
  return Candidates(p, m).first().front();
}

/// Returns the cost of a choice for problem p. The choice may come from another problem, so it gets
/// a path of p.
double seconds_of(Choice choice, const Problem &p, const Machine &m) {
  choice.path = std::make_shared<const OrderedPath>(slab_paths(p).front());
  return CostModel(p, m).seconds(choice);
}

/// The default parameters must not change by accident, because they determine HFFT_ESTIMATE's
/// choices. They are unchanged since estimates were first compared with measurements.
TEST(CostModel, DefaultsOfTheMachine) {
  const MachineParameters m;
  EXPECT_EQ(m.core_bandwidth, 12e9);
  EXPECT_EQ(m.node_bandwidth, 80e9);
  EXPECT_EQ(m.cache_bandwidth, 40e9);
  EXPECT_EQ(m.fftw_rate, 6e9);
  EXPECT_EQ(m.simd_rate, 20e9);
  EXPECT_EQ(m.region_seconds, 10e-6);
  EXPECT_EQ(m.call_seconds, 0.3e-6);
  EXPECT_EQ(m.near_latency, 1e-6);
  EXPECT_EQ(m.far_latency, 3e-6);
  EXPECT_EQ(m.network_bandwidth, 5e9);
}

/// Each parameter has an effect: a much worse value increases the cost of plans that depend on it.
TEST(CostModel, ParametersOfTheMachine) {
  const Choice slab = best({64, 64, 64}, 1, 4);
  const auto seconds = [&](const std::vector<std::ptrdiff_t> &n, auto change) {
    Machine m = machine(4);
    m.threads = 2;
    change(m.parameters);
    return seconds_of(slab, problem(n, 4), m);
  };
  const std::vector<std::ptrdiff_t> large{256, 256, 256}, small{8, 8, 8};
  const auto as_is = [](MachineParameters &) {};
  const auto ratio = [&](const auto &n, auto change) {
    return seconds(n, change) / seconds(n, as_is);
  };
  EXPECT_GT(ratio(large, [](auto &m) { m.network_bandwidth /= 100; }), 20)
      << "four nodes: the wire";
  EXPECT_GT(ratio(large, [](auto &m) { m.core_bandwidth /= 10; }), 2) << "memory";
  EXPECT_GT(ratio(large, [](auto &m) { m.node_bandwidth /= 100; }), 2) << "memory of all cores";
  EXPECT_GT(ratio(large, [](auto &m) { m.simd_rate = m.fftw_rate = 1e8; }), 10) << "flops";
  EXPECT_GT(ratio(small, [](auto &m) { m.far_latency *= 100; }), 20) << "messages";
  EXPECT_GT(ratio(small, [](auto &m) { m.region_seconds *= 100; }), 5) << "parallel regions";
  EXPECT_GT(ratio(small, [](auto &m) { m.call_seconds *= 1000; }), 5) << "calls";
  EXPECT_GT(ratio(small, [](auto &m) { m.cache_bandwidth /= 1e5; }), 5) << "caches";
}

/// If nothing else takes time, plans take the time of the formulas in base/machine_parameters.h.
TEST(CostModel, FormulasOfTheMachine) {
  constexpr double fast = 1e30;
  const std::vector<std::ptrdiff_t> n{64, 64, 64};
  constexpr double bytes = 64 * 64 * 64 * 16;
  Machine m = machine(1);
  MachineParameters &p = m.parameters;
  p.region_seconds = p.call_seconds = 0;
  p.simd_rate = p.fftw_rate = p.core_bandwidth = p.node_bandwidth = p.cache_bandwidth = fast;
  m.ranks_per_node = 2;
  Choice c = best(n, 1, 8);
  c.store = simd::Store::streamed;
  const Problem eight = problem(n, 8);
  for (const char *name : {"alltoallv", "pairwise"})
    for (const double latency : {1e-6, 1e-3}) {
      p.far_latency = latency;
      c.algorithm = exchange::find_algorithm(name);
      const double seconds = CostModel(eight, m).seconds(c);
      // One exchange forward and one backward.
      EXPECT_NEAR(seconds / 2 /
                      all_to_all_seconds(p, {1, 2}, 8, bytes / 8, c.algorithm->cost.in_flight),
                  1, 1e-9)
          << name << " " << latency;
    }
  p.core_bandwidth = 1e9;
  m.ranks_per_node = 1;
  const Problem one = problem(n, 1);
  const CostModel model(one, m);
  if (!model.simd_planes(c) || !model.simd_columns(c))
    return; // FFTW's kernels have no streamed stores
  EXPECT_NEAR(model.seconds(c) / 2 / pass_seconds(p, {1, 1}, bytes, 0), 1, 1e-9);
}

TEST(CostModel, TinyProblemsTakeOneThread) {
  EXPECT_EQ(best({8, 8, 8}, 8, 1).threads, 1);
  EXPECT_EQ(best({8, 8, 8}, 8, 4).threads, 1);
  EXPECT_EQ(best({256, 256, 256}, 8, 1).threads, 0);
  EXPECT_EQ(best({256, 256, 256}, 8, 4).threads, 0);
  EXPECT_EQ(best({8, 8, 8}, 8, 1, {nullptr, true}).threads, 0) << "HFFT_THREADS=all";
}

TEST(CostModel, FewPlanesAreSplit) {
  EXPECT_EQ(best({2, 512, 512}, 8, 1).passes, Passes::split);
  EXPECT_NE(best({512, 128, 128}, 8, 1).passes, Passes::split);
}

TEST(CostModel, LargerProblemsAndFewerThreadsCostMore) {
  const Choice c = best({64, 64, 64}, 1, 2);
  const auto seconds = [&](const std::vector<std::ptrdiff_t> &n, int threads, int ranks,
                           Kind kind = Kind::c2c) {
    return seconds_of(c, problem(n, ranks, kind), machine(threads));
  };
  EXPECT_GT(seconds({128, 64, 64}, 1, 2), 1.9 * seconds({64, 64, 64}, 1, 2));
  EXPECT_GT(seconds({256, 256, 256}, 1, 2), seconds({256, 256, 256}, 4, 2));
  EXPECT_GT(seconds({256, 256, 256}, 1, 2), seconds({256, 256, 256}, 1, 4));
  EXPECT_GT(seconds({64, 64, 64}, 1, 2), seconds({64, 64, 64}, 1, 2, Kind::r2c));
}

TEST(CostModel, Estimate_DoesNotChooseFftwsTranspose) {
  for (const std::ptrdiff_t n : {4, 64, 512})
    EXPECT_NE(best({n, n, n}, 1, 4).algorithm->name, std::string("fftw"));
}

Problem between(const Layout &in, const Layout &out, unsigned effort) {
  Problem p;
  p.axes = {0, 1, 2};
  p.in = in;
  p.out = out;
  check(p, in.ranks());
  p.effort = effort;
  return p;
}

/// If only calls of kernels take time, one second each, the cost is the number of passes.
TEST(CostModel, PathsArePricedAsTheyAreRun) {
  const Layout bricks = Layout::grid(Extents{32, 32, 32}, std::vector<int>{2, 2, 2});
  const Problem p = between(bricks, bricks, HFFT_ESTIMATE);
  Machine m = machine(1);
  m.isa = simd::active();
  m.ranks_per_node = 8;
  m.parameters.call_seconds = 1;
  const CostModel model(p, m);
  std::set<double> prices;
  for (const Path &path : find_paths(p)) {
    Choice c = along({path, working_orders(p).front()});
    c.messages = MessageForm::shared;
    Problem one = p;
    one.isa = m.isa;
    Steps steps = lower_path(one, c, 0);
    fuse_planes(steps, one, c);
    const auto passes = static_cast<double>(
        std::count_if(steps.begin(), steps.end(), [](const Step &s) { return !s.is_exchange(); }));
    EXPECT_NEAR(model.seconds(c), passes, 0.1) << describe(path);
    prices.insert(passes);
  }
  EXPECT_GT(prices.size(), 1U);
}

TEST(Candidates, Measuring_StartsWithTheEstimatedChoice) {
  const Extents n{64, 48, 80};
  const Layout bricks = Layout::grid(n, std::vector<int>{2, 2, 2});
  const Layout pencils = Layout::grid(n, std::vector<int>{4, 2, 1});
  const Layout slabs = Layout::grid(n, std::vector<int>{1, 1, 8});
  for (const int per_node : {8, 2})
    for (const Layout *in : {&bricks, &pencils, &slabs})
      for (const Layout *out : {&bricks, &pencils, &slabs}) {
        Machine m = machine(2);
        m.ranks_per_node = per_node;
        std::set<std::string> texts;
        for (const unsigned effort : {FFTW_ESTIMATE, FFTW_MEASURE, FFTW_PATIENT}) {
          const Problem p = between(*in, *out, effort);
          texts.insert(serialize(Candidates(p, m).first().front()));
        }
        EXPECT_EQ(texts.size(), 1U);
      }
}

TEST(Candidates, LargeArraysInPlaceHaveNoSecondOne) {
  const auto alone = [](const Problem &p, const exchange::Algorithm *named = nullptr) {
    Machine m = machine(1);
    m.overrides.algorithm = named;
    const Candidates candidates(p, m);
    bool all = true;
    for (const Choice &c : candidates.first())
      all = all && c.algorithm->in_place;
    return all && !candidates.first().empty();
  };
  Problem large = problem({256, 256, 256}, 4);
  EXPECT_FALSE(alone(large));
  large.in_place = true;
  EXPECT_TRUE(alone(large));
  EXPECT_FALSE(alone(large, exchange::find_algorithm("shared")));
  Problem fastest = large;
  fastest.effort = FFTW_PATIENT;
  EXPECT_FALSE(alone(fastest));
  for (const std::vector<std::ptrdiff_t> &n :
       {std::vector<std::ptrdiff_t>{64, 64, 64}, {256, 260, 256}, {257, 257, 257}}) {
    Problem other = problem(n, 4);
    other.in_place = true;
    EXPECT_FALSE(alone(other)) << n[0] << "x" << n[1];
  }
}

TEST(Candidates, EqualPlansAreEqualChoices) {
  // With one rank and one thread, choices that differ only in their exchange or their number of
  // threads are equal, so fewer choices remain.
  const Problem one = problem({64, 64, 64}, 1);
  const Problem four = problem({64, 64, 64}, 4);
  const Candidates alone(one, machine(1));
  const Candidates many(four, machine(4));
  const auto count = [](const Candidates &candidates) {
    std::set<std::string> choices;
    candidates.for_all([&](const Choice &c) {
      if (candidates.admit(candidates.canonical(c)))
        choices.insert(serialize(candidates.canonical(c)));
    });
    return choices.size();
  };
  std::size_t algorithms = 0;
  for (const exchange::Algorithm &a : exchange::algorithms())
    algorithms += a.in_place ? 0 : 1;
  const auto whole = std::size_t{1};
  EXPECT_EQ(count(many), (count(alone) - whole) * 2 * algorithms);
  EXPECT_GT(count(alone), whole + 1);
}

TEST(Candidates, PrescribedAlgorithmsAreTheOnlyOnes) {
  const Problem p = problem({64, 64, 64}, 3);
  for (const exchange::Algorithm &a : exchange::algorithms()) {
    Machine m = machine(2);
    m.overrides.algorithm = &a;
    const Candidates candidates(p, m);
    for (const Choice &c : candidates.first())
      EXPECT_EQ(c.algorithm, &a);
  }
}

TEST(Candidates, DeterministicOnesDifferOnlyInHowDataMove) {
  const auto nowhere = std::make_shared<const OrderedPath>();
  for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r})
    for (const auto &n : std::vector<std::vector<std::ptrdiff_t>>{
             {64, 64, 64}, {17, 64, 64}, {64, 17, 64}, {64, 64, 17}, {6, 8}, {4, 4, 4, 4}}) {
      std::set<std::string> arithmetic;
      for (const int ranks : {1, 2, 5}) {
        Problem p = problem(n, ranks, kind);
        p.deterministic = true;
        for (const int threads : {1, 3, 64}) {
          const Candidates candidates(p, machine(threads));
          candidates.for_all([&](const Choice &given) {
            Choice c = candidates.canonical(given);
            if (!candidates.admit(c)) return;
            c.algorithm = nullptr;
            c.threads = 0;
            const bool planes_last = c.path->path.back().planes;
            c.path = nowhere;
            c.messages = MessageForm::whole;
            arithmetic.insert(serialize(c) + (planes_last ? " planes last" : ""));
          });
        }
      }
      EXPECT_EQ(arithmetic.size(), 1U);
    }
}

} // namespace
