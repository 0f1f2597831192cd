// What the model of costs decides, where there is no doubt.
#include "plan/cost_model.h"

#include <gtest/gtest.h>

#include <set>

#include "plan/candidates.h"
#include "plan/slab_problem.h"

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
  return Candidates(p, 8, machine(threads), ranks, overrides).first().front();
}

TEST(CostModel, TinyProblemsTakeOneThread) {
  EXPECT_EQ(best({8, 8, 8}, 8, 1).threads, 1);
  EXPECT_EQ(best({8, 8, 8}, 8, 4).threads, 1);
  EXPECT_EQ(best({256, 256, 256}, 8, 1).threads, 0);
  EXPECT_EQ(best({256, 256, 256}, 8, 4).threads, 0);
  EXPECT_EQ(best({8, 8, 8}, 8, 1, {nullptr, true}).threads, 0) << "HFFT_THREADS=all";
}

TEST(CostModel, FewPlanesAreSplit) {
  EXPECT_TRUE(best({2, 512, 512}, 8, 1).split_planes);
  EXPECT_FALSE(best({512, 128, 128}, 8, 1).split_planes);
}

TEST(CostModel, LargerProblemsAndFewerThreadsCostMore) {
  const Choice c = best({64, 64, 64}, 1, 2);
  const auto seconds = [&](const std::vector<std::ptrdiff_t> &n, int threads, int ranks,
                           Kind kind = Kind::c2c) {
    return CostModel(problem(n, ranks, kind), 8, machine(threads), ranks).seconds(c);
  };
  EXPECT_GT(seconds({128, 64, 64}, 1, 2), 1.9 * seconds({64, 64, 64}, 1, 2));
  EXPECT_GT(seconds({256, 256, 256}, 1, 2), seconds({256, 256, 256}, 4, 2));
  EXPECT_GT(seconds({256, 256, 256}, 1, 2), seconds({256, 256, 256}, 1, 4));
  EXPECT_GT(seconds({64, 64, 64}, 1, 2), seconds({64, 64, 64}, 1, 2, Kind::r2c));
}

TEST(CostModel, FftwTransposesOnlyWhereItIsMeasured) {
  for (const std::ptrdiff_t n : {4, 64, 512})
    EXPECT_NE(best({n, n, n}, 1, 4).algorithm->name, std::string("fftw"));
}

TEST(Candidates, EqualPlansAreEqualChoices) {
  // One rank has no exchange, one thread no fewer: few choices are left of the product.
  const Problem one = problem({64, 64, 64}, 1);
  const Problem four = problem({64, 64, 64}, 4);
  const Candidates alone(one, 8, machine(1), 1, {});
  const Candidates many(four, 8, machine(4), 4, {});
  const auto count = [](const Candidates &candidates) {
    std::set<std::string> choices;
    candidates.for_all([&](const Choice &c) {
      if (candidates.admit(candidates.canonical(c)))
        choices.insert(serialize(candidates.canonical(c)));
    });
    return choices.size();
  };
  const auto algorithms = exchange::algorithms().size();
  const auto whole = std::size_t{1};
  EXPECT_EQ(count(many), (count(alone) - whole) * 2 * algorithms);
  EXPECT_GT(count(alone), whole + 1);
}

TEST(Candidates, PrescribedAlgorithmsAreTheOnlyOnes) {
  const Problem p = problem({64, 64, 64}, 3);
  for (const exchange::Algorithm &a : exchange::algorithms()) {
    const Candidates candidates(p, 8, machine(2), 3, {&a, false});
    for (const Choice &c : candidates.first())
      EXPECT_EQ(c.algorithm, &a);
  }
}

TEST(Candidates, DeterministicOnesDifferOnlyInHowDataMove) {
  for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r})
    for (const auto &n : std::vector<std::vector<std::ptrdiff_t>>{
             {64, 64, 64}, {17, 64, 64}, {64, 17, 64}, {64, 64, 17}, {6, 8}, {4, 4, 4, 4}}) {
      std::set<std::string> arithmetic;
      for (const int ranks : {1, 2, 5}) {
        Problem p = problem(n, ranks, kind);
        p.deterministic = true;
        for (const int threads : {1, 3, 64}) {
          const Candidates candidates(p, 8, machine(threads), ranks, {});
          candidates.for_all([&](const Choice &given) {
            Choice c = candidates.canonical(given);
            if (!candidates.admit(c)) return;
            c.algorithm = nullptr;
            c.threads = 0;
            arithmetic.insert(serialize(c));
          });
        }
      }
      EXPECT_EQ(arithmetic.size(), 1U);
    }
}

} // namespace
