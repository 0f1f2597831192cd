// If one rank has no memory for the lists of the sensor or the sources, all ranks fail and none
// waits.
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "kspace/input_writer.h"
#include "solvers/kspace/record/sensor.h"
#include "solvers/kspace/sources/source.h"
#include "support/failing_allocations.h"
#include "support/mpi_test.h"
#include "support/scratch_directory.h"

namespace {

using namespace hybridfft;
using test::failing_allocations;

TEST(ListMemory, OutOfMemoryOnOneRank_FailsOnAllRanks) {
  const test::ScratchDirectory scratch(test::world());
  const std::string in = scratch.file("in.h5");
  constexpr std::int64_t steps = 4;
  test::InputWriter input({16, 16, 16}, steps);
  std::vector<std::uint64_t> all(input.points());
  std::iota(all.begin(), all.end(), 1);
  input.indices("sensor_mask_index", all).indices("p_source_index", all);
  input.array("p_source_input", {1, steps, all.size()}, std::vector<float>(steps * all.size()));
  input.write(in, test::world());

  const grid::Communicator comm(test::world());
  const kspace::LocalGrid local = kspace::LocalGrid::slab(input.extents(), comm);
  std::int64_t failures = 0;
  for (bool failed = true; failed && failures < 1000; failures += failed ? 1 : 0) {
    const kspace::InputFile file(in, comm, kspace::Precision::single);
    failed = false;
    failing_allocations = {
        .left = comm.rank() == 0 ? failures : -1, .only_one = true, .min_bytes = 2048};
    try {
      kspace::SensorMask<float> mask(file, local, comm);
      mask.reserve(2);
      const kspace::SourcePoints points(file, "p_source_index", local);
      const kspace::Signals<float> signals(file, "p_source_input", steps, true, points);
    } catch (const Error &e) {
      failed = true;
      EXPECT_EQ(e.code(), HFFT_ERROR_OUT_OF_MEMORY) << e.what();
    }
    failing_allocations = {};
    const std::int64_t anywhere = comm.max(std::int64_t{failed ? 1 : 0});
    ASSERT_EQ(anywhere, failed ? 1 : 0) << "allocation " << failures;
  }
  EXPECT_GT(failures, 10);
  EXPECT_LT(failures, 1000);
}

} // namespace
