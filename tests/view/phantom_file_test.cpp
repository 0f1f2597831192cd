/// Tests the input file written by hybridfft-phantom: it is the same for every number of ranks, and
/// has the datasets that k-Wave expects.

#include <gtest/gtest.h>
#include <hdf5.h>
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "io/handle.h"
#include "io/hdf5.h"
#include "support/mpi_test.h"
#include "support/phantom/file.h"
#include "support/scratch_directory.h"

namespace {

using namespace hybridfft;
using namespace hybridfft::tools::phantom;

PhantomOptions small() {
  PhantomOptions o;
  o.output = "unused";
  o.extents = {44, 34, 27};
  o.pml = 5;
  o.spacing = 0.5;
  o.frequency = 0.6;
  o.cycles = 2.;
  return o;
}

/// All ranks write the file of a phantom in a scratch folder; each rank then opens it alone.
class PhantomFile : public ::testing::Test {
protected:
  io::File written(const PhantomOptions &options, MPI_Comm comm = test::world(),
                   const std::string &name = "phantom.h5") {
    scene_ = resolve(options);
    counts_ = write_file(scene_, scratch_.file(name), comm);
    MPI_Barrier(comm);
    return io::File::open(scratch_.file(name), MPI_COMM_SELF);
  }

  template <class T> std::vector<T> all(const io::File &file, const std::string &name) {
    return file.read_all<T>(name);
  }
  std::uint64_t integer(const io::File &file, const std::string &name) {
    return file.read_all<std::uint64_t>(name).at(0);
  }
  float real(const io::File &file, const std::string &name) {
    return file.read_all<float>(name).at(0);
  }

  test::ScratchDirectory scratch_{test::world()};
  Scene scene_;
  Written counts_;
};

/// Returns the names of all datasets in a file without groups.
std::vector<std::string> dataset_names(const io::File &file) {
  std::vector<std::string> names;
  const io::Handle opened = io::open_serially(file.path(), file.path());
  const auto add = [](hid_t, const char *name, const H5L_info_t *, void *list) -> herr_t {
    static_cast<std::vector<std::string> *>(list)->emplace_back(name);
    return 0;
  };
  H5Literate(opened.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names);
  return names;
}

struct Variant {
  const char *name;
  void (*change)(PhantomOptions &);
};

class SameForAnyRanks : public PhantomFile, public ::testing::WithParamInterface<Variant> {};

TEST_P(SameForAnyRanks, DatasetByDataset) {
  PhantomOptions options = small();
  GetParam().change(options);
  const int rank = test::rank_of(test::world());
  const io::File many = written(options);
  const io::File one = written(options, MPI_COMM_SELF, "one" + std::to_string(rank) + ".h5");
  const std::vector<std::string> names = dataset_names(one);
  EXPECT_EQ(names, dataset_names(many));
  ASSERT_GT(names.size(), 30U);
  for (const std::string &name : names) {
    const io::DatasetInfo a = one.info(name);
    const io::DatasetInfo b = many.info(name);
    EXPECT_EQ(a.shape, b.shape) << name;
    EXPECT_EQ(a.kind, b.kind) << name;
    EXPECT_EQ(a.shape.size(), 3U) << name;
    EXPECT_EQ(many.attribute(name, "domain_type"), "real") << name;
    if (a.kind == io::NumberKind::floating) {
      EXPECT_EQ(a.bytes, 4U) << name;
      EXPECT_EQ(many.attribute(name, "data_type"), "float") << name;
      EXPECT_EQ(all<float>(one, name), all<float>(many, name)) << name;
    } else {
      EXPECT_EQ(a.bytes, 8U) << name;
      EXPECT_EQ(many.attribute(name, "data_type"), "long") << name;
      EXPECT_EQ(all<std::uint64_t>(one, name), all<std::uint64_t>(many, name)) << name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Phantom, SameForAnyRanks,
    ::testing::Values(Variant{"bowl", [](PhantomOptions &) {}},
                      Variant{"p0", [](PhantomOptions &o) { o.source = SourceKind::p0; }},
                      Variant{"homogeneous", [](PhantomOptions &o) { o.homogeneous = true; }},
                      Variant{"flat", [](PhantomOptions &o) { o.extents[2] = 1; }},
                      Variant{"coarse", [](PhantomOptions &o) { o.sensor = SensorKind::coarse; }},
                      Variant{"all", [](PhantomOptions &o) { o.sensor = SensorKind::all; }}),
    [](const auto &test) { return std::string(test.param.name); });

TEST_F(PhantomFile, HasTheHeaderOfAnInputFile) {
  const io::File file = written(small());
  EXPECT_EQ(file.attribute("/", "file_type"), "input");
  EXPECT_EQ(file.attribute("/", "major_version"), "1");
  EXPECT_EQ(file.attribute("/", "minor_version"), "2");
  for (const char *name : {"created_by", "creation_date", "file_description"})
    EXPECT_FALSE(file.attribute("/", name).empty()) << name;
  EXPECT_EQ(integer(file, "Nx"), 44U);
  EXPECT_EQ(integer(file, "Ny"), 34U);
  EXPECT_EQ(integer(file, "Nz"), 27U);
  EXPECT_EQ(real(file, "dz"), 0.5e-3F);
  EXPECT_EQ(integer(file, "pml_y_size"), 5U);
  EXPECT_EQ(real(file, "pml_z_alpha"), 2.F);
  for (const char *flag : {"axisymmetric_flag", "nonuniform_grid_flag", "nonlinear_flag",
                           "absorbing_flag", "p0_source_flag", "ux_source_flag", "uy_source_flag",
                           "uz_source_flag", "transducer_source_flag", "sensor_mask_type"})
    EXPECT_EQ(integer(file, flag), 0U) << flag;
}

TEST_F(PhantomFile, IsNonlinearAndAbsorbingOnRequest) {
  EXPECT_FALSE(written(small()).exists("BonA"));
  PhantomOptions options = small();
  options.nonlinearity = 6.5;
  options.absorption = 0.25;
  options.absorption_power = 1.25;
  const io::File file = written(options);
  EXPECT_EQ(integer(file, "nonlinear_flag"), 1U);
  EXPECT_EQ(integer(file, "absorbing_flag"), 1U);
  EXPECT_EQ(real(file, "BonA"), 6.5F);
  EXPECT_EQ(real(file, "alpha_coeff"), 0.25F);
  EXPECT_EQ(real(file, "alpha_power"), 1.25F);
}

// A two-dimensional file has one point along z and no other dataset for z, as k-Wave's toolbox
// writes it.
TEST_F(PhantomFile, OfTwoDimensionsHasOnePointAlongZ) {
  PhantomOptions options = small();
  options.extents = {44, 34, 1};
  const io::File file = written(options);
  EXPECT_EQ(integer(file, "Nz"), 1U);
  EXPECT_EQ(integer(file, "pml_z_size"), 0U);
  EXPECT_EQ(integer(file, "pml_y_size"), 5U);
  for (const char *name : {"dz", "pml_z_alpha", "rho0_sgz"})
    EXPECT_FALSE(file.exists(name)) << name;
  EXPECT_EQ(file.info("c0").shape, (io::Shape{1, 34, 44}));
  EXPECT_EQ(file.info("rho0_sgy").shape, (io::Shape{1, 34, 44}));

  // The sensor has all points inside the PML. The source has the points within half a cell of the
  // arc.
  EXPECT_EQ(counts_.sensor_points, 34U * 24U);
  const Bowl &bowl = scene_.source.bowl;
  std::vector<std::uint64_t> arc;
  for (std::uint64_t y = 0; y < 34; ++y)
    for (std::uint64_t x = 0; x < 44; ++x)
      if (bowl.distance({0.5e-3 * static_cast<double>(x), 0.5e-3 * static_cast<double>(y), 0.}) <=
          0.25e-3)
        arc.push_back(1 + x + 44 * y);
  EXPECT_GT(arc.size(), 20U);
  EXPECT_EQ(all<std::uint64_t>(file, "p_source_index"), arc);

  // In d dimensions an additive source has the factor 2 dt / (d c dx); here d = 2.
  const double dt = real(file, "dt");
  const std::vector<double> burst = tone_burst(0.6e6, 2., 100e3, dt);
  const std::vector<float> signal = all<float>(file, "p_source_input");
  ASSERT_EQ(signal.size(), burst.size());
  const double scale = dt / (1500. * 0.5e-3);
  for (std::size_t n = 0; n < signal.size(); ++n)
    EXPECT_NEAR(signal[n], scale * burst[n], 1e5 * scale * 6e-8) << n;
}

TEST_F(PhantomFile, RefersToTheLargestSpeed) {
  const io::File file = written(small());
  const std::vector<float> c0 = all<float>(file, "c0");
  EXPECT_EQ(real(file, "c_ref"), *std::max_element(c0.begin(), c0.end()));
  EXPECT_EQ(*std::min_element(c0.begin(), c0.end()), 1440.F);
}

TEST_F(PhantomFile, StaggersDensityBetweenNeighbours) {
  const io::File file = written(small());
  const std::vector<float> rho0 = all<float>(file, "rho0");
  const std::size_t extents[] = {44, 34, 27};
  const std::size_t strides[] = {1, 44, 44 * 34};
  const char *const names[] = {"rho0_sgx", "rho0_sgy", "rho0_sgz"};
  for (std::size_t a = 0; a < 3; ++a) {
    const std::vector<float> staggered = all<float>(file, names[a]);
    ASSERT_EQ(staggered.size(), rho0.size());
    std::size_t between_materials = 0;
    for (std::size_t n = 0; n < rho0.size(); ++n) {
      const bool last = n / strides[a] % extents[a] == extents[a] - 1;
      // Densities are whole numbers: their mean is exact in single precision.
      const float expected = last ? rho0[n] : 0.5F * (rho0[n] + rho0[n + strides[a]]);
      ASSERT_EQ(staggered[n], expected) << names[a] << " at " << n;
      if (staggered[n] != rho0[n]) ++between_materials;
    }
    EXPECT_GT(between_materials, 0U) << names[a];
  }
}

TEST_F(PhantomFile, ScalesAnAddingSourceAsTheToolboxDoes) {
  const io::File file = written(small());
  EXPECT_EQ(integer(file, "p_source_mode"), 1U);
  EXPECT_EQ(integer(file, "p_source_many"), 0U);
  const std::vector<float> signal = all<float>(file, "p_source_input");
  ASSERT_EQ(signal.size(), integer(file, "p_source_flag"));
  const std::vector<std::uint64_t> points = all<std::uint64_t>(file, "p_source_index");
  EXPECT_EQ(points.size(), counts_.source_points);
  EXPECT_TRUE(std::is_sorted(points.begin(), points.end()));
  const double c = all<float>(file, "c0").at(points.front() - 1);
  const double dt = real(file, "dt");
  const std::vector<double> burst = tone_burst(0.6e6, 2., 100e3, dt);
  ASSERT_EQ(signal.size(), burst.size());
  const double scale = 2. * dt / (3. * c * 0.5e-3);
  for (std::size_t n = 0; n < signal.size(); ++n)
    // The signal of at most 100 kPa is stored in single precision, with a relative rounding of
    // 2^-24.
    EXPECT_NEAR(signal[n], scale * burst[n], 1e5 * scale * 6e-8) << n;
}

TEST_F(PhantomFile, ScalesAnEnforcedSourceAsTheToolboxDoes) {
  PhantomOptions options = small();
  options.dirichlet = true;
  const io::File file = written(options);
  EXPECT_EQ(integer(file, "p_source_mode"), 0U);
  const std::vector<float> signal = all<float>(file, "p_source_input");
  const std::vector<double> burst = tone_burst(0.6e6, 2., 100e3, real(file, "dt"));
  ASSERT_EQ(signal.size(), burst.size());
  const double scale = 1. / (3. * 1500. * 1500.); // the bowl's first point is in water
  for (std::size_t n = 0; n < signal.size(); ++n)
    EXPECT_NEAR(signal[n], scale * burst[n], 1e5 * scale * 6e-8) << n;
}

TEST_F(PhantomFile, PutsInitialPressureAtTheFocus) {
  PhantomOptions options = small();
  options.source = SourceKind::p0;
  options.curvature = 11.; // the focus is a grid point: (5 + 2) x 0.5 mm + 11 mm = 29 x 0.5 mm
  const io::File file = written(options);
  EXPECT_EQ(integer(file, "p0_source_flag"), 1U);
  EXPECT_EQ(integer(file, "p_source_flag"), 0U);
  EXPECT_FALSE(file.exists("p_source_index"));
  const std::vector<float> p0 = all<float>(file, "p0_source_input");
  const auto at = [&](std::size_t x, std::size_t y, std::size_t z) {
    return p0.at(x + 44 * (y + 34 * z));
  };
  // The cosine is flat near its maximum: rounded coordinates hardly change it. The tolerance
  // exceeds the rounding of 1e5 to single precision, 0.004.
  EXPECT_NEAR(at(29, 17, 13), 100e3F, 0.01);
  EXPECT_NEAR(at(29, 17, 16), 50e3F,
              0.01); // 3 points from the focus, half of the radius of 6 points
  EXPECT_EQ(at(29, 17 - 7, 13), 0.F);
}

TEST_F(PhantomFile, LeavesNothingBehindWhenRefused) {
  PhantomOptions options = small();
  options.aperture = 1e-4; // a bowl narrower than a cell can lie between grid points
  options.curvature = 11.2;
  const Scene scene = resolve(options);
  // The phantom centres the bowl at grid points along y and z. Moving it by half a cell leaves no
  // grid point within half a cell of the bowl.
  Scene beside = scene;
  beside.source.bowl.focus[1] += 0.25e-3;
  beside.source.bowl.focus[2] += 0.25e-3;
  beside.source.bowl.focus[0] += 0.25e-3;
  const std::string path = scratch_.file("refused.h5");
  EXPECT_THROW(write_file(beside, path, test::world()), std::invalid_argument);
  MPI_Barrier(test::world());
  EXPECT_TRUE(scratch_.contents().empty());
}

} // namespace
