/// Tests the bowl-shaped source, tone burst, medium and defaults of hybridfft-phantom, and its
/// errors for invalid options.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/phantom/scene.h"
#include "support/phantom/source.h"

namespace {

using namespace hybridfft::tools::phantom;

constexpr double mm = 1e-3;

/// Distance of a point from a bowl, a spherical cap, as the minimum over 2001 points of an arc. The
/// cap is symmetric about its axis, so a half plane through the axis contains the nearest point.
class SampledCap {
public:
  explicit SampledCap(const Bowl &bowl) : bowl_(bowl) {
    const double end = std::asin(0.5 * bowl.aperture / bowl.curvature);
    for (int i = 0; i <= pieces; ++i) {
      const double angle = end * i / pieces;
      arc_.push_back(
          {bowl.focus[0] - bowl.curvature * std::cos(angle), bowl.curvature * std::sin(angle)});
    }
    spacing_ = bowl.curvature * end / pieces;
  }

  double distance(double x, double y, double z) const {
    const double across = std::hypot(y - bowl_.focus[1], z - bowl_.focus[2]);
    double nearest = std::numeric_limits<double>::max();
    for (const auto &[along, radius] : arc_)
      nearest = std::min(nearest, std::hypot(x - along, across - radius));
    return nearest;
  }
  double spacing() const { return spacing_; }

private:
  static constexpr int pieces = 2000;
  struct Place {
    double along;
    double radius;
  };
  Bowl bowl_;
  std::vector<Place> arc_;
  double spacing_ = 0.;
};

TEST(Bowl, HoldsThePointsWithinHalfACellOfTheCap) {
  const double h = 0.5 * mm;
  const Index extents{30, 33, 31};
  const Bowl bowl{{9.3 * mm, 8. * mm, 7.5 * mm}, 8.1 * mm, 11. * mm};
  const SampledCap cap(bowl);
  std::set<std::uint64_t> listed;
  for (std::int64_t z = 0; z < extents[2]; ++z)
    for (const std::uint64_t point : bowl_points(bowl, extents, h, z))
      EXPECT_TRUE(listed.insert(point).second) << point;
  ASSERT_FALSE(listed.empty());

  // A sampled distance is never too small, and too large by at most half the spacing of the
  // samples.
  const double sampling = 0.5 * cap.spacing();
  std::uint64_t offset = 0;
  for (std::int64_t z = 0; z < extents[2]; ++z)
    for (std::int64_t y = 0; y < extents[1]; ++y)
      for (std::int64_t x = 0; x < extents[0]; ++x, ++offset) {
        const double sampled = cap.distance(static_cast<double>(x) * h, static_cast<double>(y) * h,
                                            static_cast<double>(z) * h);
        if (listed.count(offset) != 0)
          EXPECT_LE(sampled, 0.5 * h * (1. + 1e-12) + sampling) << x << ' ' << y << ' ' << z;
        else
          EXPECT_GT(sampled, 0.5 * h * (1. - 1e-12)) << x << ' ' << y << ' ' << z;
      }
}

TEST(Bowl, IsAHemisphereWhenTheApertureIsTwiceTheCurvature) {
  const Bowl bowl{{0., 0., 0.}, 2., 4.};
  EXPECT_DOUBLE_EQ(bowl.depth(), 2.);
  EXPECT_NEAR(bowl.distance({-2.5, 0., 0.}), 0.5, 1e-15);
  // The nearest part of the bowl is its rim, at the end of a triangle with the legs 3 and 4.
  EXPECT_NEAR(bowl.distance({3., 6., 0.}), 5., 1e-14);
}

TEST(ToneBurst, IsASineUnderASquaredSine) {
  const double f = 1e6;
  const double cycles = 4.;
  const double dt = 31e-9;
  const std::vector<double> signal = tone_burst(f, cycles, 5., dt);
  ASSERT_EQ(signal.size(), 131U); // 4 us / 31 ns = 129.03: samples 0 to 130
  for (std::size_t n = 0; n < signal.size(); ++n) {
    const double t = static_cast<double>(n) * dt;
    const double window = std::sin(std::numbers::pi * f * t / cycles);
    const double expected =
        t < cycles / f ? 5. * std::sin(2. * std::numbers::pi * f * t) * window * window : 0.;
    // The tolerance covers a few roundings of numbers up to 5.
    EXPECT_NEAR(signal[n], expected, 5. * 1e-14) << n;
  }
}

TEST(ToneBurst, IsCutToSoManySamples) {
  const std::vector<double> whole = tone_burst(1e6, 4., 5., 31e-9);
  EXPECT_EQ(tone_burst(1e6, 4., 5., 31e-9, 20),
            std::vector<double>(whole.begin(), whole.begin() + 20));
  EXPECT_EQ(tone_burst(1e6, 1e30, 5., 31e-9, 3).size(), 3U);
}

TEST(ContinuousWave, RisesAsABurstAndStays) {
  const double f = 1e6;
  const double cycles = 4.;
  const double dt = 31e-9;
  const std::vector<double> burst = tone_burst(f, cycles, 5., dt);
  const std::vector<double> signal = continuous_wave(f, cycles, 5., dt, 400);
  ASSERT_EQ(signal.size(), 400U); // 12.4 periods
  for (std::size_t n = 0; n < signal.size(); ++n) {
    const double t = static_cast<double>(n) * dt;
    const double expected =
        t < 0.5 * cycles / f ? burst[n] : 5. * std::sin(2. * std::numbers::pi * f * t);
    EXPECT_NEAR(signal[n], expected, 5. * 1e-13) << n;
  }
}

TEST(BallPressure, FallsSmoothlyFromTheMiddleToTheEdge) {
  EXPECT_DOUBLE_EQ(ball_pressure(0., 2., 7.), 7.);
  EXPECT_NEAR(ball_pressure(1., 2., 7.), 3.5, 1e-14);
  EXPECT_EQ(ball_pressure(2., 2., 7.), 0.);
  EXPECT_EQ(ball_pressure(5., 2., 7.), 0.);
}

PhantomOptions small() {
  PhantomOptions o;
  o.output = "unused";
  o.extents = {48, 40, 36};
  o.pml = 6;
  return o;
}

TEST(Medium, HasLayersAlongXAndTheBall) {
  PhantomMedium medium(0.5, {{0., {1500., 1000.}}, {2., {1600., 1100.}}, {3.5, {1450., 900.}}});
  medium.include_ball({5., 1., 1.}, 0.5, {1800., 1300.});
  EXPECT_EQ(medium.at({3, 0, 0}).speed, 1500.);
  EXPECT_EQ(medium.at({4, 9, 9}).speed, 1600.);
  EXPECT_EQ(medium.at({7, 0, 0}).speed, 1450.);
  EXPECT_EQ(medium.at({10, 2, 2}).speed, 1800.);
  EXPECT_EQ(medium.at({11, 2, 2}).speed, 1800.); // on the ball's surface
  EXPECT_EQ(medium.at({11, 3, 2}).speed, 1450.);
  const PhantomMedium::SpeedRange all = medium.speeds({12, 4, 4});
  EXPECT_EQ(all.lowest, 1450.);
  EXPECT_EQ(all.highest, 1800.);
  EXPECT_EQ(medium.speeds({7, 4, 4}).highest, 1600.); // neither the ball nor the last layer
}

TEST(Medium, StaggersDensityAsTheMeanOfNeighbours) {
  PhantomMedium medium(1., {{0., {1500., 1000.}}, {3., {1600., 1100.}}});
  medium.include_ball({1., 2., 2.}, 0.1, {1700., 1300.});
  EXPECT_EQ(medium.staggered_density({2, 0, 0}, 0, 6), 1050.);
  EXPECT_EQ(medium.staggered_density({1, 1, 2}, 1, 6), 1150.);
  EXPECT_EQ(medium.staggered_density({1, 2, 1}, 2, 6), 1150.);
  EXPECT_EQ(medium.staggered_density({1, 2, 2}, 1, 3),
            1300.); // the last point along y has no neighbour
}

TEST(Scene, KeepsTheCourantNumberOfTheFastestMaterial) {
  const Scene s = resolve(small());
  EXPECT_EQ(s.speeds.lowest, 1440.);
  EXPECT_EQ(s.speeds.highest, 1750.);
  // dt is rounded to single precision, with a relative error of at most 2^-24 = 6e-8.
  EXPECT_NEAR(s.dt * 1750. / (0.4 * mm), 0.3, 0.3 * 6e-8);
}

TEST(Scene, RunsUntilTheBurstHasPassedFocusAndInclusion) {
  PhantomOptions o = small();
  o.curvature = 10.;
  o.inclusion_radius = 1.;
  o.inclusion_offset = std::array{1.5, 0., 0.};
  const Scene s = resolve(o);
  // The wave travels 10 mm to the focus, 1.5 mm to the ball's centre and 1 mm to its far side. The
  // burst has three periods.
  const double time = 12.5 * mm / 1440. + 3. / 0.75e6;
  EXPECT_EQ(s.steps, static_cast<std::int64_t>(std::ceil(time / s.dt)));
  EXPECT_NEAR(s.source.bowl.focus[0], (6. + 2.) * 0.4 * mm + 10. * mm, 1e-15);
  EXPECT_EQ(s.source.signal.size(), static_cast<std::size_t>(std::ceil(3. / (0.75e6 * s.dt))) + 1);
}

TEST(Scene, CutsSignalLongerThanTheRun) {
  PhantomOptions o = small();
  o.steps = 7;
  EXPECT_EQ(resolve(o).source.signal.size(), 7U);
}

TEST(Scene, RecordsPlaneCoarseSetOrAllPointsWithoutThePml) {
  PhantomOptions o = small();
  const auto count = [&o] {
    const Scene s = resolve(o);
    std::size_t points = 0;
    for (std::int64_t z = 0; z < s.extents[2]; ++z)
      points += s.sensor_points(z).size();
    return points;
  };
  EXPECT_EQ(count(), 36U * 24U);
  EXPECT_EQ(resolve(o).sensor_points(6).front(), 6U + 48U * (20U + 40U * 6U));
  o.sensor = SensorKind::all;
  EXPECT_EQ(count(), 36U * 28U * 24U);
  o.sensor = SensorKind::coarse;
  o.sensor_stride = 5;
  EXPECT_EQ(count(), 8U * 6U * 5U);
}

struct Refusal {
  const char *name;
  std::function<void(PhantomOptions &)> spoil;
  std::vector<std::string> words;
};

class Refuses : public ::testing::TestWithParam<Refusal> {};

TEST_P(Refuses, NamingOptionValueAndExpectation) {
  PhantomOptions o = small();
  GetParam().spoil(o);
  try {
    resolve(o);
    FAIL() << "was accepted";
  } catch (const std::invalid_argument &e) {
    for (const std::string &word : GetParam().words)
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos)
          << '\'' << word << "' is missing in: " << e.what();
  }
}

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

INSTANTIATE_TEST_SUITE_P(
    Option, Refuses,
    ::testing::Values(
        Refusal{"extents",
                [](PhantomOptions &o) { o.extents[1] = 23; },
                {"--extents", "23 points along y", "at least 24", "--pml 6"}},
        Refusal{"extents_zero",
                [](PhantomOptions &o) { o.extents[2] = 0; },
                {"--extents", "0 points along z"}},
        Refusal{
            "extents_negative", [](PhantomOptions &o) { o.extents[0] = -5; }, {"--extents", "-5"}},
        Refusal{"extents_huge",
                [](PhantomOptions &o) { o.extents[0] = 70000; },
                {"--extents", "70000", "65536"}},
        Refusal{"pml", [](PhantomOptions &o) { o.pml = -1; }, {"--pml", "-1", "0 or more"}},
        Refusal{"pml_alpha", [](PhantomOptions &o) { o.pml_alpha = nan; }, {"--pml-alpha", "nan"}},
        Refusal{"nonlinearity",
                [](PhantomOptions &o) { o.nonlinearity = -1.; },
                {"--nonlinearity", "found -1", "0 or more"}},
        Refusal{"absorption",
                [](PhantomOptions &o) { o.absorption = nan; },
                {"--absorption", "nan", "0 or more"}},
        Refusal{"absorption_power",
                [](PhantomOptions &o) { o.absorption_power = 1.; },
                {"--absorption-power", "found 1", "between 0 and 3"}},
        Refusal{"spacing",
                [](PhantomOptions &o) { o.spacing = 0.; },
                {"--spacing", "found 0", "above 0"}},
        Refusal{"cfl", [](PhantomOptions &o) { o.cfl = 1.5; }, {"--cfl", "1.5", "at most 1"}},
        Refusal{
            "steps", [](PhantomOptions &o) { o.steps = 0; }, {"--steps", "found 0", "1 or more"}},
        Refusal{"frequency",
                [](PhantomOptions &o) { o.frequency = 2.; },
                {"--frequency", "2 MHz", "at most 1.8 MHz", "--spacing 0.4"}},
        Refusal{
            "frequency_nan", [](PhantomOptions &o) { o.frequency = nan; }, {"--frequency", "nan"}},
        Refusal{"cycles", [](PhantomOptions &o) { o.cycles = -1.; }, {"--cycles", "-1"}},
        Refusal{"pressure",
                [](PhantomOptions &o) { o.source_pressure = 0.; },
                {"--source-pressure", "0"}},
        Refusal{"curvature", [](PhantomOptions &o) { o.curvature = -3.; }, {"--curvature", "-3"}},
        Refusal{"curvature_long",
                [](PhantomOptions &o) { o.curvature = 14.; },
                {"--curvature", "14", "at most 13.2 mm"}},
        Refusal{"aperture_of_sphere",
                [](PhantomOptions &o) {
                  o.curvature = 3.;
                  o.aperture = 6.5;
                },
                {"--aperture", "6.5", "6 mm"}},
        Refusal{"aperture_wide",
                [](PhantomOptions &o) { o.aperture = 11.; },
                {"--aperture", "11", "at most 8.8 mm"}},
        Refusal{"p0_radius",
                [](PhantomOptions &o) { o.p0_radius = 0.5; },
                {"--p0-radius", "0.5", "0.8 mm"}},
        Refusal{"inclusion_radius",
                [](PhantomOptions &o) { o.inclusion_radius = -1.; },
                {"--inclusion-radius", "-1"}},
        Refusal{"inclusion_speed",
                [](PhantomOptions &o) { o.inclusion_speed = 0.; },
                {"--inclusion-speed", "0"}},
        Refusal{"inclusion_density",
                [](PhantomOptions &o) { o.inclusion_density = nan; },
                {"--inclusion-density", "nan"}},
        Refusal{"inclusion_offset",
                [](PhantomOptions &o) { o.inclusion_offset = std::array{0., 50., 0.}; },
                {"--inclusion-offset", "50 mm along y", "-8 to 7.6"}},
        Refusal{"sensor_stride",
                [](PhantomOptions &o) { o.sensor_stride = 0; },
                {"--sensor-stride", "0"}}),
    [](const auto &test) { return std::string(test.param.name); });

} // namespace
