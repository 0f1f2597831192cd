// Content and format of the output file, for any number of ranks.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "kspace/input_writer.h"
#include "kspace/run_simulation.h"
#include "solvers/kspace/record/sensor.h"
#include "support/mpi_test.h"
#include "support/scratch_directory.h"

namespace {

using namespace hybridfft;

/// An input with a heterogeneous medium, a PML, an initial pressure and a source. All values
/// differ.
test::InputWriter busy_input(const kspace::Extents &n, std::uint64_t steps) {
  test::InputWriter input(n, steps);
  const auto field = [&](double mean, double swing, double pace) {
    std::vector<float> values(input.points());
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(mean + swing * std::sin(pace * static_cast<double>(i)));
    return values;
  };
  input.real("c_ref", 1600);
  input.field("c0", field(1500, 90, 0.13)).field("rho0", field(1000, 60, 0.07));
  input.field("rho0_sgx", field(1000, 60, 0.071)).field("rho0_sgy", field(1000, 60, 0.072));
  input.field("rho0_sgz", field(1000, 60, 0.073));
  input.integer("p0_source_flag", 1).field("p0_source_input", field(0, 100, 0.31));
  input.integer("pml_x_size", 2).integer("pml_y_size", 1).integer("pml_z_size", 1);
  input.integer("p_source_flag", 9).integer("p_source_mode", 1).integer("p_source_many", 0);
  input.indices("p_source_index", {input.points(), 1, 17});
  std::vector<float> signal(9);
  for (std::size_t i = 0; i < signal.size(); ++i)
    signal[i] = 1e-5F * static_cast<float>(i);
  input.array("p_source_input", {1, 9, 1}, signal);
  input.indices("sensor_mask_index", {input.points(), 3, 1, 40, 3, input.points() / 2});
  return input;
}

class OutputTest : public ::testing::Test {
protected:
  OutputTest() : scratch(test::world()), in(scratch.file("in.h5")), out(scratch.file("out.h5")) {}

  test::ScratchDirectory scratch;
  std::string in, out;
};

TEST_F(OutputTest, AllRecords_HaveExpectedDatasets) {
  busy_input({10, 6, 5}, 12).write(in, test::world());
  kspace::SimulationOptions options = test::record_pressure();
  options.recording.start = 5;
  options.copy_sensor_mask = true;
  options.compression = 3;
  test::simulate(in, out, options, test::world());

  const io::File file = io::File::open(out, test::world());
  EXPECT_EQ(file.info("p").shape, (io::Shape{1, 8, 6}));
  EXPECT_EQ(file.info("p_max").shape, (io::Shape{1, 1, 6}));
  EXPECT_EQ(file.info("p_final").shape, (io::Shape{5, 6, 10}));
  for (const char *name : {"p", "p_max", "p_final", "dt"}) {
    EXPECT_EQ(file.attribute(name, "data_type"), "float") << name;
    EXPECT_EQ(file.attribute(name, "domain_type"), "real") << name;
  }
  EXPECT_EQ(file.attribute("Nx", "data_type"), "long");
  const auto integer = [&](const char *name) {
    EXPECT_EQ(file.info(name).shape, (io::Shape{1, 1, 1})) << name;
    return file.read_all<std::uint64_t>(name).front();
  };
  const std::vector<std::pair<const char *, std::uint64_t>> integers{{"Nx", 10},
                                                                     {"Ny", 6},
                                                                     {"Nz", 5},
                                                                     {"Nt", 12},
                                                                     {"t_index", 12},
                                                                     {"pml_x_size", 2},
                                                                     {"pml_y_size", 1},
                                                                     {"pml_z_size", 1},
                                                                     {"p0_source_flag", 1},
                                                                     {"p_source_flag", 9},
                                                                     {"p_source_mode", 1},
                                                                     {"p_source_many", 0},
                                                                     {"ux_source_flag", 0},
                                                                     {"uy_source_flag", 0},
                                                                     {"uz_source_flag", 0},
                                                                     {"transducer_source_flag", 0},
                                                                     {"nonuniform_grid_flag", 0},
                                                                     {"absorbing_flag", 0},
                                                                     {"nonlinear_flag", 0},
                                                                     {"axisymmetric_flag", 0},
                                                                     {"sensor_mask_type", 0}};
  for (const auto &[name, value] : integers)
    EXPECT_EQ(integer(name), value) << name;
  const std::vector<std::pair<const char *, float>> reals{
      {"dt", 2e-7F},   {"dx", 1e-3F},      {"dy", 1.2e-3F},    {"dz", 0.9e-3F},
      {"c_ref", 1600}, {"pml_x_alpha", 2}, {"pml_y_alpha", 2}, {"pml_z_alpha", 2}};
  for (const auto &[name, value] : reals)
    EXPECT_EQ(file.read_all<float>(name).front(), value) << name;
  EXPECT_EQ(file.read_all<std::uint64_t>("sensor_mask_index"),
            (std::vector<std::uint64_t>{300, 3, 1, 40, 3, 150}));
}

TEST_F(OutputTest, Attributes_NameProgramAndHost) {
  busy_input({10, 6, 5}, 12).write(in, test::world());
  test::simulate(in, out, test::record_pressure(), test::world());
  const io::File file = io::File::open(out, test::world());
  EXPECT_EQ(file.attribute("/", "created_by"), "a test");
  EXPECT_EQ(file.attribute("/", "file_description"), "made for a test");
  EXPECT_EQ(file.attribute("/", "file_type"), "output");
  EXPECT_EQ(file.attribute("/", "major_version"), "1");
  EXPECT_EQ(file.attribute("/", "minor_version"), "2");
  int ranks = 1;
  MPI_Comm_size(test::world(), &ranks);
  EXPECT_EQ(file.attribute("/", "number_of_cpu_cores"), std::to_string(ranks));
  EXPECT_EQ(file.attribute("/", "creation_date").size(), 18U) << "dd/mm/yy, hh:mm:ss";
  for (const char *name : {"total_execution_time", "data_loading_phase_execution_time",
                           "pre-processing_phase_execution_time", "simulation_phase_execution_time",
                           "post-processing_phase_execution_time"}) {
    const std::string text = file.attribute("/", name);
    ASSERT_EQ(text.size(), 9U) << name << ": '" << text << "', expected %8.2fs";
    EXPECT_EQ(text.back(), 's') << name;
  }
  for (const char *name : {"total_memory_in_use", "peak_core_memory_in_use"})
    EXPECT_TRUE(file.attribute("/", name).ends_with(" MB")) << name;
  EXPECT_NE(file.attribute("/", "host_names").find(" ("), std::string::npos);
  EXPECT_FALSE(file.exists("sensor_mask_index")) << "not asked for";
}

TEST_F(OutputTest, FewRecords_NoOtherDatasets) {
  busy_input({10, 6, 5}, 12).write(in, test::world());
  kspace::SimulationOptions options = test::record_pressure();
  options.recording = {};
  options.recording.p["final"] = true;
  options.steps = 4;
  test::simulate(in, out, options, test::world());
  const io::File file = io::File::open(out, test::world());
  EXPECT_FALSE(file.exists("p"));
  EXPECT_FALSE(file.exists("p_max"));
  EXPECT_TRUE(file.exists("p_final"));
  EXPECT_EQ(file.read_all<std::uint64_t>("Nt").front(), 4U);
}

TEST_F(OutputTest, LaterStart_DropsEarlierRows) {
  busy_input({10, 6, 5}, 12).write(in, test::world());
  test::simulate(in, out, test::record_pressure(), test::world());
  kspace::SimulationOptions late = test::record_pressure();
  late.recording.start = 8;
  const std::string out_late = scratch.file("late.h5");
  test::simulate(in, out_late, late, test::world());
  const std::vector<float> all = test::read(out, "p", test::world());
  const std::vector<float> end = test::read(out_late, "p", test::world());
  ASSERT_EQ(end.size(), 5U * 6);
  EXPECT_TRUE(std::equal(end.begin(), end.end(), all.end() - 30));
  const std::vector<float> most = test::read(out_late, "p_max", test::world());
  for (std::size_t i = 0; i < 6; ++i) {
    float expected = end[i];
    for (std::size_t row = 1; row < 5; ++row)
      expected = std::max(expected, end[row * 6 + i]);
    EXPECT_EQ(most[i], expected) << i;
  }
  EXPECT_EQ(test::read(out, "p_final", test::world()),
            test::read(out_late, "p_final", test::world()));
}

// The sensor list is so long that several ranks write parts of a row. The rows fill the buffers
// several times, and the last buffer partly.
TEST_F(OutputTest, LongSeries_IsWrittenInParts) {
  constexpr std::size_t entries = 10'000;
  constexpr std::int64_t rows = 7;
  constexpr std::ptrdiff_t rows_at_once = 3;
  test::InputWriter input({10, 6, 5}, rows);
  std::vector<std::uint64_t> mask(entries);
  for (std::size_t i = 0; i < entries; ++i)
    mask[i] = 1 + (i * 7) % input.points();
  input.indices("sensor_mask_index", mask).write(in, test::world());

  const grid::Communicator comm(test::world());
  const kspace::Exec host{{1}};
  const kspace::LocalGrid local = kspace::LocalGrid::slab(input.extents(), comm);
  kspace::SensorMask<float> sensor(kspace::InputFile(in, comm, kspace::Precision::single), local,
                                   comm);
  kspace::OutputFile file(out, comm, kspace::Precision::single, 4);
  kspace::TimeSeries<float> series(file, "p", rows, 0, rows_at_once, sensor, comm, host);
  kspace::Field<float> field(local.size(), host);
  const auto values = field.view(local);
  for (std::int64_t row = 0; row < rows; ++row) {
    grid::parallel_for(host.host, local.box(), [=, &local](auto z, auto y, auto x) {
      values(z, y, x) = static_cast<float>(1000 * row + local.point(z, y, x));
    });
    sensor.sample(host, field, series.begin_row(file));
    series.end_row();
  }
  series.flush(file);
  file.commit();

  const std::vector<float> found = test::read(out, "p", test::world());
  ASSERT_EQ(found.size(), rows * entries);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t i = 0; i < entries; ++i)
      ASSERT_EQ(found[row * entries + i], static_cast<float>(1000 * row + mask[i] - 1))
          << "row " << row << ", entry " << i;
}

// Buffers have 2^20 values. A single rank writes lists of 4096 points, whatever the number of
// ranks.
TEST_F(OutputTest, RowsAtOnce_FitTheWriters) {
  test::InputWriter input({16, 16, 16}, 1);
  std::vector<std::uint64_t> mask(input.points());
  std::iota(mask.begin(), mask.end(), 1);
  input.indices("sensor_mask_index", mask).write(in, test::world());
  const grid::Communicator comm(test::world());
  const kspace::LocalGrid local = kspace::LocalGrid::slab(input.extents(), comm);
  kspace::SensorMask<float> sensor(kspace::InputFile(in, comm, kspace::Precision::single), local,
                                   comm);
  EXPECT_EQ(kspace::TimeSeries<float>::rows_at_once(sensor, 10'000, comm), (1 << 20) / 4096);
  EXPECT_EQ(kspace::TimeSeries<float>::rows_at_once(sensor, 100, comm), 100);
}

// Compares one rank with all ranks, also on grids with fewer planes than ranks. Other orders of the
// same sums change a step by 4 epsilon of the maximum pressure at most, as in propagation_test.cpp.
class RanksTest : public OutputTest, public ::testing::WithParamInterface<kspace::Extents> {};

TEST_P(RanksTest, AnyNumberOfRanks_SameResult) {
  constexpr std::uint64_t steps = 25;
  busy_input(GetParam(), steps).write(in, test::world());
  test::simulate(in, out, test::record_pressure(), test::world());
  int rank = 0;
  MPI_Comm_rank(test::world(), &rank);
  const std::string alone = scratch.file("alone.h5");
  if (rank == 0) test::simulate(in, alone, test::record_pressure(), MPI_COMM_SELF);
  MPI_Barrier(test::world());
  double scale = 0;
  for (const float v : test::read(alone, "p", test::world()))
    scale = std::max(scale, std::abs(static_cast<double>(v)));
  const double tolerance =
      4 * steps * static_cast<double>(std::numeric_limits<float>::epsilon()) * scale;
  for (const char *dataset : {"p", "p_max", "p_final"}) {
    const std::vector<float> one = test::read(alone, dataset, test::world());
    const std::vector<float> all = test::read(out, dataset, test::world());
    ASSERT_EQ(one.size(), all.size());
    for (std::size_t i = 0; i < one.size(); ++i)
      ASSERT_NEAR(static_cast<double>(all[i]), static_cast<double>(one[i]), tolerance)
          << dataset << " at " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Grids, RanksTest,
                         ::testing::Values(kspace::Extents{10, 6, 5}, kspace::Extents{9, 3, 2},
                                           kspace::Extents{7, 11, 13}, kspace::Extents{5, 2, 17}));

// Rows of 38,400 points are long enough to be written by threads.
TEST_F(OutputTest, WritingThreads_SameBits) {
  const kspace::Extents n{40, 32, 30};
  for (const bool cuboids : {false, true}) {
    test::InputWriter input = busy_input(n, 9);
    if (cuboids) {
      input.remove("sensor_mask_index").integer("sensor_mask_type", 1);
      input.array(
          "sensor_mask_corners", {1, 3, 6},
          std::vector<std::uint64_t>{1, 1, 1, 40, 32, 30, 3, 2, 5, 38, 32, 28, 7, 7, 7, 7, 7, 7});
    } else {
      std::vector<std::uint64_t> backwards;
      for (std::uint64_t i = input.points(); i > 0; --i)
        backwards.push_back(i);
      input.indices("sensor_mask_index", backwards);
    }
    input.write(in, test::world());
    kspace::SimulationOptions options = test::record_all();
    options.recording.intensity.average = true;
    test::simulate(in, out, options, test::world());
    const std::string threaded = scratch.file("threaded.h5");
    options.writer = kspace::Writer::thread;
    test::simulate(in, threaded, options, test::world());
    test::expect_equal_outputs(out, threaded, 32);
  }
}

// Several runs; each continues the file of the previous run.
TEST_F(OutputTest, WritingThreadsAfterCheckpoint_SameBits) {
  test::InputWriter input = busy_input({40, 32, 30}, 9);
  std::vector<std::uint64_t> everywhere(input.points());
  std::iota(everywhere.begin(), everywhere.end(), 1U);
  input.indices("sensor_mask_index", everywhere).write(in, test::world());
  kspace::SimulationOptions options = test::record_pressure();
  options.checkpoint.file = scratch.file("checkpoint.h5");
  test::simulate(in, out, options, test::world());
  const std::string threaded = scratch.file("threaded.h5");
  options.writer = kspace::Writer::thread;
  options.checkpoint.steps = 4;
  for (int run = 0; run < 3; ++run)
    test::simulate(in, threaded, options, test::world());
  for (const char *quantity : {"p", "p_max", "p_final"})
    EXPECT_TRUE(test::read(out, quantity, test::world()) ==
                test::read(threaded, quantity, test::world()))
        << quantity;
}

} // namespace
