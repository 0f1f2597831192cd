// Tests hybridfft-bench without its times: fingerprints of results, the comparison of libraries,
// statistics, and the energy meter.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "common/statistics.h"
#include "scaling/contest.h"
#include "scaling/data.h"
#include "scaling/energy.h"
#include "scaling/entrant.h"
#include "support/mpi_test.h"

namespace {

using namespace hybridfft;
using namespace hybridfft::bench;

/// A peer that copies its input instead of transforming it. A factor other than 1 makes a part of
/// its result wrong.
class Copier : public Peer {
public:
  using Peer::Peer;
  double factor = 1;       ///< factor of the elements from plane `from` on
  std::ptrdiff_t from = 0; ///< first plane of axis 0 that is multiplied by `factor`

  void plan(Effort) override {
    const LayoutView input = slab_input(problem(), comm());
    const LayoutView output = slab_output(problem(), comm());
    make_arrays(input, output,
                static_cast<std::size_t>(std::max(input.size(), output.size())) * 2 *
                    sizeof(double));
  }
  void execute() override {
    std::memcpy(out(), in(), static_cast<std::size_t>(input().size()) * 2 * sizeof(double));
    auto *values = reinterpret_cast<double *>(out());
    output().for_each<3>([&](std::ptrdiff_t offset, const auto &index) {
      if (index[0] < from) return;
      values[2 * offset] *= factor;
      values[2 * offset + 1] *= factor;
    });
  }
  std::string describe() const override { return "copy"; }
};

Fingerprint fingerprint(const std::string &problem, double factor = 1, std::ptrdiff_t from = 0) {
  Copier copier(verifier::parse(problem), test::world());
  copier.factor = factor;
  copier.from = from;
  copier.plan(Effort::estimate);
  fill_input(copier);
  copier.execute();
  return fingerprint_output(copier);
}

TEST(Fingerprint, DependsOnValuesAndNotOnTheirPlaces) {
  // The transposed layout has the same values in other places of memory and on other ranks.
  const Fingerprint normal = fingerprint("of12x9x10");
  const Fingerprint transposed = fingerprint("of[]12x9x10");
  EXPECT_LT(relative_difference(transposed, normal), 1e-14);
  EXPECT_NEAR(transposed.norm / normal.norm, 1, 1e-14);
  // 1080 complex values; real and imaginary parts have the variance 1/12.
  EXPECT_NEAR(normal.norm, std::sqrt(1080.0 / 6), 1);
}

TEST(Fingerprint, EstimatesTheRelativeDifference) {
  const Fingerprint exact = fingerprint("of12x9x10");
  for (const double error : {1e-10, 1e-6, 1e-2}) {
    // A third of the values is wrong by the factor 1 + error. The relative standard deviation of
    // the estimate is below 1/4. The lower bound is thus at least two standard deviations below
    // the expected value, and the upper bound at least four above.
    const double expected = error * std::sqrt(1.0 / 3);
    const double found = relative_difference(fingerprint("of12x9x10", 1 + error, 8), exact);
    EXPECT_GT(found, expected / 2);
    EXPECT_LT(found, expected * 2);
  }
}

TEST(Fingerprint, SeesValuesInTheWrongPlaces) {
  // The second peer copies as if its input, an n1 x n0 array, were an n0 x n1 array.
  Copier copier(verifier::parse("of9x9x10"), test::world());
  copier.plan(Effort::estimate);
  fill_input(copier);
  copier.execute();
  const Fingerprint right = fingerprint_output(copier);
  Copier other(verifier::parse("of[9x9x10"), test::world());
  other.plan(Effort::estimate);
  fill_input(other);
  other.execute();
  EXPECT_GT(relative_difference(fingerprint_output(other), right), 0.5);
}

std::unique_ptr<Peer> make_liar(const Problem &problem, MPI_Comm comm) {
  return std::make_unique<Copier>(problem, comm);
}

TEST(Contest, WrongResultsAreNamedOnAllRanks) {
  std::vector<PeerType> types{peer_types().front()};
  types.push_back({"liar", "copies", nullptr, make_liar});
  const ContestResult result =
      run_contest(verifier::parse("of12x9x10"), types, test::world(), {Effort::estimate, 1, 0});
  EXPECT_EQ(result.peers.size(), 1U) << "the liar was believed";
  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_EQ(result.failures.front().name, "liar");
  EXPECT_NE(
      result.failures.front().reason.find("of12x9x10: the results of liar and hybridfft differ by"),
      std::string::npos)
      << result.failures.front().reason;
}

/// A pair is a forward and a backward transform: it has twice the operations, bytes and stages.
TEST(Contest, PairsAreTimedTogether) {
  const Problem problem = verifier::parse("of]24x20x18");
  const std::vector<PeerType> types{peer_types().front()};
  ContestOptions options{Effort::estimate, 2, 0};
  const ContestResult one = run_contest(problem, types, test::world(), options);
  options.pairs = true;
  const ContestResult pair = run_contest(problem, types, test::world(), options);
  EXPECT_DOUBLE_EQ(pair.flops, 2 * one.flops);
  EXPECT_EQ(pair.peers.front().traffic.value().total_bytes,
            2 * one.peers.front().traffic.value().total_bytes);
  EXPECT_EQ(pair.peers.front().stages.size(), 2 * one.peers.front().stages.size());
  EXPECT_EQ(inverse_of(inverse_of(verifier::parse("ibr[8x12x10/3,4"))),
            verifier::parse("ibr[8x12x10/3,4"));
  EXPECT_EQ(to_string(inverse_of(verifier::parse("sofr]8x12x10"))), "sobr[8x12x10");
  EXPECT_EQ(to_string(inverse_of(verifier::parse("of8x12(r2hc,rodft10)", 2, true))),
            "ob8x12(hc2r,rodft01)");
}

TEST(Contest, EveryPeerAgrees) {
  for (const char *text : {"of16x10x6", "sofr]13x8x9*v2", "ibr[8x12x10", "ob]6x7",
                           "of16x10x6(redft10)", "if]8x12x10(redft00,dht,rodft11)*v2",
                           "ofr8x12x10(dft,dft,redft10)", "obr8x12x10(redft01,dft,dft)"}) {
    const Problem problem = verifier::parse(text, 2, true);
    std::vector<PeerType> types;
    for (const PeerType &type : peer_types())
      if (type.refuses(problem, test::size_of(test::world())).empty()) types.push_back(type);
    const ContestResult result =
        run_contest(problem, types, test::world(), {Effort::estimate, 3, 1});
    ASSERT_TRUE(result.failures.empty()) << result.failures.front().reason;
    ASSERT_EQ(result.peers.size(), types.size());
    EXPECT_FALSE(result.peers.front().ratio);
    for (std::size_t k = 0; k < types.size(); ++k) {
      const PeerResult &peer = result.peers[k];
      EXPECT_EQ(peer.name, types[k].name);
      EXPECT_GT(peer.seconds.min, 0);
      EXPECT_LE(peer.seconds.min, peer.seconds.median);
      if (k > 0) {
        EXPECT_DOUBLE_EQ(peer.ratio.value(),
                         peer.seconds.median / result.peers.front().seconds.median);
      }
    }
  }
}

TEST(Statistics, QuartilesAreInterpolated) {
  const Summary s = summarize({4, 1, 3, 2});
  EXPECT_DOUBLE_EQ(s.min, 1);
  EXPECT_DOUBLE_EQ(s.lower, 1.75);
  EXPECT_DOUBLE_EQ(s.median, 2.5);
  EXPECT_DOUBLE_EQ(s.upper, 3.25);
  EXPECT_DOUBLE_EQ(s.max, 4);
}

/// Energy counters in a folder of files like Linux's /sys/class/powercap: a package, its cores and
/// memory, the whole board, and a second counter of the same package. Each rank has its own folder.
class PowerCap {
public:
  PowerCap()
      : root_(std::filesystem::temp_directory_path() /
              ("hfft_powercap_" + std::to_string(getpid()))) {
    const char *names[] = {"package-0", "core", "dram", "psys", "package-0"};
    for (int k = 0; k < 5; ++k) {
      std::filesystem::create_directories(root_ / folders[k]);
      std::ofstream(root_ / folders[k] / "name") << names[k] << '\n';
      std::ofstream(root_ / folders[k] / "max_energy_range_uj") << "1000000\n";
      add(k, 999000);
    }
  }
  PowerCap(const PowerCap &) = delete;
  PowerCap &operator=(const PowerCap &) = delete;
  ~PowerCap() { std::filesystem::remove_all(root_); }

  /// Adds to counter k, which wraps around at 1000000.
  void add(int k, long long microjoules) {
    values_[k] = (values_[k] + microjoules) % 1000000;
    std::ofstream(root_ / folders[k] / "energy_uj") << values_[k] << '\n';
  }
  std::string path() const { return root_.string(); }

private:
  static constexpr const char *folders[] = {"intel-rapl:0", "intel-rapl:0:0", "intel-rapl:0:1",
                                            "intel-rapl:1", "intel-rapl-mmio:0"};
  std::filesystem::path root_;
  long long values_[5] = {};
};

// One rank of the node reads the counters of package and memory: 300 + 20 microjoules per
// execution. The package's counter wraps around.
TEST(EnergyMeter, PackageAndMemory_JoulesOfAnExecution) {
  PowerCap cap;
  EnergyMeter meter(test::world(), cap.path());
  const auto run = [&cap] {
    const long long added[] = {300, 100, 20, 1000, 300};
    for (int k = 0; k < 5; ++k)
      cap.add(k, added[k]);
  };
  EXPECT_NEAR(meter.joules(run, 10), 320e-6, 1e-12);
  EXPECT_NEAR(meter.joules(run, 1), 320e-6, 1e-12);
}

TEST(EnergyMeter, NoCounters_AllRanksNameTheFolder) {
  try {
    EnergyMeter meter(test::world(), "/nonexistent");
    ADD_FAILURE();
  } catch (const std::runtime_error &e) {
    EXPECT_NE(std::string(e.what()).find("/nonexistent: found no folder intel-rapl:*"),
              std::string::npos)
        << e.what();
  }
}

} // namespace
