// Tests the warnings of hybridfft-info about bound ranks and idle cores, for imaginary machines.
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "support/processor_use.h"

namespace {

using namespace hybridfft::tools;

std::vector<int> cpus(int first, int count) {
  std::vector<int> list(static_cast<std::size_t>(count));
  std::iota(list.begin(), list.end(), first);
  return list;
}

/// Returns the processors of a machine, numbered as by Linux: hardware thread t of core c is
/// processor t * cores + c.
std::vector<Processor> machine(int cores, int threads_per_core = 1) {
  std::vector<Processor> list;
  for (int cpu = 0; cpu < cores * threads_per_core; ++cpu)
    list.push_back({cpu, cpu % cores});
  return list;
}

constexpr Start by_default{false, true};
constexpr Start chosen{true, true};

void expect(const ProcessorUse &use, bool wrong, const std::string &text) {
  EXPECT_EQ(use.text, text);
  EXPECT_EQ(use.wrong, wrong) << text;
}

TEST(ProcessorUse, WholeMachine_NoWarning) {
  const std::vector<RankPlace> bound{{"a", 4, cpus(0, 4), machine(8)},
                                     {"a", 4, cpus(4, 4), machine(8)}};
  expect(judge_processor_use(bound, by_default), false, "2 ranks x 4 threads on 8 of 8 cores");
  const std::vector<RankPlace> free{{"a", 4, cpus(0, 8), machine(8)},
                                    {"a", 4, cpus(0, 8), machine(8)}};
  expect(judge_processor_use(free, chosen), false, "2 ranks x 4 threads on 8 of 8 cores");
}

TEST(ProcessorUse, OneRankBoundToOneCore_IsWarnedOf) {
  // mpirun -np 1 binds the rank to one core, and OpenMP then starts one thread.
  const std::vector<RankPlace> ranks{{"a", 1, {0}, machine(2)}};
  expect(judge_processor_use(ranks, by_default), true,
         "1 rank x 1 thread on 1 of 2 cores; 1 core idles as the ranks are bound to others; free "
         "them: mpirun --bind-to none");
  // There is no warning if the user has chosen one thread.
  expect(judge_processor_use(ranks, chosen), false,
         "1 rank x 1 thread on 1 of 2 cores; 1 core idles as the ranks are bound to others; free "
         "them: mpirun --bind-to none");
  expect(judge_processor_use(ranks, {false, false}), true,
         "1 rank x 1 thread on 1 of 2 cores; 1 core idles as the ranks are bound to others; free "
         "them: start it without taskset and OMP_PLACES");
}

TEST(ProcessorUse, ThreadsOnOneCore_AreWarnedOf) {
  const std::vector<RankPlace> ranks{{"a", 2, {1}, machine(2)}};
  expect(judge_processor_use(ranks, chosen), true,
         "1 rank x 2 threads on 1 of 2 cores; threads share the processors that their ranks are "
         "bound to, 1 core idles; free them: mpirun --bind-to none");
}

TEST(ProcessorUse, RanksOnSameCore_AreWarnedOf) {
  const std::vector<RankPlace> ranks{{"a", 1, {0}, machine(4)}, {"a", 1, {0}, machine(4)}};
  expect(judge_processor_use(ranks, chosen), true,
         "2 ranks x 1 thread on 1 of 4 cores; threads share the processors that their ranks are "
         "bound to, 3 cores idle; free them: mpirun --bind-to none");
}

TEST(ProcessorUse, MoreThreadsThanProcessors_IsWarnedOf) {
  const std::vector<RankPlace> ranks(2, {"a", 4, cpus(0, 4), machine(4)});
  expect(judge_processor_use(ranks, chosen), true,
         "2 ranks x 4 threads on 4 of 4 cores; 8 threads wait for each other on 4 processors; "
         "start fewer: 2 threads per rank (OMP_NUM_THREADS=2)");
  const std::vector<RankPlace> many(6, {"a", 1, cpus(0, 2), machine(2)});
  expect(judge_processor_use(many, chosen), true,
         "6 ranks x 1 thread on 2 of 2 cores; 6 threads wait for each other on 2 processors; start "
         "fewer: mpirun -np 2 on each host");
}

TEST(ProcessorUse, HardwareThreads_AreNotCores) {
  // One thread for each core uses all cores.
  const std::vector<RankPlace> one{{"a", 4, cpus(0, 8), machine(4, 2)}};
  expect(judge_processor_use(one, by_default), false, "1 rank x 4 threads on 4 of 4 cores");
  // Two threads for each core have a hardware thread each.
  const std::vector<RankPlace> two{{"a", 8, cpus(0, 8), machine(4, 2)}};
  expect(judge_processor_use(two, by_default), false, "1 rank x 8 threads on 4 of 4 cores");
  const std::vector<RankPlace> nine{{"a", 9, cpus(0, 8), machine(4, 2)}};
  EXPECT_TRUE(judge_processor_use(nine, by_default).wrong);
  // Open MPI's --bind-to core binds a rank to both hardware threads of a core.
  const std::vector<RankPlace> core{{"a", 2, {1, 5}, machine(4, 2)}};
  expect(judge_processor_use(core, by_default), true,
         "1 rank x 2 threads on 1 of 4 cores; 3 cores idle as the ranks are bound to others; free "
         "them: mpirun --bind-to none");
}

TEST(ProcessorUse, IdleSockets_AreWarnedOf) {
  // One rank is bound to the first of two sockets with four cores each.
  const std::vector<RankPlace> ranks{{"a", 4, cpus(0, 4), machine(8)}};
  expect(judge_processor_use(ranks, by_default), true,
         "1 rank x 4 threads on 4 of 8 cores; 4 cores idle as the ranks are bound to others; free "
         "them: mpirun --bind-to none");
}

TEST(ProcessorUse, FewerThreadsThanCores_AreReported) {
  const std::vector<RankPlace> ranks(2, {"a", 1, cpus(0, 8), machine(8)});
  expect(judge_processor_use(ranks, chosen), false,
         "2 ranks x 1 thread on 2 of 8 cores; 6 cores idle; more threads or ranks use them: 4 "
         "threads per rank (OMP_NUM_THREADS=4)");
  const std::vector<RankPlace> three(3, {"a", 1, cpus(0, 4), machine(4)});
  expect(judge_processor_use(three, chosen), false,
         "3 ranks x 1 thread on 3 of 4 cores; 1 core idles; more threads or ranks use it: mpirun "
         "-np 4 on each host");
}

TEST(ProcessorUse, LimitsOfContainer_AreRespected) {
  const std::vector<RankPlace> ranks{{"a", 16, cpus(0, 16), machine(16), 3.5}};
  expect(
      judge_processor_use(ranks, by_default), true,
      "1 rank x 16 threads on 4 of 4 cores; 16 threads wait for each other on 4 processors, which "
      "is the limit of the container; start fewer: 4 threads per rank (OMP_NUM_THREADS=4)");
  const std::vector<RankPlace> enough{{"a", 4, cpus(0, 16), machine(16), 4}};
  expect(judge_processor_use(enough, chosen), false, "1 rank x 4 threads on 4 of 4 cores");
}

TEST(ProcessorUse, SeveralHosts_WorstIsNamed) {
  const std::vector<RankPlace> ranks{{"a", 2, cpus(0, 2), machine(2)},
                                     {"b", 2, {0}, machine(2)},
                                     {"c", 2, cpus(0, 2), machine(2)}};
  expect(judge_processor_use(ranks, chosen), true,
         "3 ranks x 2 threads on 5 of 6 cores of 3 hosts; on b threads share the processors that "
         "their ranks are bound to, 1 core idles; free them: mpirun --bind-to none");
  const std::vector<RankPlace> several{{"a", 2, cpus(0, 3), machine(3)},
                                       {"b", 1, cpus(0, 1), machine(1)}};
  EXPECT_EQ(judge_processor_use(several, by_default)
                .text.find("2 ranks of different numbers of threads on 3 of 4 cores of 2 hosts"),
            0U);
}

TEST(ProcessorUse, UnknownMachine_NoWarning) {
  const std::vector<RankPlace> ranks{{"a", 2, {}, machine(2)}, {"a", 2, cpus(0, 1), {}}};
  expect(judge_processor_use(ranks, by_default), false, "2 ranks x 2 threads");
}

} // namespace
