/// From a plane of numbers to a figure: scales, labels, places, colours.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include "io/colour_map.h"
#include "support/view/figure.h"
#include "support/view/marks.h"
#include "support/view/scale.h"

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
  EXPECT_EQ(unit_of("rho0_sgx", 1000.).name, "kg/m³");
  EXPECT_EQ(unit_of("p/2", 2e3).name, "kPa");
  EXPECT_EQ(unit_of("ux_non_staggered/1", 2.).name, "m/s");
  EXPECT_EQ(unit_of("Iy_avg", 2e4).name, "kW/m²");
  EXPECT_EQ(unit_of("Q_term", 3e6).name, "MW/m³");
  EXPECT_EQ(unit_of("data", 5.).name, "");
  EXPECT_EQ(unit_of("pml_x", 5.).name, "");
}

TEST(Unit, OfTimeSuitsToo) {
  EXPECT_EQ(time_unit(18e-6).name, "µs");
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
  const io::Image image =
      draw_figure(plane, scale, frame, {"title", {}, {}, {}}, Interpolation::nearest);
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
  const io::Image image = draw_figure(plane, scale, frame, {});
  const io::ColourMap map(io::Colours::sequential);
  const std::size_t x = frame.bar.x + frame.bar.width / 2;
  EXPECT_EQ(image.at(x, frame.bar.y), map(1.));
  EXPECT_EQ(image.at(x, frame.bar.y + frame.bar.height - 1), map(0.));
  EXPECT_EQ(frame.plot.width, 798U); // 6 mm of 133 pixels
}

TEST(Interpolation, ReproducesValuesAndStraightLines) {
  Plane plane;
  plane.across = {"x", 7, 0, 1, std::nullopt};
  plane.up = {"y", 5, 0, 1, std::nullopt};
  for (std::size_t j = 0; j < 5; ++j)
    for (std::size_t i = 0; i < 7; ++i)
      plane.values.push_back(static_cast<float>(3 * i) - static_cast<float>(2 * j));
  // Inside, where all four neighbours along an axis exist, up to rounding of values up to 18.
  for (double j = 1.; j <= 3.; j += 0.25)
    for (double i = 1.; i <= 5.; i += 0.125)
      EXPECT_NEAR(interpolate(plane, i, j), 3. * i - 2. * j, 1e-5) << i << ' ' << j;
  EXPECT_EQ(interpolate(plane, 0., 4.), -8.F);
  EXPECT_EQ(interpolate(plane, 6.4, -0.4), 18.F); // beyond the outer values: the outermost one
}

TEST(Interpolation, IsCubicBetweenNeighboursAndStaysInTheirRange) {
  Plane plane;
  plane.across = {"x", 6, 0, 1, std::nullopt};
  plane.up = {"y", 1, 0, 1, std::nullopt};
  plane.values = {0.F, 1.F, 4.F, 9.F, 9.F, 0.F};
  // Catmull and Rom: (-a + 9 b + 9 c - d) / 16 halfway between b and c.
  EXPECT_FLOAT_EQ(interpolate(plane, 1.5, 0.), (-0.F + 9.F + 36.F - 9.F) / 16.F);
  EXPECT_EQ(interpolate(plane, 3.5, 0.), 9.F); // (-4 + 81 + 81 - 0) / 16 would be 9.9
  plane.values[2] = nan;
  EXPECT_EQ(interpolate(plane, 1.4, 0.), 1.F);
  EXPECT_TRUE(std::isnan(interpolate(plane, 1.6, 0.)));
}

/// A plane of zeros of 20 x 10 points, 10 pixels each, with something to tell.
struct Marked {
  Marked() {
    plane.across = {"x", 20, 0, 1, std::nullopt};
    plane.up = {"y", 10, 0, 1, std::nullopt};
    plane.values.assign(200, 0.F);
  }
  io::Image draw() {
    frame = lay_out(plane, 10, remarks);
    Options o = options_for("data");
    o.palette = Palette::grey;
    o.lowest = 0.; // black
    o.highest = 1.;
    return draw_figure(plane, make_scale(plane, o), frame, remarks);
  }
  /// Colour in the middle of a place, in grid points.
  io::Colour at(const io::Image &image, double x, double y) const {
    return image.at(frame.plot.x + static_cast<std::size_t>(10. * (x + 0.5)),
                    frame.plot.y + frame.plot.height - 1 -
                        static_cast<std::size_t>(10. * (y + 0.5)));
  }
  Plane plane;
  Remarks remarks;
  Frame frame;
};

TEST(Figure, DrawsMarksWhereTheyAre) {
  Marked m;
  m.remarks.marks = {{Mark::Kind::medium, "border", {{4., 2., 4., 8.}}},
                     {Mark::Kind::source, "source", {{12., 5., 12., 5.}}},
                     {Mark::Kind::pml, "PML", {{16., -0.5, 16., 9.5}}}};
  const io::Image image = m.draw();
  EXPECT_GT(m.at(image, 4., 5.).red, 120);
  EXPECT_EQ(m.at(image, 4., 1.).red, 0); // below its end
  EXPECT_EQ(m.at(image, 6., 5.).red, 0);
  EXPECT_GT(m.at(image, 12., 5.).green, 150);
  EXPECT_LT(m.at(image, 12., 5.).red, 120);
  EXPECT_EQ(m.at(image, 13., 5.).green, 0);
  // Dashes and gaps of 7 pixels each: of 100 pixels about half are bright.
  std::size_t bright = 0;
  for (std::size_t y = 0; y < 100; ++y)
    if (image.at(m.frame.plot.x + 165, m.frame.plot.y + y).red > 100) ++bright;
  EXPECT_GT(bright, 40U);
  EXPECT_LT(bright, 70U);
}

TEST(Figure, ExplainsMarksInALegend) {
  Marked m;
  const std::size_t without = lay_out(m.plane, 10, m.remarks).height;
  m.remarks.marks = {{Mark::Kind::pml, "edge of the PML", {}}};
  const io::Image image = m.draw();
  EXPECT_GT(m.frame.height, without);
  std::size_t dark = 0; // the words right of the sample, above the plot
  for (std::size_t y = m.frame.plot.y - 30; y < m.frame.plot.y - 8; ++y)
    for (std::size_t x = m.frame.plot.x + 40; x < m.frame.plot.x + 200; ++x)
      if (image.at(x, y).red < 128) ++dark;
  EXPECT_GT(dark, 100U);
}

TEST(Figure, PointsTheBarWhereValuesLieBeyondIt) {
  Marked m;
  const auto above_bar = [&m](const io::Image &image) {
    return image.at(m.frame.bar.x + m.frame.bar.width / 2, m.frame.bar.y - 5);
  };
  const io::Image plain = m.draw();
  EXPECT_EQ(above_bar(plain), paper);
  m.plane.values[7] = 2.F;
  const io::Image clipped = m.draw();
  EXPECT_EQ(above_bar(clipped), (io::Colour{255, 255, 255})); // the last colour of the grey map
  EXPECT_NE(clipped.at(m.frame.bar.x + 2, m.frame.bar.y - 4), paper); // its black edge
}

TEST(Figure, HasCaptionsAndNotes) {
  Marked m;
  const std::size_t without = lay_out(m.plane, 10, m.remarks).height;
  m.remarks.captions = {"one", "two"};
  m.remarks.notes = {{10., 5., "H"}};
  const io::Image image = m.draw();
  EXPECT_EQ(m.frame.height, without + 56U);
  std::size_t bright = 0;
  for (double x = 9.; x < 11.; x += 0.1)
    if (m.at(image, x, 5.).red > 200) ++bright;
  EXPECT_GT(bright, 3U);
}

// A cone: the contour is a circle around (20, 15), straight pieces between sides of cells. The
// chord of a cell of length 1 leaves a circle of radius 8 by less than 1/64.
TEST(Contour, OfAConeIsACircle) {
  std::vector<float> cone;
  for (int j = 0; j < 31; ++j)
    for (int i = 0; i < 41; ++i)
      cone.push_back(10.F - static_cast<float>(std::hypot(i - 20, j - 15)));
  double length = 0.;
  for (const io::Segment &s : contour(cone, 41, 2.F)) {
    EXPECT_NEAR(std::hypot(s.x0 - 20., s.y0 - 15.), 8., 0.02);
    EXPECT_NEAR(std::hypot(s.x1 - 20., s.y1 - 15.), 8., 0.02);
    length += std::hypot(s.x1 - s.x0, s.y1 - s.y0);
  }
  EXPECT_NEAR(length, 16. * std::numbers::pi, 0.02 * 16. * std::numbers::pi);
}

// Values at (0,0), (1,0), (0,1), (1,1): where the mean is above the level, the high corners are
// joined and the low ones cut off.
TEST(Contour, JoinsCornersOfSaddlesByTheirMean) {
  const auto middles = [](float other) {
    std::vector<double> places;
    for (const io::Segment &s : contour({1.F, 0.F, other, 1.F}, 2, 0.5F))
      places.push_back(0.5 * (s.x0 + s.x1) - 0.5 * (s.y0 + s.y1));
    std::sort(places.begin(), places.end());
    return places;
  };
  EXPECT_EQ(middles(0.F), (std::vector<double>{-0.5, 0.5})); // near (0,1) and (1,0)
  EXPECT_EQ(middles(1.F).size(), 1U);
  const std::vector<double> apart = middles(-1.F); // near (0,0) and (1,1): x - y is about 0
  ASSERT_EQ(apart.size(), 2U);
  EXPECT_LT(std::abs(apart[0]), 0.25);
  EXPECT_LT(std::abs(apart[1]), 0.25);
}

TEST(Borders, AreSmoothAndKeepThinLayers) {
  // A disc of radius 7, and a layer of one column.
  std::vector<int> labels;
  for (int j = 0; j < 30; ++j)
    for (int i = 0; i < 40; ++i)
      labels.push_back(i == 35 ? 2 : std::hypot(i - 15, j - 15) <= 7. ? 1 : 0);
  std::size_t layer = 0;
  for (const io::Segment &s : borders(labels, 40)) {
    if (s.x0 > 30.) {
      ++layer;
      EXPECT_LT(std::abs(s.x0 - 35.), 1.);
      continue;
    }
    // The raster itself is up to a cell away from the circle.
    EXPECT_NEAR(std::hypot(s.x0 - 15., s.y0 - 15.), 7.2, 0.6);
  }
  EXPECT_GE(layer, 50U); // both sides
}

TEST(Notes, AreReadOrNamed) {
  Options o;
  o.notes = {"32.5,-2e1,focus, the largest"};
  const Note note = notes_of(o).front();
  EXPECT_EQ(note.x, 32.5);
  EXPECT_EQ(note.y, -20.);
  EXPECT_EQ(note.text, "focus, the largest");
  o.notes = {"32.5 focus"};
  try {
    notes_of(o);
    FAIL() << "was accepted";
  } catch (const std::invalid_argument &e) {
    EXPECT_STREQ(e.what(), "--note: found '32.5 focus', expected X,Y,TEXT such as 32.5,20,focus");
  }
}

TEST(Figure, RefusesPicturesThatNobodyCanOpen) {
  Plane plane;
  plane.across = {"x", 40000, 0, 1, std::nullopt};
  plane.up = {"z", 40000, 0, 1, std::nullopt};
  EXPECT_THROW(lay_out(plane, 2), std::invalid_argument);
  EXPECT_EQ(lay_out(plane, std::nullopt).across, 1U);
}

} // namespace
