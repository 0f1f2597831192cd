// Tests of the warnings about ranks with shared CPUs.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "base/binding.h"
#include "base/machine_parameters.h"

namespace {

using hybridfft::describe_binding;
using hybridfft::is_crowded;
using hybridfft::RankCpus;

std::vector<int> cpus(int first, int count) {
  std::vector<int> list(static_cast<std::size_t>(count));
  std::iota(list.begin(), list.end(), first);
  return list;
}

TEST(Binding, RanksApartAreFine) {
  const std::vector<RankCpus> ranks{{"a", 4, cpus(0, 4)}, {"a", 4, cpus(4, 4)}};
  EXPECT_EQ(describe_binding(ranks, 0, 0, {}), "rank 0 may run on CPUs 0-3 of a\n");
  EXPECT_EQ(describe_binding(ranks, 1, 1, {}), "rank 1 may run on CPUs 4-7 of a\n");
}

TEST(Binding, SharedCpusAreNamed) {
  const std::vector<RankCpus> ranks{{"a", 2, cpus(0, 8)}, {"a", 2, {0, 1, 9}}};
  EXPECT_EQ(describe_binding(ranks, 1, 1, {}),
            "rank 1 may run on CPUs 0-1,9 of a\n"
            "warning: the 2 ranks on a share their CPUs: bind each to its own, so that none gets "
            "in another's way\n");
}

TEST(Binding, MoreThreadsThanCpusAreNamed) {
  const std::vector<RankCpus> ranks{{"a", 3, cpus(0, 4)}, {"a", 3, cpus(0, 4)}};
  EXPECT_EQ(describe_binding(ranks, 0, 0, {}),
            "rank 0 may run on CPUs 0-3 of a\n"
            "warning: the 2 ranks on a have 6 threads on 4 CPUs: start fewer, they wait for each "
            "other\n");
}

TEST(Binding, OneRankBoundToFewerCpusThanThreads) {
  const std::vector<RankCpus> ranks{{"a", 4, {3}}};
  EXPECT_NE(describe_binding(ranks, 0, 0, {}).find("4 threads on 1 CPUs"), std::string::npos);
}

TEST(Binding, OtherHostsInShort) {
  const std::vector<RankCpus> ranks{{"a", 1, cpus(0, 2)}};
  EXPECT_EQ(describe_binding(ranks, 0, 7, {2, 1}),
            "rank 7 may run on CPUs 0-1 of a\n"
            "warning: ranks on 1 of 2 other hosts share CPUs\n");
}

TEST(Binding, CpusOfSeveralRanks_HostIsCrowded) {
  EXPECT_FALSE(is_crowded(std::vector<RankCpus>{{"a", 1, cpus(0, 2)}, {"a", 2, cpus(2, 2)}}));
  EXPECT_TRUE(is_crowded(std::vector<RankCpus>{{"a", 1, cpus(0, 2)}, {"a", 1, cpus(1, 2)}}));
  EXPECT_TRUE(is_crowded(std::vector<RankCpus>{{"a", 3, cpus(0, 2)}}));
}

TEST(Binding, UnknownCpusAreNoReasonToWarn) {
  const std::vector<RankCpus> ranks{{"a", 8, {}}, {"a", 8, {}}};
  EXPECT_EQ(describe_binding(ranks, 0, 0, {}), "rank 0 may run on unknown CPUs of a\n");
}

TEST(Cpus, ThreadsOfThisProcessHaveSome) {
  const std::vector<int> own = hybridfft::allowed_cpus(1);
  const std::vector<int> of_all = hybridfft::allowed_cpus(3);
  ASSERT_FALSE(own.empty());
  EXPECT_TRUE(std::is_sorted(own.begin(), own.end()));
  EXPECT_TRUE(std::includes(of_all.begin(), of_all.end(), own.begin(), own.end()));
}

} // namespace
