// Checkpoints: a simulation in several runs gives the same bits as a single run, also on other
// numbers of ranks. Invalid checkpoints cause errors.
#include <gtest/gtest.h>
#include <hdf5.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>

#include "kspace/input_writer.h"
#include "kspace/run_simulation.h"
#include "support/mpi_test.h"
#include "support/scratch_directory.h"

namespace {

using namespace hybridfft;

std::string input_of(const std::string &name) {
  return std::string(HFFT_KWAVE_DATA) + "/small/" + name + "_input.h5";
}

/// Replaces the last value of a dataset by f(value). Called on one rank.
void edit(const std::string &path, const std::string &dataset,
          const std::function<double(double)> &f) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t data = H5Dopen2(file, dataset.c_str(), H5P_DEFAULT);
  const hid_t space = H5Dget_space(data);
  std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  values.back() = f(values.back());
  EXPECT_GE(H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  H5Sclose(space);
  H5Dclose(data);
  H5Fclose(file);
}

class CheckpointTest : public ::testing::Test {
protected:
  CheckpointTest()
      : scratch(test::world()), out(scratch.file("out.h5")), whole(scratch.file("whole.h5")),
        checkpoint(scratch.file("checkpoint.h5")), options(test::record_all()) {
    options.checkpoint.file = checkpoint;
    options.recording.start = 5;
    options.recording.intensity.average = true;
  }

  /// Runs at most `steps` time steps. Returns true if the simulation is complete.
  bool run(const std::string &name, std::int64_t steps, MPI_Comm comm = test::world()) {
    options.checkpoint.steps = steps;
    const std::string input = other_input.empty() ? input_of(name) : other_input;
    const auto simulation = kspace::Simulation::open(input, out, options, comm);
    simulation->prepare();
    simulation->load();
    simulation->run([](std::int64_t) {});
    simulation->finish("a test");
    return simulation->steps_done() == simulation->parameters().steps;
  }
  void run_whole(const std::string &name) {
    out.swap(whole);
    ASSERT_TRUE(run(name, 0));
    out.swap(whole);
  }
  void expect_equal_outputs() const {
    test::expect_equal_outputs(whole, out, 16);
    const io::File other = io::File::open(out, test::world());
    EXPECT_EQ(other.read_all<std::uint64_t>("t_index").front(), 40U);
  }
  /// Returns the error message of a run.
  std::string refusal(const std::string &name) {
    MPI_Barrier(test::world());
    try {
      run(name, 10);
      ADD_FAILURE() << "no exception";
    } catch (const std::exception &e) {
      return e.what();
    }
    return "";
  }
  /// Calls how(), which changes the checkpoint, on one rank.
  void change(const std::function<void()> &how) const {
    MPI_Barrier(test::world());
    if (test::rank_of(test::world()) == 0) how();
    MPI_Barrier(test::world());
  }

  test::ScratchDirectory scratch;
  std::string out, whole, checkpoint;
  std::string other_input; ///< input file to use instead of the named one
  kspace::SimulationOptions options;
};

class CheckpointCasesTest : public CheckpointTest,
                            public ::testing::WithParamInterface<std::string> {};

// Several runs of 13 steps. If recording starts at step 20, the first run stops before anything is
// recorded.
TEST_P(CheckpointCasesTest, SeveralRuns_SameBitsAsOne) {
  for (const std::int64_t start : {5, 20}) {
    options.recording.start = start;
    options.compression = start == 5 ? 0 : 2;
    options.recording.intensity.heat = start == 5 && !GetParam().starts_with("axis");
    run_whole(GetParam());
    int runs = 1;
    for (; !run(GetParam(), 13); ++runs) {
      ASSERT_TRUE(std::filesystem::exists(checkpoint));
      ASSERT_LT(runs, 10);
    }
    EXPECT_EQ(runs, 4);
    expect_equal_outputs();
    MPI_Barrier(test::world());
    EXPECT_FALSE(std::filesystem::exists(checkpoint)) << "not needed any more";
  }
}

INSTANTIATE_TEST_SUITE_P(KWave, CheckpointCasesTest,
                         ::testing::Values("odd_sizes", "flat_all_arrays", "transducer",
                                           "axis_stokes_nonlinear"),
                         [](const auto &info) { return info.param; });

// On one rank all components of the divergence are computed together. Ranks that exchange messages
// compute them one after another if the physics allows it, as in the second case.
TEST_F(CheckpointTest, OtherRanks_SameBits) {
  for (const char *name : {"odd_sizes", "transducer"}) {
    run_whole(name);
    MPI_Comm some = MPI_COMM_NULL;
    const int rank = test::rank_of(test::world());
    MPI_Comm_split(test::world(), rank == 0 ? 0 : 1, rank, &some);
    if (rank == 0) run(name, 17, some);
    MPI_Comm_free(&some);
    MPI_Barrier(test::world());
    EXPECT_TRUE(run(name, 0));
    expect_equal_outputs();
  }
}

TEST_F(CheckpointTest, StopOnOneRank_StopsAllRanks) {
  run_whole("transducer");
  const bool last = test::rank_of(test::world()) == test::size_of(test::world()) - 1;
  int asked = 0;
  options.checkpoint.stop_requested = [&] { return last && ++asked >= 7; };
  EXPECT_FALSE(run("transducer", 0));
  EXPECT_EQ(io::File::open(out, test::world()).read_all<std::uint64_t>("t_index").front(), 7U);
  options.checkpoint.stop_requested = {};
  EXPECT_TRUE(run("transducer", 0));
  expect_equal_outputs();
}

// Simulates a crash between the commits of the output and the checkpoint.
TEST_F(CheckpointTest, OutputAheadOfCheckpoint_Continues) {
  run_whole("flat_all_arrays");
  run("flat_all_arrays", 12);
  const std::string kept = scratch.file("kept.h5");
  change([&] { std::filesystem::copy_file(checkpoint, kept); });
  EXPECT_TRUE(run("flat_all_arrays", 0));
  change([&] { std::filesystem::rename(kept, checkpoint); });
  EXPECT_TRUE(run("flat_all_arrays", 0));
  expect_equal_outputs();
}

TEST_F(CheckpointTest, OutputBehindCheckpoint_IsRefused) {
  run("transducer", 6);
  const std::string kept = scratch.file("kept.h5");
  change([&] { std::filesystem::copy_file(out, kept); });
  run("transducer", 6);
  change([&] { std::filesystem::rename(kept, out); });
  EXPECT_NE(refusal("transducer").find("fewer than the 12 time steps"), std::string::npos);
}

TEST_F(CheckpointTest, TruncatedFile_IsRefused) {
  run("transducer", 6);
  change([&] {
    std::filesystem::resize_file(checkpoint, std::filesystem::file_size(checkpoint) / 2);
  });
  EXPECT_NE(refusal("transducer").find("checkpoint.h5"), std::string::npos);
}

// Changes one bit of one value of rhoy in the file.
TEST_F(CheckpointTest, DamagedValue_IsRefused) {
  run("transducer", 6);
  const std::vector<float> values =
      io::File::open(checkpoint, test::world()).read_all<float>("rhoy");
  change([&] {
    std::ifstream in(checkpoint, std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(in)), {});
    const std::string one(reinterpret_cast<const char *>(&values[500]), 3 * sizeof(float));
    const std::size_t at = bytes.find(one);
    ASSERT_NE(at, std::string::npos);
    bytes[at] = static_cast<char>(bytes[at] ^ 4);
    std::ofstream(checkpoint, std::ios::binary) << bytes;
  });
  const std::string said = refusal("transducer");
  EXPECT_NE(said.find("checksum"), std::string::npos) << said;
  EXPECT_NE(said.find("damaged"), std::string::npos) << said;
}

// The checkpoint has an older or a future format.
TEST_F(CheckpointTest, OtherFormat_IsRefused) {
  run("transducer", 6);
  change([&] { edit(checkpoint, "checkpoint_format", [](double value) { return value + 1; }); });
  const std::string later = refusal("transducer");
  EXPECT_NE(later.find("checkpoint_format is 3, expected 2"), std::string::npos) << later;
  change([&] {
    const hid_t file = H5Fopen(checkpoint.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    for (const char *name : {"checkpoint_format", "p_raw_flag"})
      EXPECT_GE(H5Ldelete(file, name, H5P_DEFAULT), 0);
    H5Fclose(file);
  });
  const std::string earlier = refusal("transducer");
  EXPECT_NE(earlier.find("checkpoint.h5"), std::string::npos) << earlier;
  EXPECT_NE(earlier.find("checkpoint_format is missing, expected 2"), std::string::npos) << earlier;
}

TEST_F(CheckpointTest, OtherSimulation_IsRefused) {
  run("odd_sizes", 6);
  const std::string said = refusal("transducer");
  EXPECT_NE(said.find("dataset Nx is 15, expected 16"), std::string::npos) << said;
}

// Inputs with equal grids and scalars, but one different value of the medium, the source or the
// mask.
TEST_F(CheckpointTest, OtherArrays_IsRefused) {
  const std::string changed = scratch.file("changed.h5");
  const std::vector<std::pair<std::string, std::string>> cases{
      {"transducer", "transducer_source_input"}, {"transducer", "delay_mask"},
      {"transducer", "u_source_index"},          {"transducer", "c0"},
      {"flat_all_arrays", "rho0_sgx"},           {"flat_all_arrays", "sensor_mask_index"},
      {"flat_all_arrays", "p0_source_input"}};
  for (const auto &[name, dataset] : cases) {
    SCOPED_TRACE(name + ": " + dataset);
    run(name, 6);
    change([&, input = name, of = dataset] {
      std::filesystem::copy_file(input_of(input), changed,
                                 std::filesystem::copy_options::overwrite_existing);
      edit(changed, of, [](double value) { return value > 1 ? value - 1 : value + 1; });
    });
    other_input = changed;
    const std::string said = refusal(name);
    EXPECT_NE(said.find("dataset input_checksum is"), std::string::npos) << said;
    other_input.clear();
    change([&] { std::filesystem::remove(checkpoint); });
  }
}

// Infinite values are kept in the checkpoint, and the last run completes the output.
TEST_F(CheckpointTest, DivergedRuns_Continue) {
  other_input = scratch.file("diverging.h5");
  test::InputWriter input({6, 5, 4}, 200);
  std::vector<float> p0(input.points(), 0.0F);
  p0[50] = 1;
  input.integer("p0_source_flag", 1).field("p0_source_input", p0);
  input.real("c_ref", 1000).real("dt", 5e-7).write(other_input, test::world());
  EXPECT_FALSE(run("", 90));
  EXPECT_FALSE(run("", 90));
  EXPECT_TRUE(run("", 90));
}

// The checksum includes the number of completed time steps.
TEST_F(CheckpointTest, OtherTimeStep_IsRefused) {
  run("transducer", 6);
  change([&] { edit(checkpoint, "t_index", [](double) { return 5; }); });
  const std::string said = refusal("transducer");
  EXPECT_NE(said.find("damaged"), std::string::npos) << said;
}

// Changes whether each quantity is recorded. The message names its option and both settings.
TEST_F(CheckpointTest, OtherRecords_IsRefused) {
  kspace::Recording &r = options.recording;
  std::vector<std::pair<std::string, bool *>> flags;
  for (const kspace::RecordOption &o : kspace::record_options(r))
    flags.emplace_back("--" + o.name, o.wanted);
  ASSERT_EQ(flags.size(), 17U);

  const auto set_all = [&](bool value) {
    for (const auto &[option, flag] : flags)
      *flag = value;
  };
  for (const bool before : {true, false}) {
    set_all(before);
    run("transducer", 6);
    for (const auto &[option, flag] : flags) {
      *flag = !before;
      const std::string said = refusal("transducer");
      *flag = before;
      EXPECT_NE(said.find("checkpoint.h5"), std::string::npos) << said;
      EXPECT_NE(said.find(option + (before ? " was given and is not given now"
                                           : " was not given and is given now")),
                std::string::npos)
          << said;
    }
    // Changes several flags at once.
    *flags[0].second = *flags[8].second = !before;
    const std::string said = refusal("transducer");
    EXPECT_NE(said.find("--p_raw was "), std::string::npos) << said;
    EXPECT_NE(said.find("; --u_rms was "), std::string::npos) << said;
    set_all(before);
    EXPECT_TRUE(run("transducer", 0)) << "nothing was lost";
  }
}

TEST_F(CheckpointTest, OtherShapesOfRecords_IsRefused) {
  run("transducer", 6);
  const auto expect_refusal = [&](const std::string &reason) {
    const std::string said = refusal("transducer");
    EXPECT_NE(said.find(reason), std::string::npos) << said;
  };
  options.recording.start = 6;
  expect_refusal("-s was 5 and is 6 now");
  options.compression = 3;
  expect_refusal("-s was 5 and is 6 now; -c was 0 and is 3 now");
  options.recording.start = 5;
  options.compression = 0;
  options.precision = kspace::Precision::double_;
  expect_refusal("another --precision");
  options.precision = kspace::Precision::single;
  EXPECT_TRUE(run("transducer", 0));
}

// The output has the same grid and number of steps, but lacks the checkpoint's datasets.
TEST_F(CheckpointTest, OutputWithoutRecords_IsRefused) {
  run("transducer", 10);
  change([&] {
    const hid_t file = H5Fopen(out.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    H5Ldelete(file, "uy", H5P_DEFAULT);
    H5Fclose(file);
  });
  EXPECT_NE(refusal("transducer").find("out.h5: dataset uy is missing"), std::string::npos);
}

// The output is that of another simulation with more steps on the same grid, so its rows must not
// be continued.
TEST_F(CheckpointTest, OutputOfOtherSimulation_IsRefused) {
  run("transducer", 6);
  const std::string changed = scratch.file("changed.h5");
  const auto expect_refusal = [&](const std::string &found) {
    const std::string said = refusal("transducer");
    EXPECT_NE(said.find("simulation_checksum"), std::string::npos) << said;
    EXPECT_EQ(said.find("found none") != std::string::npos, found == "none") << said;
    EXPECT_NE(said.find(checkpoint), std::string::npos) << said;
  };
  for (const char *dataset : {"c0", "dt"}) {
    change([&] {
      std::filesystem::copy_file(input_of("transducer"), changed,
                                 std::filesystem::copy_options::overwrite_existing);
      edit(changed, dataset, [](double value) { return 0.99 * value; });
    });
    other_input = changed;
    options.checkpoint.file = scratch.file("other.h5");
    EXPECT_TRUE(run("", 0));
    other_input.clear();
    options.checkpoint.file = checkpoint;
    expect_refusal("another");
  }
  options.checkpoint.file.clear();
  EXPECT_TRUE(run("transducer", 0));
  options.checkpoint.file = checkpoint;
  expect_refusal("none");
}

TEST_F(CheckpointTest, MissingOutput_IsRefused) {
  run("transducer", 6);
  change([&] { std::filesystem::remove(out); });
  const std::string said = refusal("transducer");
  EXPECT_NE(said.find("out.h5: there is no such file"), std::string::npos) << said;
  EXPECT_NE(said.find("checkpoint.h5"), std::string::npos) << said;
}

TEST_F(CheckpointTest, OutputOfOtherGrid_IsRefused) {
  run("transducer", 6);
  change([&] { edit(out, "Nx", [](double) { return 15; }); });
  EXPECT_NE(refusal("transducer").find("out.h5: dataset Nx is 15, expected 16"), std::string::npos);
}

// A stop requested immediately still completes one step.
TEST_F(CheckpointTest, StopAtOnce_CompletesOneStep) {
  run_whole("transducer");
  options.checkpoint.stop_requested = [] { return true; };
  EXPECT_FALSE(run("transducer", 0));
  EXPECT_EQ(io::File::open(checkpoint, test::world()).read_all<std::uint64_t>("t_index").front(),
            1U);
  options.checkpoint.stop_requested = {};
  EXPECT_TRUE(run("transducer", 0));
  expect_equal_outputs();
}

// An unwritable name is reported before the first step, so no computation is lost.
TEST_F(CheckpointTest, UnwritableName_IsRefused) {
  const auto refused = [&](const std::string &name, const std::string &reason) {
    options.checkpoint.file = name;
    const std::string said = refusal("transducer");
    EXPECT_NE(said.find(reason), std::string::npos) << said;
    EXPECT_FALSE(std::filesystem::exists(out));
  };
  refused(scratch.file("nothing/checkpoint.h5"), "there is no folder");
  const std::string folder = std::filesystem::path(out).parent_path().filename().string();
  refused(scratch.file("../" + folder + "/out.h5"), "is the output file");
  refused(input_of("transducer"), "is the input file");
  options.checkpoint.file = checkpoint;
  options.xdmf = true;
  change([&] { std::filesystem::create_directory(scratch.file("out.xdmf")); });
  refused(checkpoint, "out.xdmf': it is a folder");
}

} // namespace
