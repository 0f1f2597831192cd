/// Tests plans with each exchange algorithm, selected by HFFT_EXCHANGE.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "hybridfft/mpi_kind.h"
#include "support/mpi_test.h"
#include "support/skipped_cases.h"
#include "support/variable.h"
#include "verifier/trial.h"
#include "verifier/verify.h"

namespace hybridfft {
namespace {

class Forced : public test::Variable {
public:
  explicit Forced(const std::string &name) : test::Variable("HFFT_EXCHANGE", name) {}
};

/// Returns the description of a plan for the problem. Sets work_bytes to the size of its work
/// space.
template <class Real> std::string describe(const verifier::Problem &p, std::size_t &work_bytes) {
  using Api = verifier::Library<Real>;
  const auto elements =
      2 * static_cast<std::size_t>(verifier::local_arrays<Real>(p, test::world()).elements);
  std::vector<Real> in(elements);
  std::vector<Real> out(elements);
  const unsigned flags = HFFT_ESTIMATE | (p.transposed_out ? HFFT_TRANSPOSED_OUT : 0U) |
                         (p.transposed_in ? HFFT_TRANSPOSED_IN : 0U);
  const auto plan =
      Api::plan(p, in.data(), p.in_place ? in.data() : out.data(), test::world(), flags);
  if (plan == nullptr) return "no plan: " + std::string(Api::last_error());
  const std::unique_ptr<char, void (*)(void *)> text(hfft_sprint_plan(plan), std::free);
  work_bytes = hfft_plan_work_bytes(plan);
  Api::destroy(plan);
  return text.get();
}

class Exchanges : public ::testing::TestWithParam<std::string> {};

const std::vector<std::string> exchanges{"alltoallv", "shared",    "pairwise", "pipelined",
                                         "eager",     "datatypes", "fftw"};

const std::vector<std::string> shapes{"of12x10x6",      "if12x10x6",   "ob]7x5x3",   "ib[7x5x3",
                                      "ofr]9x8x10",     "ifr6x7x5*v2", "sobr[8x9x7", "sibr5x6x8",
                                      "sof[]3x11x4*v3", "sif2x3",      "of]1x9x4",   "if9x1x4",
                                      "ifr]4x6x3x2@2",  "ob5x7@3"};

void expect_right(const std::string &shape, Effort effort) {
  const auto report = verifier::verify(verifier::parse(shape), test::world(), {effort, 1});
  EXPECT_TRUE(report.passed()) << shape << "\n" << report.failures();
}

/// Tests estimated plans of all shapes, and measured plans of every third shape. Successive
/// exchanges measure different shapes.
TEST_P(Exchanges, AreRightForEveryShape) {
  const Forced forced(GetParam());
  auto turn = std::find(exchanges.begin(), exchanges.end(), GetParam()) - exchanges.begin();
  for (const std::string &shape : shapes) {
    expect_right(shape, Effort::estimate);
    if (++turn % 3 == 0) expect_right(shape, Effort::measure);
  }
}

using ExchangesSweep = Exchanges;

TEST_P(ExchangesSweep, AreRightForEveryShapeMeasured) {
  const Forced forced(GetParam());
  for (const std::string &shape : shapes)
    expect_right(shape, Effort::measure);
}

TEST_P(Exchanges, AreNamedByThePlan) {
  if (HFFT_FFTW_MPI == 0 && std::string(GetParam()) == "fftw")
    GTEST_SKIP() << test::this_machine << "no FFTW-MPI for this MPI";
  const Forced forced(GetParam());
  const std::vector<std::ptrdiff_t> n{8, 6, 4};
  Options options{.comm = test::world()};
  options.effort = Effort::estimate;
  const LocalSizes sizes = local_sizes<double, Kind::c2c>(n, options);
  Buffer<std::complex<double>> in(sizes.allocate_in);
  Buffer<std::complex<double>> out(sizes.allocate_out);
  const Plan<double, Kind::c2c> plan(n, in, out, options);
  EXPECT_EQ(plan.work_bytes(), hfft_plan_work_bytes(plan.handle()));
  if (test::size_of(test::world()) == 1) {
    EXPECT_FALSE(plan.describe().empty());
  } else {
    EXPECT_NE(plan.describe().find(GetParam()), std::string::npos) << plan.describe();
  }
}

/// A plan needs at most one array besides input and output: a work buffer or a window. Only small
/// windows have two halves, each as large as an array.
TEST_P(Exchanges, NeedOneWorkBuffer) {
  const Forced forced(GetParam());
  for (const char *placement : {"o", "i"})
    for (const char *kind : {"f", "fr", "br"})
      for (const char *transposed : {"", "[", "]", "[]"}) {
        const verifier::Problem p =
            verifier::parse(std::string(placement) + kind + transposed + "48x40x36");
        std::size_t work = 0;
        const std::string text = describe<double>(p, work);
        EXPECT_NE(text.find("1."), std::string::npos) << text;
        EXPECT_EQ(text.find("work2"), std::string::npos) << text;
        EXPECT_FALSE(text.find("-> work") != std::string::npos &&
                     text.find("-> window") != std::string::npos)
            << text;
        // In addition, a plan has buffers for a few tiles in cache, 512 KiB at most.
        const auto elements =
            static_cast<std::size_t>(verifier::local_arrays<double>(p, test::world()).elements);
        const std::size_t arrays = text.find("-> window") != std::string::npos ? 2 : 1;
        EXPECT_LE(work, arrays * elements * sizeof(hfft_complex) + (std::size_t{512} << 10))
            << text;
      }
}

/// Arrays of these sizes are sent in several chunks, while passes compute other rows.
const std::vector<std::string> large_shapes{"of]96x64x32", "if]96x64x32@2", "of96x64x24@2",
                                            "obr[64x96x48", "ibr64x96x48"};

/// Exchanges that send the complete array at once are slower, so each of these exchanges tests a
/// different third of the shapes.
TEST_P(Exchanges, AreRightForLargerArrays) {
  if (test::size_of(test::world()) == 1) GTEST_SKIP() << "needs two ranks";
  const Forced forced(GetParam());
  const std::array<std::string, 3> at_once{"alltoallv", "datatypes", "fftw"};
  const auto place = std::find(at_once.begin(), at_once.end(), GetParam());
  const std::size_t step = place == at_once.end() ? 1 : at_once.size();
  for (auto i = static_cast<std::size_t>(place - at_once.begin()) % 3; i < large_shapes.size();
       i += step)
    expect_right(large_shapes[i], Effort::estimate);
}

TEST_P(ExchangesSweep, AreRightForLargerArrays) {
  if (test::size_of(test::world()) == 1) GTEST_SKIP() << "needs two ranks";
  const Forced forced(GetParam());
  for (const std::string &shape : large_shapes)
    expect_right(shape, Effort::estimate);
}

INSTANTIATE_TEST_SUITE_P(All, Exchanges, ::testing::ValuesIn(exchanges),
                         [](const auto &info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(All, ExchangesSweep, ::testing::ValuesIn(exchanges),
                         [](const auto &info) { return info.param; });

/// In-place transforms with equal blocks on all ranks. Each pair of ranks exchanges several
/// messages.
TEST(Swap, IsRightInOneArray) {
  const int ranks = test::size_of(test::world());
  if (ranks == 1) GTEST_SKIP() << "needs two ranks";
  const Forced forced("swap");
  const std::string n = std::to_string(3 * ranks) + "x" + std::to_string(3 * ranks);
  const std::string large = std::to_string(24 * ranks) + "x" + std::to_string(24 * ranks);
  for (const std::string &text :
       {"if]" + n + "x5@2", "sib[" + n + "x6", "if" + n, "sif[]" + n + "x4x2*v3", "ifr]" + n + "x7",
        "sibr" + n + "x8@2", "ibr[" + n + "x4", "if]=" + n + "x4", "if]" + large + "x16"}) {
    verifier::Problem p = verifier::parse(text);
    const auto report = verifier::verify(p, test::world(), {Effort::estimate, 1});
    EXPECT_TRUE(report.passed()) << text << "\n" << report.failures();
    p.single = false;
    std::size_t work = 0;
    const std::string plan = describe<double>(p, work);
    EXPECT_NE(plan.find("out -> out: exchange swap"), std::string::npos) << plan;
    EXPECT_EQ(plan.find("work:"), std::string::npos) << plan;
    EXPECT_LE(work, std::size_t{3} << 20U) << plan;
  }
}

/// The exchange `swap` needs equal blocks and an in-place transform. For other problems the planner
/// chooses another exchange.
TEST(Swap, UnequalBlocks_UseAnotherExchange) {
  const int ranks = test::size_of(test::world());
  if (ranks == 1) GTEST_SKIP() << "needs two ranks";
  const Forced forced("swap");
  const auto cube = [](int n) { return std::to_string(n) + "x" + std::to_string(n) + "x6"; };
  for (const std::string &text :
       {"of]" + cube(3 * ranks), "if]" + cube(3 * ranks + 1), "if]" + cube(3 * ranks) + "/4,0"}) {
    std::size_t work = 0;
    const std::string plan = describe<double>(verifier::parse(text), work);
    EXPECT_NE(plan.find("exchange"), std::string::npos) << plan;
    EXPECT_EQ(plan.find("swap"), std::string::npos) << plan;
  }
}

/// A plan of a large in-place transform allocates no second array. Plans of higher efforts may
/// allocate one if this is faster.
TEST(Swap, LargeArraysAreTransformedWithoutASecondOne) {
  const int ranks = test::size_of(test::world());
  if (ranks == 1) GTEST_SKIP() << "needs two ranks";
  const std::string n = std::to_string(64 * ranks);
  std::size_t work = 0;
  // The array has 16 MiB on each rank.
  const verifier::Problem p =
      verifier::parse("if]" + n + "x" + n + "x" + std::to_string((256 + ranks - 1) / ranks));
  const std::string plan = describe<double>(p, work);
  EXPECT_NE(plan.find("swap"), std::string::npos) << plan;
  EXPECT_LE(work, std::size_t{4} << 20U) << plan;
}

TEST(ExchangeVariable, PipelinedWorksDuringThePasses) {
  if (test::size_of(test::world()) == 1) GTEST_SKIP() << "needs two ranks";
  const Forced forced("pipelined");
  std::size_t work = 0;
  const std::string both = "during the passes before and after";
  const std::string apart = describe<double>(verifier::parse("of]64x64x32"), work);
  EXPECT_NE(apart.find(both), std::string::npos) << apart;
  // In place, no message is received during the previous pass, because this pass still reads the
  // array.
  const std::string in_place = describe<double>(verifier::parse("if]64x64x32"), work);
  EXPECT_EQ(in_place.find(both), std::string::npos) << in_place;
  EXPECT_NE(in_place.find("during the pass after"), std::string::npos) << in_place;
}

/// HFFT_RANKS_PER_NODE simulates several nodes in a new communicator.
TEST(Shared, SeveralNodes) {
  const Forced forced("shared");
  for (const char *per_node : {"2", "3"}) {
    const test::Variable ranks("HFFT_RANKS_PER_NODE", per_node);
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(test::world(), &comm);
    for (const char *text :
         {"of12x10x6", "if12x10x6@2", "ob]7x5x3", "ib[7x5x3", "ofr]9x8x10", "sobr[8x9x7",
          "sibr5x6x8", "sof[]3x11x4*v3", "ifr6x7x5*v2", "of48x40x36@2"}) {
      const auto report = verifier::verify(verifier::parse(text), comm, {Effort::estimate, 1});
      EXPECT_TRUE(report.passed()) << text << "\n" << report.failures();
    }
    MPI_Comm_free(&comm);
  }
}

TEST(ExchangeVariable, UnknownNamesAreErrors) {
  const Forced forced("carrier-pigeon");
  hfft_complex *in = hfft_alloc_complex(64);
  ASSERT_NE(in, nullptr);
  EXPECT_EQ(hfft_plan_dft_3d(4, 4, 4, in, in, test::world(), HFFT_FORWARD, HFFT_ESTIMATE), nullptr);
  EXPECT_EQ(hfft_last_error(), HFFT_ERROR_ENVIRONMENT);
  const std::string message = hfft_last_error_message();
  for (const char *word :
       {"HFFT_EXCHANGE", "carrier-pigeon", "alltoallv", "shared", "pipelined", "eager", "fftw"})
    EXPECT_NE(message.find(word), std::string::npos) << message;
  hfft_free(in);
}

TEST(ExchangeVariable, AnotherNameOnOneRankIsAnErrorOnAll) {
  const int ranks = test::size_of(test::world());
  if (ranks == 1) GTEST_SKIP() << "needs two ranks";
  const Forced forced(test::rank_of(test::world()) == ranks - 1 ? "carrier-pigeon" : "alltoallv");
  hfft_complex *in = hfft_alloc_complex(64);
  ASSERT_NE(in, nullptr);
  EXPECT_EQ(hfft_plan_dft_3d(4, 4, 4, in, in, test::world(), HFFT_FORWARD, HFFT_ESTIMATE), nullptr);
  EXPECT_EQ(hfft_last_error(), HFFT_ERROR_ENVIRONMENT);
  hfft_free(in);
}

} // namespace
} // namespace hybridfft
