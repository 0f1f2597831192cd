// Tests each row of the table of recorded quantities: its option, its datasets in the output and in
// a checkpoint, and its values, which are computed from the time series.
#include <gtest/gtest.h>

#include <random>

#include "kspace/input_writer.h"
#include "kspace/run_simulation.h"
#include "solvers/kspace/base/exec.h"
#include "solvers/kspace/record/record_kernels.h"
#include "support/kspace/options.h"
#include "support/mpi_test.h"
#include "support/scratch_directory.h"

namespace {

using namespace hybridfft;
using kspace::Keep;

constexpr kspace::Extents n{8, 6, 5};
constexpr std::int64_t steps = 7, start = 3;

/// Parses a command line whose only recording option is this one.
kspace::SimulationOptions parse(const std::string &option) {
  std::vector<std::string> arguments{"program", "-i", "in.h5", "-o", "out.h5", "--" + option};
  std::vector<char *> argv;
  for (std::string &argument : arguments)
    argv.push_back(argument.data());
  argv.push_back(nullptr);
  auto options =
      tools::parse_kspace_options(static_cast<int>(arguments.size()), argv.data()).simulation;
  options.effort = Effort::estimate;
  options.recording.start = start;
  return options;
}

/// A wave in all directions. The sensor is a cuboid of the whole grid.
class RecordsTest : public ::testing::Test {
protected:
  RecordsTest() : scratch(test::world()), in(scratch.file("in.h5")) {
    test::InputWriter input(n, steps);
    std::mt19937 random(7);
    std::vector<float> p0(input.points());
    for (float &value : p0)
      value = static_cast<float>(random() % 1000) - 300;
    input.integer("p0_source_flag", 1).field("p0_source_input", p0);
    input.integer("sensor_mask_type", 1);
    input.array("sensor_mask_corners", {1, 1, 6}, std::vector<std::uint64_t>{1, 1, 1, 8, 6, 5});
    input.write(in, test::world());
  }

  /// Runs at most `most` time steps.
  void run(kspace::SimulationOptions options, const std::string &out, std::int64_t most) const {
    options.checkpoint.file = scratch.file("checkpoint.h5");
    options.checkpoint.steps = most;
    test::simulate(in, scratch.file(out), options, test::world());
  }
  std::vector<float> read(const std::string &file, const std::string &dataset) const {
    return test::read(scratch.file(file), dataset, test::world());
  }
  bool exists(const std::string &file, const std::string &dataset) const {
    return io::File::open(scratch.file(file), test::world()).exists(dataset);
  }

  /// Computes the expected values of a quantity of one field from the time series of all points.
  template <class Q>
  std::vector<float> expected(const Q &quantity, const std::string &field) const {
    if (quantity.keep == Keep::last) return read("series.h5", field + "_final");
    const std::vector<float> rows = read("series.h5", field + "/1");
    if (quantity.keep == Keep::series) return rows;
    const std::size_t points = rows.size() / (steps - start + 1);
    std::vector<float> values(points, quantity.identity);
    for (std::size_t i = 0; i < rows.size(); ++i)
      values[i % points] = quantity.combine(values[i % points], rows[i]);
    for (float &value : values)
      value = quantity.finish(value, float{steps - start + 1});
    return values;
  }

  test::ScratchDirectory scratch;
  std::string in;
};

// The option exists, is named in the help, and requests this quantity only.
TEST_F(RecordsTest, Option_RequestsThisRecordOnly) {
  kspace::Recording recording;
  const auto all = kspace::record_options(recording);
  ASSERT_EQ(all.size(), 2 * kspace::quantity_count + 3);
  const std::string usage = tools::kspace_usage();
  for (const kspace::RecordOption &asked : all) {
    EXPECT_NE(usage.find("--" + asked.name), std::string::npos) << asked.name;
    EXPECT_FALSE(asked.help.empty());
    kspace::SimulationOptions options = parse(asked.name);
    for (const kspace::RecordOption &other : kspace::record_options(options.recording))
      EXPECT_EQ(*other.wanted, other.name == asked.name) << asked.name << ", " << other.name;
  }
}

// Records each quantity in two runs with a checkpoint between them, and compares with the time
// series of one run.
TEST_F(RecordsTest, TwoRuns_MatchTimeSeries) {
  kspace::SimulationOptions series = parse("p_raw");
  series.recording.u["raw"] = series.recording.u["final"] = series.recording.p["final"] = true;
  run(series, "series.h5", 0);
  for (const std::string option : {"p", "u"})
    kspace::for_each_quantity([&](std::size_t, const auto &quantity) {
      const kspace::SimulationOptions options = parse(option + quantity.option);
      run(options, "out.h5", 5);
      EXPECT_EQ(test::read(scratch.file("checkpoint.h5"), option + quantity.option + "_flag",
                           test::world()),
                std::vector<float>{1});
      const bool in_grid = quantity.keep == Keep::in_grid || quantity.keep == Keep::last;
      const std::string mask = in_grid ? "" : "/1";
      const std::vector<std::string> fields = option == "p"
                                                  ? std::vector<std::string>{"p"}
                                                  : std::vector<std::string>{"ux", "uy", "uz"};
      for (const std::string &field : fields)
        EXPECT_TRUE(quantity.checkpoint == nullptr ||
                    exists("checkpoint.h5", field + quantity.checkpoint + mask))
            << field << quantity.option;
      run(options, "out.h5", 0);
      for (const std::string &field : fields) {
        const std::string dataset = field + quantity.dataset + mask;
        const std::vector<float> values = expected(quantity, field);
        const std::vector<float> found = read("out.h5", dataset);
        ASSERT_EQ(found.size(), values.size()) << dataset;
        for (std::size_t i = 0; i < found.size(); ++i)
          ASSERT_FLOAT_EQ(found[i], values[i]) << dataset << ", value " << i;
      }
    });
}

// Mean squares at all grid points, a combination that the table does not use.
TEST(CombineInGrid, MeanSquares_AreFinished) {
  const kspace::Exec exec{grid::Host{2}, nullptr};
  const grid::Box box(3, 4, 5);
  std::vector<float> sums(60, 32);
  const grid::View<float> view(sums.data(), 4, 5);
  kspace::for_points(exec, box, kspace::kernels::FinishInGrid<float, kspace::RootOfMean>{view, 2});
  EXPECT_EQ(sums, std::vector<float>(60, 4));
}

} // namespace
