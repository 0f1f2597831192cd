// Strong absorption for the time step, and exponents near 1: simulations are stable exactly where
// the program says so.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "kspace/input_writer.h"
#include "kspace/run_simulation.h"
#include "solvers/kspace/base/errors.h"
#include "support/mpi_test.h"
#include "support/scratch_directory.h"

namespace {

using namespace hybridfft;

constexpr double speed = 1500, dt = 2e-8, d = 1e-4;
constexpr std::int64_t steps = 500;
constexpr kspace::Extents n{12, 10, 8};

/// Returns the largest stable alpha_coeff. For y > 1 the bound is |eta| k_max^(y-1) <=
/// 1/sin^2(c_ref k_max dt/2) - 1 (see stability.h). For y < 1 it is eta k_min^(y-1) <= 1, because
/// the stiffness c^2 (1 - eta k^(y-1)) must be positive.
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

/// Runs a simulation and returns the maximum pressure at its end.
double largest_at_end(const std::string &in, const std::string &out, bool allow_unstable) {
  kspace::SimulationOptions options = test::record_pressure();
  options.allow_unstable = allow_unstable;
  test::simulate(in, out, options, test::world());
  double most = 0;
  for (const float v : test::read(out, "p_final", test::world()))
    most = std::isfinite(v) ? std::max(most, std::abs(static_cast<double>(v)))
                            : std::numeric_limits<double>::infinity();
  return most;
}

class StabilityTest : public ::testing::TestWithParam<double> {
protected:
  StabilityTest()
      : scratch(test::world()), in(scratch.file("in.h5")), out(scratch.file("out.h5")) {}

  double run(double share, bool allow_unstable) {
    absorbing(GetParam(), share * critical_alpha(GetParam())).write(in, test::world());
    return largest_at_end(in, out, allow_unstable);
  }

  test::ScratchDirectory scratch;
  std::string in, out;
};

// 10 % below the bound the pressure stays below the initial one, since waves spread in the periodic
// box and are absorbed. The bound omits the loss term, some thousandths here.
TEST_P(StabilityTest, BelowBound_Runs) { EXPECT_LT(run(0.9, false), 1.0); }

TEST_P(StabilityTest, AboveBound_IsRefused) {
  try {
    run(1.1, false);
    ADD_FAILURE() << "no exception";
  } catch (const kspace::InputError &e) {
    const std::string said = e.what();
    for (const char *part : {"alpha_power", "k^(y-1)", "expected at most", "--allow-unstable"})
      EXPECT_NE(said.find(part), std::string::npos) << said;
  }
}

// Each step multiplies a growing mode by about 1 + sqrt(-A) (A as in stability.h), so 500 steps
// suffice.
TEST_P(StabilityTest, AboveBoundAllowed_Diverges) { EXPECT_GT(run(1.1, true), 1e6); }

/// Returns the alpha_coeff of Stokes absorption at which 2 |tau| / dt = 1/s^2 - 1, s = sin(c k
/// dt/2), at the largest k.
double critical_stokes_alpha() {
  using std::numbers::pi;
  const double largest = pi * std::sqrt(3.0) / d;
  const double alpha = 100 * std::pow(1e-6 / (2 * pi), 2) / (20 * std::log10(std::numbers::e));
  const double tau = 2 * alpha * speed;
  const double sine = std::sin(speed * largest * dt / 2);
  return (1 / (sine * sine) - 1) * dt / (2 * tau);
}

/// Returns the largest stable time step of a power law with exponent y and alpha_coeff = 1. Solves
/// by bisection
///   sin^2(c k dt/2) (1 + |eta| k^(y-1) + 2 |tau| k^(y-2)/dt) = 1.
double critical_step(double y) {
  using std::numbers::pi;
  const double k = pi * std::sqrt(3.0) / d;
  const double alpha = 100 * std::pow(1e-6 / (2 * pi), y) / (20 * std::log10(std::numbers::e));
  const double dispersion =
      2 * alpha * std::pow(speed, y) * std::abs(std::tan(pi * y / 2)) * std::pow(k, y - 1);
  const double loss = 4 * alpha * std::pow(speed, y - 1) * std::pow(k, y - 2);
  double low = 0, high = pi / (speed * k);
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    const double sine = std::sin(speed * k * middle / 2);
    (sine * sine * (1 + dispersion + loss / middle) <= 1 ? low : high) = middle;
  }
  return low;
}

class OneStabilityTest : public ::testing::Test {
protected:
  OneStabilityTest()
      : scratch(test::world()), in(scratch.file("in.h5")), out(scratch.file("out.h5")) {}

  double run(const test::InputWriter &input, bool allow_unstable = false) {
    input.write(in, test::world());
    return largest_at_end(in, out, allow_unstable);
  }
  std::string refusal(const test::InputWriter &input) {
    try {
      run(input);
    } catch (const kspace::InputError &e) {
      return e.what();
    }
    return "no refusal";
  }

  test::ScratchDirectory scratch;
  std::string in, out;
};

TEST_F(OneStabilityTest, StokesAbsorption_HasBound) {
  const auto with = [](double share) {
    return absorbing(2, share * critical_stokes_alpha()).integer("absorbing_flag", 2);
  };
  EXPECT_LT(run(with(0.95)), 1.0);
  const std::string said = refusal(with(1.05));
  for (const char *part :
       {"dataset dt is 2e-08 s, expected at most about 1.9", "2 |tau| / dt", "--allow-unstable"})
    EXPECT_NE(said.find(part), std::string::npos) << said;
  EXPECT_GT(run(with(1.05), true), 1e6);
}

// In a varying medium the bound is an estimate: a single point beyond it causes a warning, not an
// error.
TEST_F(OneStabilityTest, OnePointBeyondBound_IsWarnedOf) {
  const auto warning = [&](double y, double at_one_point) {
    test::InputWriter input = absorbing(y, 0);
    std::vector<float> alpha(input.points(), 0.0F);
    alpha[input.point(2, 2, 2)] = static_cast<float>(at_one_point);
    input.integer("absorbing_flag", y == 2 ? 2 : 1).field("alpha_coeff", alpha);
    input.write(in, test::world());
    const auto simulation =
        kspace::Simulation::open(in, out, test::record_pressure(), test::world());
    simulation->prepare();
    simulation->load();
    return simulation->warnings().empty() ? "no warning" : simulation->warnings().back();
  };
  const std::string stokes = warning(2, 1.05 * critical_stokes_alpha());
  EXPECT_NE(stokes.find("2 |tau| / dt"), std::string::npos) << stokes;
  EXPECT_NE(stokes.find("may diverge"), std::string::npos) << stokes;
  const std::string power_law = warning(1.005, 1.1 * critical_alpha(1.005));
  EXPECT_NE(power_law.find("k^(y-1)"), std::string::npos) << power_law;
  EXPECT_NE(power_law.find("may diverge"), std::string::npos) << power_law;
  EXPECT_LT(largest_at_end(in, out, false), 1.0) << "it runs, and is stable";
}

TEST_F(OneStabilityTest, AllPointsBeyondBound_IsRefused) {
  test::InputWriter input = absorbing(1.005, 0);
  std::vector<float> alpha(input.points(), static_cast<float>(1.1 * critical_alpha(1.005)));
  alpha[input.point(2, 2, 2)] *= 1.1F;
  input.integer("absorbing_flag", 1).field("alpha_coeff", alpha);
  EXPECT_NE(refusal(input).find("--allow-unstable"), std::string::npos);
}

// An ordinary power law is stable up to some time step, which the error names.
TEST_F(OneStabilityTest, TooLargeTimeStep_IsNamed) {
  const double critical = critical_step(1.5);
  const auto with = [&](double share) { return absorbing(1.5, 1).real("dt", share * critical); };
  EXPECT_LT(run(with(0.98)), 1.0);
  const std::string said = refusal(with(1.02));
  EXPECT_NE(said.find("dataset dt is "), std::string::npos) << said;
  EXPECT_EQ(said.find("dataset alpha_power"), std::string::npos) << said;
  const std::string before = "expected at most about ";
  ASSERT_NE(said.find(before), std::string::npos) << said;
  EXPECT_NEAR(std::stod(said.substr(said.find(before) + before.size())) / critical, 1, 1e-5);
  EXPECT_GT(run(with(1.02), true), 1e6);
}

// For y > 2 eta is positive. If alpha_coeff is above the critical value, the stiffness c^2 (1 - eta
// k^(y-1)) is negative at the largest wave number, for any time step.
TEST_F(OneStabilityTest, ExponentAboveTwo_HasBound) {
  using std::numbers::pi;
  const double y = 2.5;
  const double k = pi * std::sqrt(3.0) / d;
  const double alpha = 100 * std::pow(1e-6 / (2 * pi), y) / (20 * std::log10(std::numbers::e));
  const double eta = 2 * alpha * std::pow(speed, y) * std::tan(pi * y / 2);
  const double critical = 1 / (eta * std::pow(k, y - 1));
  // The step is small, so only the dispersion term matters.
  const auto with = [&](double share) { return absorbing(y, share * critical).real("dt", dt / 8); };
  const std::string said = refusal(with(1.1));
  EXPECT_NE(said.find("dataset alpha_power is 2.5"), std::string::npos) << said;
}

INSTANTIATE_TEST_SUITE_P(Exponents, StabilityTest, ::testing::Values(0.99, 1.005, 1.02),
                         [](const auto &info) {
                           return "y" + std::to_string(static_cast<int>(1000 * info.param));
                         });

} // namespace
