#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "base/memory.h"
#include "guarded_matrix.h"
#include "simd/transpose.h"
#include "support/skipped_cases.h"

namespace hybridfft::simd {
namespace {

struct Shape {
  std::size_t rows, cols;
};

std::string describe(std::size_t element, Shape s, std::size_t ld_in, std::size_t ld_out,
                     std::size_t shift) {
  return std::to_string(s.rows) + "x" + std::to_string(s.cols) + " elements of " +
         std::to_string(element) + " bytes, ld " + std::to_string(ld_in) + " to " +
         std::to_string(ld_out) + ", shifted by " + std::to_string(shift);
}

class SimdTranspose : public ::testing::TestWithParam<std::tuple<Isa, std::size_t>> {
protected:
  void SetUp() override {
    if (!supported(isa())) GTEST_SKIP() << test::this_machine << "no " << name(isa());
  }
  static Isa isa() { return std::get<0>(GetParam()); }
  static std::size_t element() { return std::get<1>(GetParam()); }

  /// Calls `transposer(in, ld_in, out, ld_out)` with matrices without and with padding, aligned and
  /// shifted.
  template <class F> void check(Shape s, F transposer) {
    for (const std::size_t pad : {0U, 1U, 5U})
      for (const std::size_t shift : {0U, 1U, 3U}) {
        const std::size_t ld_in = s.cols + pad;
        const std::size_t ld_out = s.rows + 2 * pad;
        GuardedMatrix in(element(), s.rows, s.cols, ld_in, shift);
        GuardedMatrix unchanged(element(), s.rows, s.cols, ld_in, shift);
        GuardedMatrix out(element(), s.cols, s.rows, ld_out, shift);
        GuardedMatrix expected(element(), s.cols, s.rows, ld_out, shift);
        in.fill();
        unchanged.fill();
        expected.fill_transposed();
        transposer(in.data(), ld_in, out.data(), ld_out);
        ASSERT_TRUE(out.same_bytes(expected)) << describe(element(), s, ld_in, ld_out, shift);
        ASSERT_TRUE(in.same_bytes(unchanged)) << describe(element(), s, ld_in, ld_out, shift);
      }
  }
};

TEST_P(SimdTranspose, EqualsTheDefinition) {
  // 1, primes, and the sizes of all blocks (2, 4, 8, 16) and their neighbours.
  const std::size_t lengths[] = {1, 2, 3, 4, 5, 7, 8, 9, 13, 15, 16, 17, 31, 32, 33, 97};
  for (const std::size_t rows : lengths)
    for (const std::size_t cols : lengths)
      check({rows, cols}, [&](void *in, std::size_t ld_in, void *out, std::size_t ld_out) {
        transpose(isa(), element(), rows, cols, in, ld_in, out, ld_out);
      });
  // Matrices wider, and higher, than one strip for any size of elements.
  for (const Shape s : {Shape{3, 1100}, Shape{1100, 3}, Shape{130, 601}})
    check(s, [&](void *in, std::size_t ld_in, void *out, std::size_t ld_out) {
      transpose(isa(), element(), s.rows, s.cols, in, ld_in, out, ld_out);
    });
}

TEST_P(SimdTranspose, TilesTogetherEqualTheDefinition) {
  const Memory scratch(tile_scratch(element()), 1);
  // A tile is at most 64 x 1024 (4 bytes) and at least 16 x 256 elements (16 bytes).
  for (const Shape s : {Shape{1, 1}, Shape{5, 3}, Shape{16, 256}, Shape{64, 1024}, Shape{65, 1025},
                        Shape{63, 255}, Shape{200, 31}, Shape{7, 2111}, Shape{193, 1031}})
    check(s, [&](void *in, std::size_t ld_in, void *out, std::size_t ld_out) {
      const std::size_t count = tile_count(element(), s.rows, s.cols);
      const std::size_t cut = count / 3;
      transpose_tiles(isa(), element(), s.rows, s.cols, in, ld_in, out, ld_out, cut, count,
                      scratch.data());
      transpose_tiles(isa(), element(), s.rows, s.cols, in, ld_in, out, ld_out, 0, cut,
                      scratch.data());
    });
}

TEST_P(SimdTranspose, EmptyMatricesAreLeftAlone) {
  check({0, 5}, [&](void *in, std::size_t ld_in, void *out, std::size_t ld_out) {
    transpose(isa(), element(), 0, 5, in, ld_in, out, ld_out);
  });
  EXPECT_EQ(tile_count(element(), 0, 5), 0U);
  EXPECT_EQ(tile_count(element(), 5, 0), 0U);
}

INSTANTIATE_TEST_SUITE_P(Sets, SimdTranspose,
                         ::testing::Combine(::testing::ValuesIn(instruction_sets()),
                                            ::testing::Values<std::size_t>(4, 8, 16)),
                         [](const auto &values) {
                           return std::string(name(std::get<0>(values.param))) + "_" +
                                  std::to_string(std::get<1>(values.param));
                         });

TEST(SimdTransposeArguments, OtherElementSizesAreRefused) {
  char in[64] = {};
  char out[64] = {};
  for (const std::size_t element : {0U, 1U, 2U, 12U, 32U})
    EXPECT_THROW(transpose(instruction_sets().front(), element, 1, 1, in, 1, out, 1),
                 std::invalid_argument);
}

} // namespace
} // namespace hybridfft::simd
