/// From a plane of numbers to a figure: scales, labels, places, colours.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "io/colour_map.h"
#include "support/view_figure.h"
#include "support/view_scale.h"

namespace {

using namespace hybridfft;
using namespace hybridfft::tools::view;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// 3 x 2 values 2 mm x 1 mm apart, from x = 5, z = 0.
Plane example(std::vector<float> values) {
  Plane plane;
  plane.across = {"x", 3, 5, 2, 1e-3};
  plane.up = {"z", 2, 0, 1, 1e-3};
  plane.values = std::move(values);
  plane.place = "y = 3 mm";
  return plane;
}

Options options_for(const std::string &dataset) {
  Options o;
  o.dataset = dataset;
  return o;
}

TEST(Unit, SuitsTheMagnitude) {
  EXPECT_EQ(unit_of("p_max", 2.3e6).name, "MPa");
  EXPECT_EQ(unit_of("p_max", 999.e3).name, "kPa");
  EXPECT_EQ(unit_of("p", 12.).name, "Pa");
  EXPECT_EQ(unit_of("p_final", 0.02).name, "mPa");
  EXPECT_DOUBLE_EQ(unit_of("p_final", 0.02).factor, 1e3);
  EXPECT_EQ(unit_of("ux_max", 0.3).name, "mm/s");
  EXPECT_EQ(unit_of("c0", 1500.).name, "m/s");
  EXPECT_EQ(unit_of("rho0_sgx", 1000.).name, "kg/m^3");
  EXPECT_EQ(unit_of("p/2", 2e3).name, "kPa");
  EXPECT_EQ(unit_of("ux_non_staggered/1", 2.).name, "m/s");
  EXPECT_EQ(unit_of("Iy_avg", 2e4).name, "kW/m^2");
  EXPECT_EQ(unit_of("Q_term", 3e6).name, "MW/m^3");
  EXPECT_EQ(unit_of("data", 5.).name, "");
  EXPECT_EQ(unit_of("pml_x", 5.).name, "");
}

TEST(Unit, OfTimeSuitsToo) {
  EXPECT_EQ(time_unit(18e-6).name, "us");
  EXPECT_DOUBLE_EQ(time_unit(18e-6).factor, 1e6);
  EXPECT_EQ(time_unit(5e-9).name, "ns");
  EXPECT_EQ(time_unit(2500.).name, "s");
}

TEST(RoundNumbers, CoverTheRangeWithAtMostSoMany) {
  EXPECT_EQ(round_numbers(0., 51.2, 7), (std::vector<double>{0., 10., 20., 30., 40., 50.}));
  EXPECT_EQ(round_numbers(-40., 0., 5), (std::vector<double>{-40., -30., -20., -10., 0.}));
  EXPECT_EQ(round_numbers(-1., 1., 3), (std::vector<double>{-1., 0., 1.}));
  EXPECT_EQ(round_numbers(3., 4., 2), (std::vector<double>{3., 4.}));
  for (std::size_t most = 2; most < 12; ++most)
    EXPECT_LE(round_numbers(-0.37, 12.6, most).size(), most);
}

TEST(RoundNumbers, AreLabelledWithTheDigitsThatTellThemApart) {
  EXPECT_EQ(labels_of({0., 0.05, 0.1}), (std::vector<std::string>{"0.00", "0.05", "0.10"}));
  EXPECT_EQ(labels_of({-20., 0., 20.}), (std::vector<std::string>{"-20", "0", "20"}));
  EXPECT_EQ(labels_of({0., 0.1}), (std::vector<std::string>{"0.0", "0.1"}));
  EXPECT_EQ(labels_of({1e7, 2e7}), (std::vector<std::string>{"1e+07", "2e+07"}));
}

TEST(Scale, SpansTheDataAndNamesTheUnit) {
  const Scale scale =
      make_scale(example({1e6F, 2e6F, nan, 3e6F, 1.5e6F, 2e6F}), options_for("p_max"));
  EXPECT_EQ(scale.colours, io::Colours::sequential);
  EXPECT_EQ(scale.label, "p_max [MPa]");
  EXPECT_DOUBLE_EQ(scale.position(1e6), 0.);
  EXPECT_DOUBLE_EQ(scale.position(2e6), 0.5);
  EXPECT_DOUBLE_EQ(scale.position(3e6), 1.);
}

TEST(Scale, PutsZeroIntoTheMiddleOfBothSigns) {
  const Scale scale = make_scale(example({-1.F, 0.F, 1.F, 4.F, 2.F, 0.F}), options_for("p_final"));
  EXPECT_EQ(scale.colours, io::Colours::diverging);
  EXPECT_DOUBLE_EQ(scale.position(0.), 0.5);
  EXPECT_DOUBLE_EQ(scale.position(4.), 1.);
  EXPECT_DOUBLE_EQ(scale.position(-4.), 0.);
}

TEST(Scale, MapsDecibelsOfTheMagnitude) {
  Options o = options_for("p_max");
  o.db_range = 40.;
  const Scale scale = make_scale(example({1000.F, 100.F, 10.F, 1.F, 0.F, 31.62278F}), o);
  EXPECT_EQ(scale.label, "p_max [dB re 1 kPa]");
  EXPECT_DOUBLE_EQ(scale.position(1000.), 1.);
  EXPECT_NEAR(scale.position(100.), 0.5, 1e-14); // -20 dB
  EXPECT_NEAR(scale.position(-10.), 0., 1e-14);  // -40 dB, of the magnitude
  EXPECT_NEAR(scale.position(1.), -0.5, 1e-14);  // below the range
  EXPECT_DOUBLE_EQ(scale.position(0.), 0.);      // minus infinity has the first colour
  EXPECT_NEAR(scale.position(31.622776601683793), 0.25, 1e-14); // -30 dB
}

TEST(Scale, TakesLimitsAndRefersDecibelsToThem) {
  Options o = options_for("data");
  o.lowest = 0.;
  o.highest = 10.;
  EXPECT_DOUBLE_EQ(make_scale(example({1, 2, 3, 4, 5, 6}), o).position(5.), 0.5);
  o.lowest.reset();
  o.db_range = 20.;
  EXPECT_DOUBLE_EQ(make_scale(example({1, 2, 3, 4, 5, 6}), o).position(10.), 1.);
}

TEST(Scale, GivesConstantDataRoom) {
  const Scale scale = make_scale(example({5, 5, 5, 5, 5, 5}), options_for("data"));
  EXPECT_DOUBLE_EQ(scale.position(5.), 0.5);
}

TEST(Scale, RefusesLimitsBeyondTheData) {
  Options o = options_for("data");
  o.lowest = 50.;
  try {
    make_scale(example({1, 2, 3, 4, 5, 6}), o);
    FAIL() << "was accepted";
  } catch (const std::invalid_argument &e) {
    EXPECT_STREQ(e.what(),
                 "--min: found 50, expected a limit within the data, which goes from 1 to 6");
  }
  Options db = options_for("data");
  db.db_range = 20.;
  EXPECT_THROW(make_scale(example({0, 0, 0, 0, 0, 0}), db), std::invalid_argument);
}

TEST(Figure, DrawsValuesTrueToTheirDistances) {
  const Plane plane = example({0, 1, 2, 3, nan, 5});
  const Frame frame = lay_out(plane, 10);
  EXPECT_EQ(frame.across, 20U);
  EXPECT_EQ(frame.up, 10U);
  EXPECT_EQ(frame.plot.width, 60U);
  EXPECT_EQ(frame.plot.height, 20U);
  Options o = options_for("data");
  o.palette = Palette::grey;
  const Scale scale = make_scale(plane, o);
  const io::Image image = draw_figure(plane, scale, frame, "title");
  EXPECT_EQ(image.width(), frame.width);
  EXPECT_EQ(image.height(), frame.height);

  const io::ColourMap grey(io::Colours::grey);
  for (std::size_t j = 0; j < 2; ++j)
    for (std::size_t i = 0; i < 3; ++i) {
      const float value = plane.values[3 * j + i];
      const io::Colour expected =
          std::isnan(value) ? io::Colour{200, 200, 200} : grey(static_cast<double>(value) / 5.);
      // All four corners of the value's rectangle: rows go up from the lower left.
      for (const std::size_t x : {std::size_t{0}, std::size_t{19}})
        for (const std::size_t y : {std::size_t{0}, std::size_t{9}})
          EXPECT_EQ(image.at(frame.plot.x + 20 * i + x, frame.plot.y + 10 * (1 - j) + y), expected)
              << i << ' ' << j;
    }
}

TEST(Figure, EndsTheColourBarWithTheEndColours) {
  const Plane plane = example({0, 1, 2, 3, 4, 5});
  const Frame frame = lay_out(plane, std::nullopt);
  const Scale scale = make_scale(plane, options_for("data"));
  const io::Image image = draw_figure(plane, scale, frame, "");
  const io::ColourMap map(io::Colours::sequential);
  const std::size_t x = frame.bar.x + frame.bar.width / 2;
  EXPECT_EQ(image.at(x, frame.bar.y), map(1.));
  EXPECT_EQ(image.at(x, frame.bar.y + frame.bar.height - 1), map(0.));
  EXPECT_EQ(frame.plot.width, 600U); // 6 mm of 100 pixels
}

TEST(Figure, RefusesPicturesThatNobodyCanOpen) {
  Plane plane;
  plane.across = {"x", 40000, 0, 1, std::nullopt};
  plane.up = {"z", 40000, 0, 1, std::nullopt};
  EXPECT_THROW(lay_out(plane, 2), std::invalid_argument);
  EXPECT_EQ(lay_out(plane, std::nullopt).across, 1U);
}

} // namespace
