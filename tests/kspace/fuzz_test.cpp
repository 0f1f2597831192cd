// Runs mutated input files. The simulation either runs or throws on all ranks alike, and leaves no
// output if it throws. With sanitizers this also detects memory errors.
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>

#include "kspace/input_writer.h"
#include "kspace/run_simulation.h"
#include "support/foreign_storage.h"
#include "support/mpi_test.h"
#include "support/scratch_directory.h"

// Without this option AddressSanitizer would abort when an impossible allocation is requested.
extern "C" __attribute__((visibility("default"))) const char *__asan_default_options();
extern "C" const char *__asan_default_options() { return "allocator_may_return_null=1"; }

namespace {

using namespace hybridfft;

/// Pseudo-random choices, equal on all ranks and for every standard library.
class Choice {
public:
  explicit Choice(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }
  template <class T> const T &of(const std::vector<T> &list) { return list[below(list.size())]; }

private:
  std::mt19937_64 engine_;
};

test::InputWriter with_everything(const kspace::Extents &n) {
  test::InputWriter input(n, 4);
  const std::vector<float> ones(input.points(), 1.0F);
  for (const char *name : {"rho0", "rho0_sgx", "rho0_sgy", "rho0_sgz", "p0_source_input"})
    input.field(name, ones);
  input.field("c0", std::vector<float>(input.points(), 1500.0F));
  input.integer("p0_source_flag", 1).integer("pml_x_size", 1);
  input.integer("p_source_flag", 3).integer("p_source_mode", 2).integer("p_source_many", 1);
  input.indices("p_source_index", {3, 1});
  input.array("p_source_input", {1, 3, 2}, std::vector<float>(6, 0.5F));
  input.integer("ux_source_flag", 3).integer("u_source_mode", 1).integer("u_source_many", 0);
  input.indices("u_source_index", {4, 9, 2});
  input.array("ux_source_input", {1, 3, 1}, std::vector<float>(3, 0.1F));
  input.integer("transducer_source_flag", 2).indices("delay_mask", {1, 2, 3});
  input.array("transducer_source_input", {1, 1, 4}, std::vector<float>(4, 0.1F));
  input.integer("nonlinear_flag", 1).real("BonA", 5);
  input.indices("sensor_mask_index", {20, 1, 7});
  input.array("sensor_mask_corners", {1, 2, 6},
              std::vector<std::uint64_t>{1, 1, 1, 2, 2, 1, 3, 2, 1, 4, 3, 1});
  return input;
}

test::InputWriter base(std::size_t which) {
  test::InputWriter input =
      with_everything(which == 0 ? kspace::Extents{6, 5, 4} : kspace::Extents{8, 6, 1});
  if (which == 0) input.integer("absorbing_flag", 1);
  if (which == 1) input.integer("sensor_mask_type", 1).integer("absorbing_flag", 2);
  if (which == 2) input.integer("axisymmetric_flag", 1).integer("absorbing_flag", 2);
  input.real("alpha_coeff", 0.1).real("alpha_power", 1.5);
  return input;
}

void mutate(test::InputWriter &input, Choice &choice) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<std::int64_t> integers{
      -1, 0, 1, 2, 3, 5, 7, 121, std::int64_t{1} << 40, std::numeric_limits<std::int64_t>::max()};
  const std::vector<double> reals{nan, infinity, -infinity, -1, 0, 0.5, 1, 1e-30, 1e30};
  const std::vector<io::Shape> shapes{{1},          {4, 2},    {1, 1, 2}, {7, 1, 1}, {1, 5, 6},
                                      {2, 3, 1, 2}, {4, 5, 6}, {1, 6, 8}, {6, 5, 4}, {1, 3, 2}};
  const std::vector<std::string> texts{"",      "float", "long", "real", "complex",
                                       "input", "0",     "1",    "2",    "9"};
  const std::string name = choice.of(input.names());
  const io::Shape shape = choice.of(shapes);
  std::size_t points = 1;
  for (const std::size_t extent : shape)
    points *= extent;
  switch (choice.below(8)) {
  case 0:
    input.remove(name);
    return;
  case 1:
    input.integer(name, choice.of(integers));
    return;
  case 2:
    input.real(name, choice.of(reals));
    return;
  case 3:
    input.array(name, shape, std::vector<float>(points, static_cast<float>(choice.of(reals))));
    return;
  case 4:
    input.array(name, shape, std::vector<std::uint64_t>(points, 1 + choice.below(130)));
    return;
  case 5:
    input.set_value(name, choice.below(200), choice.of(reals));
    return;
  case 6:
    input.set_value(name, choice.below(200), static_cast<double>(choice.of(integers)));
    return;
  default:
    if (choice.below(2) == 0)
      input.attribute(name + (choice.below(2) == 0 ? "/data_type" : "/domain_type"),
                      choice.of(texts));
    else
      input.attribute(choice.below(2) == 0 ? "minor_version" : "file_type", choice.of(texts));
  }
}

int mutants() {
  const char *text = std::getenv("HFFT_FUZZ_MUTANTS");
  if (text != nullptr) return std::atoi(text);
  return test::size_of(test::world()) == 1 ? 200 : 60;
}

/// Returns the number of the first mutant. HFFT_FUZZ_FIRST lets a run continue a long series.
int first_mutant() {
  const char *text = std::getenv("HFFT_FUZZ_FIRST");
  return text != nullptr ? std::atoi(text) : 0;
}

/// Stores a dataset with other HDF5 options, or damages the file. Called on one rank.
void store_otherwise(const std::string &in, const test::InputWriter &input, Choice &choice) {
  const std::string name = choice.of(input.names());
  const std::size_t how = choice.below(6);
  const std::size_t byte = choice.below(96);
  try {
    if (how == 0) test::link_out(in, name, "side.h5");
    if (how == 1) test::make_virtual(in, name, "side.h5");
    if (how == 2) test::compress(in, name);
    if (how == 3) test::store_unreadably(in, name);
    if (how == 4) {
      (byte % 2 == 0 ? test::link_out : test::make_virtual)(in, name, "side.h5");
      std::filesystem::remove(test::file_beside(in, "side.h5"));
    }
  } catch (
      const std::logic_error &) { // datasets without three dimensions cannot be stored in this way
  }
  if (how != 5) return;
  // Changes one bit of the superblock, or of the root group's header, which follows the superblock.
  std::fstream file(in, std::ios::in | std::ios::out | std::ios::binary);
  const auto place = static_cast<std::streamoff>(byte + (byte > 48 ? 40 : 0));
  file.seekg(place);
  const int old = file.get();
  file.seekp(place);
  file.put(static_cast<char>(old ^ (1 << choice.below(8))));
}

/// Ends the program if a mutant takes too long, which means that it hangs.
class TimeLimit {
public:
  explicit TimeLimit(int mutant) {
    current = mutant;
    std::signal(SIGALRM, [](int) {
      std::fprintf(stderr, "mutant %d hangs\n", static_cast<int>(current));
      std::_Exit(1);
    });
    alarm(120); // seconds; on an idle machine a mutant takes some hundredths of a second
  }
  ~TimeLimit() { alarm(0); }
  TimeLimit(const TimeLimit &) = delete;
  TimeLimit &operator=(const TimeLimit &) = delete;

private:
  static inline volatile std::sig_atomic_t current = 0;
};

/// Runs a simulation. Returns true if it ran, and false if it threw an error.
bool runs(const std::string &in, const std::string &out, Choice &choice) {
  kspace::SimulationOptions options = test::record_all();
  options.steps = 4;
  options.allow_unstable = choice.below(2) == 0;
  options.copy_sensor_mask = true;
  options.recording.start = 1 + static_cast<std::int64_t>(choice.below(4));
  options.recording.intensity = {choice.below(2) == 0, choice.below(4) == 0};
  try {
    test::simulate(in, out, options, test::world());
    return true;
  } catch (const std::exception &e) {
    EXPECT_STRNE(e.what(), "");
    return false;
  }
}

TEST(FuzzTest, MutatedContent_RunsOrIsRefused) {
  const test::ScratchDirectory scratch(test::world());
  const std::string in = scratch.file("in.h5");
  const std::string out = scratch.file("out.h5");
  int ran = 0;
  const int total = mutants();
  for (int i = first_mutant(); i < first_mutant() + total; ++i) {
    SCOPED_TRACE("mutant " + std::to_string(i));
    Choice choice(static_cast<std::uint64_t>(i));
    test::InputWriter input = base(choice.below(3));
    const bool stored = i % 2 == 1; // every other mutant is stored with other HDF5 options
    for (std::size_t mutations = stored ? choice.below(2) : 1 + choice.below(3); mutations > 0;
         --mutations)
      mutate(input, choice);
    input.write(in, test::world());
    const TimeLimit limit(i);
    Choice storage(static_cast<std::uint64_t>(i) + 77);
    if (stored && test::rank_of(test::world()) == 0) store_otherwise(in, input, storage);
    MPI_Barrier(test::world());
    const bool complete = runs(in, out, choice);
    MPI_Barrier(test::world());
    const std::vector<std::string> expected =
        complete ? std::vector<std::string>{"in.h5", "out.h5"} : std::vector<std::string>{"in.h5"};
    std::vector<std::string> found = scratch.contents();
    std::erase(found, "side.h5");
    std::sort(found.begin(), found.end());
    ASSERT_EQ(found, expected);
    MPI_Barrier(test::world());
    if (test::rank_of(test::world()) == 0) {
      std::remove(out.c_str());
      std::remove(scratch.file("side.h5").c_str());
    }
    ran += complete ? 1 : 0;
  }
  // If all mutants ran or all failed, they would test little.
  EXPECT_GT(ran, total / 20);
  EXPECT_LT(ran, total - total / 20);
}

// Truncated files. Damage inside most of HDF5's own structures is not tested: HDF5 1.10 itself
// reads beyond its buffers in some cases.
TEST(FuzzTest, TruncatedFile_IsRefused) {
  const test::ScratchDirectory scratch(test::world());
  const std::string in = scratch.file("in.h5");
  base(0).write(in, test::world());
  std::ifstream file(in, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(file)), {});
  for (int i = 0; i < mutants() / 10; ++i) {
    SCOPED_TRACE("mutant " + std::to_string(i));
    Choice choice(1'000'000 + static_cast<std::uint64_t>(i));
    const std::string part = whole.substr(0, choice.below(whole.size()));
    MPI_Barrier(test::world());
    if (test::rank_of(test::world()) == 0) std::ofstream(in, std::ios::binary) << part;
    MPI_Barrier(test::world());
    EXPECT_FALSE(runs(in, scratch.file("out.h5"), choice)) << part.size() << " bytes";
  }
}

} // namespace
