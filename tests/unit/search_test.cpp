// Tests the plan search with simulated times: its executions and results.
#include "plan/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "base/fftw.h"
#include "plan/arguments.h"

namespace {

using namespace hybridfft;
using namespace hybridfft::plan;

Machine machine(int ranks_per_node, int threads) {
  Machine m;
  m.small_tile = 32 << 10;
  m.large_tile = 256 << 10;
  m.cores = m.threads = threads;
  m.ranks_per_node = ranks_per_node;
  return m;
}

/// Choices for c2c in single precision on four ranks, on one node or on four nodes.
struct Case {
  explicit Case(int ranks_per_node, std::ptrdiff_t n = 256, int threads = 1)
      : problem(slab_problem(Kind::c2c, HFFT_FORWARD, {n, n, n}, {}, 1, {}, 4)),
        candidates(measured(problem), machine(ranks_per_node, threads)),
        first(candidates.first().front()), several_nodes(ranks_per_node < 4) {}
  static const Problem &measured(Problem &p) {
    p.effort = FFTW_MEASURE;
    p.real_bytes = sizeof(float);
    return p;
  }
  Problem problem;
  Candidates candidates;
  Choice first; ///< the model's choice
  bool several_nodes;
};

/// Simulates executions that take `seconds`, and sometimes longer.
class FakeTrial final : public Trial {
public:
  std::function<double(const Choice &)> seconds;
  double noise = 0;    ///< maximum addition, as a multiple of the time
  double left = 1e300; ///< remaining seconds for planning
  std::mt19937 random{1};
  std::vector<Choice> prepared;
  std::map<std::string, int> executed; ///< number of executions by choice
  int executions = 0;
  double spent = 0;

  bool prepare(const Choice &c, bool /*estimate*/) override {
    prepared.push_back(c);
    return true;
  }
  double run() override {
    // Half of the executions are disturbed, some of them strongly.
    const double u = std::uniform_real_distribution<double>(-1, 1)(random);
    const double t = seconds(prepared.back()) * (1 + noise * std::max(u, 0.0) * std::max(u, 0.0));
    ++executions;
    ++executed[serialize(prepared.back())];
    spent += t;
    return t;
  }
  double seconds_left() override { return left - spent; }

private:
  void agree_on(const std::function<void()> &f) override { f(); }
};

Choice found(const Case &c, FakeTrial &trial, unsigned effort = FFTW_MEASURE) {
  const std::vector<Choice> first = c.candidates.first();
  Search search(c.candidates, first, SearchLimits::of(effort, c.several_nodes), trial);
  EXPECT_TRUE(search.run());
  EXPECT_EQ(search.executions(), trial.executions);
  return search.best();
}

TEST(Search, TheModelGoesFirstAndFewChoicesNearItAreTimedBetweenNodes) {
  for (const double time : {1e-5, 1e-3, 0.2}) {
    const Case c(1);
    const double near = 1.2 * c.candidates.model().seconds(c.first);
    FakeTrial trial;
    trial.noise = 0.3;
    trial.seconds = [time](const Choice &) { return time; };
    found(c, trial);
    EXPECT_TRUE(trial.prepared.front() == c.first);
    EXPECT_LE(trial.executions, 20) << time;
    for (const Choice &other : c.candidates.first()) // one choice for each exchange
      EXPECT_EQ(trial.executed.count(serialize(other)),
                c.candidates.model().seconds(other) <= near ? 1U : 0U)
          << serialize(other);
    for (const Choice &other : trial.prepared)
      EXPECT_LE(c.candidates.model().seconds(other), near) << serialize(other);
  }
}

TEST(Search, SlowChoicesAreNoReasonToExecuteMore) {
  const Case c(1);
  FakeTrial trial;
  trial.seconds = [&](const Choice &other) { return other == c.first ? 0.2 : 2; };
  EXPECT_TRUE(found(c, trial) == c.first);
  EXPECT_LE(trial.spent, 20 * 0.2 + 2);
}

TEST(Search, OnANodeLongExecutionsAreFewAndShortOnesTakeLittleTime) {
  const Case c(4, 512);
  for (const double time : {0.15, 0.25, 0.6, 6.0}) {
    FakeTrial trial;
    trial.seconds = [time](const Choice &) { return time; };
    found(c, trial);
    EXPECT_LE(trial.executions, 20) << time;
    EXPECT_LE(trial.spent, std::max(4.0, 10 * time)) << time;
    EXPECT_GE(trial.executions, 5) << time;
  }
  const Case small(4, 64);
  FakeTrial of_small;
  of_small.seconds = [](const Choice &) { return 1e-4; };
  found(small, of_small);
  EXPECT_LE(of_small.spent, 0.03);
}

/// Calls f(c, trial, time) for searches on one node and on several, with short and long executions,
/// each with noise from 50 seeds.
template <class F> void for_each_noise(double noise, const F &f) {
  for (const int per_node : {1, 4})
    for (const double time : {1e-4, 20e-3, 0.3})
      for (unsigned seed = 0; seed < 50; ++seed) {
        SCOPED_TRACE(testing::Message() << per_node << " ranks per node, " << time << " s");
        const Case c(per_node);
        FakeTrial trial;
        trial.random.seed(seed);
        trial.noise = noise;
        f(c, trial, time);
      }
}

TEST(Search, NoiseDoesNotChooseBetweenEquals) {
  for_each_noise(0.25, [](const Case &c, FakeTrial &trial, double time) {
    trial.seconds = [time](const Choice &) { return time; };
    EXPECT_EQ(serialize(found(c, trial)), serialize(c.first));
  });
}

TEST(Search, AClearlyBetterChoiceIsFound) {
  for_each_noise(0.1, [](const Case &c, FakeTrial &trial, double time) {
    trial.seconds = [&](const Choice &other) {
      return (other.path == c.first.path ? 1 : 0.7) * time;
    };
    EXPECT_NE(found(c, trial).path, c.first.path);
  });
}

TEST(Search, TheTimeForPlanningEndsIt) {
  const Case c(4);
  FakeTrial trial;
  trial.seconds = [](const Choice &) { return 0.3; };
  trial.left = 2;
  const std::vector<Choice> first = c.candidates.first();
  Search search(c.candidates, first, SearchLimits::of(FFTW_PATIENT, false), trial);
  EXPECT_TRUE(search.run());
  EXPECT_TRUE(search.cut_short());
  EXPECT_LE(trial.spent, 2);
  trial.left = 0;
  Search nothing(c.candidates, first, SearchLimits::of(FFTW_PATIENT, false), trial);
  EXPECT_FALSE(nothing.run());
}

TEST(Search, ExhaustiveOnesTryAllChoices) {
  const Case c(4, 16);
  FakeTrial trial;
  trial.seconds = [](const Choice &) { return 1e-3; };
  found(c, trial, FFTW_EXHAUSTIVE);
  c.candidates.for_all([&](const Choice &given) {
    const Choice choice = c.candidates.canonical(given);
    EXPECT_EQ(trial.executed.count(serialize(choice)), c.candidates.admit(choice) ? 1U : 0U);
  });
}

} // namespace
