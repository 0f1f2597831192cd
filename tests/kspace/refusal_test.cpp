// Invalid and unsupported inputs: on every rank an error names the cause and what was expected, and
// no file remains.
#include <gtest/gtest.h>
#include <hdf5.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>

#include "kspace/input_writer.h"
#include "kspace/run_simulation.h"
#include "solvers/kspace/base/errors.h"
#include "support/foreign_storage.h"
#include "support/mpi_test.h"
#include "support/scratch_directory.h"

namespace {

using namespace hybridfft;

struct Case {
  std::string name;
  std::function<void(test::InputWriter &)> spoil;
  std::vector<std::string>
      said; ///< expected parts of the message: dataset, value found, value expected
};

class BadInputTest : public ::testing::TestWithParam<Case> {};
class UnsupportedTest : public ::testing::TestWithParam<Case> {};

/// Returns a valid input with every kind of dataset.
test::InputWriter complete() {
  test::InputWriter input({6, 5, 4}, 10);
  const std::vector<float> ones(input.points(), 1.0F);
  for (const char *name : {"rho0", "rho0_sgx", "rho0_sgy", "rho0_sgz", "p0_source_input"})
    input.field(name, ones);
  input.field("c0", std::vector<float>(input.points(), 1500.0F));
  input.integer("p0_source_flag", 1);
  input.integer("p_source_flag", 3).integer("p_source_mode", 1).integer("p_source_many", 1);
  input.indices("p_source_index", {3, 1});
  input.array("p_source_input", {1, 3, 2}, std::vector<float>(6, 0.5F));
  input.indices("sensor_mask_index", {120, 1, 7});
  return input;
}

std::vector<float> with(std::size_t n, std::size_t at, float value) {
  std::vector<float> values(n, 1.0F);
  values[at] = value;
  return values;
}

void corners(test::InputWriter &in, std::vector<std::uint64_t> values) {
  const std::size_t n = values.size();
  in.integer("sensor_mask_type", 1).array("sensor_mask_corners", {1, 1, n}, std::move(values));
}

/// Adds a transducer of two points to an input. A signal of five values drives it for three steps.
void transducer(test::InputWriter &in, std::vector<std::uint64_t> delays) {
  in.integer("transducer_source_flag", 3).indices("u_source_index", {3, 9});
  in.indices("delay_mask", std::move(delays));
  in.array("transducer_source_input", {1, 1, 5}, std::vector<float>(5, 0.1F));
}

/// Runs a simulation and returns the message of the exception, which must have this type.
template <class Exception> std::string message(const Case &c) {
  const test::ScratchDirectory scratch(test::world());
  test::InputWriter input = complete();
  c.spoil(input);
  const std::string path = scratch.file("in.h5");
  input.write(path, test::world());
  std::string said;
  try {
    test::simulate(path, scratch.file("out.h5"), test::record_pressure(), test::world());
    ADD_FAILURE() << "no exception";
  } catch (const Exception &e) {
    said = e.what();
  } catch (const std::exception &e) {
    ADD_FAILURE() << "another exception: " << e.what();
  }
  MPI_Barrier(test::world());
  EXPECT_EQ(scratch.contents(), std::vector<std::string>{"in.h5"});
  EXPECT_NE(said.find(path), std::string::npos) << "the file is not named: " << said;
  return said;
}

void expect_parts(const std::string &said, const std::vector<std::string> &parts) {
  for (const std::string &part : parts)
    EXPECT_NE(said.find(part), std::string::npos) << "'" << part << "' is not in: " << said;
}

TEST(InputTest, CompleteFile_Runs) {
  const test::ScratchDirectory scratch(test::world());
  complete().write(scratch.file("in.h5"), test::world());
  test::simulate(scratch.file("in.h5"), scratch.file("out.h5"), test::record_pressure(),
                 test::world());
  EXPECT_EQ(test::read(scratch.file("out.h5"), "p", test::world()).size(), 30U);
}

TEST_P(UnsupportedTest, UnsupportedInput_IsNamed) {
  expect_parts(message<kspace::Unsupported>(GetParam()), GetParam().said);
}

TEST_P(BadInputTest, InvalidInput_IsNamed) {
  expect_parts(message<kspace::InputError>(GetParam()), GetParam().said);
}

Case flag(const std::string &dataset, std::int64_t value) {
  return {dataset + std::to_string(value),
          [=](test::InputWriter &in) { in.integer(dataset, value); },
          {"dataset " + dataset + " is " + std::to_string(value)}};
}

Case real(const std::string &dataset, double value, const std::string &found) {
  return {dataset + "_" + found,
          [=](test::InputWriter &in) { in.real(dataset, value); },
          {"dataset " + dataset + " is " + found, "expected"}};
}

/// A two-dimensional axisymmetric input in which `flag` is 1.
Case axisymmetric(const std::string &flag) {
  return {flag,
          [=](test::InputWriter &in) {
            in = test::InputWriter({6, 5, 1}, 10);
            in.integer("axisymmetric_flag", 1).integer(flag, 1);
            in.real("alpha_coeff", 1).real("alpha_power", 1.5);
          },
          {"dataset " + flag + " is 1", "axisymmetric"}};
}

INSTANTIATE_TEST_SUITE_P(Physics, UnsupportedTest,
                         ::testing::Values(axisymmetric("absorbing_flag"),
                                           axisymmetric("nonuniform_grid_flag")),
                         [](const auto &info) { return info.param.name; });

/// An input of k-Wave's pstdElastic3D, without the arrays of a fluid.
Case elastic(const std::string &dataset, const std::string &found,
             const std::function<void(test::InputWriter &)> &spoil) {
  return {dataset,
          [=](test::InputWriter &in) {
            in.remove("c0").remove("rho0");
            spoil(in);
          },
          {"dataset " + dataset + " is " + found, "hybridfft-elastic"}};
}

INSTANTIATE_TEST_SUITE_P(
    Solids, UnsupportedTest,
    ::testing::Values(
        elastic("elastic_flag", "1", [](auto &in) { in.integer("elastic_flag", 1); }),
        elastic("sxx_source_flag", "40",
                [](auto &in) { in.integer("elastic_flag", 0).integer("sxx_source_flag", 40); }),
        elastic("syz_source_input", "given",
                [](auto &in) {
                  in.integer("syz_source_flag", 0);
                  in.array("syz_source_input", {1, 3, 2}, std::vector<float>(6, 1.0F));
                })),
    [](const auto &info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Scalars, BadInputTest,
    ::testing::Values(
        flag("Nx", 0), flag("Ny", -3), flag("Nt", 0), flag("absorbing_flag", 3),
        flag("p_source_mode", 3), flag("p_source_many", 2), flag("p0_source_flag", 2),
        flag("sensor_mask_type", 2), flag("Nx", std::int64_t{1} << 60), flag("pml_x_size", 4),
        flag("pml_z_size", 3), real("dt", 0, "0"), real("dx", -1e-3, "-0.001"),
        real("dz", std::numeric_limits<double>::infinity(), "inf"), real("c_ref", 0, "0"),
        real("dy", std::nan(""), "nan"), real("pml_y_alpha", -1, "-1"), real("c0", -1500, "-1500"),
        real("c_ref", 1e-30, "1e-30"), real("c_ref", 1e30, "1e+30"), real("dy", 3e38, "3e+38"),
        real("dx", 1e-30, "1e-30"), real("dt", 1e-30, "1e-30"), real("dt", 1e9, "1e+09")),
    [](const auto &info) {
      std::string name = info.param.name;
      for (char &c : name)
        if (c == '-' || c == '.' || c == '+') c = c == '+' ? 'p' : 'm';
      return name;
    });

INSTANTIATE_TEST_SUITE_P(
    Arrays, BadInputTest,
    ::testing::Values(
        Case{"MissingDataset", [](auto &in) { in.remove("c_ref"); }, {"dataset c_ref is missing"}},
        Case{"MissingArray",
             [](auto &in) { in.remove("p0_source_input"); },
             {"dataset p0_source_input is missing"}},
        Case{"MissingSensor",
             [](auto &in) { in.remove("sensor_mask_index"); },
             {"dataset sensor_mask_index is missing"}},
        Case{"NegativeDensity",
             [](auto &in) { in.field("rho0", with(120, 6 * 5 * 2 + 6 * 3 + 4, -2.5F)); },
             {"dataset rho0 is -2.5 at (x, y, z) = (5, 4, 3)", "finite numbers above 0"}},
        Case{"ZeroStaggeredDensity",
             [](auto &in) { in.field("rho0_sgy", with(120, 119, 0)); },
             {"dataset rho0_sgy is 0 at (x, y, z) = (6, 5, 4)", "finite numbers above 0"}},
        Case{"NanSpeed",
             [](auto &in) { in.field("c0", with(120, 0, std::nanf(""))); },
             {"dataset c0 is nan at (x, y, z) = (1, 1, 1)", "finite"}},
        Case{"InfiniteInitialPressure",
             [](auto &in) {
               in.field("p0_source_input", with(120, 61, -std::numeric_limits<float>::infinity()));
             },
             {"dataset p0_source_input is -inf at (x, y, z) = (2, 1, 3)", "finite"}},
        Case{"MixedKindsOfDensity",
             [](auto &in) { in.real("rho0_sgx", 1000); },
             {"dataset rho0_sgx is a scalar", "expected an array"}},
        Case{"ShapeOfMedium",
             [](auto &in) {
               in.array("c0", {4, 6, 4}, std::vector<float>(96, 1.0F));
             },
             {"dataset c0 is of shape [4][6][4]", "expected [4][5][6]"}},
        Case{"TwoDimensions",
             [](auto &in) {
               in.array("c0", {20, 6}, std::vector<float>(120, 1.0F));
             },
             {"dataset c0 is of shape [20][6]"}},
        Case{"SensorIndexZero",
             [](auto &in) {
               in.indices("sensor_mask_index", {5, 0});
             },
             {"dataset sensor_mask_index is 0 at entry 2", "indices 1 to 120"}},
        Case{"SensorIndexTooLarge",
             [](auto &in) { in.indices("sensor_mask_index", {121}); },
             {"dataset sensor_mask_index is 121 at entry 1", "indices 1 to 120"}},
        Case{"SourceIndexTooLarge",
             [](auto &in) {
               in.indices("p_source_index", {1, 500});
             },
             {"dataset p_source_index is 500 at entry 2", "indices 1 to 120"}},
        Case{"SensorHalfIndex",
             [](auto &in) {
               in.array("sensor_mask_index", {1, 1, 2}, std::vector<float>{1, 2.5F});
               in.attribute("sensor_mask_index/data_type", "long");
             },
             {"dataset sensor_mask_index is 2.5 at entry 2", "expected integers"}},
        Case{"ExponentFarAway",
             [](auto &in) {
               in.integer("absorbing_flag", 1).real("alpha_power", 8e5).real("alpha_coeff", 1);
             },
             {"dataset alpha_power is 8e+05", "expected at least 0 and below 3"}},
        Case{"ExponentBelowZero",
             [](auto &in) {
               in.integer("absorbing_flag", 2).real("alpha_power", -0.5).real("alpha_coeff", 1);
             },
             {"dataset alpha_power is -0.5", "expected at least 0 and below 3"}},
        Case{"SpeedWhoseSquareIsInfinite",
             [](auto &in) { 
               in.field("c0", std::vector<float>(120, 1e20F));
               in.real("c_ref", 1e15).real("dt", 1e-14);
             },
             {"dataset c0 is too large", "c0^2"}},
        Case{"FlagAgainstLengthOfSignal",
             [](auto &in) { in.integer("p_source_flag", 4); },
             {"dataset p_source_input is of shape [1][3][2]", "expected [1][4][2]"}},
        Case{"SingleSignalForMany",
             [](auto &in) { in.integer("p_source_many", 0); },
             {"dataset p_source_input is of shape [1][3][2]", "expected [1][3][1]"}},
        Case{"NanSignal",
             [](auto &in) {
               in.array("p_source_input", {1, 3, 2}, with(6, 3, std::nanf("")));
             },
             {"dataset p_source_input is nan at point 2, time step 2", "finite"}},
        Case{"CornerBeyondTheGrid",
             [](auto &in) { corners(in, {1, 1, 1, 7, 5, 4}); },
             {"dataset sensor_mask_corners is 1 to 7 along x for cuboid 1", "within 1 to 6"}},
        Case{"CornersReversed",
             [](auto &in) {
               corners(in, {1, 1, 1, 2, 2, 2, 3, 4, 1, 3, 3, 2});
             },
             {"dataset sensor_mask_corners is 4 to 3 along y for cuboid 2", "within 1 to 5"}},
        Case{"CornerZero",
             [](auto &in) { corners(in, {1, 1, 0, 2, 2, 2}); },
             {"dataset sensor_mask_corners is 0 to 2 along z", "within 1 to 4"}},
        Case{"CornersIncomplete",
             [](auto &in) { corners(in, {1, 1, 1, 2, 2}); },
             {"dataset sensor_mask_corners is of 5 values", "six"}},
        Case{"DelayBeyondTheSignal",
             [](auto &in) { transducer(in, {1, 4}); },
             {"dataset delay_mask is 4 at entry 2", "1 to 3"}},
        Case{"DelayZero",
             [](auto &in) { transducer(in, {0, 1}); },
             {"dataset delay_mask is 0 at entry 1", "1 to 3"}},
        Case{"DelaysOfOtherNumber",
             [](auto &in) { transducer(in, {1, 1, 1}); },
             {"dataset delay_mask is of shape [1][1][3]", "2 values"}},
        Case{"ExponentOne",
             [](auto &in) {
               in.integer("absorbing_flag", 2).real("alpha_power", 1).real("alpha_coeff", 1);
             },
             {"dataset alpha_power is 1"}},
        Case{"NegativeAbsorption",
             [](auto &in) {
               in.integer("absorbing_flag", 1).real("alpha_power", 1.5).real("alpha_coeff", -1);
             },
             {"dataset alpha_coeff is -1", "at least 0"}},
        Case{"NonlinearWithoutItsParameter",
             [](auto &in) { in.integer("nonlinear_flag", 1); },
             {"dataset BonA is missing"}},
        Case{"NonuniformWithoutItsVectors",
             [](auto &in) { in.integer("nonuniform_grid_flag", 1); },
             {"dataset dxudxn is missing"}},
        Case{"VelocitySourceOfOtherLength",
             [](auto &in) {
               in.integer("uy_source_flag", 5).integer("u_source_mode", 2);
               in.integer("u_source_many", 0).indices("u_source_index", {4});
               in.array("uy_source_input", {1, 4, 1}, std::vector<float>(4, 1.0F));
             },
             {"dataset uy_source_input is of shape [1][4][1]", "expected [1][5][1]"}},
        Case{"IntegerAsReal",
             [](auto &in) { in.real("p_source_mode", 1.5); },
             {"dataset p_source_mode is 1.5", "integers"}},
        Case{"ScalarAsList",
             [](auto &in) {
               in.indices("Nt", {4, 5});
             },
             {"dataset Nt is of shape [1][1][2]", "expected [1][1][1]"}},
        Case{"DataType",
             [](auto &in) { in.attribute("c0/data_type", "long"); },
             {"dataset c0: attribute data_type is 'long'", "expected 'float'"}},
        Case{"DomainType",
             [](auto &in) { in.attribute("p_source_input/domain_type", "complex"); },
             {"dataset p_source_input: attribute domain_type is 'complex'", "expected 'real'"}},
        Case{"DomainTypeMissing",
             [](auto &in) { in.attribute("p_source_index/domain_type", ""); },
             {"dataset p_source_index: attribute domain_type is missing", "expected 'real'"}}),
    [](const auto &info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Versions, BadInputTest,
    ::testing::Values(Case{"OutputFile",
                           [](auto &in) { in.attribute("file_type", "output"); },
                           {"attribute file_type is 'output'", "expected 'input'"}},
                      Case{"NoFileType",
                           [](auto &in) { in.attribute("file_type", ""); },
                           {"attribute file_type is missing", "expected 'input'"}},
                      Case{"MajorVersion",
                           [](auto &in) { in.attribute("major_version", "2"); },
                           {"attribute major_version is '2'", "expected '1'"}},
                      Case{"MinorVersion",
                           [](auto &in) { in.attribute("minor_version", "3"); },
                           {"attribute minor_version is '3'", "'0', '1' or '2'"}}),
    [](const auto &info) { return info.param.name; });

/// Options of a local basis, and parts of the error message.
struct BasisCase {
  std::string name, grid, overlap, transverse, local_size;
  std::vector<std::string> said;
};

class BadBasisTest : public ::testing::TestWithParam<BasisCase> {
protected:
  static kspace::BasisOptions local_basis(const std::string &grid) {
    kspace::BasisOptions basis;
    basis.kind = kspace::BasisOptions::Selection::local;
    basis.grid = grid;
    return basis;
  }
  /// Returns the error message of a simulation of 96 x 40 points with this basis.
  template <class Exception>
  static std::string message(const kspace::BasisOptions &basis, const std::string &flag = "") {
    const test::ScratchDirectory scratch(test::world());
    test::InputWriter input({96, 40, 1}, 4);
    if (!flag.empty()) input.integer(flag, 1);
    input.real("alpha_coeff", 0.75).real("alpha_power", 1.5);
    for (const char *size : {"dxudxn", "dxudxn_sgx"})
      input.array(size, {1, 1, 96}, std::vector<float>(96, 1.0F));
    for (const char *size : {"dyudyn", "dyudyn_sgy"})
      input.array(size, {1, 40, 1}, std::vector<float>(40, 1.0F));
    input.write(scratch.file("in.h5"), test::world());
    kspace::SimulationOptions options = test::record_pressure();
    options.basis = basis;
    std::string said;
    try {
      test::simulate(scratch.file("in.h5"), scratch.file("out.h5"), options, test::world());
      ADD_FAILURE() << "no exception";
    } catch (const Exception &e) {
      said = e.what();
    }
    MPI_Barrier(test::world());
    EXPECT_EQ(scratch.contents(), std::vector<std::string>{"in.h5"});
    return said;
  }
};

TEST_P(BadBasisTest, InvalidOption_IsNamed) {
  const BasisCase &c = GetParam();
  kspace::BasisOptions basis = local_basis(c.grid);
  basis.overlap = c.overlap;
  basis.transverse = c.transverse;
  basis.local_size = c.local_size;
  expect_parts(message<kspace::InputError>(basis), c.said);
}

INSTANTIATE_TEST_SUITE_P(
    Grids, BadBasisTest,
    ::testing::Values(
        BasisCase{"NoBlocks", "0x1x1", "", "", "", {"--grid", "'0'", "at least 1"}},
        BasisCase{"NegativeBlocks", "-1x3", "", "", "", {"--grid", "'-1'", "at least 1"}},
        BasisCase{"OneAxis", "3", "", "", "", {"--grid", "'3' has 1 axes", "2x2x1"}},
        BasisCase{"FourAxes", "3x1x1x1", "", "", "", {"--grid", "'3x1x1x1' has 4 axes"}},
        BasisCase{"NoNumber", "3x", "", "", "", {"--grid", "''", "a number of blocks"}},
        BasisCase{"HugeNumber",
                  "99999999999999999999x1",
                  "",
                  "",
                  "",
                  {"--grid", "'99999999999999999999'", "a number of blocks"}},
        BasisCase{"MoreBlocksThanPoints", "97x1", "", "", "", {"--grid", "96 points", "97 blocks"}},
        BasisCase{
            "BlocksOfAnAxisOfOnePoint", "1x1x3", "", "", "", {"--grid", "1 points", "3 blocks"}},
        BasisCase{
            "TooFewPoints", "40+30+20x1", "", "", "", {"--grid", "40+30+20", "90 points", "96"}},
        BasisCase{"TooManyPoints", "40+30+50x1", "", "", "", {"--grid", "40+30+50", "96 points"}},
        BasisCase{"BlocksWithoutPoints", "48+0+48x1", "", "", "", {"--grid", "'0'", "at least 1"}},
        BasisCase{"BlocksWithoutABasis",
                  "24x1",
                  "",
                  "",
                  "",
                  {"--grid", "4 points along x", "8 that --overlap ls:8"}},
        BasisCase{"BlocksSmallerThanTheOverlap",
                  "3x3",
                  "ls:16",
                  "",
                  "",
                  {"--grid", "13 points along y", "16 that --overlap ls:16"}},
        BasisCase{"BlocksSmallerThanTheTransverse",
                  "3x3",
                  "ls:8",
                  "ls:24",
                  "",
                  {"--grid", "13 points along y", "24 that --transverse ls:24"}},
        BasisCase{"OneBlockSmallerThanTheMoments",
                  "40+31+25x1",
                  "mom:6/32",
                  "",
                  "",
                  {"--grid", "25 points along x", "32 that --overlap mom:6/32"}}),
    [](const auto &info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Bases, BadBasisTest,
    ::testing::Values(
        BasisCase{"Unknown", "3x1", "foo", "", "", {"--overlap", "'foo'", "ls:8", "mom:6/32"}},
        BasisCase{"OfNoSize", "3x1", "erf:", "", "", {"--overlap", "'erf:'", "erf:2 to erf:256"}},
        BasisCase{"OfOnePoint", "3x1", "erf:1", "", "", {"--overlap", "'erf:1'", "erf:2"}},
        BasisCase{"OfHugeSize",
                  "3x1",
                  "erf:99999999999999999999",
                  "",
                  "",
                  {"--overlap", "'erf:99999999999999999999'", "erf:2"}},
        BasisCase{"WithoutTable", "3x1", "ls:5", "", "", {"--overlap", "'ls:5'", "ls:4, ls:6"}},
        BasisCase{"MoreText", "3x1", "mom:6/32/1", "", "", {"--overlap", "'mom:6/32/1'"}},
        BasisCase{"NoneForAnAxis", "3x1", "ls:8,", "", "", {"--overlap", "''", "ls:8"}},
        BasisCase{"FourAxes",
                  "3x1",
                  "ls:8,ls:8,ls:8,ls:8",
                  "",
                  "",
                  {"--overlap", "of 4 parts", "expected one, or 2"}},
        BasisCase{"UnknownAcross", "3x1", "ls:8", "bar:8", "", {"--transverse", "'bar:8'"}},
        BasisCase{"AnotherGapAcross",
                  "3x1",
                  "mom:6/32",
                  "opt:8",
                  "",
                  {"--transverse opt:8", "gap of 16 points", "expected 32", "mom:6/32"}},
        BasisCase{"AGapTooSmallForTheOverlap",
                  "3x1",
                  "ls:32",
                  "opt:8",
                  "",
                  {"--transverse opt:8", "16 points along x", "32 that --overlap ls:32"}},
        BasisCase{"AGapTooSmallAcross",
                  "3x1",
                  "opt:8",
                  "ls:32",
                  "",
                  {"--overlap opt:8", "16 points along x", "32 that --transverse ls:32"}}),
    [](const auto &info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Periods, BadBasisTest,
    ::testing::Values(
        BasisCase{"NoNumber", "3x1", "ls:8", "", "48.5", {"--local_size", "'48.5'", "auto"}},
        BasisCase{"Negative", "3x1", "ls:8", "", "-5", {"--local_size", "-5", "at least", "40"}},
        BasisCase{"TooSmall",
                  "3x1",
                  "ls:8",
                  "",
                  "39x40",
                  {"--local_size", "found 39 along x for block 1", "at least", "40"}},
        BasisCase{"TooSmallForOneBlock",
                  "30+36+30x1",
                  "ls:8",
                  "",
                  "48+40+48x40",
                  {"--local_size", "found 40 along x for block 2", "at least", "44"}},
        BasisCase{"TooLarge",
                  "3x1",
                  "ls:8",
                  "",
                  "10000000",
                  {"--local_size", "found 10000000 along x", "at most", "160"}},
        BasisCase{"Huge",
                  "3x1",
                  "ls:8",
                  "",
                  "99999999999999999999",
                  {"--local_size", "'99999999999999999999'"}},
        BasisCase{"OfAnotherNumberOfBlocks",
                  "3x1",
                  "ls:8",
                  "",
                  "48+48x40",
                  {"--local_size", "found 2 periods along x", "each of the 3 blocks"}},
        BasisCase{"FourAxes", "3x1", "ls:8", "", "48x48x48x48", {"--local_size", "of 4 parts"}},
        BasisCase{"OfAGapThatIsGiven",
                  "3x1",
                  "mom:6/32",
                  "",
                  "72",
                  {"--local_size", "found 72", "expected 64", "mom:6/32 has a gap of 32"}},
        BasisCase{"OfAGapThatIsGivenAcross",
                  "3x1",
                  "ls:16",
                  "opt:16",
                  "72",
                  {"--local_size", "found 72", "expected 64", "--transverse opt:16 has a gap"}},
        BasisCase{"OfAnAxisThatIsNotCut",
                  "3x1",
                  "ls:8",
                  "",
                  "48x41",
                  {"--local_size", "found '41' along y", "not cut", "its 40 points, or auto"}}),
    [](const auto &info) { return info.param.name; });

TEST_F(BadBasisTest, BlocksNotAMultipleOfRanks_IsRefused) {
  const int ranks = test::size_of(test::world());
  if (ranks == 1) GTEST_SKIP() << "any number of blocks suits one rank";
  const std::string blocks = std::to_string(ranks + 1);
  expect_parts(message<kspace::InputError>(local_basis(blocks + "x1")),
               {"--grid", blocks + " blocks", std::to_string(ranks) + " ranks"});
}

TEST_F(BadBasisTest, TooManyRanks_IsRefused) {
  const int ranks = test::size_of(test::world());
  if (ranks == 1) GTEST_SKIP() << "one rank cuts nothing";
  kspace::BasisOptions basis = local_basis("");
  basis.overlap = "mom:8/64";
  expect_parts(message<kspace::InputError>(basis),
               {"--grid", "96x40 points", std::to_string(ranks) + " blocks", "64 points along x",
                "--overlap mom:8/64"});
}

TEST_F(BadBasisTest, CoarseLevelWithNarrowGap_IsRefused) {
  kspace::BasisOptions basis = local_basis("3x1");
  basis.overlap = "ls:16";
  basis.transverse = "opt:8";
  basis.coarse_level = true;
  expect_parts(message<kspace::InputError>(basis, "absorbing_flag"),
               {"--transverse opt:8", "16 points along x", "32", "--coarse_level on"});
}

TEST_F(BadBasisTest, OptionOfAutomaticBasis_IsRefused) {
  using kspace::BasisOptions;
  for (const auto &[name, member] :
       {std::pair("--grid is '3x1'", &BasisOptions::grid),
        std::pair("--overlap is '3x1'", &BasisOptions::overlap),
        std::pair("--transverse is '3x1'", &BasisOptions::transverse),
        std::pair("--local_size is '3x1'", &BasisOptions::local_size)}) {
    BasisOptions basis;
    basis.kind = BasisOptions::Selection::automatic;
    basis.*member = "3x1";
    expect_parts(message<kspace::InputError>(basis),
                 {name, "--basis is auto", "expected --basis local"});
  }
}

TEST_F(BadBasisTest, DefaultBases_FitTheBlocks) {
  const test::ScratchDirectory scratch(test::world());
  test::InputWriter({96, 40, 1}, 4).write(scratch.file("in.h5"), test::world());
  // Three ranks may have blocks of 32 x 40 and 96 x 13 points; moments fit the former.
  const bool three = test::size_of(test::world()) == 3;
  const std::string parts_of_moments = three ? "3x1" : "1x1",
                    parts_of_bells = three ? "1x3" : "1x1";
  for (const auto &[grid, overlap, transverse, local_size, parts] :
       {std::array<std::string, 5>{"", "mom:6/32", "", "", parts_of_moments},
        {"", "mom:8/64,erf:13", "", "", parts_of_bells},
        {"3x1", "ls:4", "ls:24", "", "3x1"},
        {"3x1", "ls:8", "", "48x40", "3x1"},
        {"3x1", "ls:8", "", "48xauto", "3x1"},
        {"3x1", "ls:8", "", "48", "3x1"}}) {
    kspace::SimulationOptions options = test::record_pressure();
    options.basis = local_basis(grid);
    options.basis.overlap = overlap;
    options.basis.transverse = transverse;
    options.basis.local_size = local_size;
    const auto simulation = kspace::Simulation::open(scratch.file("in.h5"), scratch.file("out.h5"),
                                                     options, test::world());
    simulation->prepare();
    expect_parts(simulation->basis(), {parts + " blocks"});
  }
}

// If the user selects moments, Laplacians use them, too, and the program warns. By default
// Laplacians use another basis.
TEST_F(BadBasisTest, LaplaciansOfMoments_AreWarnedOf) {
  const test::ScratchDirectory scratch(test::world());
  test::InputWriter input({96, 40, 1}, 4);
  input.integer("absorbing_flag", 1).real("alpha_power", 1.5).real("alpha_coeff", 0.75);
  input.write(scratch.file("in.h5"), test::world());
  for (const auto &[overlap, coarse_level] : {std::pair("", true),
                                              {"", false},
                                              {"ls:16", false},
                                              {"mom:6/32", true},
                                              {"mom:6/32", false},
                                              {"ls:8,opt:16", false}}) {
    kspace::SimulationOptions options = test::record_pressure();
    options.basis = local_basis("3x1");
    options.basis.overlap = overlap;
    options.basis.coarse_level = coarse_level;
    const auto simulation = kspace::Simulation::open(scratch.file("in.h5"), scratch.file("out.h5"),
                                                     options, test::world());
    simulation->prepare();
    simulation->load();
    const bool moments = overlap == std::string("mom:6/32") && !coarse_level;
    ASSERT_EQ(simulation->warnings().size(), moments ? 1U : 0U) << overlap;
    if (moments)
      expect_parts(simulation->warnings().front(),
                   {"in.h5", "--overlap mom:6/32", "fractional Laplacians", "ls:16"});
  }
}

TEST_F(BadBasisTest, OtherGrids_AreRefused) {
  for (const char *flag : {"axisymmetric_flag", "nonuniform_grid_flag"})
    expect_parts(message<kspace::Unsupported>(local_basis(""), flag),
                 {"in.h5", flag, "--basis local", "expected --basis global"});
}

// Version 1.0 has neither sensor_mask_type nor axisymmetric_flag; version 1.1 has no
// axisymmetric_flag.
TEST(InputTest, OldVersion_NeedsNoNewDatasets) {
  for (const char *minor : {"0", "1"}) {
    const test::ScratchDirectory scratch(test::world());
    test::InputWriter input = complete();
    input.attribute("minor_version", minor).remove("axisymmetric_flag");
    if (*minor == '0') input.remove("sensor_mask_type");
    input.write(scratch.file("in.h5"), test::world());
    EXPECT_NO_THROW(test::simulate(scratch.file("in.h5"), scratch.file("out.h5"),
                                   test::record_pressure(), test::world()))
        << "1." << minor;
  }
}

/// Runs complete() after `change` of the input and `store` of the written file. Returns the
/// output's name.
std::string run_changed(const test::ScratchDirectory &scratch, const std::string &name,
                        const std::function<void(test::InputWriter &)> &change,
                        const std::function<void(const std::string &path)> &store) {
  test::InputWriter input = complete();
  change(input);
  const std::string in = scratch.file(name + "_in.h5");
  input.write(in, test::world());
  if (test::rank_of(test::world()) == 0) store(in);
  MPI_Barrier(test::world());
  const std::string out = scratch.file(name + "_out.h5");
  test::simulate(in, out, test::record_all(), test::world());
  return out;
}

// k-Wave only counts values and lets HDF5 convert their types, and so does this solver.
TEST(InputTest, OtherTypesAndShapes_SameBits) {
  const test::ScratchDirectory scratch(test::world());
  const auto as_it_is = [](const std::string &) {};
  std::vector<std::uint64_t> speeds(120);
  for (std::size_t i = 0; i < speeds.size(); ++i)
    speeds[i] = 1400 + i;
  const std::vector<float> real_speeds(speeds.begin(), speeds.end());
  const std::string expected = run_changed(
      scratch, "plain", [&](auto &in) { in.field("c0", real_speeds); }, as_it_is);
  const std::string integers = run_changed(
      scratch, "integers",
      [&](auto &in) {
        in.array("c0", {4, 5, 6}, speeds).attribute("c0/data_type", "float");
        in.array("c_ref", {1, 1, 1}, std::vector<std::uint64_t>{1500});
        in.array("Nx", {1, 1, 1}, std::vector<float>{6});
        in.array("sensor_mask_index", {1, 1, 3}, std::vector<double>{120, 1, 7});
        in.attribute("sensor_mask_index/data_type", "long");
      },
      as_it_is);
  test::expect_equal_outputs(expected, integers, 20);
  const std::string shapes = run_changed(
      scratch, "shapes",
      [&](auto &in) {
        in.array("c0", {2, 20, 3}, real_speeds);
        in.array("rho0", {1, 120, 1}, std::vector<float>(120, 1.0F));
        in.array("p_source_input", {3, 1, 2}, std::vector<float>(6, 0.5F));
        in.array("p_source_index", {2, 1, 1}, std::vector<std::uint64_t>{3, 1});
        in.array("sensor_mask_index", {3, 1, 1}, std::vector<std::uint64_t>{120, 1, 7});
      },
      as_it_is);
  test::expect_equal_outputs(expected, shapes, 20);
}

TEST(InputTest, OtherStorage_SameBits) {
  const test::ScratchDirectory scratch(test::world());
  const auto nothing = [](auto &) {};
  const std::string expected = run_changed(scratch, "plain", nothing, [](const std::string &) {});
  const std::string found = run_changed(scratch, "stored", nothing, [](const std::string &path) {
    for (const char *name : {"c0", "dt", "sensor_mask_index", "p_source_input"})
      test::link_out(path, name, std::string(name) + ".h5");
    for (const char *name : {"rho0", "Nx", "p_source_index"})
      test::make_virtual(path, name, std::string(name) + ".h5");
    for (const char *name : {"rho0_sgx", "Nt", "p0_source_input"})
      test::compress(path, name);
  });
  test::expect_equal_outputs(expected, found, 20);
}

/// Opens an input and returns the error message, thrown before allocation and planning.
std::string said_at_open(const std::function<void(test::InputWriter &)> &change,
                         const std::function<void(const std::string &path)> &store) {
  const test::ScratchDirectory scratch(test::world());
  test::InputWriter input = complete();
  change(input);
  const std::string in = scratch.file("in.h5");
  input.write(in, test::world());
  if (test::rank_of(test::world()) == 0) store(in);
  MPI_Barrier(test::world());
  try {
    kspace::Simulation::open(in, scratch.file("out.h5"), test::record_pressure(), test::world());
  } catch (const std::exception &e) {
    return e.what();
  }
  return "nothing";
}

TEST(InputTest, WrongShapeOrStorage_IsRefusedAtOpen) {
  const auto as_it_is = [](const std::string &) {};
  expect_parts(said_at_open([](auto &in) { in.integer("Nx", 65536); }, as_it_is),
               {"dataset c0 is of shape [4][5][6], expected [4][5][65536] (Nz, Ny, Nx)"});
  for (const char *name : {"c0", "rho0", "rho0_sgz", "p0_source_input"})
    expect_parts(said_at_open(
                     [&](auto &in) {
                       in.array(name, {1, 1, 119}, std::vector<float>(119, 1.0F));
                     },
                     as_it_is),
                 {std::string("dataset ") + name + " is of shape [1][1][119]"});
  expect_parts(said_at_open([](auto &in) { in.indices("sensor_mask_index", {121}); }, as_it_is),
               {"dataset sensor_mask_index is 121 at entry 1"});
  expect_parts(said_at_open([](auto &in) { in.real("c0", -5); }, as_it_is), {"dataset c0 is -5"});
  const auto nothing = [](auto &) {};
  expect_parts(said_at_open(nothing, [](auto &path) { test::store_unreadably(path, "rho0"); }),
               {"in.h5", "dataset 'rho0': is stored with filter 30717 (secret)"});
  const auto lose = [](const std::string &path) {
    test::link_out(path, "c0", "side.h5");
    std::filesystem::remove(test::file_beside(path, "side.h5"));
  };
  expect_parts(said_at_open(nothing, lose), {"in.h5", "'c0' is a link to '/elsewhere'", "side.h5"});
}

// The scalars of a small file can describe any number of points. 2^50 points exceed every machine.
TEST(InputTest, TooManyPoints_AreRefusedBeforeAllocation) {
  const test::ScratchDirectory scratch(test::world());
  const std::string in = scratch.file("in.h5");
  test::InputWriter input({6, 5, 4}, 2);
  for (const char *name : {"Nx", "Ny"})
    input.integer(name, std::int64_t{1} << 20);
  input.integer("Nz", 1024).write(in, test::world());
  try {
    kspace::Simulation::open(in, scratch.file("out.h5"), test::record_pressure(), test::world())
        ->prepare();
    ADD_FAILURE() << "no exception";
  } catch (const std::exception &e) {
    // 7 fields of 2^50 numbers with padding are 7 * 2^52 bytes, 31525197.39 GB.
    expect_parts(e.what(), {in, "out of memory", "1048576 x 1048576 x 1024 points", "takes 315",
                            " GB for 7 fields", "found ", "on a machine"});
  }
}

TEST(InputTest, GroupInPlaceOfDataset_IsNamed) {
  const test::ScratchDirectory scratch(test::world());
  const std::string name = scratch.file("in.h5");
  complete().remove("c0").write(name, test::world());
  if (test::rank_of(test::world()) == 0) {
    const hid_t file = H5Fopen(name.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    H5Gclose(H5Gcreate2(file, "c0", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Fclose(file);
  }
  MPI_Barrier(test::world());
  try {
    test::simulate(name, scratch.file("out.h5"), test::record_pressure(), test::world());
    ADD_FAILURE() << "no exception";
  } catch (const io::IoError &e) {
    expect_parts(e.what(), {"in.h5", "'c0' is a group", "expected a dataset"});
  }
}

// In version 1.0, k-Wave has no non-staggered velocity.
TEST(InputTest, NonStaggeredVelocityOfVersion10_IsRefused) {
  for (const char *minor : {"0", "1"}) {
    const test::ScratchDirectory scratch(test::world());
    complete().attribute("minor_version", minor).write(scratch.file("in.h5"), test::world());
    kspace::SimulationOptions options = test::record_pressure();
    options.recording.u_non_staggered_raw = true;
    const auto run = [&] {
      test::simulate(scratch.file("in.h5"), scratch.file("out.h5"), options, test::world());
    };
    if (*minor == '1') {
      EXPECT_NO_THROW(run());
      continue;
    }
    try {
      run();
      ADD_FAILURE() << "no exception";
    } catch (const kspace::Unsupported &e) {
      expect_parts(e.what(), {"in.h5", "--u_non_staggered_raw", "version 1.0"});
    }
  }
}

TEST(InputTest, StartBeyondLastStep_IsRefused) {
  const test::ScratchDirectory scratch(test::world());
  complete().write(scratch.file("in.h5"), test::world());
  kspace::SimulationOptions options = test::record_pressure();
  options.recording.start = 11;
  try {
    test::simulate(scratch.file("in.h5"), scratch.file("out.h5"), options, test::world());
    ADD_FAILURE() << "no exception";
  } catch (const kspace::InputError &e) {
    expect_parts(e.what(), {"starts at time step 11", "expected 1 to 10"});
  }
}

TEST(InputTest, OutputIsInput_IsRefused) {
  const test::ScratchDirectory scratch(test::world());
  complete().write(scratch.file("in.h5"), test::world());
  EXPECT_ANY_THROW(test::simulate(scratch.file("in.h5"), scratch.file("in.h5"),
                                  test::record_pressure(), test::world()));
  EXPECT_EQ(test::read(scratch.file("in.h5"), "c0", test::world()).size(), 120U);
}

TEST(InputTest, MissingFile_IsNamed) {
  const test::ScratchDirectory scratch(test::world());
  try {
    test::simulate(scratch.file("absent.h5"), scratch.file("out.h5"), test::record_pressure(),
                   test::world());
    ADD_FAILURE() << "no exception";
  } catch (const std::exception &e) {
    expect_parts(e.what(), {"absent.h5"});
  }
}

TEST(InputTest, UnstableTimeStep_IsWarnedOf) {
  const test::ScratchDirectory scratch(test::world());
  test::InputWriter input({6, 5, 4}, 2);
  input.real("c_ref", 1000).real("dt", 5e-7).write(scratch.file("in.h5"), test::world());
  const auto simulation = kspace::Simulation::open(scratch.file("in.h5"), scratch.file("out.h5"),
                                                   test::record_pressure(), test::world());
  simulation->prepare();
  simulation->load();
  ASSERT_EQ(simulation->warnings().size(), 1U);
  expect_parts(simulation->warnings().front(), {"in.h5", "dt is 5e-07 s", "stability limit"});
}

TEST(InputTest, FlagsOfSolids_Zero_AreIgnored) {
  const test::ScratchDirectory scratch(test::world());
  complete()
      .integer("elastic_flag", 0)
      .integer("sxx_source_flag", 0)
      .write(scratch.file("in.h5"), test::world());
  EXPECT_NO_THROW(test::simulate(scratch.file("in.h5"), scratch.file("out.h5"),
                                 test::record_pressure(), test::world()));
}

// Like k-Wave, the solver checks only the number of values, not the shape.
TEST(InputTest, ArraysOfReversedShape_AreWarnedOf) {
  const test::ScratchDirectory scratch(test::world());
  test::InputWriter input = complete();
  input.array("c0", {6, 5, 4}, std::vector<float>(120, 1500.0F));
  input.array("rho0_sgy", {6, 5, 4}, std::vector<float>(120, 1.0F));
  input.array("rho0_sgz", {5, 4, 6}, std::vector<float>(120, 1.0F));
  input.write(scratch.file("in.h5"), test::world());
  const auto simulation = kspace::Simulation::open(scratch.file("in.h5"), scratch.file("out.h5"),
                                                   test::record_pressure(), test::world());
  simulation->prepare();
  simulation->load();
  ASSERT_EQ(simulation->warnings().size(), 1U);
  expect_parts(simulation->warnings().front(),
               {"in.h5", "[6][5][4] of c0, rho0_sgy, ", "expected [4][5][6] (Nz, Ny, Nx)"});
}

TEST(InputTest, EmptySensor_IsNamed) {
  const test::ScratchDirectory scratch(test::world());
  for (const bool cuboids : {false, true}) {
    const std::string path = scratch.file("in.h5");
    const std::string dataset = cuboids ? "sensor_mask_corners" : "sensor_mask_index";
    complete().integer("sensor_mask_type", cuboids).remove(dataset).write(path, test::world());
    if (test::rank_of(test::world()) == 0) {
      const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
      const hsize_t none[] = {1, 1, 0};
      const hid_t space = H5Screate_simple(3, none, nullptr);
      H5Dclose(H5Dcreate2(file, dataset.c_str(), H5T_NATIVE_UINT64, space, H5P_DEFAULT, H5P_DEFAULT,
                          H5P_DEFAULT));
      H5Sclose(space);
      H5Fclose(file);
    }
    MPI_Barrier(test::world());
    try {
      test::simulate(path, scratch.file("out.h5"), test::record_pressure(), test::world());
      ADD_FAILURE() << "no exception";
    } catch (const kspace::InputError &e) {
      expect_parts(e.what(), {path, "dataset " + dataset + " is an empty sensor"});
    }
    MPI_Barrier(test::world());
  }
}

TEST(InputTest, DivergedFields_AreWarnedOf) {
  const test::ScratchDirectory scratch(test::world());
  test::InputWriter input({6, 5, 4}, 400);
  std::vector<float> p0(input.points(), 0.0F);
  p0[50] = 1;
  input.integer("p0_source_flag", 1).field("p0_source_input", p0);
  input.real("c_ref", 1000).real("dt", 5e-7).write(scratch.file("in.h5"), test::world());
  const auto simulation = kspace::Simulation::open(scratch.file("in.h5"), scratch.file("out.h5"),
                                                   test::record_pressure(), test::world());
  simulation->prepare();
  simulation->load();
  simulation->run([](std::int64_t) {});
  EXPECT_FALSE(simulation->diverged());
  simulation->finish("a test");
  EXPECT_TRUE(simulation->diverged());
  EXPECT_EQ(test::read(scratch.file("out.h5"), "p_final", test::world()).size(), 120U);
  ASSERT_EQ(simulation->warnings().size(), 2U);
  expect_parts(simulation->warnings().back(), {"in.h5", "not finite after time step 400"});
}

TEST(InputTest, OverflowingRecords_AreWarnedOf) {
  const test::ScratchDirectory scratch(test::world());
  test::InputWriter input({6, 5, 4}, 3);
  std::vector<float> p0(input.points(), 1e20F);
  input.integer("p0_source_flag", 1).field("p0_source_input", p0);
  input.write(scratch.file("in.h5"), test::world());
  kspace::SimulationOptions options = test::record_pressure();
  options.recording.p["rms"] = true;
  const auto simulation = kspace::Simulation::open(scratch.file("in.h5"), scratch.file("out.h5"),
                                                   options, test::world());
  simulation->prepare();
  simulation->load();
  simulation->run([](std::int64_t) {});
  simulation->finish("a test");
  // The pressure itself is finite.
  for (const float p : test::read(scratch.file("out.h5"), "p_final", test::world()))
    EXPECT_TRUE(std::isfinite(p));
  EXPECT_TRUE(simulation->diverged());
  ASSERT_FALSE(simulation->warnings().empty());
  expect_parts(simulation->warnings().back(),
               {"out.h5", "dataset p_rms", "found inf at entry 1", "expected finite numbers"});
}

} // namespace
