/// Tests pruned plans as applications use them: exact products of fields, numbers of transformed
/// and sent lines, equal bits on all numbers of ranks, and refusals.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <numeric>
#include <string>

#include "hybridfft/hybridfft.hpp"
#include "message_bytes.h"
#include "pruned_truth.h"
#include "support/mpi_test.h"
#include "verifier/hash.h"

namespace hybridfft {
namespace {

using test::Exact;
using test::Extents;
using test::Field;
using Index = std::array<std::ptrdiff_t, 3>;
using Complex = std::complex<double>;

double number(const Index &index, std::uint64_t which) {
  for (const std::ptrdiff_t i : index)
    which = verifier::mix(which, static_cast<std::uint64_t>(i));
  return std::ldexp(static_cast<double>(verifier::mix(which)), -63) - 1;
}

std::ptrdiff_t product(const Extents &n) {
  return std::accumulate(n.begin(), n.end(), std::ptrdiff_t{1}, std::multiplies<>());
}

/// A plan and its arrays.
template <class Real, Kind K> struct Transform {
  Transform(const Extents &n, const Options &options)
      : sizes(local_sizes<Real, K>(n, options)), in(sizes.allocate_in), out(sizes.allocate_out),
        plan(n, in, out, options) {}

  LocalSizes sizes;
  Buffer<typename Elements<Real, K>::In> in;
  Buffer<typename Elements<Real, K>::Out> out;
  Plan<Real, K> plan;
};

Options transposed(const Extents &modes, bool backward) {
  Options options{.comm = test::world()};
  options.effort = Effort::estimate;
  options.modes = modes;
  options.transposed_in = backward;
  options.transposed_out = !backward;
  options.direction = backward ? Direction::backward : Direction::forward;
  return options;
}

/// Returns the coefficient at the wave numbers k of a random real field. It is 0 for waves that a
/// transform of n points with these modes does not retain.
Exact coefficient(Index k, const Extents &modes, const Extents &n, std::uint64_t which) {
  for (std::size_t a = 0; a < 3; ++a) {
    const bool nyquist = 2 * std::abs(k[a]) == modes[a];
    if (2 * std::abs(k[a]) > modes[a] || (nyquist && modes[a] != n[a])) return 0;
  }
  const Index minus{-k[0], -k[1], -k[2]};
  return (Exact(number(k, which), number(k, which + 1)) +
          std::conj(Exact(number(minus, which), number(minus, which + 1)))) /
         2.0L;
}

/// The coefficients of a field by frequency; zero outside its modes.
class Spectrum {
public:
  Spectrum(const Extents &modes, const Extents &n, std::uint64_t which) : reach_(modes) {
    Extents all;
    for (const std::ptrdiff_t m : modes)
      all.push_back(4 * m + 1);
    values_ = test::make_field(all, [&](const Extents &i) {
      return coefficient({i[0] - 2 * modes[0], i[1] - 2 * modes[1], i[2] - 2 * modes[2]}, modes, n,
                         which);
    });
  }
  const Exact &operator()(const Index &k) const {
    const std::ptrdiff_t i = k[0] + 2 * reach_[0];
    const std::ptrdiff_t j = k[1] + 2 * reach_[1];
    return values_.values[static_cast<std::size_t>(
        (i * values_.extents[1] + j) * values_.extents[2] + k[2] + 2 * reach_[2])];
  }

private:
  Extents reach_;
  Field values_;
};

Index frequencies(const Index &i, const Extents &modes) {
  Index k{};
  for (std::size_t a = 0; a < 3; ++a)
    k[a] = 2 * i[a] > modes[a] ? i[a] - modes[a] : i[a];
  return k;
}

/// Returns the error of a product of two fields on a grid of n points: the largest difference of a
/// retained mode from the convolution of their spectra.
double error_of_product(const Extents &modes, const Extents &n) {
  const Spectrum first(modes, n, 1);
  const Spectrum second(modes, n, 3);
  Transform<double, Kind::c2r> u(n, transposed(modes, true));
  Transform<double, Kind::c2r> v(n, transposed(modes, true));
  u.plan.input().for_each<3>([&](std::ptrdiff_t at, const Index &i) {
    const Index k = frequencies(i, modes);
    u.in[at] = static_cast<Complex>(first(k));
    v.in[at] = static_cast<Complex>(second(k));
  });
  u.plan.execute();
  v.plan.execute();
  Transform<double, Kind::r2c> w(n, transposed(modes, false));
  w.plan.input().for_each<3>([&](std::ptrdiff_t at, const Index &) {
    w.in[at] = u.out[at] * v.out[at] / static_cast<double>(product(n));
  });
  w.plan.execute();
  double largest = 0;
  w.plan.output().for_each<3>([&](std::ptrdiff_t at, const Index &i) {
    const Index k = frequencies(i, modes);
    for (std::size_t a = 0; a < 3; ++a)
      if (!test::mode(i[a], modes[a], n[a]).kept) return;
    Exact sum = 0;
    Index p{};
    for (p[0] = -modes[0] / 2; p[0] <= modes[0] / 2; ++p[0])
      for (p[1] = -modes[1] / 2; p[1] <= modes[1] / 2; ++p[1])
        for (p[2] = -modes[2] / 2; p[2] <= modes[2] / 2; ++p[2])
          sum += first(p) * second({k[0] - p[0], k[1] - p[1], k[2] - p[2]});
    largest = std::max(largest, std::abs(w.out[at] - static_cast<Complex>(sum)));
  });
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, test::world());
  return largest;
}

/// Bound of the rounding error of a mode. A field has fewer than 400 modes below sqrt(2), so each
/// of its P points is below 566. Each transform has a relative error in L2 below 12 eps log2(2 P) <
/// 3.2e-14 (tolerance.h), so the product of two fields has an error in L2 below 2 * 566^2 * 3.2e-14
/// sqrt(P). A mode of the product is a mean over the points. The product adds an error below 2.1e-8
/// to it, and the transform of the product one below 1.1e-8.
constexpr double rounding = 4e-8;

TEST(PrunedApi, ThreeHalvesRuleGivesExactProducts) {
  EXPECT_LT(error_of_product({6, 8, 6}, {9, 12, 9}), rounding);
  EXPECT_LT(error_of_product({5, 6, 8}, {8, 9, 12}), rounding);
}

/// Dealiasing is exact with M = 2 K + 1 modes of N >= 3 K + 1 points, and not with fewer points.
TEST(PrunedApi, TwoThirdsRuleGivesExactProducts) {
  EXPECT_LT(error_of_product({7, 5, 7}, {10, 7, 10}), rounding);
  EXPECT_GT(error_of_product({7, 5, 7}, {10, 6, 10}), 1e-2);
  EXPECT_GT(error_of_product({7, 5, 7}, {9, 7, 10}), 1e-2);
  EXPECT_GT(error_of_product({7, 5, 7}, {10, 7, 9}), 1e-2);
}

/// A backward and then a forward transform multiply the retained modes by the number of points.
TEST(PrunedApi, BackwardAndForwardAreInverse) {
  const Extents n{12, 10, 9};
  const Extents modes{7, 10, 5};
  Transform<float, Kind::c2c> back(n, transposed(modes, true));
  Transform<float, Kind::c2c> forth(n, transposed(modes, false));
  back.plan.input().for_each<3>([&](std::ptrdiff_t at, const Index &i) {
    back.in[at] = {static_cast<float>(number(i, 5)), static_cast<float>(number(i, 6))};
  });
  back.plan.execute();
  forth.plan.execute(back.out, forth.out);
  // Tolerance: each of two transforms of P points has an error of 12 eps log2(2 P), relative to the
  // norm of the modes, which is at most sqrt(2 * 350).
  forth.plan.output().for_each<3>([&](std::ptrdiff_t at, const Index &) {
    EXPECT_LE(std::abs(forth.out[at] / static_cast<float>(product(n)) - back.in[at]),
              2 * 12 * 12 * 27 * std::numeric_limits<float>::epsilon());
  });
}

std::ptrdiff_t block(std::ptrdiff_t n, std::ptrdiff_t rank) {
  const std::ptrdiff_t each = (n + test::size_of(test::world()) - 1) / test::size_of(test::world());
  return std::max<std::ptrdiff_t>(0, std::min(each, n - rank * each));
}

/// Exchanges by messages send only the retained modes of a rank's planes or lines.
TEST(PrunedApi, OnlyKeptLinesAreSent) {
  const Extents n{24, 18, 12};
  const std::ptrdiff_t rank = test::rank_of(test::world());
  setenv("HFFT_EXCHANGE", "pipelined", 1); // bytes_sent() does not count shared memory
  struct {
    Extents modes;
    std::ptrdiff_t kept; ///< modes of the half spectrum along the last axis
  } const cases[] = {{{16, 12, 8}, 4}, {{15, 11, 7}, 4}, {{24, 18, 12}, 7}, {{24, 6, 12}, 7}};
  for (const auto &c : cases) {
    Transform<double, Kind::r2c> forth(n, transposed(c.modes, false));
    const std::ptrdiff_t others = c.modes[1] - block(c.modes[1], rank);
    EXPECT_EQ(test::bytes_sent(forth.plan), block(n[0], rank) * others * c.kept * 16);
    Transform<double, Kind::c2r> back(n, transposed(c.modes, true));
    EXPECT_EQ(test::bytes_sent(back.plan),
              block(c.modes[1], rank) * (n[0] - block(n[0], rank)) * c.kept * 16);
  }
  unsetenv("HFFT_EXCHANGE");
}

double flops(std::ptrdiff_t lines, std::ptrdiff_t points) {
  return 5 * static_cast<double>(lines * points) * std::log2(static_cast<double>(points));
}

/// A plan transforms all lines of the grid along the last axis, but only lines of retained modes
/// along the others.
TEST(PrunedApi, OnlyKeptLinesAreTransformed) {
  const Extents n{24, 18, 12};
  const Extents modes{16, 12, 8};
  const std::ptrdiff_t rank = test::rank_of(test::world());
  const std::ptrdiff_t planes = block(n[0], rank);
  const std::ptrdiff_t lines = block(modes[1], rank) * 4;
  const double expected =
      flops(planes * n[1], n[2]) / 2 + flops(planes * 4, n[1]) + flops(lines, n[0]);
  const auto check = [&](auto &t) {
    double sum = 0;
    for (const hfft_stage_profile &s : t.plan.profile())
      sum += s.flops;
    EXPECT_DOUBLE_EQ(sum, expected);
    const std::string text = t.plan.describe();
    EXPECT_NE(text.find("24x18x12, 16x12x8 modes"), std::string::npos) << text;
    for (const std::string &part :
         {std::to_string(planes * n[1]) + " lines of 12, ",
          std::to_string(planes * 4) + " lines of 18, ", std::to_string(lines) + " lines of 24, "})
      EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  };
  Transform<double, Kind::r2c> forth(n, transposed(modes, false));
  check(forth);
  Transform<double, Kind::c2r> back(n, transposed(modes, true));
  check(back);
}

/// Expects the same bits, by index, as on a single rank.
template <class Real, Kind K> void expect_bits_of_one_rank(const Extents &n, Options options) {
  options.deterministic = true;
  const auto run = [&](MPI_Comm comm, int threads) {
    options.comm = comm;
    options.threads = threads;
    if (comm == MPI_COMM_SELF) options.block_in = options.block_out = HFFT_DEFAULT_BLOCK;
    auto t = std::make_unique<Transform<Real, K>>(n, options);
    t->plan.input().template for_each<3>(
        [&](std::ptrdiff_t at, const Index &i) { t->in[at] = static_cast<Real>(number(i, 9)); });
    t->plan.execute();
    return t;
  };
  const auto together = run(test::world(), 2);
  const auto alone = run(MPI_COMM_SELF, 1);
  std::map<Index, typename Elements<Real, K>::Out> truth;
  alone->plan.output().template for_each<3>(
      [&](std::ptrdiff_t at, const Index &i) { truth[i] = alone->out[at]; });
  std::ptrdiff_t different = 0;
  together->plan.output().template for_each<3>([&](std::ptrdiff_t at, const Index &i) {
    if (!(truth.at(i) == together->out[at])) ++different;
  });
  EXPECT_EQ(different, 0) << together->plan.describe();
}

TEST(PrunedApi, DeterministicBitsDoNotDependOnRanks) {
  for (const Extents &n : {Extents{12, 15, 18}, Extents{9, 37, 10}}) {
    const Extents modes{8, 9, 7};
    expect_bits_of_one_rank<double, Kind::r2c>(n, transposed(modes, false));
    expect_bits_of_one_rank<float, Kind::c2r>(n, transposed(modes, true));
    expect_bits_of_one_rank<float, Kind::c2c>(n, transposed(modes, false));
    Options normal = transposed(modes, true);
    normal.transposed_in = false;
    expect_bits_of_one_rank<double, Kind::c2c>(n, normal);
  }
}

/// The spectrum has the smallest blocks that cover its modes. Blocks of this size could not hold
/// the complete grid.
TEST(PrunedApi, BlocksOfTheSpectrumNeedNotCoverTheGrid) {
  const Extents n{32, 24, 8};
  const Extents modes{16, 9, 8};
  for (const Effort effort : {Effort::estimate, Effort::measure})
    for (int bits = 0; bits < 4; ++bits) {
      Options options = transposed(modes, false);
      options.effort = effort;
      options.transposed_in = (bits & 1) != 0;
      options.transposed_out = (bits & 2) != 0;
      const auto block = [&](bool is_transposed) {
        return (modes[is_transposed ? 1 : 0] + test::size_of(test::world()) - 1) /
               test::size_of(test::world());
      };
      options.block_out = block(options.transposed_out);
      expect_bits_of_one_rank<double, Kind::c2c>(n, options);
      expect_bits_of_one_rank<float, Kind::r2c>(n, options);
      options.direction = Direction::backward;
      options.block_out = HFFT_DEFAULT_BLOCK;
      options.block_in = block(options.transposed_in);
      expect_bits_of_one_rank<float, Kind::c2c>(n, options);
      expect_bits_of_one_rank<double, Kind::c2r>(n, options);
    }
}

/// Measured plans, executions in the background and messages of reduced precision give the same
/// numbers, except for rounding.
TEST(PrunedApi, OtherOptions_GiveTheSameNumbers) {
  unsetenv("HFFT_THREADS"); // measurements under this variable are stored separately
  hfft_forget_wisdom();
  const Extents n{24, 18, 12};
  const auto run = [&](const Options &options, bool starts) {
    Transform<double, Kind::r2c> t(n, options);
    t.plan.input().for_each<3>(
        [&](std::ptrdiff_t at, const Index &i) { t.in[at] = number(i, 11); });
    if (starts) {
      t.plan.start();
      t.plan.wait();
    } else {
      t.plan.execute();
    }
    return std::vector<Complex>(t.out.begin(), t.out.begin() + t.plan.output().size());
  };
  Options options = transposed({16, 12, 8}, false);
  const std::vector<Complex> plain = run(options, false);
  // A result is a sum of 5184 numbers below 1. The tolerances are for sums in double precision, and
  // for sums whose messages are rounded to single precision.
  const auto expect_near = [&](const std::vector<Complex> &found, double tolerance) {
    for (std::size_t i = 0; i < plain.size(); ++i)
      ASSERT_LE(std::abs(found[i] - plain[i]), tolerance);
  };
  Options nonblocking = options;
  nonblocking.nonblocking = true;
  expect_near(run(nonblocking, true), 1e-9);
  Options narrow = options;
  narrow.wire = Wire::single;
  expect_near(run(narrow, false), 5184 * 0x1p-23);
  options.effort = Effort::measure;
  expect_near(run(options, false), 1e-9);
  options.wisdom_only = true;
  expect_near(run(options, false), 1e-9);
  options.modes = {16, 12, 7};
  EXPECT_THROW(run(options, false), Error); // wisdom has a plan only for the same modes
  if (test::rank_of(test::world()) == 0) {
    EXPECT_NE(export_wisdom().find(" modes=16x12x8"), std::string::npos) << export_wisdom();
  }
  const std::string text = export_wisdom();
  hfft_forget_wisdom();
  import_wisdom(text);
  hfft_forget_wisdom();
  setenv("HFFT_THREADS", "all", 1);
}

/// Compares a pruned plan with messages of reduced precision to the same plan with full ones. One
/// exchange rounds numbers by `unit` relative to their L2 norm (hybridfft.h). The transforms before
/// and after the exchange together multiply norms by sqrt(P) for P points, and by at most twice as
/// much for half spectra. Differences of the arithmetic are within the bound of
/// tools/verifier/tolerance.h.
template <Kind K> void expect_rounded_once(Wire wire, double unit, const Extents &modes) {
  const Extents n{24, 18, 12};
  Options options = transposed(modes, K == Kind::c2r);
  const auto run = [&](Transform<float, K> &t) {
    double norm = 0;
    t.plan.input().template for_each<3>([&](std::ptrdiff_t at, const Index &i) {
      t.in[at] = static_cast<float>(number(i, 21));
      norm += std::norm(t.in[at]);
    });
    const long long sent = test::bytes_sent(t.plan);
    MPI_Allreduce(MPI_IN_PLACE, &norm, 1, MPI_DOUBLE, MPI_SUM, test::world());
    return std::pair(std::sqrt(norm), sent);
  };
  setenv("HFFT_EXCHANGE", "pipelined", 1); // bytes_sent() does not count shared memory
  Transform<float, K> full(n, options);
  options.wire = wire;
  Transform<float, K> narrow(n, options);
  unsetenv("HFFT_EXCHANGE");
  const auto [norm, full_bytes] = run(full);
  const long long reduced_bytes = run(narrow).second;
  // Half precision has a scale in each message. In these small arrays each rank sends one message
  // to each other rank.
  const long long scale = wire == Wire::half ? sizeof(float) : 0;
  EXPECT_GE(2 * reduced_bytes, full_bytes);
  EXPECT_LE(2 * reduced_bytes, full_bytes + 2 * scale * (test::size_of(test::world()) - 1));
  double error = 0;
  full.plan.output().template for_each<3>([&](std::ptrdiff_t at, const Index &) {
    error += std::norm(std::complex<double>(full.out[at]) - std::complex<double>(narrow.out[at]));
  });
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_SUM, test::world());
  const auto points = static_cast<double>(product(n));
  const double arithmetic = 2 * 12 * 0x1p-23 * std::log2(2 * points);
  EXPECT_LE(std::sqrt(error), 2 * (unit + arithmetic) * std::sqrt(points) * norm)
      << narrow.plan.describe();
  if (test::size_of(test::world()) > 1) {
    EXPECT_GT(error, 0) << "nothing was rounded";
  }
}

TEST(PrunedApi, NarrowMessagesAreRoundedOnce) {
  for (const Extents &modes : {Extents{16, 12, 8}, Extents{15, 11, 7}}) {
    for (const auto &[wire, unit] :
         {std::pair(Wire::half, 0x1p-11), std::pair(Wire::bfloat16, 0x1p-8)}) {
      expect_rounded_once<Kind::r2c>(wire, unit, modes);
      expect_rounded_once<Kind::c2r>(wire, unit, modes);
      expect_rounded_once<Kind::c2c>(wire, unit, modes);
    }
  }
}

/// If all modes are retained, the plan is an ordinary one, without the restrictions of pruned
/// plans.
TEST(PrunedApi, AllModesAreThePlainPlan) {
  const Extents n{6, 5, 4, 3};
  Transform<double, Kind::c2c> t(n, transposed(n, false));
  EXPECT_EQ(t.plan.describe().find("modes"), std::string::npos) << t.plan.describe();
}

std::string refusal(const Extents &n, const Extents &modes, hfft_error code) {
  try {
    Transform<double, Kind::c2c> t(n, transposed(modes, false));
  } catch (const Error &e) {
    EXPECT_EQ(e.code(), code) << e.what();
    return e.what();
  }
  return "accepted";
}

TEST(PrunedApi, BadModesAreRefused) {
  EXPECT_NE(refusal({8, 8, 8}, {8, 9, 8}, HFFT_ERROR_EXTENTS).find("modes[1] is 9"),
            std::string::npos);
  EXPECT_NE(refusal({8, 8, 8}, {0, 8, 8}, HFFT_ERROR_EXTENTS).find("n[0] is 0"), std::string::npos);
  EXPECT_NE(refusal({8, 8, 8}, {8, 8}, HFFT_ERROR_ARGUMENT).find("2 numbers, expected 3"),
            std::string::npos);
  EXPECT_NE(refusal({4, 4, 4, 4}, {2, 4, 4, 4}, HFFT_ERROR_UNSUPPORTED).find("2 or 3"),
            std::string::npos);
  const std::ptrdiff_t n[3] = {8, 8, 8};
  const std::ptrdiff_t modes[3] = {4, 4, test::rank_of(test::world()) == 0 ? 4 : 5};
  Buffer<Complex> a(2048);
  hfft_complex *data = reinterpret_cast<hfft_complex *>(a.data());
  EXPECT_EQ(hfft_plan_pruned_dft(3, n, nullptr, 1, 0, 0, data, data, test::world(), HFFT_FORWARD,
                                 HFFT_ESTIMATE),
            nullptr);
  EXPECT_EQ(hfft_last_error(), HFFT_ERROR_NULL_POINTER);
  EXPECT_EQ(hfft_local_size_pruned(3, n, nullptr, 1, 0, 0, test::world()), -1);
  if (test::size_of(test::world()) == 1) return;
  EXPECT_EQ(hfft_plan_pruned_dft(3, n, modes, 1, 0, 0, data, data, test::world(), HFFT_FORWARD,
                                 HFFT_ESTIMATE),
            nullptr);
  EXPECT_EQ(hfft_last_error(), HFFT_ERROR_MISMATCH);
  EXPECT_NE(std::string(hfft_last_error_message()).find("modes"), std::string::npos);
}

} // namespace
} // namespace hybridfft
