/// Planes out of files: volumes, flat datasets, sensor points, and what is refused.

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "io/hdf5.h"
#include "support/scratch_directory.h"
#include "support/view/marks.h"
#include "support/view/plane.h"

namespace {

using namespace hybridfft;
using namespace hybridfft::tools::view;

constexpr std::size_t nx = 5;
constexpr std::size_t ny = 4;
constexpr std::size_t nz = 3;

float value_at(std::size_t x, std::size_t y, std::size_t z) {
  return static_cast<float>(x + 10 * y + 100 * z);
}

std::uint64_t mask_index(std::size_t x, std::size_t y, std::size_t z) {
  return 1 + x + nx * (y + ny * z);
}

class Planes : public ::testing::Test {
protected:
  /// A k-Wave-like grid of 5 x 4 x 3 points with the dataset "f" of value_at.
  void SetUp() override {
    io::File file = io::File::create(path_, MPI_COMM_SELF);
    for (const auto &[name, size] : {std::pair{"Nx", nx}, {"Ny", ny}, {"Nz", nz}})
      file.write_all<std::uint64_t>(name, {1, 1, 1}, {size});
    for (const auto &[name, step] : {std::pair{"dx", 1e-3F}, {"dy", 2e-3F}, {"dz", 0.5e-3F}})
      file.write_all<float>(name, {1, 1, 1}, {step});
    std::vector<float> f;
    for (std::size_t z = 0; z < nz; ++z)
      for (std::size_t y = 0; y < ny; ++y)
        for (std::size_t x = 0; x < nx; ++x)
          f.push_back(value_at(x, y, z));
    file.write_all<float>("f", {nz, ny, nx}, f);
    add(file);
    file.commit();
  }
  virtual void add(io::File &) {}

  Plane read(Options options, const std::string &dataset) {
    options.dataset = dataset;
    const io::File file = io::File::open(path_, MPI_COMM_SELF);
    return read_plane(file, file, options);
  }

  std::string refusal(const Options &options, const std::string &dataset) {
    try {
      read(options, dataset);
    } catch (const std::exception &e) {
      return e.what();
    }
    return "was accepted";
  }

  test::ScratchDirectory scratch_{MPI_COMM_SELF};
  std::string path_ = scratch_.file("planes.h5");
};

TEST_F(Planes, SliceAlongEachAxis) {
  Options o;
  o.axis = 'z';
  o.index = 2;
  const Plane z = read(o, "f");
  EXPECT_EQ(z.across.name, "x");
  EXPECT_EQ(z.up.name, "y");
  EXPECT_EQ(z.place, "z = 1 mm");
  ASSERT_EQ(z.values.size(), nx * ny);
  EXPECT_EQ(z.values[3 + nx * 1], value_at(3, 1, 2));
  o.axis = 'y';
  o.index = 3;
  const Plane y = read(o, "f");
  EXPECT_EQ(y.up.name, "z");
  EXPECT_EQ(y.values[4 + nx * 2], value_at(4, 3, 2));
  EXPECT_EQ(y.across.spacing, 1e-3F);
  EXPECT_EQ(y.up.spacing, 0.5e-3F);
  o.axis = 'x';
  o.index = 0;
  const Plane x = read(o, "f");
  EXPECT_EQ(x.across.name, "y");
  EXPECT_EQ(x.values[2 + ny * 1], value_at(0, 2, 1));
}

TEST_F(Planes, SliceInTheMiddleOfYByDefault) {
  const Plane plane = read({}, "f");
  EXPECT_EQ(plane.place, "y = 4 mm");
  EXPECT_EQ(plane.values[1 + nx * 2], value_at(1, 2, 2));
}

TEST_F(Planes, MaximumProjectionAlongEachAxis) {
  Options o;
  o.max_projection = true;
  o.axis = 'x';
  EXPECT_EQ(read(o, "f").values[1 + ny * 2], value_at(nx - 1, 1, 2));
  o.axis = 'y';
  EXPECT_EQ(read(o, "f").values[1 + nx * 2], value_at(1, ny - 1, 2));
  o.axis = 'z';
  const Plane z = read(o, "f");
  EXPECT_EQ(z.values[1 + nx * 2], value_at(1, 2, nz - 1));
  EXPECT_EQ(z.place, "maximum along z");
}

TEST_F(Planes, ErrorsSayWhatThereIsAndWhatIsAllowed) {
  EXPECT_EQ(refusal({}, "g"), path_ + ": found no dataset 'g', expected one of\n"
                                      "  Nx  1 x 1 x 1  integer, 64 bits = 5\n"
                                      "  Ny  1 x 1 x 1  integer, 64 bits = 4\n"
                                      "  Nz  1 x 1 x 1  integer, 64 bits = 3\n"
                                      "  dx  1 x 1 x 1  real, 32 bits = 0.001\n"
                                      "  dy  1 x 1 x 1  real, 32 bits = 0.002\n"
                                      "  dz  1 x 1 x 1  real, 32 bits = 0.0005\n"
                                      "  f   3 x 4 x 5  real, 32 bits");
  Options o;
  o.axis = 'z';
  o.index = 3;
  EXPECT_EQ(refusal(o, "f"), "--index: found 3, expected 0 to 2 along z");
  Options time;
  time.time_step = 1;
  EXPECT_EQ(refusal(time, "f"),
            "--time-step: found 1, expected none: dataset f has no time series");
  EXPECT_NE(refusal({}, "Nx").find("dataset Nx: found shape 1 x 1 x 1, expected a plane"),
            std::string::npos)
      << refusal({}, "Nx");
}

/// A PML of 1 point along x and y, and a source; c0 is 1500 for x < 3, else 1600.
class MarkedPlanes : public Planes {
protected:
  void add(io::File &file) override {
    for (const char *name : {"pml_x_size", "pml_y_size"})
      file.write_all<std::uint64_t>(name, {1, 1, 1}, {1});
    file.write_all<std::uint64_t>("p_source_index", {1, 1, 3},
                                  {mask_index(1, 2, 1), mask_index(3, 2, 2), mask_index(1, 3, 1)});
    std::vector<float> c0(nx * ny * nz);
    for (std::size_t n = 0; n < c0.size(); ++n)
      c0[n] = n % nx < 3 ? 1500.F : 1600.F;
    file.write_all<float>("c0", {nz, ny, nx}, c0);
  }

  std::vector<Mark> marks(char axis, std::int64_t index, const std::string &dataset = "f") {
    Options o;
    o.axis = axis;
    o.index = index;
    const Plane plane = read(o, dataset);
    const io::File file = io::File::open(path_, MPI_COMM_SELF);
    return find_marks(file, file, plane, dataset);
  }
};

bool same(const io::Segment &s, const io::Segment &t) {
  return s.x0 == t.x0 && s.y0 == t.y0 && s.x1 == t.x1 && s.y1 == t.y1;
}

TEST_F(MarkedPlanes, TellThePmlSourcesAndBorders) {
  const std::vector<Mark> z = marks('z', 1);
  ASSERT_EQ(z.size(), 3U);
  EXPECT_EQ(z[0].kind, Mark::Kind::medium);
  ASSERT_EQ(z[0].lines.size(), 3U); // between the rows y = 0..3
  for (const io::Segment &s : z[0].lines) {
    EXPECT_FLOAT_EQ(static_cast<float>(s.x0), 2.5F);
    EXPECT_FLOAT_EQ(static_cast<float>(s.x1), 2.5F);
  }
  EXPECT_EQ(z[1].kind, Mark::Kind::source);
  ASSERT_EQ(z[1].lines.size(), 3U); // two points and the line between; not that of the plane z = 2
  EXPECT_TRUE(same(z[1].lines[0], {1., 2., 1., 2.}));
  EXPECT_TRUE(same(z[1].lines[1], {1., 2., 1., 3.}));
  EXPECT_TRUE(same(z[1].lines[2], {1., 3., 1., 3.}));
  EXPECT_EQ(z[2].kind, Mark::Kind::pml);
  ASSERT_EQ(z[2].lines.size(),
            4U); // between the points 0 and 1, 3 and 4 of x; 0 and 1, 2 and 3 of y
  EXPECT_TRUE(same(z[2].lines[0], {0.5, 0.5, 0.5, 2.5}));
  EXPECT_TRUE(same(z[2].lines[1], {3.5, 0.5, 3.5, 2.5}));
  EXPECT_TRUE(same(z[2].lines[2], {0.5, 0.5, 3.5, 0.5}));
  EXPECT_TRUE(same(z[2].lines[3], {0.5, 2.5, 3.5, 2.5}));
}

TEST_F(MarkedPlanes, OfOtherPlanesAndDatasets) {
  const std::vector<Mark> y = marks('y', 2);
  ASSERT_EQ(y.size(), 3U);
  EXPECT_EQ(y[1].lines.size(), 2U); // (1, 1) and (3, 2), which are no neighbours
  EXPECT_EQ(y[2].lines.size(), 2U); // there is none along z
  const std::vector<Mark> x = marks('x', 0);
  ASSERT_EQ(x.size(), 1U); // one material, no source
  EXPECT_EQ(x[0].kind, Mark::Kind::pml);
  EXPECT_NE(marks('z', 1, "c0").front().kind, Mark::Kind::medium);
}

/// x is the axis, y the radius.
class AxisymmetricPlane : public ::testing::Test {
protected:
  void SetUp() override {
    io::File file = io::File::create(path_, MPI_COMM_SELF);
    for (const auto &[name, value] : {std::pair{"Nx", 4U},
                                      {"Ny", 3U},
                                      {"Nz", 1U},
                                      {"axisymmetric_flag", 1U},
                                      {"pml_x_size", 0U},
                                      {"pml_y_size", 1U}})
      file.write_all<std::uint64_t>(name, {1, 1, 1}, {value});
    file.write_all<float>("dx", {1, 1, 1}, {1e-3F});
    file.write_all<float>("dy", {1, 1, 1}, {1e-3F});
    std::vector<float> f(12);
    std::iota(f.begin(), f.end(), 0.F);
    file.write_all<float>("f", {1, 3, 4}, f);
    file.write_all<std::uint64_t>("p_source_index", {1, 1, 1}, {1 + 2 + 4 * 1});
    file.commit();
  }
  test::ScratchDirectory scratch_{MPI_COMM_SELF};
  std::string path_ = scratch_.file("axisymmetric.h5");
};

TEST_F(AxisymmetricPlane, IsMirroredAtItsAxis) {
  const io::File file = io::File::open(path_, MPI_COMM_SELF);
  Options o;
  o.dataset = "f";
  const Plane plane = read_plane(file, file, o);
  EXPECT_EQ(plane.up.points, 5U);
  EXPECT_EQ(plane.up.first, -2);
  EXPECT_EQ(plane.up.grid_point(2.), 0.);
  EXPECT_EQ(plane.up.value(-2.), 0.);
  EXPECT_EQ(plane.values, (std::vector<float>{8, 9, 10, 11, 4, 5, 6,  7, 0, 1, 2, 3, //
                                              4, 5, 6,  7,  8, 9, 10, 11}));
  EXPECT_NE(plane.place.find("mirrored at the axis"), std::string::npos) << plane.place;
  const std::vector<Mark> marks = find_marks(file, file, plane, "f");
  ASSERT_EQ(marks.size(), 2U);
  ASSERT_EQ(marks[0].lines.size(), 2U); // the source and its image
  EXPECT_TRUE(same(marks[0].lines[0], {2., 1., 2., 1.}));
  EXPECT_TRUE(same(marks[0].lines[1], {2., -1., 2., -1.}));
  ASSERT_EQ(marks[1].lines.size(), 2U); // the outer edge and its image
  EXPECT_TRUE(same(marks[1].lines[0], {-0.5, -1.5, 3.5, -1.5}));
  EXPECT_TRUE(same(marks[1].lines[1], {-0.5, 1.5, 3.5, 1.5}));
}

class OtherKinds : public Planes {
protected:
  void add(io::File &file) override {
    std::vector<std::complex<double>> c(6);
    for (std::size_t n = 0; n < 6; ++n)
      c[n] = std::complex<double>(3., -4.) * static_cast<double>(n);
    file.write_all<std::complex<double>>("flat", {2, 3}, c);
    file.write_all<std::int64_t>("whole", {2, 3}, {-1, 2, -3, 4, -5, 6});
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    file.write_all<double>("gone", {2, 3}, std::vector<double>(6, nan));
    file.write_all<double>("some", {2, 3}, {nan, 1., nan, 2., nan, 3.});
    file.write_all<double>("deep", {1, 1, 1, 6}, std::vector<double>(6, 1.));
    file.write_all<float>("line", {1, 1, 9}, std::vector<float>(9, 1.F));
  }
};

TEST_F(OtherKinds, ComplexValuesAreShownByTheirMagnitude) {
  const Plane plane = read({}, "flat");
  EXPECT_EQ(plane.across.points, 3U);
  EXPECT_EQ(plane.up.points, 2U);
  EXPECT_EQ(plane.across.spacing, std::nullopt);
  EXPECT_EQ(plane.values, (std::vector<float>{0, 5, 10, 15, 20, 25}));
}

TEST_F(OtherKinds, DecibelsAreThoseOfTheMagnitude) {
  EXPECT_EQ(read({}, "whole").values, (std::vector<float>{-1, 2, -3, 4, -5, 6}));
  Options o;
  o.db_range = 20.;
  EXPECT_EQ(read(o, "whole").values, (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST_F(OtherKinds, NotANumberIsShownUnlessThereIsNothingElse) {
  EXPECT_TRUE(std::isnan(read({}, "some").values[0]));
  EXPECT_EQ(read({}, "some").values[1], 1.F);
  EXPECT_NE(refusal({}, "gone").find("gone: found no finite value"), std::string::npos);
}

TEST_F(OtherKinds, ShapesThatAreNoPictureAreRefused) {
  EXPECT_NE(refusal({}, "deep").find("found shape 1 x 1 x 1 x 6, expected 2 or 3 dimensions, or"),
            std::string::npos);
  EXPECT_NE(refusal({}, "line").find("--kwave-input"), std::string::npos) << refusal({}, "line");
}

/// Values at the points x = 0, 2, 4, y = 1, z = 0, 1, 2, as k-Wave's solvers write them; the last
/// point of the plane is not in the mask.
class SensorPlane : public Planes {
protected:
  void add(io::File &file) override {
    std::vector<std::uint64_t> mask;
    std::vector<float> maxima;
    for (std::size_t z = 0; z < nz; ++z)
      for (std::size_t x = 0; x < nx; x += 2) {
        if (x == 4 && z == 2) continue;
        mask.push_back(mask_index(x, 1, z));
        maxima.push_back(value_at(x, 1, z));
      }
    const std::size_t points = mask.size();
    file.write_all<std::uint64_t>("sensor_mask_index", {1, 1, points}, mask);
    file.write_all<float>("p_max", {1, 1, points}, maxima);
    std::vector<float> series;
    for (const float time : {-1.F, 0.5F, -2.F})
      for (const float value : maxima)
        series.push_back(time * value);
    file.write_all<float>("p", {1, 3, points}, series);
  }
};

TEST_F(SensorPlane, PutsValuesBackOntoTheGrid) {
  const Plane plane = read({}, "p_max");
  EXPECT_EQ(plane.place, "y = 2 mm");
  EXPECT_EQ(plane.across.points, 3U);
  EXPECT_EQ(plane.across.step, 2U);
  EXPECT_EQ(plane.up.points, 3U);
  EXPECT_EQ(plane.up.name, "z");
  EXPECT_EQ(plane.values[1 + 3 * 2], value_at(2, 1, 2));
  EXPECT_EQ(plane.values[2 + 3 * 1], value_at(4, 1, 1));
  EXPECT_TRUE(std::isnan(plane.values[2 + 3 * 2]));
}

TEST_F(SensorPlane, ShowsOneTimeStepOrTheLargestOverTime) {
  Options o;
  o.time_step = 2;
  const Plane last = read(o, "p");
  EXPECT_EQ(last.values[1], -2.F * value_at(2, 1, 0));
  EXPECT_EQ(last.place, "y = 2 mm, time step 2");
  EXPECT_EQ(read({}, "p").values[1], 0.5F * value_at(2, 1, 0));
  Options db;
  db.db_range = 10.;
  EXPECT_EQ(read(db, "p").values[1], 2.F * value_at(2, 1, 0));
}

TEST_F(SensorPlane, TellsTheTimeWhereTheTimeStepIsKnown) {
  {
    io::File update = io::File::open_for_update(path_, MPI_COMM_SELF);
    update.write_all<float>("dt", {1, 1, 1}, {0.25e-6F});
    update.write_all<std::uint64_t>("Nt", {1, 1, 1},
                                    {10}); // the rows are those of the steps 7 to 9
    update.commit();
  }
  Options o;
  o.time_step = 2;
  EXPECT_EQ(read(o, "p").place, "y = 2 mm, t = 2.25 µs");
}

TEST_F(SensorPlane, ErrorsSayTheRange) {
  Options o;
  o.time_step = 3;
  EXPECT_EQ(refusal(o, "p"), "--time-step: found 3, expected 0 to 2, the rows of dataset p");
  o.time_step = 0;
  EXPECT_EQ(refusal(o, "p_max"),
            "--time-step: found 0, expected none: dataset p_max has one value per point");
  Options x;
  x.axis = 'x';
  x.index = 1;
  EXPECT_EQ(refusal(x, "p_max"), "--index: found 1, expected 0 to 4 in steps of 2 along x");
}

/// A mask in a file of its own, in an order that is not the grid's, larger than what is read at
/// once in neither direction but filling the volume.
/// Snapshots of the plane z = 2 after steps 4, 9 and 14.
class Snapshots : public Planes {
protected:
  void add(io::File &file) override {
    file.write_all<std::uint64_t>("Nt", {1, 1, 1}, {17});
    file.write_all<double>("dt", {1, 1, 1}, {1e-3});
    std::vector<float> values(3 * nx * ny);
    std::iota(values.begin(), values.end(), 1.F);
    for (const char *name : {"placed", "unplaced", "wrong"})
      file.write_all<float>(name, {3, 1, ny, nx}, values);
    for (const char *name : {"placed", "wrong"}) {
      file.set_attribute(name, "first_step", "4");
      file.set_attribute(name, "step_interval", "5");
      file.set_attribute(name, "plane_axis", "z");
      file.set_attribute(name, "plane_index", std::string(name) == "wrong" ? "two" : "2");
    }
  }
};

TEST_F(Snapshots, AreWhereAndWhenTheirAttributesSay) {
  Options o;
  o.time_step = 2;
  EXPECT_EQ(read(o, "placed").place, "z = 1 mm, t = 14.00 ms");
  EXPECT_EQ(read(o, "placed").slice, 2U);
  o.index = 2;
  EXPECT_TRUE(read(o, "placed").placed);
  o.index = 0;
  EXPECT_EQ(refusal(o, "placed"), "--index: found 0, expected 2 to 2 along z");
  EXPECT_NE(
      refusal({}, "wrong")
          .find("attribute plane_index of dataset wrong: found 'two', expected a whole number"),
      std::string::npos);
}

TEST_F(Snapshots, WithoutAttributesAreCountedAndHaveNoMarks) {
  Options o;
  o.time_step = 2;
  const Plane plane = read(o, "unplaced");
  EXPECT_EQ(plane.place, "frame 2");
  EXPECT_FALSE(plane.placed);
  const io::File file = io::File::open(path_, MPI_COMM_SELF);
  EXPECT_TRUE(find_marks(file, file, plane, "unplaced").empty());
}

TEST_F(Planes, SensorMaskMayComeFromAnotherFileInAnyOrder) {
  std::vector<std::uint64_t> mask(nx * ny * nz);
  std::iota(mask.rbegin(), mask.rend(), 1U);
  std::vector<float> values;
  for (const std::uint64_t index : mask)
    values.push_back(value_at((index - 1) % nx, (index - 1) / nx % ny, (index - 1) / nx / ny));
  const std::string output = scratch_.file("output.h5");
  {
    io::File file = io::File::create(output, MPI_COMM_SELF);
    file.write_all<float>("p_max", {1, 1, values.size()}, values);
    file.commit();
    io::File update = io::File::open_for_update(path_, MPI_COMM_SELF);
    update.write_all<std::uint64_t>("sensor_mask_index", {1, 1, mask.size()}, mask);
    update.commit();
  }
  const io::File file = io::File::open(output, MPI_COMM_SELF);
  const io::File grid = io::File::open(path_, MPI_COMM_SELF);
  Options o;
  o.dataset = "p_max";
  o.axis = 'x';
  o.index = 3;
  EXPECT_EQ(read_plane(file, grid, o).values[2 + ny * 1], value_at(3, 2, 1));
  o.index.reset();
  o.max_projection = true;
  EXPECT_EQ(read_plane(file, grid, o).values[2 + ny * 1], value_at(nx - 1, 2, 1));
  EXPECT_THROW(read_plane(file, file, o), io::IoError);
}

TEST_F(Planes, SensorIndexOutsideOfTheGridIsRefused) {
  {
    io::File update = io::File::open_for_update(path_, MPI_COMM_SELF);
    update.write_all<std::uint64_t>("sensor_mask_index", {1, 1, 2}, {1, 61});
    update.write_all<float>("p_max", {1, 1, 2}, {1.F, 2.F});
    update.commit();
  }
  EXPECT_EQ(refusal({}, "p_max"), path_ + ": sensor_mask_index: found index 61, expected 1 to 60");
}

} // namespace
