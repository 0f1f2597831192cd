/// Tests the API of wisdom: it is stored, shared between ranks, read from and written to files, and
/// refused if invalid.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "hybridfft/pencils.hpp"
#include "support/mpi_test.h"
#include "support/scratch_directory.h"
#include "support/variable.h"
#include "verifier/verify.h"

namespace hybridfft {
namespace {

int rank() { return test::rank_of(test::world()); }

class WisdomApi : public ::testing::Test {
protected:
  void SetUp() override {
    unsetenv("HFFT_THREADS"); // measurements under this variable are stored separately
    unsetenv("HFFT_WISDOM");
    hfft_forget_wisdom();
  }
  void TearDown() override {
    unsetenv("HFFT_WISDOM");
    hfft_forget_wisdom();
    setenv("HFFT_THREADS", "all", 1);
  }

  static hfft_error plan(std::ptrdiff_t n2, unsigned flags) {
    std::ptrdiff_t ignored[2];
    const std::ptrdiff_t n = hfft_local_size_3d(6, 5, n2, test::world(), ignored, ignored + 1);
    const std::unique_ptr<hfft_complex, void (*)(void *)> a(
        hfft_alloc_complex(static_cast<std::size_t>(n)), hfft_free);
    const hfft_plan p =
        hfft_plan_dft_3d(6, 5, n2, a.get(), a.get(), test::world(), HFFT_FORWARD, flags);
    const auto code = p != nullptr ? HFFT_SUCCESS : static_cast<hfft_error>(hfft_last_error());
    EXPECT_TRUE(test::same_everywhere(code));
    if (p != nullptr) {
      EXPECT_EQ(hfft_execute(p), HFFT_SUCCESS) << hfft_last_error_message();
    }
    hfft_destroy_plan(p);
    return code;
  }
  static hfft_error known(std::ptrdiff_t n2, unsigned effort = HFFT_ESTIMATE) {
    return plan(n2, effort | HFFT_WISDOM_ONLY);
  }

  static void expect_said(const std::vector<std::string> &words) {
    const std::string message = hfft_last_error_message();
    for (const std::string &word : words)
      EXPECT_NE(message.find(word), std::string::npos) << "no \"" << word << "\" in: " << message;
  }

  static std::string contents(const std::string &path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  /// Rank 0 writes a file before any rank continues.
  static void put(const std::string &path, const std::string &text) {
    if (rank() == 0) std::ofstream(path) << text;
    MPI_Barrier(test::world());
  }
  /// Returns the number of entries in a text of wisdom.
  static std::ptrdiff_t entries(const std::string &text) {
    return std::count(text.begin(), text.end(), '\n') - 2;
  }
  /// Returns the changed text with a valid checksum. The error message about the wrong checksum
  /// contains the valid one.
  static std::string resealed(std::string text) {
    EXPECT_EQ(hfft_import_wisdom_from_string(text.c_str()), 0);
    expect_said({"checksum"});
    const std::string said = hfft_last_error_message();
    text.replace(text.find("checksum=") + 9, 16, said.substr(said.find("expected ") + 9, 16));
    return text;
  }
};

TEST_F(WisdomApi, Wisdom_KnowsMeasuredPlansOnly) {
  EXPECT_EQ(known(4), HFFT_ERROR_NO_WISDOM);
  expect_said({"WISDOM_ONLY", "effort"});
  EXPECT_EQ(plan(4, HFFT_ESTIMATE), HFFT_SUCCESS);
  EXPECT_EQ(known(4), HFFT_ERROR_NO_WISDOM);
  EXPECT_EQ(plan(4, HFFT_MEASURE), HFFT_SUCCESS);
  EXPECT_EQ(known(4), HFFT_SUCCESS);
  EXPECT_EQ(known(4, HFFT_MEASURE), HFFT_SUCCESS);
  EXPECT_EQ(known(4, HFFT_PATIENT), HFFT_ERROR_NO_WISDOM);
  EXPECT_EQ(known(8), HFFT_ERROR_NO_WISDOM);
  hfft_forget_wisdom();
  EXPECT_EQ(known(4), HFFT_ERROR_NO_WISDOM);
}

/// A plan measured under HFFT_EXCHANGE is found only under the same value. One rank is an
/// exception, because it exchanges nothing.
TEST_F(WisdomApi, OfOneExchangeIsNotOfOthers) {
  const bool alone = test::size_of(test::world()) == 1;
  const hfft_error of_others = alone ? HFFT_SUCCESS : HFFT_ERROR_NO_WISDOM;
  const auto known_with = [](const char *exchange, unsigned effort = HFFT_ESTIMATE) {
    const test::Variable variable("HFFT_EXCHANGE", exchange);
    return known(4, effort);
  };
  // `swap` needs equal blocks, which the problem lacks, so that another exchange is measured.
  for (const char *exchange : {"pairwise", "swap"}) {
    SCOPED_TRACE(exchange);
    hfft_forget_wisdom();
    {
      const test::Variable variable("HFFT_EXCHANGE", exchange);
      EXPECT_EQ(plan(4, HFFT_MEASURE), HFFT_SUCCESS);
    }
    EXPECT_EQ(known_with(exchange), HFFT_SUCCESS);
    EXPECT_EQ(known_with(exchange, HFFT_MEASURE), HFFT_SUCCESS);
    EXPECT_EQ(known_with(exchange, HFFT_PATIENT), HFFT_ERROR_NO_WISDOM);
    EXPECT_EQ(known_with("alltoallv"), of_others);
    EXPECT_EQ(known(4), of_others);
    const std::string text = export_wisdom();
    hfft_forget_wisdom();
    import_wisdom(text);
    EXPECT_EQ(export_wisdom(), text);
    EXPECT_EQ(known_with(exchange), HFFT_SUCCESS);
  }
}

/// Wisdom measured without HFFT_EXCHANGE also serves plans under HFFT_EXCHANGE, if the variable
/// names the chosen exchange.
TEST_F(WisdomApi, AnyExchange_AppliesToItsChosenOne) {
  if (test::size_of(test::world()) == 1) GTEST_SKIP() << "one rank exchanges nothing";
  EXPECT_EQ(plan(4, HFFT_MEASURE), HFFT_SUCCESS);
  ASSERT_EQ(hfft_broadcast_wisdom(test::world()), 1);
  const std::string text = export_wisdom();
  const std::size_t first = text.find(" exchange=") + 10;
  const std::string chosen = text.substr(first, text.find_first_of(" \n", first) - first);
  for (const char *exchange : {"alltoallv", "shared", "pairwise", "pipelined"}) {
    const test::Variable variable("HFFT_EXCHANGE", exchange);
    EXPECT_EQ(known(4), exchange == chosen ? HFFT_SUCCESS : HFFT_ERROR_NO_WISDOM) << exchange;
  }
}

TEST_F(WisdomApi, RememberedPlansAreRight) {
  for (int again = 0; again < 2; ++again)
    for (const char *text : {"of6x5x4", "ifr]7x6x5@2", "sobr[5x6x8"}) {
      const auto report =
          verifier::verify(verifier::parse(text), test::world(), {Effort::measure, 1});
      EXPECT_TRUE(report.passed()) << text << "\n" << report.failures();
    }
}

TEST_F(WisdomApi, TextsTravel) {
  EXPECT_EQ(plan(4, HFFT_MEASURE), HFFT_SUCCESS);
  const std::string text = export_wisdom();
  // Only rank 0 keeps the result of the measurement.
  EXPECT_EQ(entries(text), rank() == 0 ? 1 : 0);
  hfft_forget_wisdom();
  import_wisdom(text);
  EXPECT_EQ(export_wisdom(), text);
  EXPECT_EQ(known(4), HFFT_SUCCESS);
}

TEST_F(WisdomApi, DamagedTextsChangeNothing) {
  EXPECT_EQ(plan(4, HFFT_MEASURE), HFFT_SUCCESS);
  const std::string text = export_wisdom();
  EXPECT_EQ(hfft_import_wisdom_from_string("hybridfft-wisdom format=3\nnonsense\n"), 0);
  EXPECT_EQ(hfft_last_error(), HFFT_ERROR_WISDOM);
  expect_said({"line 2", "'nonsense'"});
  EXPECT_EQ(hfft_import_wisdom_from_string(nullptr), 0);
  EXPECT_EQ(hfft_last_error(), HFFT_ERROR_NULL_POINTER);
  EXPECT_THROW(import_wisdom(text.substr(0, 30)), Error);
  EXPECT_EQ(export_wisdom(), text);
}

TEST_F(WisdomApi, FilesTravel) {
  const test::ScratchDirectory scratch(test::world());
  const std::string path = scratch.file("wisdom-" + std::to_string(rank()));
  EXPECT_EQ(plan(4, HFFT_MEASURE), HFFT_SUCCESS);
  const std::string text = export_wisdom();
  EXPECT_EQ(hfft_export_wisdom_to_filename(path.c_str()), 1) << hfft_last_error_message();
  EXPECT_EQ(contents(path), text);
  hfft_forget_wisdom();
  EXPECT_EQ(hfftf_import_wisdom_from_filename(path.c_str()), 1) << hfft_last_error_message();
  EXPECT_EQ(export_wisdom(), text);
  EXPECT_EQ(hfft_import_wisdom_from_filename(scratch.file("none").c_str()), 0);
  EXPECT_EQ(hfft_last_error(), HFFT_ERROR_WISDOM);
  expect_said({"none"});
  MPI_Barrier(test::world());
}

TEST_F(WisdomApi, BroadcastAndGather) {
  EXPECT_EQ(plan(4, HFFT_MEASURE), HFFT_SUCCESS);
  EXPECT_EQ(hfft_broadcast_wisdom(test::world()), 1) << hfft_last_error_message();
  EXPECT_EQ(entries(export_wisdom()), 1);

  // Each rank plans another problem, as if it ran alone, so that ranks have different wisdom.
  hfft_forget_wisdom();
  for (int n = 1; n <= test::size_of(test::world()); ++n)
    EXPECT_EQ(plan(n, HFFT_MEASURE), HFFT_SUCCESS);
  EXPECT_EQ(hfft_broadcast_wisdom(test::world()), 1);
  const std::string all = export_wisdom();
  EXPECT_EQ(entries(all), test::size_of(test::world()));
  hfft_forget_wisdom();
  MPI_Comm self = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_SELF, &self);
  hfft_complex *a = hfft_alloc_complex(100);
  hfft_destroy_plan(hfft_plan_dft_2d(10, 1 + rank(), a, a, self, HFFT_FORWARD, HFFT_MEASURE));
  hfft_free(a);
  MPI_Comm_free(&self);
  EXPECT_EQ(entries(export_wisdom()), 1);
  EXPECT_EQ(hfft_gather_wisdom(test::world()), 1) << hfft_last_error_message();
  EXPECT_GE(entries(export_wisdom()), 1);
  if (rank() == 0) {
    EXPECT_EQ(entries(export_wisdom()), test::size_of(test::world()));
  }
  EXPECT_EQ(hfft_broadcast_wisdom(MPI_COMM_NULL), 0);
  EXPECT_EQ(hfft_last_error(), HFFT_ERROR_NULL_POINTER);
}

TEST_F(WisdomApi, TheFileOfTheEnvironmentIsReadAndSaved) {
  const test::ScratchDirectory scratch(test::world());
  const std::string path = scratch.file("wisdom");
  setenv("HFFT_WISDOM", path.c_str(), 1);
  EXPECT_EQ(plan(4, HFFT_MEASURE), HFFT_SUCCESS);
  EXPECT_EQ(entries(contents(path)), 1);
  EXPECT_EQ(plan(8, HFFT_MEASURE), HFFT_SUCCESS);
  EXPECT_EQ(entries(contents(path)), 2);
  EXPECT_EQ(scratch.contents().size(), 1U) << "temporary files were left";

  // A new process is simulated: wisdom is forgotten and the variable set again.
  unsetenv("HFFT_WISDOM");
  hfft_forget_wisdom();
  EXPECT_EQ(known(8), HFFT_ERROR_NO_WISDOM);
  setenv("HFFT_WISDOM", path.c_str(), 1);
  EXPECT_EQ(known(8), HFFT_SUCCESS);
  EXPECT_EQ(known(4), HFFT_SUCCESS);
  MPI_Barrier(test::world());
}

TEST_F(WisdomApi, ADamagedFileOfTheEnvironmentFailsAllPlansAndStays) {
  const test::ScratchDirectory scratch(test::world());
  const std::string path = scratch.file("wisdom");
  put(path, "hybridfft-wisdom format=3\nversion=x\n");
  const std::string before = contents(path);
  setenv("HFFT_WISDOM", path.c_str(), 1);
  for (const unsigned flags : {HFFT_MEASURE, HFFT_ESTIMATE, HFFT_WISDOM_ONLY}) {
    EXPECT_EQ(plan(4, flags), HFFT_ERROR_WISDOM);
    expect_said({path, "line 2"});
  }
  EXPECT_EQ(contents(path), before);
  setenv("HFFT_WISDOM", scratch.file("none/wisdom").c_str(), 1);
  EXPECT_EQ(plan(4, HFFT_MEASURE), HFFT_ERROR_WISDOM);
  expect_said({"none/wisdom", "no folder"});
  MPI_Barrier(test::world());
}

TEST_F(WisdomApi, EntriesOfOthersStayInTheFile) {
  const test::ScratchDirectory scratch(test::world());
  const std::string path = scratch.file("wisdom");
  // Wisdom of another machine is simulated by another processor name in our own.
  EXPECT_EQ(plan(4, HFFT_MEASURE), HFFT_SUCCESS);
  ASSERT_EQ(hfft_broadcast_wisdom(test::world()), 1);
  const std::string ours = export_wisdom();
  std::string other = ours;
  other.replace(other.find("cpu="), 4, "cpu=Another_");
  const std::size_t end = other.find("\nend ") + 1;
  put(path, resealed(other));
  const std::string line = other.substr(0, end).substr(other.find('\n') + 1);
  hfft_forget_wisdom();
  setenv("HFFT_WISDOM", path.c_str(), 1);
  EXPECT_EQ(known(4), HFFT_ERROR_NO_WISDOM);
  EXPECT_EQ(plan(4, HFFT_MEASURE), HFFT_SUCCESS);
  EXPECT_EQ(entries(contents(path)), 2);
  EXPECT_NE(contents(path).find(line), std::string::npos);
  MPI_Barrier(test::world());
}

TEST_F(WisdomApi, ImpossibleChoice_IsIgnored) {
  EXPECT_EQ(plan(4, HFFT_MEASURE), HFFT_SUCCESS);
  ASSERT_EQ(hfft_broadcast_wisdom(test::world()), 1);
  for (const bool unknown : {true, false}) {
    std::string text = export_wisdom();
    // The text names an unknown algorithm or, on several ranks, passes that only one rank can use.
    const std::string from = unknown ? "exchange=" : "form=";
    const std::size_t at = text.find(from);
    const std::size_t until = text.find_first_of(" \n", at);
    const bool whole_fits = test::size_of(test::world()) == 1;
    text.replace(at, until - at, from + (unknown ? "telepathy" : whole_fits ? "split" : "whole"));
    text = resealed(text);
    hfft_forget_wisdom();
    ASSERT_EQ(hfft_import_wisdom_from_string(text.c_str()), 1) << hfft_last_error_message();
    if (unknown || !whole_fits) {
      EXPECT_EQ(known(4), HFFT_ERROR_NO_WISDOM);
    }
    EXPECT_EQ(plan(4, HFFT_MEASURE), HFFT_SUCCESS);
    hfft_forget_wisdom();
    EXPECT_EQ(plan(4, HFFT_MEASURE), HFFT_SUCCESS);
    ASSERT_EQ(hfft_broadcast_wisdom(test::world()), 1);
  }
}

/// Plans from slabs along axis 1 to slabs along axis 2; FFTW's interface has no such plans.
class LayoutWisdom : public WisdomApi {
protected:
  /// Returns the description of a plan; empty if there is none and rank 0's last error reports
  /// missing wisdom.
  static std::string plan(std::ptrdiff_t n2, Effort effort, bool wisdom_only, bool back = false) {
    const std::vector<std::ptrdiff_t> n{6, 5, n2};
    const int ranks = test::size_of(test::world());
    const Layout one = Layout::grid(n, {1, ranks, 1}, {{1, 2, 0}, {}, 1, {}});
    const Layout other = Layout::grid(n, {1, 1, ranks});
    const Layout &in = back ? other : one;
    const Layout &out = back ? one : other;
    Options options{.comm = test::world()};
    options.effort = effort;
    options.wisdom_only = wisdom_only;
    try {
      const auto sizes = local_sizes<double, Kind::c2c>(in, out, options);
      Buffer<std::complex<double>> a(sizes.allocate_in);
      Buffer<std::complex<double>> b(sizes.allocate_out);
      Plan<double, Kind::c2c> p(in, out, a, b, options);
      p.input().for_each<3>([&](auto at, const auto &) { a[at] = 1; });
      p.execute();
      const auto points = static_cast<double>(6 * 5 * n2);
      p.output().for_each<3>([&](auto at, const auto &k) {
        const bool mean = k[0] == 0 && k[1] == 0 && k[2] == 0;
        // A sum of ones is exact; at other frequencies ones cancel up to rounding.
        EXPECT_NEAR(std::abs(b[at] - (mean ? points : 0)), 0, 1e-12 * points);
      });
      return p.describe();
    } catch (const Error &e) {
      EXPECT_EQ(e.code(), HFFT_ERROR_NO_WISDOM) << e.what();
      return "";
    }
  }
};

TEST_F(LayoutWisdom, IsKeptAndTravels) {
  EXPECT_EQ(plan(4, Effort::estimate, true), "");
  EXPECT_NE(plan(4, Effort::estimate, false), "");
  EXPECT_EQ(plan(4, Effort::estimate, true), "");
  const std::string measured = plan(4, Effort::measure, false);
  EXPECT_EQ(plan(4, Effort::measure, true), measured);
  EXPECT_EQ(plan(4, Effort::estimate, true), measured);
  EXPECT_EQ(plan(4, Effort::patient, true), "");
  EXPECT_EQ(plan(8, Effort::estimate, true), "");
  if (test::size_of(test::world()) > 1) {
    EXPECT_EQ(plan(4, Effort::estimate, true, true), "");
  }
  const std::string text = export_wisdom();
  EXPECT_EQ(entries(text), rank() == 0 ? 1 : 0);
  hfft_forget_wisdom();
  EXPECT_EQ(plan(4, Effort::measure, true), "");
  import_wisdom(text);
  EXPECT_EQ(export_wisdom(), text);
  EXPECT_EQ(plan(4, Effort::measure, true), measured);
}

TEST_F(LayoutWisdom, OfOneExchangeIsNotOfOthers) {
  const bool alone = test::size_of(test::world()) == 1;
  std::string measured;
  {
    const test::Variable variable("HFFT_EXCHANGE", "pairwise");
    measured = plan(4, Effort::measure, false);
    EXPECT_EQ(plan(4, Effort::measure, true), measured);
  }
  EXPECT_EQ(plan(4, Effort::estimate, true), alone ? measured : "");
}

/// Wisdom measured under HFFT_EXCHANGE gives the same plan again, with separate fields that have
/// messages of their own.
TEST_F(LayoutWisdom, OfOneExchangeHasFieldsApart) {
  const int ranks = test::size_of(test::world());
  const std::vector<std::ptrdiff_t> n{32, 32, 32};
  const Layout in = Layout::grid(n, {ranks, 1, 1}, {{1, 0, 2}, {}, 4, Fields::separate});
  const Layout out = Layout::grid(n, {1, 1, ranks}, {{}, {}, 4, Fields::separate});
  Options options{.comm = test::world()};
  const auto sizes = local_sizes<double, Kind::c2c>(in, out, options);
  Buffer<std::complex<double>> a(sizes.allocate_in);
  Buffer<std::complex<double>> b(sizes.allocate_out);
  const test::Variable variable("HFFT_EXCHANGE", "pairwise");
  const auto words = [&](bool wisdom_only) {
    options.wisdom_only = wisdom_only;
    return Plan<double, Kind::c2c>(in, out, a, b, options).describe();
  };
  const std::string measured = words(false);
  EXPECT_EQ(words(true), measured);
}

TEST_F(LayoutWisdom, WrongPath_IsIgnored) {
  EXPECT_NE(plan(4, Effort::measure, false), "");
  ASSERT_EQ(hfft_broadcast_wisdom(test::world()), 1);
  std::string text = export_wisdom();
  const std::string from = test::size_of(test::world()) == 1 ? "exchange=" : "path=";
  text.replace(text.find(from), from.size(), from + "round_");
  hfft_forget_wisdom();
  import_wisdom(resealed(text));
  EXPECT_EQ(plan(4, Effort::measure, true), "");
  EXPECT_NE(plan(4, Effort::measure, false), "");
}

/// Tests wisdom of choose_grid(): process grids of pencils.
class GridWisdom : public WisdomApi {
protected:
  using Grid = std::array<int, 2>;

  /// Returns the process grid that choose_grid() chooses; {0, 0} if only wisdom is allowed and
  /// there is none.
  static Grid grid(Effort effort, bool wisdom_only, const std::array<std::ptrdiff_t, 3> &n = cube) {
    Options options{.comm = test::world()};
    options.effort = effort;
    options.wisdom_only = wisdom_only;
    try {
      return choose_grid<float, Kind::c2c>(n, options);
    } catch (const Error &e) {
      EXPECT_EQ(e.code(), HFFT_ERROR_NO_WISDOM) << e.what();
      return none;
    }
  }
  static bool alone() { return ranks() == 1; } ///< with one rank there is only one grid
  static int ranks() { return test::size_of(test::world()); }

  static constexpr Grid none{};
  /// The grids P x 1 and 1 x P leave the same number of ranks idle, so that either may be chosen.
  static constexpr std::array<std::ptrdiff_t, 3> cube{24, 24, 24};
};

TEST_F(GridWisdom, IsKept) {
  if (!alone()) {
    EXPECT_EQ(grid(Effort::estimate, true), none);
  }
  const Grid measured = grid(Effort::measure, false);
  EXPECT_EQ(measured[0] * measured[1], ranks());
  EXPECT_EQ(entries(export_wisdom()), rank() == 0 && !alone() ? 1 : 0);
  EXPECT_EQ(grid(Effort::estimate, true), measured);
  EXPECT_EQ(grid(Effort::measure, true), measured);
  hfft_forget_wisdom();
  if (!alone()) {
    EXPECT_EQ(grid(Effort::measure, true), none);
  }
}

/// A measurement under a variable applies only while this variable has the same value. Tested for
/// HFFT_EXCHANGE, and for HFFT_THREADS with more than one thread.
TEST_F(GridWisdom, OfASettingIsNotOfOthers) {
  if (alone()) GTEST_SKIP() << "there is no choice";
  struct Setting {
    const char *name, *value;
    int threads;
    bool counts;
  };
  for (const Setting &s :
       {Setting{"HFFT_EXCHANGE", "pairwise", 1, true}, Setting{"HFFT_THREADS", "all", 2, true},
        Setting{"HFFT_THREADS", "all", 1, false}})
    for (const bool set_first : {true, false}) {
      SCOPED_TRACE(std::string(s.name) + (set_first ? " set first, " : " set last, ") +
                   std::to_string(s.threads) + " threads");
      hfft_forget_wisdom();
      const auto with = [&](bool set, bool wisdom_only) {
        const test::Variable variable(s.name, set ? s.value : "");
        return grid(Effort::measure, wisdom_only);
      };
      EXPECT_EQ(hfft_plan_with_nthreads(s.threads), HFFT_SUCCESS);
      const Grid measured = with(set_first, false);
      EXPECT_EQ(with(set_first, true), measured);
      EXPECT_EQ(with(!set_first, true), s.counts ? none : measured);
    }
  EXPECT_EQ(hfft_plan_with_nthreads(0), HFFT_SUCCESS);
}

/// Wisdom is ignored if its grid has another number of ranks, or more idle ranks than another grid,
/// because choose_grid() would never choose it.
TEST_F(GridWisdom, ImpossibleGrids_AreIgnored) {
  if (ranks() < 4 || ranks() % 2 != 0) GTEST_SKIP() << "there is no choice";
  const std::array<std::ptrdiff_t, 3> n{ranks() - 1, 24, 24};
  const Grid measured = grid(Effort::measure, false, n);
  ASSERT_EQ(hfft_broadcast_wisdom(test::world()), 1);
  const std::string text = export_wisdom();
  const std::size_t first = text.find(" grid=") + 6;
  const std::string p = std::to_string(ranks());
  for (const std::string &other : {p + "x1", "2x" + p}) {
    SCOPED_TRACE(other);
    std::string changed = text;
    changed.replace(first, text.find('\n', first) - first, other);
    hfft_forget_wisdom();
    import_wisdom(resealed(changed));
    EXPECT_EQ(grid(Effort::estimate, true, n), none);
    const Grid estimated = grid(Effort::estimate, false, n);
    EXPECT_EQ(estimated[0] * estimated[1], ranks());
    EXPECT_LT(estimated[0], ranks());
  }
  hfft_forget_wisdom();
  import_wisdom(text);
  EXPECT_EQ(grid(Effort::estimate, true, n), measured);
}

} // namespace
} // namespace hybridfft
