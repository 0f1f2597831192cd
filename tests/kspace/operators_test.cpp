// Tests each part of the k-space method against its formula. Compiled in single and in double
// precision.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "kspace/waves.h"
#include "solvers/kspace/checks.h"
#include "solvers/kspace/medium/medium.h"
#include "solvers/kspace/medium/stability.h"
#include "solvers/kspace/operators/decomposition.h"
#include "solvers/kspace/operators/fused_fourier.h"
#include "solvers/kspace/operators/global_fourier.h"
#include "solvers/kspace/operators/spectral_operators.h"
#include "solvers/kspace/record/half_step_shift.h"
#include "support/mpi_test.h"

namespace {

using namespace hybridfft;
using namespace hybridfft::kspace;

using Real = HFFT_TEST_REAL; ///< set by CMake; the test is compiled for each precision

constexpr double epsilon = std::numeric_limits<Real>::epsilon();

TEST(WavenumberTest, EvenSize_NyquistIsNegative) {
  const double unit = 2 * std::numbers::pi / (6 * 0.5);
  for (const auto &[bin, m] : {std::pair{0, 0}, {1, 1}, {2, 2}, {3, -3}, {4, -2}, {5, -1}})
    EXPECT_DOUBLE_EQ(wavenumber(bin, 6, 0.5), m * unit) << bin;
  for (const auto &[bin, m] : {std::pair{0, 0}, {1, 1}, {2, 2}, {3, -2}, {4, -1}})
    EXPECT_DOUBLE_EQ(wavenumber(bin, 5, 0.6), m * unit) << bin;
  EXPECT_EQ(wavenumber(0, 1, 0.5), 0);
}

TEST(WavenumberTest, StaggeredNyquist_DerivativeIsReal) {
  // The factor i k exp(+-i k d/2) at the Nyquist wave number k = -pi/d is -pi/d for a shift ahead
  // and +pi/d for a shift behind.
  const double d = 0.25;
  const auto ahead = staggered_derivative(5, 8, d, Shift::forward);
  const auto behind = staggered_derivative(5, 8, d, Shift::backward);
  EXPECT_EQ(ahead[0], std::complex<double>(0, 0));
  EXPECT_NEAR(ahead[4].real(), -std::numbers::pi / d, 1e-13);
  EXPECT_NEAR(behind[4].real(), std::numbers::pi / d, 1e-13);
  EXPECT_NEAR(ahead[4].imag(), 0, 1e-13);
  EXPECT_NEAR(behind[4].imag(), 0, 1e-13);
}

TEST(PmlTest, Layer_MatchesFormulaAndIsOneInside) {
  // dt/2 A c/d = 0.5 * 2e-8 * 2 * 1500 / 1e-4 = 0.3, times the relative depth in the PML, 3/4 or
  // 1/2, to the fourth power.
  const auto centred = pml_profile<Real>(9, 1e-4, 4, 2, 1500, 2e-8, Stagger::none);
  const auto staggered = pml_profile<Real>(9, 1e-4, 4, 2, 1500, 2e-8, Stagger::half);
  // Bound for the rounding of the exponent 0.3 and of the exponential.
  const auto near = [](Real found, double depth) {
    EXPECT_NEAR(static_cast<double>(found), std::exp(-0.3 * depth * depth * depth * depth),
                epsilon / 2 + 2e-16);
  };
  near(centred[0], 1);
  near(centred[1], 0.75);
  near(centred[3], 0.25);
  EXPECT_EQ(centred[4], 1.0F);
  near(centred[5], 0.25);
  near(centred[8], 1);
  near(staggered[0], 0.875);
  near(staggered[3], 0.125);
  EXPECT_EQ(staggered[4], 1.0F);
  near(staggered[5], 0.375);
  near(staggered[8], 1.125);
}

TEST(PmlTest, NoLayer_IsOne) {
  for (const Real factor : pml_profile<Real>(5, 1e-3, 0, 2, 1500, 1e-7, Stagger::half))
    EXPECT_EQ(factor, 1.0F);
}

TEST(HalfStepShiftTest, FewExponentials_MatchKernel) {
  for (const std::int64_t samples :
       {1, 2, 3, 4, 5, 7, 8, 15, 16, 31, 90, 91, 1000, 1001, 20000, 100001}) {
    const HalfStepShift<Real> shift(samples);
    EXPECT_LE(shift.terms(), sizeof(Real) == 4 ? 24U : 48U) << samples;
    double worst = 0;
    for (std::int64_t m = 0; m < samples; ++m)
      worst = std::max(worst, std::abs(shift(m) - HalfStepShift<Real>::kernel(samples, m)));
    // The kernel is fitted at some of the samples. At the others the error may be 10 % larger.
    EXPECT_LE(worst, 1.1 * HalfStepShift<Real>::tolerance) << samples;
  }
}

TEST(StabilityTest, LargestStableStep_HighestWaveIsMarginal) {
  Parameters grid;
  grid.n = {4, 4, 4};
  grid.spacing = {1e-3F, 2e-3F, 0.5e-3F};
  EXPECT_EQ(largest_stable_step(1500, 1500, grid), std::numeric_limits<double>::infinity());
  EXPECT_EQ(largest_stable_step(1600, 1500, grid), std::numeric_limits<double>::infinity());
  const double dt = largest_stable_step(1500, 2500, grid);
  const double k = std::numbers::pi * std::sqrt(1 / 1e-6 + 1 / 4e-6 + 1 / 0.25e-6);
  // The input's spacings have single precision.
  EXPECT_NEAR(2500.0 / 1500 * std::sin(1500 * k * dt / 2), 1, 1e-6);
}

TEST(GoodSizeTest, SlowSize_AdvisesNextFastSize) {
  EXPECT_TRUE(size_advice({128, 150, 1}).empty());
  EXPECT_EQ(expected_slowdown({128, 150, 1}), 1);
  // The measured values are 2.2 and 1.9. The tolerance allows for the simplicity of the model.
  EXPECT_NEAR(expected_slowdown({127, 127, 127}), 2.2, 0.5);
  EXPECT_NEAR(expected_slowdown({94, 94, 94}), 1.9, 0.5);
  const std::vector<std::string> advice = size_advice({128, 127, 34});
  ASSERT_EQ(advice.size(), 2U);
  EXPECT_NE(advice[0].find("Ny is 127"), std::string::npos) << advice[0];
  EXPECT_NE(advice[0].find("128"), std::string::npos) << advice[0];
  EXPECT_NE(advice[1].find("Nz is 34, which has the prime factor 17"), std::string::npos);
  EXPECT_NE(advice[1].find("35"), std::string::npos) << advice[1];
}

/// A field composed of waves, whose derivatives have closed forms.
class DerivativeTest : public ::testing::TestWithParam<Extents> {
protected:
  DerivativeTest() : comm(test::world()), waves(test::some_waves(), GetParam(), spacing) {
    p.n = GetParam();
    p.dt = 3e-7F;
    p.spacing = {spacing[0], spacing[1], spacing[2]};
    p.c_ref = 1500;
  }
  /// Fills a field with the waves.
  void fill(Field<Real> &field, const LocalGrid &local) const {
    const auto v = field.view(local);
    for (std::ptrdiff_t z = 0; z < local.box().extent(0); ++z)
      for (std::ptrdiff_t y = 0; y < local.box().extent(1); ++y)
        for (std::ptrdiff_t x = 0; x < local.box().extent(2); ++x)
          v(z, y, x) = static_cast<Real>(
              waves.sum(at(local, x, y, z), [](const test::Wave &w, double angle) {
                return w.amplitude * std::cos(angle);
              }));
  }
  static std::array<double, 3> at(const LocalGrid &local, std::ptrdiff_t x, std::ptrdiff_t y,
                                  std::ptrdiff_t z) {
    return {static_cast<double>(x), static_cast<double>(y),
            static_cast<double>(z + local.start(0))};
  }
  /// Each wave is an eigenfunction: its derivative is -k_a kappa sin, half a cell ahead. Each of
  /// two FFTs rounds every bin by about sqrt(log2 N) epsilon of the amplitudes, here 3. The
  /// derivative multiplies the error by up to the largest wave number. The rounding of operators
  /// and products adds another 3 epsilon of the largest derivative.
  void expect_derivative(const Field<Real> &found, const LocalGrid &local, int axis,
                         double half) const {
    const auto a = static_cast<std::size_t>(axis);
    const double tolerance =
        9 * epsilon * waves.amplitudes() * std::numbers::pi / static_cast<double>(spacing[a]);
    const auto v = found.view(local);
    for (std::ptrdiff_t z = 0; z < local.box().extent(0); ++z)
      for (std::ptrdiff_t y = 0; y < local.box().extent(1); ++y)
        for (std::ptrdiff_t x = 0; x < local.box().extent(2); ++x) {
          auto where = at(local, x, y, z);
          where[a] += half;
          const double truth = waves.sum(where, [&](const test::Wave &w, double angle) {
            const double argument = 0.5 * 1500 * static_cast<double>(p.dt) * waves.magnitude(w);
            const double sinc = argument == 0 ? 1 : std::sin(argument) / argument;
            return -w.amplitude * waves.k(w)[a] * sinc * std::sin(angle);
          });
          ASSERT_NEAR(static_cast<double>(v(z, y, x)), truth, tolerance)
              << "axis " << axis << " at " << x << ", " << y << ", " << z;
        }
  }

  static constexpr std::array<float, 3> spacing{1e-3F, 1.2e-3F, 0.9e-3F};
  grid::Communicator comm;
  Parameters p;
  test::Waves waves;
};

TEST_P(DerivativeTest, BandLimitedFunction_IsExact) {
  const LocalGrid local = LocalGrid::slab(p.n, comm);
  const grid::Host host{2};
  Field<Real> field(local.operand_size(), host.threads);
  GlobalFourier<Real> derivative(p, local, comm, host, Effort::estimate, field);
  for (int axis = 0; axis < 3; ++axis) {
    fill(field, local);
    derivative.divergence_term(axis, field, [&](const Field<Real> &result) {
      expect_derivative(result, local, axis, -0.5);
    });
    // The operand must be unchanged.
    Field<Real> again(local.operand_size(), host.threads);
    fill(again, local);
    const auto kept = field.view(local);
    const auto filled = again.view(local);
    for (std::ptrdiff_t z = 0; z < local.box().extent(0); ++z)
      for (std::ptrdiff_t y = 0; y < local.box().extent(1); ++y)
        for (std::ptrdiff_t x = 0; x < local.box().extent(2); ++x)
          ASSERT_EQ(kept(z, y, x), filled(z, y, x));
  }
  fill(field, local);
  int axes = 0;
  derivative.gradient(field, [&](int axis, const Field<Real> &result) {
    EXPECT_EQ(axis, axes++);
    expect_derivative(result, local, axis, 0.5);
  });
  EXPECT_EQ(axes, 3);
}

/// A kernel that stores the components and records the order of calls.
class Collect final : public RowKernel<Real> {
public:
  Collect(const LocalGrid &local, std::array<Field<Real>, 3> &components, Field<Real> &seen)
      : local_(local), components_(components), seen_(seen) {}
  void begin(const Row &row, OutputRows<Real>) const override {
    EXPECT_EQ(*seen_.row(local_, row.i, row.j), 0);
    *seen_.row(local_, row.i, row.j) = 1;
  }
  void component(int c, const Row &row, const Real *values, OutputRows<Real> out) const override {
    *seen_.row(local_, row.i, row.j) += 1;
    std::copy_n(values, row.count,
                components_[static_cast<std::size_t>(c)].row(local_, row.i, row.j) + row.first);
    if (out[1] != nullptr && c == 1) std::copy_n(values, row.count, out[1]);
  }

private:
  const LocalGrid &local_;
  std::array<Field<Real>, 3> &components_;
  Field<Real> &seen_;
};

/// Computes a gradient row by row, fused or not, and the divergence of its outputs.
TEST_P(DerivativeTest, RowByRow_MatchesWholeFields) {
  const grid::Host host{2};
  for (const bool fused : {false, true}) {
    if (fused && !FusedFourier<Real>::applies(p, comm)) continue;
    SCOPED_TRACE(fused ? "fused" : "field by field");
    const LocalGrid local = LocalGrid::slab(
        p.n, comm, fused ? LocalGrid::Rows::aligned : LocalGrid::Rows::transformable, sizeof(Real));
    Field<Real> field(local.operand_size(), host.threads);
    std::unique_ptr<Derivative<Real>> derivative;
    if (fused)
      derivative = std::make_unique<FusedFourier<Real>>(p, local, comm, host);
    else
      derivative =
          std::make_unique<GlobalFourier<Real>>(p, local, comm, host, Effort::estimate, field);
    fill(field, local);
    std::array<Field<Real>, 3> found;
    for (Field<Real> &f : found)
      f = Field<Real>(local.operand_size(), host.threads);
    Field<Real> seen(local.operand_size(), host.threads);
    const Collect collect(local, found, seen);
    derivative->apply(Operator::none, RowKernel<Real>(),
                      std::array{Output<Real>::operand(Operator::gradient, &field)});
    // Only the second component becomes an operand here. Collect stores all components.
    Field<Real> second(local.operand_size(), host.threads);
    derivative->apply(
        Operator::gradient, collect,
        std::array{Output<Real>::skip(), Output<Real>::operand(Operator::divergence, &second)});
    for (int axis = 0; axis < 3; ++axis)
      expect_derivative(found[static_cast<std::size_t>(axis)], local, axis, 0.5);
    fill(field, local);
    derivative->apply(Operator::none, RowKernel<Real>(),
                      std::array{Output<Real>::operand(Operator::divergence, &field),
                                 Output<Real>::skip(),
                                 Output<Real>::operand(Operator::divergence, &field)});
    std::fill(seen.real().begin(), seen.real().end(), 0.0F);
    derivative->apply(Operator::divergence, collect, {});
    expect_derivative(found[0], local, 0, -0.5);
    expect_derivative(found[2], local, 2, -0.5);
    // Every row had begin() and then all three components.
    for (std::ptrdiff_t z = 0; z < local.box().extent(0); ++z)
      for (std::ptrdiff_t y = 0; y < local.box().extent(1); ++y)
        ASSERT_EQ(*seen.row(local, z, y), 4);
    // Divergence and gradient along y give the second derivative: the product of both derivatives,
    // each with kappa.
    const auto v = found[1].view(local);
    const double k_most = std::numbers::pi / static_cast<double>(spacing[1]);
    const double tolerance = 30 * epsilon * waves.amplitudes() * k_most * k_most;
    for (std::ptrdiff_t z = 0; z < local.box().extent(0); ++z)
      for (std::ptrdiff_t y = 0; y < local.box().extent(1); ++y)
        for (std::ptrdiff_t x = 0; x < local.box().extent(2); ++x) {
          const double truth =
              waves.sum(at(local, x, y, z), [&](const test::Wave &w, double angle) {
                const double argument = 0.5 * 1500 * static_cast<double>(p.dt) * waves.magnitude(w);
                const double sinc = argument == 0 ? 1 : std::sin(argument) / argument;
                return -w.amplitude * std::pow(waves.k(w)[1] * sinc, 2) * std::cos(angle);
              });
          ASSERT_NEAR(static_cast<double>(v(z, y, x)), truth, tolerance)
              << x << ", " << y << ", " << z;
        }
  }
}

INSTANTIATE_TEST_SUITE_P(Grids, DerivativeTest,
                         ::testing::Values(Extents{12, 10, 14}, Extents{15, 11, 13},
                                           Extents{10, 17, 12}));

} // namespace
