// All recorded values have the same bits for any number of ranks and threads, any exchange,
// repeated runs, and interrupted runs. All cases run in one launch on its first 1, 2, ... ranks.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "base/fftw.h"
#include "kspace/input_writer.h"
#include "kspace/placements.h"
#include "support/mpi_test.h"
#include "support/scratch_directory.h"

namespace {

using namespace hybridfft;
using kspace::Precision;

/// Discards measured plans, as if a new process had started.
void forget_plans() {
  hfft_forget_wisdom();
  Fftw<float>::forget_wisdom();
  Fftw<double>::forget_wisdom();
}

struct Setting {
  int ranks, threads;
  std::string exchange;     ///< value of HFFT_EXCHANGE; may be empty
  std::int64_t legs_of = 0; ///< number of time steps of the first of two runs; the second run
                            ///< continues with one rank less; 0: a single run
};

class DeterminismTest : public ::testing::Test {
protected:
  DeterminismTest() : scratch(test::world()), options(test::record_all()) {
    options.effort = Effort::measure;
    options.recording.start = 3;
    options.recording.intensity.average = true;
  }

  void simulate(const std::string &input, const std::string &output, int ranks) const {
    test::on_first_ranks(ranks,
                         [&](MPI_Comm some) { test::simulate(input, output, options, some); });
  }

  /// Runs the simulation. Returns the recorded values on rank 0.
  std::map<std::string, std::string> recorded(const std::string &input, const Setting &setting) {
    const std::string output = scratch.file("out.h5");
    forget_plans();
    if (!setting.exchange.empty()) setenv("HFFT_EXCHANGE", setting.exchange.c_str(), 1);
    options.threads = setting.threads;
    if (setting.legs_of > 0) {
      options.checkpoint = {scratch.file("checkpoint.h5"), 0, setting.legs_of, {}};
      simulate(input, output, setting.ranks);
      options.checkpoint.steps = 0;
      simulate(input, output, std::max(setting.ranks - 1, 1));
      options.checkpoint = {};
    } else {
      simulate(input, output, setting.ranks);
    }
    unsetenv("HFFT_EXCHANGE");
    if (test::rank_of(test::world()) != 0) return {};
    return test::datasets_of(output);
  }

  void expect_same_bits(const std::string &input, const std::vector<Setting> &runs) {
    const std::map<std::string, std::string> first = recorded(input, {1, 1, ""});
    if (test::rank_of(test::world()) == 0) {
      ASSERT_GE(first.size(), 30U) << input;
    }
    for (const Setting &setting : runs) {
      const std::map<std::string, std::string> found = recorded(input, setting);
      if (test::rank_of(test::world()) != 0) continue;
      EXPECT_EQ(test::differences(first, found), "")
          << input << " on " << setting.ranks << " ranks, " << setting.threads
          << " threads, exchange '" << setting.exchange << "', legs of " << setting.legs_of;
    }
  }

  test::ScratchDirectory scratch;
  kspace::SimulationOptions options;
};

std::string small(const std::string &name) {
  return std::string(HFFT_KWAVE_DATA) + "/small/" + name + "_input.h5";
}

struct Case {
  std::string name;
  bool double_precision = false;
  bool heat = false; ///< records Q_term
};

class SmallDeterminismTest : public DeterminismTest, public ::testing::WithParamInterface<Case> {};

TEST_P(SmallDeterminismTest, AnySetting_SameBits) {
  options.precision = GetParam().double_precision ? Precision::double_ : Precision::single;
  options.recording.intensity.heat = GetParam().heat;
  expect_same_bits(small(GetParam().name), {{3, 3, "pipelined"}, {8, 1, ""}, {4, 1, "", 17}});
}

INSTANTIATE_TEST_SUITE_P(KWave, SmallDeterminismTest,
                         ::testing::Values(Case{"flat_all_arrays", false, true},
                                           Case{"flat_corrected_velocity_stokes", true},
                                           Case{"flat_nonuniform"},
                                           Case{"axis_stokes_nonlinear", true},
                                           Case{"axis_odd_sizes"}, Case{"odd_sizes", true},
                                           Case{"transducer", false, true},
                                           Case{"uniform_absorbing"}, Case{"nonuniform_arrays"}),
                         [](const auto &info) { return info.param.name; });

/// Writes an input with an asymmetric wave.
void write_input(const std::string &path, const kspace::Extents &n, bool axisymmetric) {
  test::InputWriter in(n, 6);
  std::vector<float> p(in.points());
  for (std::size_t i = 0; i < p.size(); ++i)
    p[i] = static_cast<float>(static_cast<double>(i * 2654435761U % 65521U) / 65521 - 0.5);
  in.field("p0_source_input", p).integer("p0_source_flag", 1).integer("nonlinear_flag", 1);
  in.real("BonA", 6).integer("axisymmetric_flag", axisymmetric ? 1 : 0);
  if (!axisymmetric)
    in.integer("absorbing_flag", 1).real("alpha_power", 1.5).real("alpha_coeff", 0.75);
  in.indices("sensor_mask_index", {1, 5, static_cast<std::uint64_t>(in.points()), 5, 77});
  in.write(path, test::world());
}

struct Grid {
  kspace::Extents n;
  bool axisymmetric = false;
  std::vector<int> ranks{1, 2, 3, 4, 5, 6, 7, 8};
};

class GridDeterminismTest : public DeterminismTest, public ::testing::WithParamInterface<Grid> {};

// Grids with and without kernels of this library. Some ranks have one line or none.
TEST_P(GridDeterminismTest, AnyNumberOfRanks_SameBits) {
  options.recording = test::record_pressure().recording;
  options.recording.p["rms"] = options.recording.u["final"] = options.recording.intensity.average =
      true;
  const std::string input = scratch.file("in.h5");
  write_input(input, GetParam().n, GetParam().axisymmetric);
  std::vector<Setting> settings;
  for (const int ranks : GetParam().ranks)
    settings.push_back({ranks, ranks % 3 == 1 ? 2 : 1, ""});
  expect_same_bits(input, settings);
}

INSTANTIATE_TEST_SUITE_P(Grids, GridDeterminismTest,
                         ::testing::Values(Grid{{96, 80, 1}}, Grid{{131, 37, 1}, false, {1, 3, 8}},
                                           Grid{{64, 7, 1}, false, {1, 8}}, Grid{{72, 50, 1}, true},
                                           Grid{{53, 41, 1}, true, {1, 3, 8}}, Grid{{24, 20, 18}},
                                           Grid{{19, 26, 7}, false, {1, 8}}),
                         [](const auto &info) {
                           const kspace::Extents &n = info.param.n;
                           return std::string(info.param.axisymmetric ? "axisymmetric" : "") + "n" +
                                  std::to_string(n[0]) + "x" + std::to_string(n[1]) + "x" +
                                  std::to_string(n[2]);
                         });

} // namespace
