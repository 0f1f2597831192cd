/// Compares random problems, between slabs and between any two layouts, with the definition of the
/// DFT. HFFT_SWEEP_TIMES multiplies the number of problems.

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "support/mpi_test.h"
#include "support/variable.h"
#include "verifier/random_problem.h"
#include "verifier/verify.h"
#include "verifier/verify_layouts.h"

namespace hybridfft::verifier {
namespace {

constexpr std::ptrdiff_t max_values = 4000;

std::uint64_t times() {
  const char *text = std::getenv("HFFT_SWEEP_TIMES");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 1;
}

template <class AnyProblem> void expect_verified(const AnyProblem &problem, VerifyOptions options) {
  const Report report = verify(problem, test::world(), options);
  EXPECT_TRUE(report.passed()) << to_string(problem) << ", seed " << options.seed << "\n"
                               << report.failures();
}

void sweep_slabs(std::uint64_t problems, int threads, VerifyOptions options) {
  const Sweep sweep{options.seed, max_values, threads, test::size_of(test::world())};
  for (std::uint64_t i = 0; i < problems * times(); ++i)
    expect_verified(random_problem(sweep, i), options);
}

void sweep_layouts(std::uint64_t problems, int threads, VerifyOptions options) {
  const LayoutSweep sweep{options.seed, max_values, threads, test::size_of(test::world())};
  for (std::uint64_t i = 0; i < problems * times(); ++i)
    expect_verified(random_layout_problem(sweep, i), options);
}

TEST(Sweep, Slabs) { sweep_slabs(30, 3, {Effort::estimate, 20}); }

TEST(Sweep, MeasuredSlabs) { sweep_slabs(4, 1, {Effort::measure, 21}); }

TEST(Sweep, Layouts) { sweep_layouts(24, 2, {Effort::estimate, 30}); }

TEST(Sweep, MeasuredLayouts) { sweep_layouts(6, 1, {Effort::measure, 31}); }

TEST(Sweep, SharedLayouts) {
  const test::Variable exchange("HFFT_EXCHANGE", "shared");
  sweep_layouts(16, 2, {Effort::estimate, 33});
}

TEST(Sweep, PipelinedLayouts) {
  const test::Variable exchange("HFFT_EXCHANGE", "pipelined");
  sweep_layouts(16, 2, {Effort::estimate, 34});
}

} // namespace
} // namespace hybridfft::verifier
