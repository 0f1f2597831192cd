// Local Fourier bases: all recorded quantities, with every kind of source, medium and sensor. They
// have the same bits for any distribution of the blocks and any interruption, and are close to the
// results of the global basis.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kspace/input_writer.h"
#include "kspace/placements.h"
#include "support/mpi_test.h"
#include "support/scratch_directory.h"
#include "support/variable.h"

namespace {

using namespace hybridfft;
using kspace::BasisOptions;

BasisOptions local(const std::string &grid, const std::string &overlap,
                   const std::string &transverse = "") {
  BasisOptions basis;
  basis.kind = BasisOptions::Selection::local;
  basis.grid = grid;
  basis.overlap = overlap;
  basis.transverse = transverse;
  return basis;
}

class LocalRecordsTest : public ::testing::Test {
protected:
  LocalRecordsTest()
      : scratch(test::world()), input(scratch.file("in.h5")), output(scratch.file("out.h5")),
        options(test::record_all()) {
    options.recording.start = 3;
    options.recording.intensity.average = options.recording.intensity.heat = true;
    options.copy_sensor_mask = options.xdmf = true;
  }

  void run(int ranks) const {
    test::on_first_ranks(ranks,
                         [&](MPI_Comm some) { test::simulate(input, output, options, some); });
  }
  /// Returns all recorded data of a run on rank 0.
  std::map<std::string, std::string> recorded(int ranks) const {
    run(ranks);
    if (test::rank_of(test::world()) != 0) return {};
    return test::datasets_of(output);
  }
  /// Returns all recorded data of two runs; the first one stops after some steps.
  std::map<std::string, std::string> recorded(const BasisOptions &first, int first_ranks,
                                              const BasisOptions &then, int ranks) {
    options.checkpoint = {scratch.file("checkpoint.h5"), 0, 7, {}};
    options.basis = first;
    run(first_ranks);
    options.checkpoint.steps = 0;
    options.basis = then;
    std::map<std::string, std::string> all = recorded(ranks);
    options.checkpoint = {};
    return all;
  }

  test::ScratchDirectory scratch;
  std::string input, output;
  kspace::SimulationOptions options;
};

struct Case {
  std::string name;
  BasisOptions basis;
  std::vector<int> ranks;
};

class PlacementTest : public LocalRecordsTest, public ::testing::WithParamInterface<Case> {};

// Writing by threads and an interruption must not change any value.
TEST_P(PlacementTest, AnyPlacement_SameBits) {
  const Case &c = GetParam();
  input = std::string(HFFT_KWAVE_DATA) + "/small/" + c.name + "_input.h5";
  options.basis = c.basis;
  const std::map<std::string, std::string> one = recorded(1);
  EXPECT_GE(one.size(), test::rank_of(test::world()) == 0 ? 35U : 0U);
  for (const int ranks : c.ranks) {
    const test::Variable transport("HFFT_HALO", ranks > 2 ? "messages" : "shared");
    options.threads = ranks == 2 ? 2 : 1;
    options.compression = ranks == 3 ? 5 : 0;
    options.writer = ranks == 2 ? kspace::Writer::thread : kspace::Writer::together;
    EXPECT_EQ(test::differences(one, recorded(ranks)), "") << "on " << ranks << " ranks";
  }
  options.compression = 0;
  EXPECT_EQ(test::differences(one, recorded(c.basis, c.ranks.back(), c.basis, 1)), "")
      << "in two runs";
}

INSTANTIATE_TEST_SUITE_P(
    KWave, PlacementTest,
    ::testing::Values(Case{"flat_all_arrays", local("3x2", "ls:8"), {2, 3}},
                      Case{"flat_corrected_velocity_stokes", local("9+15x2", "ls:8,erf:10"), {4}},
                      Case{"odd_sizes", local("3x1x2", "ls:4"), {2, 3}},
                      Case{"transducer", local("2x2x2", "ls:4"), {8}},
                      Case{"uniform_absorbing", local("1x3x2", "ls:4"), {2}},
                      // Only z, the first array axis, is divided, with one block on each rank.
                      Case{"odd_sizes", local("1x1x2", "ls:4"), {2}},
                      Case{"transducer", local("1x1x2", "ls:4"), {2}},
                      Case{"uniform_absorbing", local("1x1x2", "ls:4"), {2}},
                      // Extending velocities reads more planes than extending the pressure.
                      Case{"uniform_absorbing", local("1x1x2", "erf:3", "ls:6"), {2}}),
    [](const auto &info) { return info.param.name + "_" + std::to_string(info.index); });

/// A Gaussian pulse in a medium with a sound speed for each point and one density. The sensor has
/// two cuboids, one across the faces of blocks.
class PulseTest : public LocalRecordsTest {
protected:
  static test::InputWriter pulse(const kspace::Extents &n) {
    test::InputWriter in(n, 24);
    std::vector<float> p(in.points()), c(in.points());
    const auto wave = [&](std::ptrdiff_t i, std::size_t axis) {
      return std::cos(2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n[axis]));
    };
    for (std::ptrdiff_t z = 0; z < n[2]; ++z)
      for (std::ptrdiff_t y = 0; y < n[1]; ++y)
        for (std::ptrdiff_t x = 0; x < n[0]; ++x) {
          const auto from = [](std::ptrdiff_t i, double middle) {
            const double d = static_cast<double>(i) - middle;
            return d * d;
          };
          const double r = from(x, 0.4 * static_cast<double>(n[0])) +
                           from(y, 0.55 * static_cast<double>(n[1])) +
                           (n[2] > 1 ? from(z, 0.45 * static_cast<double>(n[2])) : 0);
          p[in.point(x, y, z)] = static_cast<float>(1e5 * std::exp(-r / 12));
          c[in.point(x, y, z)] = static_cast<float>(1500 + 100 * wave(x, 0) * wave(y, 1));
        }
    in.integer("p0_source_flag", 1).field("p0_source_input", p).field("c0", c);
    in.real("dt", 1e-7).real("c_ref", 1600);
    const auto at = [](std::ptrdiff_t i) { return static_cast<std::uint64_t>(i); };
    in.remove("sensor_mask_index").integer("sensor_mask_type", 1);
    in.array("sensor_mask_corners", {1, 2, 6},
             std::vector<std::uint64_t>{at(n[0] / 2 - 5), at(n[1] / 2 - 2), 1, at(n[0] / 2 + 3),
                                        at(n[1] / 2 + 4), at(n[2]), 2, 3, 1, 9, 5, 1});
    return in;
  }

  /// Expects that recorded data differ by less than a tolerance, relative to the maximum of their
  /// field. Called on one rank.
  void expect_near(const std::map<std::string, std::string> &found,
                   const std::map<std::string, std::string> &truth, double tolerance) const {
    if (test::rank_of(test::world()) != 0) return;
    std::map<std::string, double> largest;
    const auto values = [](const std::string &bytes) {
      std::vector<float> v(bytes.size() / sizeof(float));
      std::copy_n(bytes.data(), v.size() * sizeof(float), reinterpret_cast<char *>(v.data()));
      return v;
    };
    const auto scale = [](const std::string &name) {
      return name.starts_with("I") ? "I" : name.substr(0, name.find_first_of("_/xyz"));
    };
    int compared = 0;
    for (const std::string &name : test::quantities())
      if (truth.contains(name))
        for (const float v : values(truth.at(name)))
          largest[scale(name)] = std::max(largest[scale(name)], std::abs(static_cast<double>(v)));
    for (const std::string &name : test::quantities()) {
      ASSERT_EQ(found.contains(name), truth.contains(name)) << name;
      if (!found.contains(name)) continue;
      const std::vector<float> mine = values(found.at(name)), theirs = values(truth.at(name));
      ASSERT_EQ(mine.size(), theirs.size()) << name;
      double worst = 0;
      for (std::size_t i = 0; i < mine.size(); ++i)
        worst = std::max(worst, static_cast<double>(std::abs(mine[i] - theirs[i])));
      EXPECT_LE(worst, tolerance * largest[scale(name)]) << name;
      ++compared;
    }
    EXPECT_GE(compared, 30);
  }
};

// The local basis ls:8 (docs/local-basis.md) has an error of about 1e-4 per step at each cut, as
// measured in tests/lfb. The heat source is a derivative, which amplifies errors.
constexpr double near = 2e-3;

TEST_F(PulseTest, LocalBasis_IsNearGlobalBasis) {
  for (const kspace::Extents &n : {kspace::Extents{48, 40, 1}, kspace::Extents{32, 24, 18}}) {
    pulse(n).write(input, test::world());
    options.basis = {};
    const std::map<std::string, std::string> truth = recorded(1);
    options.basis = local("2x2x1", "ls:8");
    expect_near(recorded(4), truth, near);
  }
}

TEST_F(PulseTest, OtherGridOrBasis_ContinuesFromCheckpoint) {
  pulse({48, 40, 1}).write(input, test::world());
  const std::map<std::string, std::string> truth = recorded(1);
  const BasisOptions cut = local("2x2", "ls:8");
  expect_near(recorded(cut, 2, local("3x1", "ls:16"), 3), truth, near);
  expect_near(recorded(cut, 4, {}, 2), truth, near);
  expect_near(recorded({}, 2, cut, 2), truth, near);
}

// Arrays may have other shapes; only the number of values matters.
TEST_F(PulseTest, OtherShapesOfFields_SameBits) {
  const kspace::Extents n{32, 24, 18};
  test::InputWriter in = pulse(n);
  in.write(input, test::world());
  const io::File file = io::File::open(input, test::world());
  options.recording = {};
  options.recording.p["final"] = true;
  options.basis = local("2x2x1", "ls:8");
  const std::map<std::string, std::string> usual = recorded(4);
  const std::vector<float> p = file.read_all<float>("p0_source_input");
  const std::vector<float> c = file.read_all<float>("c0");
  in.array("p0_source_input", {32, 24, 18}, p).array("c0", {1, 1, 32 * 24 * 18}, c);
  in.write(input, test::world());
  EXPECT_EQ(test::differences(usual, recorded(4)), "");
}

} // namespace
