// Tests the deviations that hybridfft-compare reports, with values computed by hand. Each rank
// holds a part of the datasets.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "support/deviation.h"
#include "support/mpi_test.h"
#include "support/pieces.h"
#include "support/scratch_directory.h"

namespace {

using namespace hybridfft;
using namespace hybridfft::tools;

using test::world;

template <class T>
Deviation deviation(const io::Shape &shape, const std::vector<T> &a, const std::vector<T> &b) {
  const test::ScratchDirectory scratch(world());
  io::File file = io::File::create(scratch.file("both.h5"), world());
  file.write_all("a", shape, a);
  file.write_all("b", shape, b);
  return measure_deviation({file, "a"}, {file, "b"}, file.info("a"), world());
}

TEST(Deviation, RealValues_MatchDefinition) {
  // |a - b| is 0, 1, 0, 8. Relative to the larger magnitude it is 0, 1/4, 0, 8/5.
  const Deviation d = deviation<double>({2, 2}, {1, 3, 0, -5}, {1, 4, 0, 3});
  EXPECT_EQ(d.values, 4u);
  EXPECT_EQ(d.not_finite, 0u);
  EXPECT_EQ(d.largest_magnitude, 5.);
  EXPECT_EQ(d.max_absolute, 8.);
  EXPECT_EQ(d.mean_absolute(), 9. / 4);
  EXPECT_EQ(d.max_relative, 8. / 5);
  EXPECT_DOUBLE_EQ(d.mean_relative(), (0.25 + 1.6) / 4);
  EXPECT_EQ(d.relative_to_largest(), 8. / 5);
  EXPECT_EQ(d.where, "(1, 1)");
}

TEST(Deviation, ComplexValues_UseModulus) {
  using C = std::complex<float>;
  const Deviation d = deviation<C>({3}, {C(3, 4), C(0, 0), C(1, 0)}, {C(0, 0), C(0, 0), C(1, 0)});
  EXPECT_EQ(d.largest_magnitude, 5.);
  EXPECT_EQ(d.max_absolute, 5.);
  EXPECT_EQ(d.max_relative, 1.);
  EXPECT_EQ(d.mean_absolute(), 5. / 3);
  EXPECT_EQ(d.where, "(0)");
}

TEST(Deviation, Zeros_HaveNoDeviation) {
  const Deviation d = deviation<float>({2, 3}, std::vector<float>(6, 0.f), std::vector<float>(6));
  EXPECT_EQ(d.max_absolute, 0.);
  EXPECT_EQ(d.max_relative, 0.);
  EXPECT_EQ(d.relative_to_largest(), 0.);
}

TEST(Deviation, NonFiniteValues_AreCounted) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const Deviation d = deviation<float>({5, 1}, {1, nan, inf, 2, nan}, {1, nan, inf, 3, 0});
  EXPECT_EQ(d.values, 5u);
  EXPECT_EQ(d.not_finite, 3u);
  EXPECT_EQ(d.max_absolute, 1.);
  EXPECT_EQ(d.mean_absolute(), 0.5);
  EXPECT_EQ(d.largest_magnitude, 3.);
}

TEST(Pieces, AllRanks_TileTheDataset) {
  for (const io::Shape &shape : {io::Shape{20, 3, 2}, io::Shape{1, 30, 4}, io::Shape{2, 3, 1}}) {
    std::vector<int> seen(shape[0] * shape[1] * shape[2], 0);
    int calls = 0;
    for_pieces(my_part(shape, world()), 5, world(), "testing", [&](const io::Hyperslab &piece) {
      ++calls;
      EXPECT_LE(piece.count[0] * piece.count[1] * piece.count[2], 5u);
      for (std::size_t i = piece.offset[0]; i < piece.offset[0] + piece.count[0]; ++i)
        for (std::size_t j = piece.offset[1]; j < piece.offset[1] + piece.count[1]; ++j)
          for (std::size_t k = piece.offset[2]; k < piece.offset[2] + piece.count[2]; ++k)
            ++seen[(i * shape[1] + j) * shape[2] + k];
    });
    EXPECT_TRUE(test::same_everywhere(calls));
    MPI_Allreduce(MPI_IN_PLACE, seen.data(), static_cast<int>(seen.size()), MPI_INT, MPI_SUM,
                  world());
    EXPECT_EQ(seen, std::vector<int>(seen.size(), 1));
  }
}

} // namespace
