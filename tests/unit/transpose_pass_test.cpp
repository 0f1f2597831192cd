#include "local/passes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/memory.h"
#include "guarded_matrix.h"
#include "local/box_copy.h"

namespace hybridfft::local {
namespace {

constexpr std::size_t elements[] = {4, 8, 16};

struct Shape {
  std::ptrdiff_t rows, cols;
  std::ptrdiff_t pad = 0; ///< elements between rows
  std::size_t shift = 0;  ///< elements between a cache line boundary and the matrix
};

// All matrices exceed the caches, even with the smallest elements.
constexpr Shape misaligned{1031, 1027, 3, 1};
constexpr Shape shapes[] = {misaligned, {70000, 33}, {33, 70000, 1, 3}};

PassOptions options_of(simd::Isa isa, int threads) {
  PassOptions options;
  options.threads = threads;
  options.tile_bytes = 24 << 10;
  options.isa = isa;
  return options;
}

/// Copies a matrix to its transpose with a pass, in two ranges of rows if it has more than one row.
void expect_transposed(const Pass &pass, std::size_t element, const Shape &s) {
  ASSERT_NE(pass.describe().find("transpose of 1 matrix"), std::string::npos) << pass.describe();
  const auto rows = static_cast<std::size_t>(s.rows);
  const auto cols = static_cast<std::size_t>(s.cols);
  const auto pad = static_cast<std::size_t>(s.pad);
  GuardedMatrix in(element, rows, cols, cols + pad, s.shift);
  GuardedMatrix out(element, cols, rows, rows + 2 * pad, s.shift);
  GuardedMatrix expected(element, cols, rows, rows + 2 * pad, s.shift);
  in.fill();
  expected.fill_transposed();
  const std::ptrdiff_t cut = pass.rows() / 3;
  for (const RowRange range : {RowRange{cut, pass.rows()}, RowRange{0, cut}})
    if (range.first < range.last)
      pass.execute(static_cast<std::byte *>(in.data()), static_cast<std::byte *>(out.data()), range,
                   Poll());
  EXPECT_TRUE(out.same_bytes(expected))
      << s.rows << "x" << s.cols << " elements of " << element << " bytes, " << pass.describe();
}

TEST(TransposePass, BoxCopy_LargeMatrix_EqualsTheDefinition) {
  for (const simd::Isa isa : simd::instruction_sets()) {
    if (!simd::supported(isa)) continue;
    for (const std::size_t element : elements)
      for (const Shape &s : shapes)
        for (const int threads : {1, 3})
          expect_transposed(*make_box_copy_pass(
                                {{{{s.rows, s.cols + s.pad, 1}, {s.cols, 1, s.rows + 2 * s.pad}}}},
                                element, options_of(isa, threads)),
                            element, s);
  }
}

TEST(TransposePass, CopyPass_RangesOfRows_EqualTheDefinition) {
  for (const std::size_t element : elements)
    for (const Shape &s : shapes) {
      const std::ptrdiff_t in_step = s.cols + s.pad;
      const std::ptrdiff_t out_step = s.rows + 2 * s.pad;
      // The first pass has the rows of the source, the second one the rows of the destination.
      const SplitRows source{s.rows, s.cols, 1, {{0, s.cols, 0, in_step, 1}}};
      const SplitRows destination{s.rows, s.cols, 1, {{0, s.cols, 0, 1, out_step}}};
      expect_transposed(
          *make_copy_pass(source, destination, element, options_of(simd::active(), 2)), element, s);
      const SplitRows columns{s.cols, s.rows, 1, {{0, s.rows, 0, 1, in_step}}};
      const SplitRows rows{s.cols, s.rows, 1, {{0, s.rows, 0, out_step, 1}}};
      expect_transposed(*make_copy_pass(columns, rows, element, options_of(simd::active(), 2)),
                        element, s);
    }
}

TEST(TransposePass, CopyPass_SeveralPieces_EqualsTheDefinition) {
  // Received blocks of two ranks become the rows of a matrix.
  constexpr std::ptrdiff_t rows = 700, columns = 1001, cut = 400;
  const SplitRows source{
      rows, columns, 1, {{0, cut, 0, 1, rows}, {cut, columns - cut, 5 + cut * rows, 1, rows}}};
  const SplitRows destination = SplitRows::tight(rows, columns, 1);
  std::vector<double> in(static_cast<std::size_t>(5 + rows * columns), -1);
  std::vector<double> out(static_cast<std::size_t>(rows * columns), -1);
  for (std::ptrdiff_t c = 0; c < columns; ++c)
    for (std::ptrdiff_t r = 0; r < rows; ++r)
      in[static_cast<std::size_t>((c < cut ? 0 : 5) + c * rows + r)] =
          static_cast<double>(r * columns + c);
  const auto pass = make_copy_pass(source, destination, 8, options_of(simd::active(), 2));
  ASSERT_NE(pass->describe().find("transpose of 2 matrices"), std::string::npos);
  for (const RowRange range : {RowRange{0, 1}, RowRange{300, rows}, RowRange{1, 300}})
    pass->execute(reinterpret_cast<std::byte *>(in.data()),
                  reinterpret_cast<std::byte *>(out.data()), range, Poll());
  for (std::size_t i = 0; i < out.size(); ++i)
    ASSERT_EQ(out[i], static_cast<double>(i));
}

TEST(TransposePass, BoxCopy_ReversedAxes_EqualsTheDefinition) {
  // For each point of the axes of n1 and n3 points, a matrix of n0 x n2 elements is transposed. The
  // axis of n3 points remains the slowest one.
  constexpr std::ptrdiff_t n0 = 90, n1 = 40, n2 = 70, n3 = 3;
  std::vector<double> in(static_cast<std::size_t>(n3 * n0 * n1 * n2));
  std::vector<double> out(in.size(), -1);
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<double>(i);
  const auto pass = make_box_copy_pass(
      {{{{n3, n0 * n1 * n2, n0 * n1 * n2}, {n0, n1 * n2, 1}, {n1, n2, n0}, {n2, 1, n0 * n1}}}}, 8,
      options_of(simd::active(), 3));
  ASSERT_NE(pass->describe().find("transpose of 120 matrices"), std::string::npos)
      << pass->describe();
  pass->Pass::execute(reinterpret_cast<std::byte *>(in.data()),
                      reinterpret_cast<std::byte *>(out.data()));
  std::size_t at = 0;
  for (std::ptrdiff_t h = 0; h < n3; ++h)
    for (std::ptrdiff_t k = 0; k < n2; ++k)
      for (std::ptrdiff_t j = 0; j < n1; ++j)
        for (std::ptrdiff_t i = 0; i < n0; ++i, ++at)
          ASSERT_EQ(out[at], static_cast<double>(((h * n0 + i) * n1 + j) * n2 + k)) << at;
}

TEST(TransposePass, BoxCopy_SmallOrSlender_StaysInTheCaches) {
  for (const Shape &s : {Shape{100, 100}, Shape{1000000, 3}}) {
    const auto pass = make_box_copy_pass({{{{s.rows, s.cols, 1}, {s.cols, 1, s.rows}}}}, 8,
                                         options_of(simd::active(), 1));
    EXPECT_EQ(pass->describe(), "copy of 1 box");
  }
}

} // namespace
} // namespace hybridfft::local
