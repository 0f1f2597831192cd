// Absorption with an exponent near 1: what the program says about its stability is what happens.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kspace/errors.h"
#include "kspace/input_writer.h"
#include "kspace/run_simulation.h"
#include "support/scratch_directory.h"

namespace {

using namespace hybridfft;

constexpr double speed = 1500, dt = 2e-8, d = 1e-4;
constexpr std::int64_t steps = 500;
constexpr kspace::Extents n{12, 10, 8};

/// The largest dispersion term that the scheme bears, divided by that of alpha_coeff = 1:
/// |eta| k_max^(y-1) <= 1/sin^2(c_ref k_max dt/2) - 1 for y > 1 (docs: KWAVE.md, 12.4), and
/// eta k_min^(y-1) <= 1 for y < 1, where the stiffness c^2 (1 - eta k^(y-1)) would be negative.
double critical_alpha(double y) {
  using std::numbers::pi;
  const double largest = pi * std::sqrt(3.0) / d;
  const double smallest = 2 * pi / (static_cast<double>(n[0]) * d);
  const double alpha = 100 * std::pow(1e-6 / (2 * pi), y) / (20 * std::log10(std::numbers::e));
  const double eta = 2 * alpha * std::pow(speed, y) * std::abs(std::tan(pi * y / 2));
  if (y < 1) return 1 / (eta * std::pow(smallest, y - 1));
  const double sine = std::sin(speed * largest * dt / 2);
  return (1 / (sine * sine) - 1) / (eta * std::pow(largest, y - 1));
}

test::InputWriter absorbing(double y, double alpha) {
  test::InputWriter input(n, steps);
  input.real("dx", d).real("dy", d).real("dz", d).real("dt", dt);
  input.integer("absorbing_flag", 1).real("alpha_power", y).real("alpha_coeff", alpha);
  std::vector<float> p0(input.points(), 0.0F);
  p0[input.point(6, 5, 4)] = 1.0F;
  p0[input.point(3, 2, 1)] = -0.5F;
  input.integer("p0_source_flag", 1).field("p0_source_input", p0);
  return input;
}

class StabilityTest : public ::testing::TestWithParam<double> {
protected:
  StabilityTest()
      : scratch(MPI_COMM_WORLD), in(scratch.file("in.h5")), out(scratch.file("out.h5")) {}

  /// Largest pressure at the end.
  double run(double share, bool allow_unstable) {
    absorbing(GetParam(), share * critical_alpha(GetParam())).write(in, MPI_COMM_WORLD);
    kspace::SimulationOptions options = test::record_pressure();
    options.allow_unstable = allow_unstable;
    test::simulate(in, out, options, MPI_COMM_WORLD);
    double most = 0;
    for (const float v : test::read(out, "p_final", MPI_COMM_WORLD))
      most = std::isfinite(v) ? std::max(most, std::abs(static_cast<double>(v)))
                              : std::numeric_limits<double>::infinity();
    return most;
  }

  test::ScratchDirectory scratch;
  std::string in, out;
};

// A tenth below, waves stay below the initial pressure, as they spread in a periodic box and are
// absorbed; the bound leaves out the loss term, which is some thousandths here.
TEST_P(StabilityTest, BelowTheBoundItRuns) { EXPECT_LT(run(0.9, false), 1.0); }

TEST_P(StabilityTest, AboveTheBoundItIsRefused) {
  try {
    run(1.1, false);
    ADD_FAILURE() << "no exception";
  } catch (const kspace::InputError &e) {
    const std::string said = e.what();
    for (const char *part : {"alpha_power", "k^(y-1)", "expected at most", "--allow-unstable"})
      EXPECT_NE(said.find(part), std::string::npos) << said;
  }
}

// A growing mode multiplies by 1 + sqrt(-A) or so in each step: 500 steps are plenty.
TEST_P(StabilityTest, AboveTheBoundItDivergesWhenAllowed) { EXPECT_GT(run(1.1, true), 1e6); }

INSTANTIATE_TEST_SUITE_P(Exponents, StabilityTest, ::testing::Values(0.99, 1.005, 1.02),
                         [](const auto &info) {
                           return "y" + std::to_string(static_cast<int>(1000 * info.param));
                         });

} // namespace
