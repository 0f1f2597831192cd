/// Values over time: read from lists of points and from cuboids, and drawn as curves.

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "io/hdf5.h"
#include "support/scratch_directory.h"
#include "support/view/curves.h"
#include "support/view/plane.h"
#include "support/view/series.h"

namespace {

using namespace hybridfft;
using namespace hybridfft::tools::view;

constexpr std::size_t nx = 8;
constexpr std::size_t ny = 6;
constexpr std::size_t nz = 5;
constexpr std::size_t steps = 20;
constexpr std::size_t times = 4; // recorded from step 16 on

float value_at(std::size_t x, std::size_t y, std::size_t z, std::size_t time) {
  return static_cast<float>(x + 10 * y + 100 * z) * (static_cast<float>(time) - 1.5F);
}

/// An output as the solvers write it, with values at a list of points ("p") and at a cuboid
/// ("ux/2", "ux_max/2"), and the input that has the masks.
class SeriesTest : public ::testing::Test {
protected:
  void SetUp() override {
    io::File input = io::File::create(input_, MPI_COMM_SELF);
    write_grid(input);
    input.write_all<float>("dt", {1, 1, 1}, {5e-8F});
    input.write_all<std::uint64_t>("Nt", {1, 1, 1}, {steps});
    input.write_all<std::uint64_t>("sensor_mask_index", {1, 1, 2},
                                   {index(7, 0, 4), index(2, 3, 1)});
    // x 2..3, y 1..4, z 3..4, from 1.
    input.write_all<std::uint64_t>("sensor_mask_corners", {1, 2, 6},
                                   {1, 1, 1, 1, 1, 1, 2, 1, 3, 3, 4, 4});
    input.commit();

    io::File output = io::File::create(output_, MPI_COMM_SELF);
    std::vector<float> list;
    for (std::size_t t = 0; t < times; ++t) {
      list.push_back(value_at(7, 0, 4, t));
      list.push_back(value_at(2, 3, 1, t));
    }
    output.write_all<float>("p", {1, times, 2}, list);
    output.write_all<float>("p_max", {1, 1, 2}, {list[6], list[7]});
    std::vector<float> cuboid;
    for (std::size_t t = 0; t < times; ++t)
      for (std::size_t z = 2; z < 4; ++z)
        for (std::size_t y = 0; y < 4; ++y)
          for (std::size_t x = 1; x < 3; ++x)
            cuboid.push_back(value_at(x, y, z, t));
    output.write_all<float>("ux/2", {times, 2, 4, 2}, cuboid);
    output.write_all<float>("ux_max/2", {2, 4, 2}, {cuboid.end() - 16, cuboid.end()});
    output.write_all<float>("gone", {1, times, 2},
                            std::vector<float>(2 * times, std::numeric_limits<float>::quiet_NaN()));
    output.commit();
  }

  static std::uint64_t index(std::size_t x, std::size_t y, std::size_t z) {
    return 1 + x + nx * (y + ny * z);
  }
  static void write_grid(io::File &file) {
    for (const auto &[name, size] : {std::pair{"Nx", nx}, {"Ny", ny}, {"Nz", nz}})
      file.write_all<std::uint64_t>(name, {1, 1, 1}, {size});
    for (const auto &[name, step] : {std::pair{"dx", 1e-3F}, {"dy", 2e-3F}, {"dz", 0.5e-3F}})
      file.write_all<float>(name, {1, 1, 1}, {step});
  }

  Series read(const std::string &dataset, std::vector<std::int64_t> points,
              bool with_input = true) {
    Options o;
    o.dataset = dataset;
    o.points = std::move(points);
    const io::File file = io::File::open(output_, MPI_COMM_SELF);
    const io::File input = io::File::open(input_, MPI_COMM_SELF);
    return read_series(file, with_input ? input : file, o);
  }
  template <class Action> static std::string refusal(Action &&action) {
    try {
      action();
    } catch (const std::exception &e) {
      return e.what();
    }
    return "was accepted";
  }

  test::ScratchDirectory scratch_{MPI_COMM_SELF};
  std::string input_ = scratch_.file("input.h5");
  std::string output_ = scratch_.file("output.h5");
};

TEST_F(SeriesTest, AtListedPoints) {
  const Series series = read("p", {1, 0});
  ASSERT_EQ(series.curves.size(), 2U);
  EXPECT_EQ(series.first_step, steps - times);
  EXPECT_FLOAT_EQ(static_cast<float>(series.dt.value()), 5e-8F);
  EXPECT_EQ(series.curves[0].place, "x = 2 mm, y = 6 mm, z = 0.5 mm");
  EXPECT_EQ(series.curves[1].place, "x = 7 mm, y = 0 mm, z = 2 mm");
  for (std::size_t t = 0; t < times; ++t) {
    EXPECT_EQ(series.curves[0].values[t], value_at(2, 3, 1, t));
    EXPECT_EQ(series.curves[1].values[t], value_at(7, 0, 4, t));
  }
}

TEST_F(SeriesTest, AtPointsOfACuboidXFastest) {
  const Series series = read("ux/2", {0, 13});
  EXPECT_EQ(series.curves[0].place, "x = 1 mm, y = 0 mm, z = 1 mm");
  EXPECT_EQ(series.curves[1].place, "x = 2 mm, y = 4 mm, z = 1.5 mm"); // 13 = 1 + 2 (2 + 4 * 1)
  for (std::size_t t = 0; t < times; ++t)
    EXPECT_EQ(series.curves[1].values[t], value_at(2, 2, 3, t));
}

TEST_F(SeriesTest, WithoutMaskTimesAndSpacingsAreCounted) {
  const Series series = read("p", {1}, false);
  EXPECT_EQ(series.curves[0].place, "point 1");
  EXPECT_EQ(series.dt, std::nullopt);
  EXPECT_EQ(series.first_step, 0U);
}

TEST_F(SeriesTest, RefusalsSayWhatThereIs) {
  EXPECT_EQ(refusal([&] { read("p", {2}); }),
            "--point: found 2, expected 0 to 1, the points of dataset p");
  EXPECT_EQ(refusal([&] { read("p_max", {0}); }),
            "--point: found dataset p_max of shape 1 x 1 x 2, expected values over time at sensor "
            "points, 2 at least");
  EXPECT_EQ(refusal([&] { read("ux_max/2", {0}); }),
            "--point: found dataset ux_max/2 of shape 2 x 4 x 2, expected values over time at "
            "sensor points");
  EXPECT_EQ(refusal([&] { read("ux", {0}); }),
            output_ + ": 'ux' is a group, expected one of its datasets: ux/2");
  EXPECT_NE(refusal([&] { read("gone", {0}); }).find("gone: found no finite value"),
            std::string::npos);
}

TEST_F(SeriesTest, CuboidsLieWhereTheirCornersAre) {
  const io::File file = io::File::open(output_, MPI_COMM_SELF);
  const io::File input = io::File::open(input_, MPI_COMM_SELF);
  Options o;
  o.dataset = "ux_max/2";
  o.axis = 'z';
  o.index = 3;
  const Plane plane = read_plane(file, input, o);
  EXPECT_EQ(plane.place, "z = 1.5 mm");
  EXPECT_EQ(plane.across.first, 1U);
  EXPECT_EQ(plane.across.spacing, 1e-3F);
  EXPECT_EQ(plane.values[1 + 2 * 3], value_at(2, 3, 3, times - 1));

  o.dataset = "ux/2";
  EXPECT_EQ(read_plane(file, input, o).place, "z = 1.5 mm, maximum over time");
  EXPECT_EQ(read_plane(file, input, o).values[1 + 2 * 3], value_at(2, 3, 3, times - 1));
  o.time_step = 1;
  EXPECT_EQ(read_plane(file, input, o).values[1 + 2 * 3], value_at(2, 3, 3, 1));
  o.time_step = times;
  EXPECT_EQ(refusal([&] { read_plane(file, input, o); }),
            "--time-step: found 4, expected 0 to 3, the rows of dataset ux/2");
}

TEST_F(SeriesTest, CuboidsNeedTheirCorners) {
  const io::File file = io::File::open(output_, MPI_COMM_SELF);
  const std::string lone = scratch_.file("lone.h5");
  const std::string few = scratch_.file("few.h5");
  for (const std::string &path : {lone, few}) {
    io::File made = io::File::create(path, MPI_COMM_SELF);
    write_grid(made);
    if (path == few)
      made.write_all<std::uint64_t>("sensor_mask_corners", {1, 1, 6}, {1, 1, 1, 2, 2, 2});
    made.commit();
  }
  Options o;
  o.dataset = "ux_max/2";
  EXPECT_NE(refusal([&] {
              read_plane(file, io::File::open(lone, MPI_COMM_SELF), o);
            }).find("found no sensor_mask_corners"),
            std::string::npos);
  EXPECT_EQ(refusal([&] { read_plane(file, io::File::open(few, MPI_COMM_SELF), o); }),
            few + ": sensor_mask_corners: found 1 cuboids, expected at least 2");
}

TEST_F(SeriesTest, DatasetsWithoutValuesAreRefused) {
  const hid_t file = H5Fopen(output_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const std::array<hsize_t, 3> shape{1, times, 0};
  const hid_t space = H5Screate_simple(3, shape.data(), nullptr);
  const hid_t empty =
      H5Dcreate2(file, "empty", H5T_IEEE_F32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dclose(empty);
  H5Sclose(space);
  H5Fclose(file);
  EXPECT_EQ(refusal([&] { read("empty", {0}); }),
            output_ + ": dataset empty: found shape 1 x 4 x 0, expected some values");
}

TEST_F(SeriesTest, NonUniformGridsAreCountedInPoints) {
  {
    io::File update = io::File::open_for_update(input_, MPI_COMM_SELF);
    update.write_all<std::uint64_t>("nonuniform_grid_flag", {1, 1, 1}, {1});
    update.commit();
  }
  EXPECT_EQ(read("p", {1}).curves[0].place, "x = 2, y = 3, z = 1");
}

TEST_F(SeriesTest, FilesOfDifferentGridsAreRefused) {
  const std::string small = scratch_.file("small.h5");
  io::File made = io::File::create(small, MPI_COMM_SELF);
  for (const char *const name : {"Nx", "Ny", "Nz"})
    made.write_all<std::uint64_t>(name, {1, 1, 1}, {3});
  made.commit();
  Options o;
  o.dataset = "sensor_mask_corners";
  EXPECT_EQ(
      refusal([&] {
        read_plane(io::File::open(input_, MPI_COMM_SELF), io::File::open(small, MPI_COMM_SELF), o);
      }),
      small + ": found a grid of 3 x 3 x 3 points, expected that of " + input_ + ", 8 x 6 x 5");
}

/// A series of one curve; 1 us apart.
Series curve(std::vector<float> values) {
  Series series;
  series.dt = 1e-6;
  series.curves.push_back({"here", std::move(values)});
  return series;
}

Options limits(double low, double high) {
  Options o;
  o.dataset = "p";
  o.lowest = low;
  o.highest = high;
  return o;
}

/// Rows, counted from the lower edge of the plot, of a column that the curve covers.
std::vector<std::size_t> covered(const io::Image &image, const Rectangle &plot, std::size_t x) {
  std::vector<std::size_t> rows;
  for (std::size_t y = 0; y < plot.height; ++y)
    if (image.at(plot.x + x, plot.y + plot.height - 1 - y) == curve_colour(0)) rows.push_back(y);
  return rows;
}

TEST(Curves, AxesHaveTheUnitsThatSuit) {
  Options o;
  o.dataset = "p_raw";
  Series series = curve({-2e5F, 1e5F, 2e5F});
  series.first_step = 10;
  const CurveFrame frame = lay_out(series, o);
  EXPECT_EQ(frame.time.name, "t [µs]");
  EXPECT_DOUBLE_EQ(frame.time.low, 10.);
  EXPECT_DOUBLE_EQ(frame.time.high, 12.);
  EXPECT_EQ(frame.value.name, "p_raw [kPa]");
  EXPECT_LT(frame.value.low, -200.);
  EXPECT_GT(frame.value.high, 200.);
  series.dt.reset();
  EXPECT_EQ(lay_out(series, o).time.name, "time step");
}

TEST(Curves, PassThroughTheirValues) {
  // Rising from 0 to 100 Pa over the whole width: at a fraction f of it, at a fraction f of the
  // height, to the half pixel by which points are in the middle of pixels and the width of 2.
  const Series series = curve({0.F, 25.F, 50.F, 75.F, 100.F});
  const CurveFrame frame = lay_out(series, limits(0., 100.));
  const io::Image image = draw_curves(series, frame, "");
  for (const std::size_t x : {80U, 200U, 333U, 640U}) {
    const std::vector<std::size_t> rows = covered(image, frame.plot, x);
    ASSERT_FALSE(rows.empty()) << x;
    const double height = static_cast<double>(frame.plot.height) - 1.;
    const double expected =
        static_cast<double>(x) / (static_cast<double>(frame.plot.width) - 1.) * height;
    EXPECT_NEAR(static_cast<double>(rows.front()), expected, 1.5) << x;
    EXPECT_NEAR(static_cast<double>(rows.back()), expected, 1.5) << x;
  }
}

TEST(Curves, EndAtTheFrameAndAtGaps) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const Series series = curve({50.F, 50.F, nan, 50.F, 500.F, 50.F});
  const CurveFrame frame = lay_out(series, limits(0., 100.));
  const io::Image image = draw_curves(series, frame, "");
  EXPECT_FALSE(covered(image, frame.plot, 100).empty());
  EXPECT_TRUE(covered(image, frame.plot, 320).empty()); // 2/5 of 800
  // Above the plot nothing but the frame and the title's room.
  for (std::size_t x = 0; x < frame.plot.width; ++x)
    EXPECT_EQ(image.at(frame.plot.x + x, frame.plot.y - frame_width - 2), paper);
}

TEST(Curves, KeepEveryExtremeOfManyValues) {
  // Single values, in the middles of two columns of pixels.
  std::vector<float> values(400000, 0.F);
  values[(values.size() - 1) * 247 / 799] = 90.F;
  values[(values.size() - 1) * 646 / 799] = -90.F;
  const Series series = curve(values);
  const CurveFrame frame = lay_out(series, limits(-100., 100.));
  const io::Image image = draw_curves(series, frame, "");
  const auto up = covered(image, frame.plot, 247);
  const auto down = covered(image, frame.plot, 646);
  ASSERT_FALSE(up.empty() || down.empty());
  EXPECT_NEAR(static_cast<double>(up.back()), 0.95 * 399, 1.5); // 190 of 200
  EXPECT_NEAR(static_cast<double>(down.front()), 0.05 * 399, 1.5);
}

TEST(Curves, SeveralHaveALegend) {
  Series series = curve({0.F, 1.F});
  const CurveFrame one = lay_out(series, limits(0., 1.));
  series.curves.push_back({"there", {1.F, 0.F}});
  const CurveFrame two = lay_out(series, limits(0., 1.));
  EXPECT_GT(two.width, one.width);
  const io::Image image = draw_curves(series, two, "");
  for (std::size_t n = 0; n < 2; ++n) {
    std::size_t found = 0;
    for (std::size_t y = 0; y < two.height; ++y)
      for (std::size_t x = two.plot.x + two.plot.width + 4; x < two.width; ++x)
        if (image.at(x, y) == curve_colour(n)) ++found;
    EXPECT_GT(found, 20U) << n;
  }
}

TEST(Curves, RefuseLimitsBeyondTheData) {
  Options o;
  o.dataset = "p";
  o.highest = -5.;
  EXPECT_THROW(lay_out(curve({0.F, 1.F}), o), std::invalid_argument);
}

} // namespace
