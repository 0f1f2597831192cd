// Time steps on an emulated device record the same values as on processors, except for rounding.
// The cases cover every kind of medium, source, sensor and recorded quantity in the global basis
// and in local bases, on the first 1, 2, ... ranks of one launch.
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <tuple>

#include "device/runtime.h"
#include "kspace/input_writer.h"
#include "kspace/packed_input.h"
#include "kspace/placements.h"
#include "support/mpi_test.h"
#include "support/scratch_directory.h"
#include "support/variable.h"

namespace {

using namespace hybridfft;
using kspace::BasisOptions;
using kspace::Precision;

/// Returns the field whose maximum is the scale of a quantity's errors: "p", "u", "I" ...
std::string scale_of(const std::string &quantity) {
  return quantity.substr(0, quantity.find_first_of("_/xyz"));
}

/// Returns all quantities of an output with their values. Called on one rank.
std::map<std::string, std::vector<double>> values_of(const std::string &path) {
  std::map<std::string, std::vector<double>> all;
  const io::File file = io::File::open(path, MPI_COMM_SELF);
  for (const std::string &quantity : test::quantities())
    if (file.exists(quantity)) all[quantity] = file.read_all<double>(quantity);
  return all;
}

std::string small_input(const std::string &name) {
  return test::data_folder("kwave", HFFT_KWAVE_DATA) + "/small/" + name + "_input.h5";
}

class DeviceTest : public ::testing::Test {
protected:
  DeviceTest()
      : scratch(test::world()), input(scratch.file("in.h5")), output(scratch.file("out.h5")),
        options(test::record_all()) {
    options.recording.start = 3;
    options.recording.intensity.average = true;
  }

  void run(int ranks) const {
    test::on_first_ranks(ranks,
                         [&](MPI_Comm some) { test::simulate(input, output, options, some); });
  }
  std::map<std::string, std::vector<double>> recorded(bool gpu, int ranks) {
    options.device.gpu = gpu;
    run(ranks);
    if (test::rank_of(test::world()) != 0) return {};
    return values_of(output);
  }

  /// Expects the same quantities, with the same values up to rounding. Checks on rank 0 only.
  void expect_near(const std::map<std::string, std::vector<double>> &found,
                   const std::map<std::string, std::vector<double>> &expected,
                   const std::string &what, std::size_t min_quantities = 14) const {
    if (test::rank_of(test::world()) != 0) return;
    const double tolerance = options.precision == Precision::single ? 1e-5 : 1e-11;
    ASSERT_GE(expected.size(), min_quantities) << what;
    std::map<std::string, double> scale;
    for (const auto &[quantity, values] : expected)
      for (const double v : values)
        scale[scale_of(quantity)] = std::max(scale[scale_of(quantity)], std::abs(v));
    for (const auto &[quantity, values] : expected) {
      ASSERT_TRUE(found.contains(quantity)) << what << ": " << quantity;
      const std::vector<double> &ours = found.at(quantity);
      ASSERT_EQ(ours.size(), values.size()) << what << ": " << quantity;
      double worst = 0;
      for (std::size_t i = 0; i < ours.size(); ++i)
        worst = std::max(worst, std::isfinite(ours[i]) ? std::abs(ours[i] - values[i]) : 1e300);
      EXPECT_LE(worst, tolerance * scale.at(scale_of(quantity))) << what << ": " << quantity;
    }
    EXPECT_EQ(found.size(), expected.size()) << what;
  }

  void expect_device_agrees(int ranks, const std::string &what) {
    for (const Precision precision : {Precision::single, Precision::double_}) {
      options.precision = precision;
      const auto expected = recorded(false, 1);
      expect_near(recorded(true, ranks), expected, what);
    }
  }

  // The emulated device has random delays, which reveal missing synchronisation.
  const test::Variable gpu{"HFFT_GPU", test::gpu_or("emulated:memory=512,delays=1")};
  test::ScratchDirectory scratch;
  std::string input, output;
  kspace::SimulationOptions options;
};

class SmallDeviceTest : public DeviceTest, public ::testing::WithParamInterface<std::string> {};

TEST_P(SmallDeviceTest, AllCases_MatchProcessors) {
  input = small_input(GetParam());
  options.recording.u_non_staggered_raw = GetParam() != "version_10";
  const auto is = [](const char *kind) { return GetParam().find(kind) != std::string::npos; };
  options.recording.intensity.heat = !is("axis") && !is("nonuniform");
  expect_device_agrees(1, GetParam());
}

INSTANTIATE_TEST_SUITE_P(All, SmallDeviceTest,
                         ::testing::Values("axis_lossless", "axis_odd_sizes",
                                           "axis_stokes_nonlinear", "flat_all_arrays",
                                           "flat_corrected_velocity_stokes", "flat_nonuniform",
                                           "nonuniform_arrays", "odd_sizes", "transducer",
                                           "uniform_absorbing", "version_10", "version_11"));

/// 7 rows of this sensor fill a buffer, so 24 steps fill both buffers repeatedly.
TEST_F(DeviceTest, SeriesOfManyPoints_TwoBuffersInTurn_EqualProcessors) {
  test::InputWriter writer({64, 48, 44}, 24);
  std::vector<float> pressure(writer.points());
  std::vector<std::uint64_t> sensor(writer.points());
  for (std::size_t i = 0; i < pressure.size(); ++i) {
    pressure[i] = static_cast<float>(i % 97);
    sensor[i] = i + 1;
  }
  writer.integer("p0_source_flag", 1).field("p0_source_input", std::move(pressure));
  writer.indices("sensor_mask_index", std::move(sensor));
  writer.write(input, test::world());
  options = test::record_pressure();
  options.precision = Precision::double_;
  expect_near(recorded(true, 1), recorded(false, 1), "one rank", 3);
  options.basis.kind = BasisOptions::Selection::local;
  options.basis.grid = "1x1x2";
  options.basis.overlap = "ls:4";
  expect_near(recorded(true, 2), recorded(false, 1), "two ranks", 3);
}

/// A case, its blocks along x, y, z, its basis, and the numbers of ranks to run it on.
struct Blocks {
  std::string input, grid, overlap;
  std::vector<int> ranks;
  bool coarse_level = false;
  std::string transverse = "";
};

class BlocksOnDeviceTest : public DeviceTest, public ::testing::WithParamInterface<Blocks> {};

TEST_P(BlocksOnDeviceTest, AllCases_MatchProcessors) {
  const Blocks &c = GetParam();
  if (c.input == "c01") {
    if (test::rank_of(test::world()) == 0)
      test::unpack_input(test::data_folder("kwave", HFFT_KWAVE_DATA), c.input, input);
    test::wait_for_all(test::world());
    options.steps = 20;
  } else {
    input = small_input(c.input);
  }
  options.basis.kind = BasisOptions::Selection::local;
  options.basis.grid = c.grid;
  options.basis.overlap = c.overlap;
  options.basis.transverse = c.transverse;
  if (c.coarse_level) options.basis.coarse_level = true;
  for (const Precision precision : {Precision::single, Precision::double_}) {
    options.precision = precision;
    const auto expected = recorded(false, 1);
    for (const int ranks : c.ranks) {
      // Any MPI can send memory of the emulated device, since it is host memory.
      options.device.transport = ranks % 2 == 0 && !test::on_real_gpu()
                                     ? grid::Transport::cuda_aware
                                     : grid::Transport::automatic;
      expect_near(recorded(true, ranks), expected,
                  c.input + " " + c.grid + " on " + std::to_string(ranks) + " ranks");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, BlocksOnDeviceTest,
    ::testing::Values(Blocks{"c01", "1x3", "", {3}},
                      Blocks{"flat_all_arrays", "3x2", "ls:8", {3}, true},
                      Blocks{"flat_corrected_velocity_stokes", "9+15x2", "ls:8,erf:10", {1, 4}},
                      Blocks{"odd_sizes", "3x1x2", "ls:4", {3}},
                      Blocks{"odd_sizes", "1x1x1", "ls:4", {1}},
                      Blocks{"transducer", "2x2x2", "ls:4", {8}},
                      Blocks{"uniform_absorbing", "1x3x2", "ls:4", {2}},
                      Blocks{"uniform_absorbing", "1x1x2", "ls:4", {2}, true},
                      Blocks{"uniform_absorbing", "1x1x2", "erf:3", {2}, false, "ls:6"}),
    [](const auto &info) { return info.param.input + "_" + std::to_string(info.index); });

/// Some blocks are on a device and others on processors: only one rank has a device.
class ProcessorsBesideDeviceTest : public DeviceTest,
                                   public ::testing::WithParamInterface<Blocks> {};

TEST_P(ProcessorsBesideDeviceTest, AllCases_MatchProcessors) {
  const Blocks &c = GetParam();
  const test::Variable one("HFFT_GPU", test::gpu_or("emulated:memory=512,delays=3"));
  input = small_input(c.input);
  options.basis.kind = BasisOptions::Selection::local;
  options.basis.grid = c.grid;
  options.basis.overlap = c.overlap;
  if (c.coarse_level) options.basis.coarse_level = true;
  for (const Precision precision : {Precision::single, Precision::double_}) {
    options.precision = precision;
    options.device.processors = false;
    const auto expected = recorded(false, 1);
    options.device.processors = true;
    for (const int ranks : c.ranks)
      expect_near(recorded(true, ranks), expected,
                  c.input + " " + c.grid + " on " + std::to_string(ranks) + " ranks");
  }
}

INSTANTIATE_TEST_SUITE_P(All, ProcessorsBesideDeviceTest,
                         ::testing::Values(Blocks{"flat_all_arrays", "3x2", "ls:8", {2, 3}, true},
                                           Blocks{"odd_sizes", "3x1x2", "ls:4", {3}},
                                           Blocks{"uniform_absorbing", "1x3x2", "ls:4", {2, 6}}),
                         [](const auto &info) { return info.param.input; });

TEST_F(DeviceTest, BlocksOnProcessors_NoGridGiven_AreSizedBySpeed) {
  const test::Variable one("HFFT_GPU", test::gpu_or("emulated:memory=512"));
  test::InputWriter writer({40, 40, 120}, 4);
  writer.integer("p0_source_flag", 1)
      .field("p0_source_input", std::vector<float>(writer.points(), 1));
  writer.write(input, test::world());
  options = {};
  options.recording.p["final"] = true;
  options.basis.kind = BasisOptions::Selection::automatic;
  options.device = {.gpu = true, .processors = true};
  test::on_first_ranks(2, [&](MPI_Comm some) {
    const auto simulation = kspace::Simulation::open(input, output, options, some);
    simulation->prepare();
    const std::string plans = simulation->plans(), device = simulation->device();
    EXPECT_NE(plans.find("1x1x2 blocks"), std::string::npos) << plans;
    EXPECT_NE(plans.find(", by the speed of ranks"), std::string::npos) << plans;
    const auto at = plans.find(", points ");
    ASSERT_NE(at, std::string::npos) << plans;
    std::size_t end = 0;
    const std::string sizes = plans.substr(at + 9);
    const int first = std::stoi(sizes, &end), second = std::stoi(sizes.substr(end + 1));
    EXPECT_EQ(first + second, 120) << plans;
    EXPECT_GE(std::min(first, second), 32) << plans;
    EXPECT_NE(device.find("1 of 2 ranks on processors"), std::string::npos) << device;
    EXPECT_NE(device.find("transport staged"), std::string::npos) << device;
  });
}

class CheckpointDeviceTest : public DeviceTest,
                             public ::testing::WithParamInterface<std::string> {};

TEST_P(CheckpointDeviceTest, CheckpointOfProcessors_Continues) {
  input = small_input(GetParam());
  const auto expected = recorded(false, 1);
  bool gpu = false;
  for (const std::int64_t steps : {5, 6, 0}) {
    options.checkpoint = {scratch.file("checkpoint.h5"), 0, steps, {}};
    gpu = !gpu;
    const auto found = recorded(gpu, 1);
    if (steps == 0) expect_near(found, expected, "resumed twice");
  }
}

INSTANTIATE_TEST_SUITE_P(All, CheckpointDeviceTest,
                         ::testing::Values("axis_stokes_nonlinear", "uniform_absorbing"));

/// Unsupported combinations cause errors on all ranks. The message names the option or dataset.
class RefusedDeviceTest : public DeviceTest {
protected:
  RefusedDeviceTest() {
    options = test::record_pressure();
    options.device.gpu = true;
    input = small_input("odd_sizes");
  }
  void cut(const std::string &grid) {
    options.basis.kind = BasisOptions::Selection::local;
    options.basis.grid = grid;
    options.basis.overlap = "ls:4";
  }
  void expect_refused(int ranks, const std::vector<std::string> &said) const {
    test::on_first_ranks(ranks, [&](MPI_Comm some) {
      std::string message = "nothing";
      try {
        test::simulate(input, output, options, some);
      } catch (const std::exception &e) {
        message = e.what();
      }
      for (const std::string &part : said)
        EXPECT_NE(message.find(part), std::string::npos) << part << ": " << message;
    });
  }
};

TEST_F(RefusedDeviceTest, GlobalBasisOnSeveralRanks_IsRefused) {
  expect_refused(2, {"--device gpu", "--basis is global on 2 ranks", "expected one rank"});
}

// Local bases do not support these grids, and several GPUs need local bases.
TEST_F(RefusedDeviceTest, OtherGridsOnSeveralRanks_AreRefused) {
  for (const auto &[name, flag] : {std::pair("axis_lossless", "axisymmetric_flag"),
                                   {"flat_nonuniform", "nonuniform_grid_flag"}}) {
    input = small_input(name);
    for (const auto basis : {BasisOptions::Selection::automatic, BasisOptions::Selection::global}) {
      options.basis.kind = basis;
      expect_refused(
          2, {input, std::string(flag) + " is 1", "found 2 ranks", "expected one", "--device cpu"});
    }
    cut("2x1");
    expect_refused(1, {input, std::string(flag) + " is 1", "expected --basis global"});
    options.basis.grid.clear();
  }
}

TEST_F(RefusedDeviceTest, AccuracyOfAutomaticBasis_IsRefused) {
  options.basis.kind = BasisOptions::Selection::automatic;
  const kspace::BasisOptions none = options.basis;
  options.basis.overlap = "foo";
  expect_refused(1, {"--overlap", "'foo'"});
  options.basis = none;
  options.basis.transverse = "bar:8";
  expect_refused(1, {"--transverse", "'bar:8'"});
  options.basis = none;
  options.basis.local_size = "7x7x7";
  expect_refused(1, {"--local_size", "'7'", "not cut"});
  options.basis = none;
  options.basis.accuracy = 1e-3;
  for (const int ranks : {1, 2})
    expect_refused(ranks, {"--accuracy is 0.001", "--device is gpu", "expected none"});
}

TEST_F(RefusedDeviceTest, AutomaticBasis_HonoursOptions) {
  options.basis.kind = BasisOptions::Selection::automatic;
  for (const auto &[overlap, ranks, reason] :
       {std::tuple("", 1, "global: one GPU has the whole grid"),
        std::tuple("ls:4", 1, "local: --overlap is 'ls:4'"),
        std::tuple("ls:4", 2, "local: --overlap is 'ls:4'")}) {
    options.basis.overlap = overlap;
    test::on_first_ranks(ranks, [&, reason = reason](MPI_Comm some) {
      const auto simulation = kspace::Simulation::open(input, output, options, some);
      simulation->prepare();
      EXPECT_EQ(simulation->basis(), reason);
    });
  }
}

TEST_F(RefusedDeviceTest, TooLittleMemory_IsRefused) {
  const test::Variable little("HFFT_GPU", "emulated:memory=1");
  input = scratch.file("in.h5");
  if (test::rank_of(test::world()) == 0)
    test::unpack_input(test::data_folder("kwave", HFFT_KWAVE_DATA), "c12", input);
  test::wait_for_all(test::world());
  cut("1x2x1");
  for (const int ranks : {1, 2})
    expect_refused(ranks, {input, "out of memory", "GB on emulated device 0",
                           std::to_string(ranks) + " of " + std::to_string(ranks) + " ranks",
                           "found 0.001 GB free"});
}

// Several blocks and shifted velocities. The smallest memory that the program accepts must suffice
// for the whole run.
TEST_F(RefusedDeviceTest, AcceptedMemory_Suffices) {
  input = scratch.file("in.h5");
  test::InputWriter({64, 64, 64}, 2).write(input, test::world());
  cut("1x1x2");
  options.recording.u_non_staggered_raw = true;
  test::on_first_ranks(1, [&](MPI_Comm alone) {
    constexpr int least = 16, most = 64;
    std::string refused = "out of memory", plans;
    int megabytes = least - 1, one_by_one = 0;
    // With the smallest accepted memory, fields are transformed one by one. With more memory, a
    // batch is transformed at once.
    while (plans.find("3 backward at once") == std::string::npos && ++megabytes < most) {
      const test::Variable memory("HFFT_GPU", "emulated:memory=" + std::to_string(megabytes));
      const auto simulation = kspace::Simulation::open(input, output, options, alone);
      try {
        simulation->prepare();
        refused.clear();
      } catch (const std::exception &e) {
        refused = e.what();
        EXPECT_NE(refused.find("out of memory"), std::string::npos) << refused;
        continue;
      }
      plans = simulation->plans();
      if (plans.find("3 backward one by one (there is no memory for the work space") !=
          std::string::npos)
        ++one_by_one;
      EXPECT_EQ(simulation->device().find("transforms one by one") != std::string::npos,
                plans.find("one by one") != std::string::npos)
          << simulation->device();
      simulation->load();
      EXPECT_NO_THROW(simulation->run([](std::int64_t) {})) << megabytes << " MB";
    }
    EXPECT_GT(megabytes - one_by_one, least) << "never refused";
    EXPECT_LT(megabytes, most) << plans;
    EXPECT_EQ(refused, "");
    // With some sizes of memory fields are transformed one by one: a batch needs work space for two
    // more spectra of 40 x 64 x 33 complex numbers, 1.35 MB.
    EXPECT_GE(one_by_one, 1) << plans;
  });
}

// These grids have no local basis, so the error must not recommend more GPUs.
TEST_F(RefusedDeviceTest, TooLittleMemoryForAxisymmetricGrid_IsRefused) {
  const test::Variable little("HFFT_GPU", "emulated:memory=1");
  input = scratch.file("in.h5");
  test::InputWriter({256, 128, 1}, 1).integer("axisymmetric_flag", 1).write(input, test::world());
  expect_refused(1, {input, "out of memory", "found 0.001 GB free", "expected --device cpu"});
}

TEST_F(RefusedDeviceTest, ProcessorsBesideGpus_EachRankHasAGpu) {
  const test::Variable two("HFFT_GPU", "emulated:devices=2");
  cut("1x2x1");
  options.device.processors = true;
  expect_refused(2, {"--device gpu+cpu", "found 2 ranks", "a GPU for each", "expected more ranks"});
  const test::Variable one("HFFT_GPU", "emulated");
  options.device.transport = grid::Transport::cuda_aware;
  expect_refused(2, {"--transport is cuda_aware", "--device is gpu+cpu", "expected staged"});
}

TEST_F(RefusedDeviceTest, UnavailableTransport_IsRefused) {
  const test::Variable without_nccl("HFFT_GPU", "emulated");
  cut("1x2x1");
  options.device.transport = grid::Transport::nccl;
  expect_refused(2, {"--transport nccl", "the device has no NCCL", "expected another one"});
}

TEST_F(RefusedDeviceTest, ExclusiveDevices_FewerThanRanks_AreNamedOnAllRanks) {
  int key = static_cast<int>(getpid());
  MPI_Bcast(&key, 1, MPI_INT, 0, test::world());
  const auto devices = [&](int number) {
    return "emulated:memory=64,devices=" + std::to_string(number) +
           ",exclusive=" + std::to_string(key);
  };
  cut("1x3x1");
  {
    const test::Variable two("HFFT_GPU", devices(2));
    expect_refused(3, {"no emulated device is free", "tried 2", "expected at most one rank"});
  }
  // Rank 0 already uses the device that rank 1 would try first.
  const test::Variable four("HFFT_GPU", devices(4));
  test::on_first_ranks(3, [&](MPI_Comm some) {
    std::unique_ptr<device::Runtime> taken;
    if (test::rank_of(some) == 0) taken = device::Runtime::open(1);
    test::wait_for_all(some);
    const auto simulation = kspace::Simulation::open(input, output, options, some);
    simulation->prepare();
    EXPECT_EQ(simulation->device().find("shared"), std::string::npos) << simulation->device();
  });
}

TEST_F(RefusedDeviceTest, MachineWithoutGpu_IsRefused) {
  const test::Variable wrong("HFFT_GPU", "voodoo");
  expect_refused(1, {"HFFT_GPU", "voodoo", "emulated"});
}

// The device has random delays, so the host finishes the steps long before the device.
TEST_F(DeviceTest, SlowDevice_CountsAsSimulationTime) {
  const test::Variable delayed{"HFFT_GPU", "emulated:delays=3"};
  input = small_input("odd_sizes");
  options.recording = {};
  options.recording.p["final"] = true;
  options.steps = 400;
  options.device.gpu = true;
  test::on_first_ranks(1, [&](MPI_Comm alone) {
    const auto simulation = kspace::Simulation::open(input, output, options, alone);
    simulation->prepare();
    simulation->load();
    simulation->run([](std::int64_t) {});
    simulation->finish("test");
    EXPECT_GT(simulation->timings().simulating, simulation->timings().postprocessing);
  });
}

} // namespace
