/// Tests parts of the verifier: problem strings, random problems, and reference results.

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "support/mpi_test.h"
#include "verifier/random_problem.h"
#include "verifier/tolerance.h"
#include "verifier/truth.h"

namespace hybridfft::verifier {
namespace {

TEST(ProblemString, SaysEverything) {
  const Problem p = parse("sibr[12x7x5*v3/4,0@2");
  EXPECT_TRUE(p.single && p.in_place && p.transposed_in && !p.transposed_out);
  EXPECT_EQ(p.kind, Kind::c2r);
  EXPECT_EQ(p.direction, Direction::backward);
  EXPECT_EQ(p.extents, (std::vector<std::ptrdiff_t>{12, 7, 5}));
  EXPECT_EQ(p.howmany, 3);
  EXPECT_EQ(p.block_in, 4);
  EXPECT_EQ(p.block_out, 0);
  EXPECT_EQ(p.threads, 2);
  EXPECT_EQ(complex_extents(p), (std::vector<std::ptrdiff_t>{12, 7, 3}));
  EXPECT_EQ(values(p), 12 * 7 * 5 * 3);

  const Problem q = parse("ofr]10x5x9"); // FFTW's bench writes problems in this way
  EXPECT_TRUE(!q.single && !q.in_place && !q.transposed_in && q.transposed_out);
  EXPECT_EQ(q.kind, Kind::r2c);
}

TEST(ProblemString, CanonicalFormIsShortAndStable) {
  EXPECT_EQ(to_string(parse("12x7")), "of12x7");
  EXPECT_EQ(to_string(parse("]rdbo12x7*v1/0,0@1")), "obr]12x7");
  for (std::uint64_t i = 0; i < 500; ++i) {
    const Problem p = random_problem({3, 100000, 4, 5}, i);
    EXPECT_EQ(parse(to_string(p)), p) << to_string(p);
  }
}

TEST(ProblemString, ErrorsNameThePlace) {
  for (const char *text :
       {"", "of", "of12", "of12x", "of0x4", "of-3x4", "q4x4", "of4x4*3", "of4x4*v0", "of4x4/3",
        "of4x4/3,-1", "of4x4@0", "of4x4@2*v2", "of4x4 ", "of99999999999999999999x4"}) {
    try {
      parse(text);
      ADD_FAILURE() << "accepted \"" << text << "\"";
    } catch (const std::invalid_argument &e) {
      EXPECT_NE(std::string(e.what()).find("character"), std::string::npos) << e.what();
    }
  }
}

TEST(RandomProblems, AreLegalAndOfEveryKind) {
  constexpr int ranks = 5;
  std::set<std::string> seen;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const Problem p = random_problem({1, 4000, 3, ranks}, i);
    EXPECT_TRUE(supported(p)) << to_string(p);
    EXPECT_LE(values(p), 4000);
    const auto n = complex_extents(p);
    const auto covers = [&](std::ptrdiff_t block, bool transposed) {
      return block == 0 || block * ranks >= n[transposed ? 1 : 0];
    };
    EXPECT_TRUE(covers(p.block_in, p.transposed_in)) << to_string(p);
    EXPECT_TRUE(covers(p.block_out, p.transposed_out)) << to_string(p);
    seen.insert(std::to_string(static_cast<int>(p.kind)) + (p.in_place ? "i" : "o") +
                (p.single ? "s" : "d") + (p.transposed_in ? "[" : " ") +
                (p.transposed_out ? "]" : " "));
    seen.insert("threads " + std::to_string(p.threads));
    seen.insert("dimensions " + std::to_string(p.extents.size()));
  }
  // Three kinds, placement, precision, two transpositions; 1 to 3 threads; 2 to 5 dimensions.
  EXPECT_EQ(seen.size(), 3U * 2 * 2 * 4 + 3 + 4);
}

/// Returns one element of the DFT by its definition, as one sum over all points.
std::complex<double> element(const Problem &p, const Field &x, const Index &k, std::ptrdiff_t v) {
  std::complex<double> sum = 0;
  const PlaneWave phase(p, static_cast<int>(p.direction), k);
  Index j(p.extents.size(), 0);
  for (std::ptrdiff_t point = 0; point < values(p) / p.howmany; ++point) {
    std::ptrdiff_t rest = point;
    for (std::size_t a = j.size(); a-- > 0; rest /= p.extents[a])
      j[a] = rest % p.extents[a];
    sum += x(j, v) * phase(j);
  }
  return sum;
}

TEST(Truth, IsTheDefinition) {
  for (const char *text : {"of3x4x5", "ob5x7*v2", "ofr4x3x6", "obr3x2x5*v2", "of2x1x3x2"}) {
    const Problem p = parse(text);
    const Field x = random_field(p, 5);
    const Truth truth = true_transform(p, x, test::world());
    for (std::uint64_t sample = 0; sample < 20; ++sample) {
      const Index k = random_point(p, sample);
      for (std::ptrdiff_t v = 0; v < p.howmany; ++v)
        // A sum of n terms below one, each with an error of a few eps.
        EXPECT_LT(std::abs(truth.values[position(p, k, v)] - element(p, x, k, v)),
                  static_cast<double>(values(p)) * 8 * 2.3e-16)
            << text;
      if (p.kind == Kind::c2r) {
        EXPECT_LT(std::abs(truth.values[position(p, k, 0)].imag()), 1e-13) << "not a real array";
      }
    }
  }
}

/// The verifier transforms large problems with serial FFTW. This test compares a few elements with
/// the definition.
TEST(Truth, OfLargeArraysToo) {
  const Problem p = parse("ob60x50x40");
  const Field x = random_field(p, 6);
  const Truth truth = true_transform(p, x, test::world());
  EXPECT_GT(truth.uncertainty, 1e-15);
  for (std::uint64_t sample = 0; sample < 3; ++sample) {
    const Index k = random_point(p, sample);
    EXPECT_LT(std::abs(truth.values[position(p, k, 0)] - element(p, x, k, 0)), 1e-9);
  }
}

TEST(Fields, DoNotDependOnTheNumberOfRanks) {
  const Problem p = parse("of4x4x4");
  const std::complex<double> value = random_field(p, 1)({1, 2, 3}, 0);
  // Compares the numbers themselves, so that any change of the generator or of its arguments' order
  // fails.
  EXPECT_EQ(value, std::complex<double>(-892907 * 0x1p-22, -411073 * 0x1p-22));
}

} // namespace
} // namespace hybridfft::verifier
