/// Tests HFFT_TRACE. Refused files are tested here; read_trace.py checks the written files after
/// MPI_Finalize.

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "hybridfft/hybridfft.hpp"
#include "hybridfft/operators.hpp"
#include "support/mpi_test.h"
#include "support/skipped_cases.h"

namespace hybridfft {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::ptrdiff_t, 3> extents{32, 24, 10};

/// Sets HFFT_TRACE until the object is destroyed.
class TraceVariable {
public:
  explicit TraceVariable(const std::string &file) { setenv("HFFT_TRACE", file.c_str(), 1); }
  ~TraceVariable() { unsetenv("HFFT_TRACE"); }
  TraceVariable(const TraceVariable &) = delete;
  TraceVariable &operator=(const TraceVariable &) = delete;
};

std::string traced_file(const std::string &name) {
  return std::string(HFFT_TEST_SCRATCH) + "/" + name + "." +
         std::to_string(test::size_of(MPI_COMM_WORLD)) + ".json";
}

void transform(int times, Options options) {
  options.effort = Effort::estimate;
  const LocalSizes sizes = local_sizes<float, Kind::c2c>(extents, options);
  Buffer<std::complex<float>> data(sizes.allocate_in);
  Plan<float, Kind::c2c> plan(extents, data, data, options);
  for (int i = 0; i < times; ++i)
    plan.execute();
}

TEST(Trace, UnwritableFileFailsThePlanOnAllRanks) {
  const TraceVariable variable("no/where.json");
  try {
    transform(1, {});
    ADD_FAILURE() << "planned with an unwritable trace";
  } catch (const Error &e) {
    EXPECT_EQ(e.code(), HFFT_ERROR_ENVIRONMENT);
    EXPECT_NE(std::string(e.what()).find("HFFT_TRACE is 'no/where.json'"), std::string::npos)
        << e.what();
    EXPECT_NE(std::string(e.what()).find("No such file"), std::string::npos) << e.what();
  }
}

/// A trace must not overwrite devices, pipes and folders.
TEST(Trace, OnlyRegularFilesAreReplaced) {
  const std::string pipe = traced_file("pipe");
  const std::string link = traced_file("link_to_pipe");
  const bool first = test::rank_of(MPI_COMM_WORLD) == 0;
  if (first) {
    fs::remove(pipe);
    fs::remove(link);
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    fs::create_symlink(pipe, link);
  }
  for (const std::string &file : {pipe, link, std::string(HFFT_TEST_SCRATCH)}) {
    const TraceVariable variable(file);
    try {
      transform(1, {});
      ADD_FAILURE() << "planned with a trace in " << file;
    } catch (const Error &e) {
      EXPECT_EQ(e.code(), HFFT_ERROR_ENVIRONMENT);
      const std::string what = e.what();
      EXPECT_NE(what.find("HFFT_TRACE is '" + file + "'"), std::string::npos) << what;
      EXPECT_NE(what.find(file == HFFT_TEST_SCRATCH ? "folder" : "not a regular file"),
                std::string::npos)
          << what;
    }
  }
  if (!first) return;
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_TRUE(fs::is_symlink(link));
  fs::remove(pipe);
  fs::remove(link);
}

TEST(Trace, FileIsThereFromThePlanOn) {
  const TraceVariable variable(traced_file("trace"));
  transform(3, {.threads = 2});
  // While MPI runs, the file contains a valid, empty trace.
  if (test::rank_of(MPI_COMM_WORLD) == 0) {
    std::stringstream text;
    text << std::ifstream(traced_file("trace")).rdbuf();
    EXPECT_EQ(text.str().find("\"X\""), std::string::npos);
    EXPECT_NE(text.str().find("]}"), std::string::npos) << text.str();
  }
  // A communicator of some ranks uses the existing trace.
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, test::rank_of(MPI_COMM_WORLD) % 2, 0, &half);
  transform(1, {.comm = half, .transposed_out = true, .threads = 1});
  MPI_Comm_free(&half);
  setenv("HFFT_EXCHANGE", "pipelined", 1);
  transform(1, {.threads = 2});
  unsetenv("HFFT_EXCHANGE");
}

/// CTest runs this test in a program of its own. It traces two sweeps over planes and one over
/// lines.
TEST(TraceOfOperators, SweepsAreTraced) {
  if (!OperatorPlan<float>::supports(extents)) GTEST_SKIP() << test::this_machine << "no kernels";
  const TraceVariable variable(traced_file("operators"));
  OperatorPlan<float> plan(extents, 1, MPI_COMM_WORLD, 1);
  plan.planes({}, std::array{0},
              [](const auto &line) { std::fill_n(line.scratch[0], extents[2], 1.0F); });
  plan.lines(std::array<OperatorPlan<float>::Product, 1>{{{0, {{0}}}}});
  plan.planes(std::array{OperatorPlan<float>::Source{0}}, {}, [](const auto &) {});
}

/// CTest runs this test in a program of its own, because a plan of all ranks would start a common
/// trace.
TEST(TraceOfSome, RanksWithoutTheFirstWriteTheirOwn) {
  const TraceVariable variable(traced_file("some"));
  const int rank = test::rank_of(MPI_COMM_WORLD);
  MPI_Comm others = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 0, 0, &others);
  if (rank != 0) {
    transform(1, {.comm = others, .threads = 1});
    MPI_Comm_free(&others);
  }
  transform(1, {.threads = 1});
}

/// CTest runs this test in a program of its own.
TEST(TraceOfTooMuch, TooManyEvents_AreCounted) {
  const TraceVariable variable(traced_file("much"));
  setenv("HFFT_EXCHANGE", "alltoallv", 1); // an exchange of one event per execution
  transform(30000, {.transposed_out = true, .threads = 1});
  unsetenv("HFFT_EXCHANGE");
}

/// CTest runs this test in a program of its own, and checks the error that it prints. A limit of
/// file sizes simulates a full disk.
TEST(TraceOnFullDisk, IsReported) {
  const TraceVariable variable(traced_file("full"));
  transform(100, {.threads = 1});
  std::signal(SIGXFSZ, SIG_IGN); // write() then fails, and no signal ends the process
  const rlimit limit{4096, 4096};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

} // namespace
} // namespace hybridfft
