/// Deterministic plans have the same bits on 1, 2, ... ranks and with 1 to 4 threads, between slabs
/// and between other layouts. All are compared within one run.

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "problem_letters.h"
#include "support/mpi_test.h"
#include "verifier/library.h"
#include "verifier/random_problem.h"
#include "verifier/verify.h"
#include "verifier/verify_layouts.h"

namespace hybridfft {
namespace {

using verifier::Problem;

/// Communicator of the first `size` ranks of the world; MPI_COMM_NULL on the others.
class FirstRanks {
public:
  explicit FirstRanks(int size) {
    MPI_Comm_split(test::world(), test::rank_of(test::world()) < size ? 0 : MPI_UNDEFINED, 0,
                   &comm_);
  }
  ~FirstRanks() {
    if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
  }
  FirstRanks(const FirstRanks &) = delete;
  FirstRanks &operator=(const FirstRanks &) = delete;
  MPI_Comm get() const { return comm_; }

private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// A random number that depends only on the index in the global array.
template <class Real> Real value(std::ptrdiff_t index) {
  std::minstd_rand random(static_cast<unsigned>(index * 2654435761 % 2147483629 + 1));
  random.discard(2);
  return static_cast<Real>(random()) / static_cast<Real>(1 << 30) - 1;
}

/// A rank's range of the global array, and the size `all` of this array, in real numbers. Rows of
/// the distributed axis follow each other in the order of ranks, so each rank has one range.
struct Range {
  std::ptrdiff_t first, count, all;
};

template <class Real> Range range(const Problem &p, bool output, MPI_Comm comm) {
  const bool transposed = output ? p.transposed_out : p.transposed_in;
  const auto n = verifier::complex_extents(p);
  std::ptrdiff_t row = 2 * p.howmany;
  for (std::size_t i = 0; i < n.size(); ++i)
    if (i != (transposed ? 1U : 0U)) row *= n[i];
  const std::ptrdiff_t cut = n[transposed ? 1 : 0];
  const BlockDistribution d(cut, test::size_of(comm), output ? p.block_out : p.block_in);
  const int rank = test::rank_of(comm);
  return {d.start(rank) * row, d.count(rank) * row, cut * row};
}

/// Transforms on `comm`, and returns the complete result on rank 0, without the padding between
/// rows of real numbers.
template <class Real>
std::vector<Real> transform(const Problem &p, MPI_Comm comm, int threads, Effort effort) {
  using Api = verifier::Library<Real>;
  std::ptrdiff_t ignored[4];
  const auto n = verifier::complex_extents(p);
  const std::ptrdiff_t elements =
      hfft_local_size_many_transposed(static_cast<int>(n.size()), n.data(), p.howmany, 0, 0, comm,
                                      ignored, ignored + 1, ignored + 2, ignored + 3);
  std::vector<Real> in(static_cast<std::size_t>(2 * elements));
  std::vector<Real> out(in.size());
  Real *to = p.in_place ? in.data() : out.data();
  const unsigned flags = HFFT_DETERMINISTIC | static_cast<unsigned>(effort) |
                         (p.transposed_in ? HFFT_TRANSPOSED_IN : 0U) |
                         (p.transposed_out ? HFFT_TRANSPOSED_OUT : 0U);
  Api::set_threads(threads);
  const typename Api::Handle plan = Api::plan(p, in.data(), to, comm, flags);
  Api::set_threads(0);
  EXPECT_NE(plan, nullptr) << Api::last_error();
  if (plan == nullptr) return {};
  const Range mine = range<Real>(p, false, comm);
  for (std::ptrdiff_t i = 0; i < mine.count; ++i)
    in[static_cast<std::size_t>(i)] = value<Real>(mine.first + i);
  EXPECT_EQ(Api::execute(plan), HFFT_SUCCESS) << Api::last_error();
  Api::destroy(plan);
  const Range result = range<Real>(p, true, comm);
  if (p.kind == Kind::c2r) { // the content of the padding is undefined
    const std::ptrdiff_t row = 2 * n.back() * p.howmany;
    for (std::ptrdiff_t i = 0; i < result.count; ++i)
      if (i % row >= p.extents.back() * p.howmany) to[i] = 0;
  }
  std::vector<int> counts(static_cast<std::size_t>(test::size_of(comm)));
  std::vector<int> starts(counts.size());
  const int count = static_cast<int>(result.count);
  const int start = static_cast<int>(result.first);
  MPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, comm);
  MPI_Gather(&start, 1, MPI_INT, starts.data(), 1, MPI_INT, 0, comm);
  std::vector<Real> all(test::rank_of(comm) == 0 ? static_cast<std::size_t>(result.all) : 0);
  const MPI_Datatype type = sizeof(Real) == sizeof(float) ? MPI_FLOAT : MPI_DOUBLE;
  MPI_Gatherv(to, count, type, all.data(), counts.data(), starts.data(), type, 0, comm);
  return all;
}

template <class Real> bool same_bits(const std::vector<Real> &a, const std::vector<Real> &b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Real)) == 0;
}

/// Numbers of threads compared on each number of ranks: all numbers, or odd ones on odd numbers of
/// ranks and even ones on even numbers.
enum class Threads { all, some };

template <class Real> void expect_same_bits(const Problem &p, Threads which) {
  const std::vector<Real> alone = transform<Real>(p, MPI_COMM_SELF, 1, Effort::estimate);
  ASSERT_FALSE(alone.empty());
  for (int ranks = 1; ranks <= test::size_of(test::world()); ++ranks) {
    const FirstRanks comm(ranks);
    if (comm.get() == MPI_COMM_NULL) continue;
    for (const int threads : {1, 2, 3, 4}) {
      if (which == Threads::some && threads % 2 != ranks % 2) continue;
      const bool measured = threads == 2 && ranks % 3 == 2 && !p.single;
      const auto effort = measured ? Effort::measure : Effort::estimate;
      const auto together = transform<Real>(p, comm.get(), threads, effort);
      if (test::rank_of(comm.get()) == 0) {
        EXPECT_TRUE(same_bits(together, alone))
            << verifier::to_string(p) << " on " << ranks << " ranks x " << threads << " threads";
      }
    }
  }
}

class Deterministic : public ::testing::TestWithParam<std::string> {};

/// Lengths with kernels, lengths that are primes without kernels, and planes with both.
const std::vector<std::string> sizes{"16x12x10", "17x6x8", "12x19x10", "8x10x23", "7x5x6*v3",
                                     "4x3x2x5",  "9x16",   "1x7x4",    "5x1x6"};

void expect_same_bits(const std::string &letters, const std::string &size, Threads which) {
  Problem p = verifier::parse(letters + size);
  if (!verifier::supported(p)) return;
  expect_same_bits<double>(p, which);
  p.single = true;
  expect_same_bits<float>(p, which);
}

/// Each combination of letters transforms every fifth size. All combinations together cover all
/// sizes.
TEST_P(Deterministic, TheSameBits) {
  for (std::size_t s = 0; s < sizes.size(); ++s)
    if ((s + test::place_of(GetParam())) % 5 == 0)
      expect_same_bits(GetParam(), sizes[s], Threads::some);
}

using DeterministicSweep = Deterministic;

TEST_P(DeterministicSweep, TheSameBits) {
  for (const std::string &size : sizes)
    expect_same_bits(GetParam(), size, Threads::all);
}

INSTANTIATE_TEST_SUITE_P(AllKinds, Deterministic, ::testing::ValuesIn(test::all_letters()),
                         test::name_of_letters);
INSTANTIATE_TEST_SUITE_P(AllKinds, DeterministicSweep, ::testing::ValuesIn(test::all_letters()),
                         test::name_of_letters);

/// The compared bits are also correct: a plan without the flag gives the same numbers within
/// rounding.
TEST(DeterministicPlans, AreRight) {
  const std::vector<std::ptrdiff_t> n{12, 19, 10};
  Options options;
  options.effort = Effort::estimate;
  const LocalSizes sizes = local_sizes<double, Kind::r2c>(n, options);
  Buffer<double> in(sizes.allocate_in);
  Buffer<std::complex<double>> free(sizes.allocate_out);
  Buffer<std::complex<double>> fixed(sizes.allocate_out);
  Plan<double, Kind::r2c> any(n, in, free, options);
  options.deterministic = true;
  Plan<double, Kind::r2c> deterministic(n, in, fixed, options);
  any.input().for_each<3>([&](std::ptrdiff_t offset, const auto &i) {
    in[offset] = value<double>((i[0] * 19 + i[1]) * 10 + i[2]);
  });
  any.execute();
  deterministic.execute();
  // Sums of 2280 terms of modulus up to one.
  for (std::ptrdiff_t i = 0; i < any.output().size(); ++i)
    EXPECT_LT(std::abs(free[i] - fixed[i]), 2280 * 2.3e-16);
}

using verifier::LayoutProblem;
using verifier::LayoutSpec;

/// Calls f(communicator) for the first 1, 2, ... ranks of the world.
template <class F> void for_ranks(const F &f) {
  for (int ranks = 1; ranks <= test::size_of(test::world()); ++ranks)
    if (const FirstRanks comm(ranks); comm.get() != MPI_COMM_NULL) f(comm.get());
}

/// The verifier compares the result with the bits of one rank and with the definition of the DFT,
/// and detects accesses beyond the arrays.
template <class AnyProblem> void expect_verified(const AnyProblem &p, MPI_Comm comm) {
  const verifier::Report report = verifier::verify(p, comm);
  if (test::rank_of(comm) == 0) {
    EXPECT_TRUE(report.passed()) << verifier::to_string(p) << " on " << test::size_of(comm)
                                 << " ranks\n"
                                 << report.failures();
  }
}

/// Returns the layout with these numbers of blocks along axes 0, 1 and 2, stored in this order of
/// axes.
LayoutSpec layout_of(const std::array<int, 3> &parts, const std::array<int, 3> &order) {
  LayoutSpec l;
  for (const int axis : order)
    l.parts.push_back({axis, parts[static_cast<std::size_t>(axis)], 0});
  return l;
}

/// Returns slabs, pencils and bricks along different axes, in different memory orders.
std::vector<LayoutSpec> layouts_of(int ranks) {
  std::array<int, 2> two{};
  std::array<int, 3> three{};
  MPI_Dims_create(ranks, 2, two.data());
  MPI_Dims_create(ranks, 3, three.data());
  std::vector<LayoutSpec> list{layout_of({ranks, 1, 1}, {0, 1, 2}),
                               layout_of({two[0], two[1], 1}, {0, 1, 2}),
                               layout_of(three, {0, 1, 2}),
                               layout_of({1, ranks, 1}, {1, 0, 2}),
                               layout_of({1, two[0], two[1]}, {2, 1, 0}),
                               layout_of({three[2], three[1], three[0]}, {1, 2, 0})};
  list[1].separate = list[4].separate = true;
  list[2].parts[1].padding = 1;
  return list;
}

/// Lengths with kernels for lines in parts (four-step algorithm), for complete lines and for
/// convolutions. The next test has longer lines.
TEST(DeterministicLayouts, TheSameBitsAsOnOneRank) {
  for_ranks([](MPI_Comm comm) {
    const std::vector<LayoutSpec> layouts = layouts_of(test::size_of(comm));
    auto turn = static_cast<std::size_t>(test::size_of(comm));
    for (const char *letters : {"of=", "ob=", "ofr=", "obr=", "if=", "ibr="})
      for (const char *n : {"4x6x128", "64x3x8", "6x64x4*v2", "4x37x9", "1x5x48*v3"}) {
        // Each number of ranks takes every third case. All numbers together cover all cases.
        if (++turn % 3 != 0) continue;
        const std::size_t from = turn / 3 % layouts.size();
        LayoutProblem p{verifier::parse(letters + std::string(n)),
                        {0, 1, 2},
                        layouts[from],
                        layouts[(from + 1 + turn / 3 % 5) % layouts.size()]};
        p.base.single = turn % 7 < 3;
        p.base.threads = 1 + static_cast<int>(turn / 3 % 3);
        expect_verified(p, comm);
      }
  });
}

TEST(DeterministicLayouts, TheSameBitsOfLongLines) {
  for_ranks([](MPI_Comm comm) {
    const int ranks = test::size_of(comm);
    for (const char *text : {"of=2x4096", "ofr=3x17389", "ob=2x65537"}) {
      const LayoutSpec rows{{{0, ranks, 0}, {1, 1, 0}}};
      const LayoutSpec columns{{{0, 1, 0}, {1, ranks, 0}}};
      const bool real = std::string(text).find('r') != std::string::npos;
      if (ranks % 3 != (real ? 0 : 2)) continue;
      expect_verified(LayoutProblem{verifier::parse(text), {0, 1}, rows, columns}, comm);
    }
  });
}

/// A rank with a single line of real numbers has no padding, and its other array may be smaller.
/// Transforms must not write beyond either array.
TEST(SingleLines, KeepToTheirArrays) {
  for_ranks([](MPI_Comm comm) {
    const int ranks = test::size_of(comm);
    const LayoutSpec rows{{{0, ranks, 0}, {1, 1, 0}}};
    const LayoutSpec columns{{{0, 1, 0}, {1, ranks, 0}}};
    for (const char *n : {"8", "8*v2", "9*v2", "16", "1*v3"})
      for (const char *letters : {"r=", "sr"}) {
        const auto problem = [&](const char *placement) {
          return verifier::parse(placement + std::string(letters) + std::to_string(ranks) + "x" +
                                 n);
        };
        const bool turned = ranks % 2 == 0;
        expect_verified(LayoutProblem{problem(turned ? "of" : "if"), {0, 1}, rows, columns}, comm);
        expect_verified(LayoutProblem{problem(turned ? "ib" : "ob"), {0, 1}, columns, rows}, comm);
      }
  });
}

/// Random transforms between layouts and between slabs. Every second one is deterministic.
TEST(RandomLayouts, AreVerifiedOnAnyNumberOfRanks) {
  for_ranks([](MPI_Comm comm) {
    const verifier::LayoutSweep layouts{40, 2000, 3, test::size_of(comm)};
    const verifier::Sweep slabs{41, 2000, 3, test::size_of(comm)};
    for (std::uint64_t i = 0; i < 6; ++i) {
      LayoutProblem p = verifier::random_layout_problem(layouts, i);
      p.base.deterministic = i % 2 == 0;
      expect_verified(p, comm);
      Problem slab = verifier::random_problem(slabs, i);
      slab.deterministic = i % 2 == 0;
      expect_verified(slab, comm);
    }
  });
}

} // namespace
} // namespace hybridfft
