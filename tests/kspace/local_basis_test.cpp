// Local Fourier bases: results agree with reference cases of another program in double precision
// (tests/data/lfb), and have the same bits for any distribution of the blocks over the first 1, 2,
// ... ranks of one launch.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "kspace/packed_input.h"
#include "kspace/placements.h"
#include "support/mpi_test.h"
#include "support/scratch_directory.h"
#include "support/variable.h"

namespace {

using namespace hybridfft;
using kspace::BasisOptions;
using kspace::Precision;

struct Case {
  std::string name;  ///< name of the reference file
  std::string input; ///< name of the input, with which the file's name begins
  int blocks;
  double single_tolerance = 1e-5; ///< relative to the maximum
};

/// Removes all characters listed in `marks` from a text.
std::string bare(const std::string &text, const std::string &marks) {
  std::string kept;
  for (const char c : text)
    if (marks.find(c) == std::string::npos) kept += c;
  return kept;
}

/// Converts an attribute such as "([27, 37], [20, 40], 1)" to the option "27+37x20+40x1".
std::string grid_text(const std::string &text) {
  std::string grid;
  bool inside = false;
  for (const char c : bare(text, "() ")) {
    if (c == '[' || c == ']')
      inside = c == '[';
    else
      grid += c != ',' ? c : inside ? '+' : 'x';
  }
  return grid;
}

class ReferenceTest : public ::testing::TestWithParam<Case> {
protected:
  ReferenceTest()
      : scratch(test::world()), input(scratch.file("in.h5")), output(scratch.file("out.h5")),
        reference(io::File::open(file_of(GetParam()), MPI_COMM_SELF)) {
    if (test::rank_of(test::world()) == 0) {
      if (GetParam().input == "plane512")
        std::filesystem::copy_file(std::string(HFFT_LFB_DATA) + "/plane512.h5", input);
      else
        test::unpack_input(HFFT_KWAVE_DATA, GetParam().input, input);
    }
    options.effort = Effort::estimate;
    options.steps = std::stoll(reference.attribute("/", "steps"));
    options.recording.p["raw"] = options.recording.p["final"] = true;
    options.recording.u["raw"] = options.recording.u_non_staggered_raw = reference.exists("ux");
    local.kind = BasisOptions::Selection::local;
    local.grid = grid_text(reference.attribute("/", "grid"));
    local.overlap = bare(reference.attribute("/", "basis"), "[]' ");
    test::wait_for_all(test::world());
  }
  static std::string file_of(const Case &c) {
    return std::string(HFFT_LFB_DATA) + "/" + c.name + ".h5";
  }

  void run(const BasisOptions &basis, Precision precision, int ranks, int threads = 1) {
    options.basis = basis;
    options.precision = precision;
    options.threads = threads;
    test::on_first_ranks(ranks,
                         [&](MPI_Comm some) { test::simulate(input, output, options, some); });
  }

  /// Returns the output's values of a quantity, at the points of the reference. Called on one rank.
  std::vector<double> found(const std::string &quantity) const {
    const io::File file = io::File::open(output, MPI_COMM_SELF);
    if (quantity == "p_final") return file.read_all<double>(quantity);
    // For each time step, the values of all points, or of all cuboids in order.
    std::vector<std::string> parts{quantity};
    if (file.exists(quantity + "/1")) parts.clear();
    for (int c = 1; file.exists(quantity + "/" + std::to_string(c)); ++c)
      parts.push_back(quantity + "/" + std::to_string(c));
    std::vector<std::vector<double>> rows(reference.info(quantity).shape[1]);
    for (const std::string &part : parts) {
      const std::vector<double> values = file.read_all<double>(part);
      const auto points = static_cast<std::ptrdiff_t>(values.size() / rows.size());
      auto from = values.begin();
      for (std::vector<double> &row : rows) {
        row.insert(row.end(), from, from + points);
        from += points;
      }
    }
    const auto stride = static_cast<std::size_t>(number(quantity, "sensor_stride"));
    std::vector<double> picked;
    for (const std::vector<double> &row : rows)
      for (std::size_t i = 0; i < row.size(); i += stride)
        picked.push_back(row[i]);
    return picked;
  }

  /// Reads an attribute of a quantity of the reference.
  double number(const std::string &quantity, const char *attribute) const {
    double value = 1;
    // Opened without locks, since the file is already open.
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_file_locking(access, false, true);
    const hid_t file = H5Fopen(file_of(GetParam()).c_str(), H5F_ACC_RDONLY, access);
    H5Pclose(access);
    const hid_t a = H5Aopen_by_name(file, quantity.c_str(), attribute, H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(H5Aread(a, H5T_NATIVE_DOUBLE, &value), 0) << quantity << ": " << attribute;
    H5Aclose(a);
    H5Fclose(file);
    return value;
  }

  /// Returns the maximum difference of a quantity from other values, relative to the maximum in the
  /// global basis.
  double difference(const std::string &quantity, const std::vector<double> &other) const {
    const std::vector<double> values = found(quantity);
    EXPECT_EQ(values.size(), other.size()) << quantity;
    double largest = 0;
    for (std::size_t i = 0; i < std::min(values.size(), other.size()); ++i)
      largest =
          std::max(largest, std::isfinite(values[i]) ? std::abs(values[i] - other[i]) : 1e300);
    return largest / number(quantity, "max_global");
  }

  void expect_reference(double tolerance) const {
    if (test::rank_of(test::world()) != 0) return;
    for (const std::string &quantity : quantities())
      EXPECT_LE(difference(quantity, reference.read_all<double>(quantity)),
                // The reference stores p_final in single precision.
                quantity == "p_final" ? std::max(tolerance, 1e-7) : tolerance)
          << quantity;
  }

  std::vector<std::string> quantities() const {
    std::vector<std::string> there;
    for (const std::string quantity : {"p", "ux", "uy", "uz", "ux_non_staggered",
                                       "uy_non_staggered", "uz_non_staggered", "p_final"})
      if (reference.exists(quantity)) there.push_back(quantity);
    return there;
  }

  /// Runs on every number of ranks among which the blocks can be divided, and expects the same
  /// bits.
  void expect_same_bits(Precision precision) {
    std::map<std::string, std::string> first;
    for (int ranks = 1; ranks <= test::size_of(test::world()); ++ranks) {
      if (GetParam().blocks % ranks != 0) continue;
      const test::Variable transport("HFFT_HALO", ranks == 3 || ranks == 4 ? "messages" : "shared");
      run(local, precision, ranks, ranks == 2 ? 3 : 1);
      if (test::rank_of(test::world()) != 0) continue;
      std::map<std::string, std::string> now = test::datasets_of(output);
      if (ranks == 1) first = now;
      EXPECT_EQ(test::differences(first, now), "") << "on " << ranks << " ranks";
    }
  }

  test::ScratchDirectory scratch;
  std::string input, output;
  io::File reference;
  kspace::SimulationOptions options;
  BasisOptions local;
};

TEST_P(ReferenceTest, DoublePrecision_MatchesReference) {
  expect_same_bits(Precision::double_);
  expect_reference(1e-11);
  std::map<std::string, std::vector<double>> of_blocks;
  if (test::rank_of(test::world()) == 0)
    for (const std::string &quantity : quantities())
      of_blocks[quantity] = found(quantity);
  run({}, Precision::double_, 1);
  for (const auto &[quantity, values] : of_blocks)
    EXPECT_LE(difference(quantity, values), 1.5 * number(quantity, "error_to_global")) << quantity;
}

TEST_P(ReferenceTest, SinglePrecision_MatchesReference) {
  expect_same_bits(Precision::single);
  expect_reference(GetParam().single_tolerance);
}

std::string case_name(const ::testing::TestParamInfo<Case> &info) {
  return info.param.name.substr(0, 3);
}

INSTANTIATE_TEST_SUITE_P(Quick, ReferenceTest,
                         ::testing::Values(Case{"l02_plane_2d_uneven_mom6_32", "plane512", 3},
                                           Case{"l03_c01_2d_3x2_erf8", "c01", 6},
                                           Case{"l08_c12_3d_2x2x1_stokes_mom4_16", "c12", 4},
                                           Case{"l10_c16_2d_2x2_mixed_sources", "c16", 4}),
                         case_name);

// Cases that take long.
INSTANTIATE_TEST_SUITE_P(Slow, ReferenceTest,
                         ::testing::Values(Case{"l01_plane_2d_2x1_erf16", "plane512", 2},
                                           Case{"l04_c02_3d_2x2x2_erf16", "c02", 8},
                                           Case{"l05_c02_3d_1x2x3_ls8", "c02", 6},
                                           Case{"l06_c07_3d_uneven_u_additive_abs", "c07", 4, 5e-5},
                                           Case{"l07_c06_3d_2x1x1_nl_abs_opt16", "c06", 2},
                                           Case{"l09_c11_3d_1x1x3_cuboids", "c11", 3}),
                         case_name);

} // namespace
