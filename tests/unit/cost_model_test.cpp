// What the model of costs decides, where there is no doubt.
#include "plan/cost_model.h"

#include <gtest/gtest.h>

#include <set>

#include "plan/candidates.h"
#include "plan/choice.h"

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

Problem problem(std::vector<std::ptrdiff_t> n, Kind kind = Kind::c2c) {
  Problem p;
  p.kind = kind;
  p.extents = std::move(n);
  return p;
}

Choice best(const Problem &p, int threads, int ranks, const Prescriptions &prescriptions = {}) {
  return Candidates(p, 8, machine(threads), ranks, prescriptions).best_by_algorithm().front();
}

TEST(CostModel, TinyProblemsTakeOneThread) {
  EXPECT_EQ(best(problem({8, 8, 8}), 8, 1).threads, 1);
  EXPECT_EQ(best(problem({8, 8, 8}), 8, 4).threads, 1);
  EXPECT_EQ(best(problem({256, 256, 256}), 8, 1).threads, 0);
  EXPECT_EQ(best(problem({256, 256, 256}), 8, 4).threads, 0);
  EXPECT_EQ(best(problem({8, 8, 8}), 8, 1, {nullptr, true}).threads, 0) << "HFFT_THREADS=all";
}

TEST(CostModel, FewPlanesAreSplit) {
  EXPECT_TRUE(best(problem({2, 512, 512}), 8, 1).split_planes);
  EXPECT_FALSE(best(problem({512, 128, 128}), 8, 1).split_planes);
}

TEST(CostModel, LargerProblemsAndFewerThreadsCostMore) {
  const Choice c = best(problem({64, 64, 64}), 1, 2);
  const auto seconds = [&](const Problem &p, int threads, int ranks) {
    return CostModel(p, 8, machine(threads), ranks).seconds(c);
  };
  EXPECT_GT(seconds(problem({128, 64, 64}), 1, 2), 1.9 * seconds(problem({64, 64, 64}), 1, 2));
  EXPECT_GT(seconds(problem({256, 256, 256}), 1, 2), seconds(problem({256, 256, 256}), 4, 2));
  EXPECT_GT(seconds(problem({256, 256, 256}), 1, 2), seconds(problem({256, 256, 256}), 1, 4));
  EXPECT_GT(seconds(problem({64, 64, 64}), 1, 2), seconds(problem({64, 64, 64}, Kind::r2c), 1, 2));
}

TEST(CostModel, FftwTransposesOnlyWhereItIsMeasured) {
  for (const std::ptrdiff_t n : {4, 64, 512})
    EXPECT_NE(best(problem({n, n, n}), 1, 4).algorithm->name, std::string("fftw"));
}

TEST(Candidates, EqualPlansAreEqualChoices) {
  // One rank has no exchange, one thread no fewer: few choices are left of the product.
  const Problem p = problem({64, 64, 64});
  const Candidates alone(p, 8, machine(1), 1, {});
  const Candidates many(p, 8, machine(4), 4, {});
  const auto count = [](const Candidates &candidates) {
    std::set<std::string> choices;
    candidates.for_all([&](const Choice &c) {
      if (candidates.admit(candidates.canonical(c)))
        choices.insert(to_words(candidates.canonical(c)));
    });
    return choices.size();
  };
  const auto algorithms = exchange::algorithms().size();
  const auto whole = std::size_t{1};
  EXPECT_EQ(count(many), (count(alone) - whole) * 2 * algorithms);
  EXPECT_GT(count(alone), whole + 1);
}

TEST(Candidates, PrescribedAlgorithmsAreTheOnlyOnes) {
  const Problem p = problem({64, 64, 64});
  for (const exchange::Algorithm &a : exchange::algorithms()) {
    const Candidates candidates(p, 8, machine(2), 3, {&a, false});
    for (const Choice &c : candidates.best_by_algorithm())
      EXPECT_EQ(c.algorithm, &a);
  }
}

TEST(Candidates, DeterministicOnesDifferOnlyInHowDataMove) {
  for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r})
    for (const auto &n : std::vector<std::vector<std::ptrdiff_t>>{
             {64, 64, 64}, {17, 64, 64}, {64, 17, 64}, {64, 64, 17}, {6, 8}, {4, 4, 4, 4}}) {
      Problem p = problem(n, kind);
      p.deterministic = true;
      std::set<std::string> arithmetic;
      for (const int ranks : {1, 2, 5})
        for (const int threads : {1, 3, 64}) {
          const Candidates candidates(p, 8, machine(threads), ranks, {});
          candidates.for_all([&](const Choice &given) {
            Choice c = candidates.canonical(given);
            if (!candidates.admit(c)) return;
            c.algorithm = nullptr;
            c.threads = 0;
            arithmetic.insert(to_words(c));
          });
        }
      EXPECT_EQ(arithmetic.size(), 1U);
    }
}

} // namespace
