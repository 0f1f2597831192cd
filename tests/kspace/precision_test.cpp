// Simulations in double precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <numeric>

#include "kspace/input_writer.h"
#include "kspace/run_simulation.h"
#include "kspace/waves.h"
#include "support/mpi_test.h"
#include "support/scratch_directory.h"

namespace {

using namespace hybridfft;
using kspace::Precision;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

class PrecisionTest : public ::testing::Test {
protected:
  PrecisionTest()
      : scratch(test::world()), in(scratch.file("in.h5")), out(scratch.file("out.h5")),
        options(test::record_pressure()) {
    options.precision = Precision::double_;
  }

  static std::string data(const std::string &name) {
    return std::string(HFFT_KWAVE_DATA) + "/small/" + name + ".h5";
  }
  void simulate(const std::string &input, const std::string &output) const {
    test::simulate(input, output, options, test::world());
  }
  static std::vector<double> read(const std::string &path, const std::string &dataset) {
    return io::File::open(path, test::world()).read_all<double>(dataset);
  }
  /// Returns the error message of a simulation.
  std::string refusal(const std::string &input) const {
    try {
      simulate(input, out);
      ADD_FAILURE() << "no exception";
    } catch (const std::exception &e) {
      return e.what();
    }
    return "";
  }

  test::ScratchDirectory scratch;
  std::string in, out;
  kspace::SimulationOptions options;
};

struct Small {
  std::string name;
  std::int64_t start = 1;
  int threads = 1;
};

class DoubleReferenceTest : public PrecisionTest, public ::testing::WithParamInterface<Small> {};

// The test of small references in single precision has the tolerance 2e-5, which is 340 times half
// an epsilon. The same multiple is 4e-14 here, since both solvers round in their own order.
TEST_P(DoubleReferenceTest, AllCases_MatchIndependentSolver) {
  options.recording = test::record_all().recording;
  options.recording.start = GetParam().start;
  options.threads = GetParam().threads;
  simulate(data(GetParam().name + "_input"), out);
  const io::File truth = io::File::open(data(GetParam().name + "_truth64"), test::world());
  const io::File found = io::File::open(out, test::world());
  const auto field_of = [](const std::string &quantity) {
    return quantity.substr(0, quantity.find_first_of("_/"));
  };
  std::map<std::string, std::vector<double>> expected;
  std::map<std::string, double> scale;
  for (const std::string &quantity : test::quantities()) {
    if (!truth.exists(quantity)) continue;
    expected[quantity] = truth.read_all<double>(quantity);
    for (const double v : expected[quantity])
      scale[field_of(quantity)] = std::max(scale[field_of(quantity)], std::abs(v));
  }
  ASSERT_GE(expected.size(), 9U);
  for (const auto &[quantity, values] : expected) {
    EXPECT_EQ(found.info(quantity).bytes, sizeof(double)) << quantity;
    EXPECT_EQ(found.attribute(quantity, "data_type"), "double") << quantity;
    const std::vector<double> ours = found.read_all<double>(quantity);
    ASSERT_EQ(ours.size(), values.size()) << quantity;
    double worst = 0;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      ASSERT_TRUE(std::isfinite(ours[i])) << quantity << " at " << i;
      worst = std::max(worst, std::abs(ours[i] - values[i]));
    }
    EXPECT_LE(worst / scale.at(field_of(quantity)), 4e-14) << quantity;
  }
  EXPECT_EQ(found.info("Nt").kind, io::NumberKind::integer);
  EXPECT_EQ(found.info("dt").bytes, sizeof(double));
}

INSTANTIATE_TEST_SUITE_P(
    KWave, DoubleReferenceTest,
    ::testing::Values(Small{"flat_all_arrays"}, Small{"flat_corrected_velocity_stokes", 7},
                      Small{"flat_nonuniform", 1, 2}, Small{"odd_sizes", 12}, Small{"transducer"},
                      Small{"uniform_absorbing", 1, 2}, Small{"nonuniform_arrays"},
                      Small{"version_11"}, Small{"axis_lossless", 1, 2},
                      Small{"axis_stokes_nonlinear", 5}, Small{"axis_odd_sizes"}),
    [](const auto &info) { return info.param.name; });

class StandingWavesTest : public PrecisionTest,
                          public ::testing::WithParamInterface<kspace::Extents> {};

// The k-space scheme is exact in time. propagation_test.cpp derives the tolerance, here 1.2e-12 of
// the amplitude in double precision. The input must be as exact, so its datasets have double
// precision. One of them has the type name that k-Wave uses for all reals.
TEST_P(StandingWavesTest, ThousandSteps_MatchTheory) {
  constexpr std::int64_t steps = 1000;
  constexpr double dt = 1.1e-7, speed = 1500;
  const kspace::Extents &n = GetParam();
  test::InputWriter input(n, steps);
  constexpr std::array<double, 3> spacing{1.01e-3, 1.2e-3, 0.9e-3};
  std::vector<test::Wave> components = test::some_waves();
  if (n[2] == 1) std::erase_if(components, [](const test::Wave &w) { return w.cycles[2] != 0; });
  const test::Waves waves(components, n, spacing);
  const auto truth = [&](std::size_t point, std::int64_t step) {
    return waves.standing(point, speed, dt * static_cast<double>(step));
  };
  std::vector<double> p0(input.points());
  for (std::size_t i = 0; i < p0.size(); ++i)
    p0[i] = truth(i, 0);
  const auto whole = [](std::ptrdiff_t points) { return static_cast<std::size_t>(points); };
  input.integer("p0_source_flag", 1);
  input.array("p0_source_input", {whole(n[2]), whole(n[1]), whole(n[0])}, p0);
  input.attribute("p0_source_input/data_type", "float");
  input.array("dt", {1, 1, 1}, std::vector<double>{dt});
  for (std::size_t a = 0; a < 3; ++a)
    input.array(
        std::string("d") + "xyz" [a], { 1, 1, 1 }, std::vector<double>{spacing[a]});
  std::vector<std::uint64_t> everywhere(input.points());
  std::iota(everywhere.begin(), everywhere.end(), 1U);
  input.indices("sensor_mask_index", everywhere).write(in, test::world());

  constexpr std::int64_t last_rows = 10;
  options.recording.start = steps - last_rows + 1;
  simulate(in, out);
  const std::vector<double> p = read(out, "p");
  ASSERT_EQ(p.size(), static_cast<std::size_t>(last_rows) * p0.size());
  for (std::int64_t row = 0; row < last_rows; ++row) {
    const std::int64_t step = steps - last_rows + row;
    const double phase = speed * waves.max_magnitude() * dt * static_cast<double>(step);
    const double tolerance =
        (4 * static_cast<double>(step) + 3 * phase + 1) * epsilon * waves.amplitudes();
    for (std::size_t i = 0; i < p0.size(); ++i)
      ASSERT_NEAR(p[static_cast<std::size_t>(row) * p0.size() + i], truth(i, step), tolerance)
          << "step " << step << ", point " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Grids, StandingWavesTest,
                         ::testing::Values(kspace::Extents{12, 10, 14}, kspace::Extents{15, 11, 13},
                                           kspace::Extents{16, 15, 1}),
                         [](const auto &info) {
                           return std::to_string(info.param[0]) + "x" +
                                  std::to_string(info.param[1]) + "x" +
                                  std::to_string(info.param[2]);
                         });

TEST_F(PrecisionTest, OtherRanks_SameBits) {
  options.recording.p["max_all"] = options.recording.u["final"] = true;
  const std::string alone = scratch.file("alone.h5");
  for (const std::string name : {"odd_sizes", "flat_all_arrays", "axis_odd_sizes"}) {
    simulate(data(name + "_input"), out);
    if (test::rank_of(test::world()) == 0)
      test::simulate(data(name + "_input"), alone, options, MPI_COMM_SELF);
    MPI_Barrier(test::world());
    test::expect_equal_outputs(alone, out, 3);
  }
}

TEST_F(PrecisionTest, SeveralRuns_SameBitsAsOne) {
  options.recording.start = 5;
  options.recording.u["rms"] = options.recording.u["min_all"] = true;
  options.recording.intensity.average = true;
  options.checkpoint.file = scratch.file("checkpoint.h5");
  for (const std::string name : {"odd_sizes", "axis_lossless"}) {
    const std::string whole = scratch.file("whole.h5");
    options.checkpoint.steps = 0;
    simulate(data(name + "_input"), whole);
    options.checkpoint.steps = 23;
    for (const std::uint64_t done : {23U, 40U}) {
      simulate(data(name + "_input"), out);
      EXPECT_EQ(io::File::open(out, test::world()).read_all<std::uint64_t>("t_index").front(),
                done);
    }
    test::expect_equal_outputs(whole, out, 3);
  }
}

// The error names both precisions.
TEST_F(PrecisionTest, CheckpointOfOtherPrecision_IsRefused) {
  options.checkpoint.file = scratch.file("checkpoint.h5");
  options.checkpoint.steps = 6;
  const std::string input = data("transducer_input");
  for (const Precision first : {Precision::single, Precision::double_}) {
    const bool single = first == Precision::single;
    options.precision = first;
    simulate(input, out);
    options.precision = single ? Precision::double_ : Precision::single;
    const std::string said = refusal(input);
    EXPECT_NE(said.find("checkpoint.h5: dataset p is of " + std::string(single ? "32" : "64") +
                        "-bit values, expected " + (single ? "64" : "32") + "-bit ones"),
              std::string::npos)
        << said;
    EXPECT_NE(said.find("--precision"), std::string::npos) << said;
    MPI_Barrier(test::world());
    if (test::rank_of(test::world()) == 0) std::filesystem::remove(options.checkpoint.file);
    MPI_Barrier(test::world());
  }
}

// Reals have the attribute data_type "double" only in double precision.
TEST_F(PrecisionTest, DoubleArrays_OnlyInDoublePrecision) {
  test::InputWriter input({6, 5, 4}, 3);
  input.integer("p0_source_flag", 1);
  input.array("p0_source_input", {4, 5, 6}, std::vector<double>(input.points(), 1.0));
  input.write(in, test::world());
  simulate(in, out);
  options.precision = Precision::single;
  const std::string said = refusal(in);
  EXPECT_NE(said.find("p0_source_input: attribute data_type is 'double', expected 'float'"),
            std::string::npos)
      << said;
}

// Rows of 8,640 values of eight bytes are long enough to be written by threads.
TEST_F(PrecisionTest, WritingThreads_SameBits) {
  test::InputWriter input({24, 20, 18}, 6);
  std::vector<float> p0(input.points());
  for (std::size_t i = 0; i < p0.size(); ++i)
    p0[i] = static_cast<float>(1 + i % 7);
  input.integer("p0_source_flag", 1).field("p0_source_input", p0);
  std::vector<std::uint64_t> backwards(input.points());
  std::iota(backwards.rbegin(), backwards.rend(), 1U);
  input.indices("sensor_mask_index", backwards).write(in, test::world());
  options.copy_sensor_mask = true;
  options.recording.u["raw"] = true;
  simulate(in, out);
  EXPECT_EQ(io::File::open(out, test::world()).read_all<std::uint64_t>("sensor_mask_index"),
            backwards);
  const std::string threaded = scratch.file("threaded.h5");
  options.writer = kspace::Writer::thread;
  simulate(in, threaded);
  test::expect_equal_outputs(out, threaded, 3);
}

} // namespace
