// Converts one-dimensional transforms to problems: the four-step algorithm for Fourier transforms,
// and redistributed lines for transforms between reals.
#include "plan/arguments.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/error.h"
#include "layout/checked_size.h"

namespace hybridfft::plan {

namespace {

constexpr unsigned both_scrambled = HFFT_SCRAMBLED_IN | HFFT_SCRAMBLED_OUT;

/// Checks extents and blocks. Throws Failure.
void check_sizes(const Arguments &a, int ranks) {
  check_shape(1, a.n, a.howmany);
  CheckedSize bytes = CheckedSize(static_cast<std::ptrdiff_t>(8 * a.real_bytes)) * a.howmany;
  bytes *= CheckedSize(a.n[0]) + ranks;
  require_countable(bytes);
  require((a.flags & both_scrambled) != both_scrambled, HFFT_ERROR_UNSUPPORTED,
          "flags has both HFFT_SCRAMBLED_IN and HFFT_SCRAMBLED_OUT, expected one of them at most");
  check_block("iblock", a.iblock, a.n[0], ranks);
  check_block("oblock", a.oblock, a.n[0], ranks);
}

/// Returns the four-step problem of a line, with layouts, axes and sign; its other fields have
/// their defaults. In scrambled data row k0 of the spectrum has the numbers X[k0 + rows k1] for all
/// k1. Throws Failure if no matrix has rows that fit both blocks.
Problem four_step_problem(const Arguments &a, int ranks) {
  const unsigned scrambled = a.flags & both_scrambled;
  const std::string blocks =
      "iblock is " + std::to_string(a.iblock) + " and oblock " + std::to_string(a.oblock);
  require(scrambled == 0 || a.line_rows != 0 || (a.iblock == 0 && a.oblock == 0), HFFT_ERROR_BLOCK,
          blocks, ", expected 0, the default, for scrambled data");
  const std::optional<LineShape> shape = a.line_rows != 0
                                             ? LineShape{a.line_rows, a.n[0] / a.line_rows}
                                             : shape_of_line(a.n[0], a.iblock, a.oblock);
  require(shape.has_value(), HFFT_ERROR_BLOCK, blocks,
          ", expected multiples of two numbers whose product is n, ", a.n[0]);
  Problem p;
  p.sign = a.sign;
  p.four_step = true;
  p.axes = (scrambled & HFFT_SCRAMBLED_IN) != 0 ? std::vector<int>{1, 0} : std::vector<int>{0, 1};
  const std::vector<std::ptrdiff_t> n{shape->rows, shape->columns};
  // Blocks of slabs count rows. A row has `columns` points, or `rows` numbers of a spectrum in
  // natural order.
  const auto slab = [&](bool natural, std::ptrdiff_t block) {
    const std::ptrdiff_t row = natural ? shape->rows : shape->columns;
    return Layout::slab(n, ranks,
                        {natural, block / row + (block % row != 0 ? 1 : 0), a.howmany, 0});
  };
  p.in = slab(false, a.iblock);
  p.out = slab(scrambled == 0, a.oblock);
  return p;
}

/// Returns the block size in points of a line that is stored as the rows of a matrix.
std::ptrdiff_t block_of_rows(const Layout &matrix) {
  const AxisLayout &slow = matrix.axes().front();
  return slow.distribution.block() * matrix.extent(1 - slow.axis);
}

/// True if the line's kind transforms reals to reals; false for a Fourier transform.
bool has_real_kind(const Arguments &a) {
  return a.kind == Kind::r2r || (a.kinds != nullptr && a.kinds[0] != HFFT_DFT);
}

/// Sizes of the blocks of a line, in points.
struct LineBlocks {
  std::ptrdiff_t in, out;
};

/// Returns the blocks of a line. For transforms between reals the user may set any block size, and
/// the default is the block of a Fourier transform of this length.
LineBlocks blocks_of_line(const Arguments &a, int ranks) {
  Arguments rows = a;
  if (has_real_kind(a)) rows.iblock = rows.oblock = 0;
  const Problem p = four_step_problem(rows, ranks);
  const auto block = [&](std::ptrdiff_t given, const Layout &matrix) {
    return has_real_kind(a) && given != 0 ? given : block_of_rows(matrix);
  };
  return {block(a.iblock, p.in), block(a.oblock, p.out)};
}

/// Returns the problem of lines with a kind between reals. The fields become the second axis of a
/// matrix, so that exchanges can give each rank whole lines.
Problem real_kind_problem(const Arguments &a, int ranks) {
  Problem p;
  p.kind = a.kind;
  p.sign = a.sign;
  p.axes = {0};
  set_kinds(p, a.kinds);
  std::vector<std::ptrdiff_t> n{a.n[0]};
  if (a.howmany > 1) n.push_back(a.howmany);
  const LineBlocks blocks = blocks_of_line(a, ranks);
  p.in = Layout::slab(n, ranks, {false, blocks.in, 1, 0});
  p.out = Layout::slab(n, ranks, {false, blocks.out, 1, 0});
  return p;
}

} // namespace

std::optional<LineShape> shape_of_line(std::ptrdiff_t n, std::ptrdiff_t iblock,
                                       std::ptrdiff_t oblock) {
  // A block of n or more points holds the complete line, so its size need not be a multiple of a
  // row.
  const auto fits = [n](std::ptrdiff_t block, std::ptrdiff_t row) {
    return block % row == 0 || block >= n;
  };
  const auto root = static_cast<std::ptrdiff_t>(std::sqrt(static_cast<double>(n)));
  for (std::ptrdiff_t d = std::clamp<std::ptrdiff_t>(root, 1, n); d >= 1; --d) {
    if (n % d != 0) continue;
    for (const LineShape &s : {LineShape{d, n / d}, LineShape{n / d, d}})
      if (fits(iblock, s.columns) && fits(oblock, s.rows)) return s;
  }
  return std::nullopt;
}

LineLayouts line_layouts(const Arguments &a, int ranks) {
  check_sizes(a, ranks);
  const LineBlocks blocks = blocks_of_line(a, ranks);
  const auto line = [&](std::ptrdiff_t block) {
    return Layout::slab(std::vector{a.n[0]}, ranks, {false, block, a.howmany, 0});
  };
  return {line(blocks.in), line(blocks.out)};
}

Problem check_line(const Arguments &a, int ranks) {
  require(a.kind == Kind::c2c || a.kind == Kind::r2r, HFFT_ERROR_UNSUPPORTED,
          "rank (number of dimensions) is 1, expected 2 or more for r2c and c2r");
  require(!a.needs_modes, HFFT_ERROR_UNSUPPORTED,
          "rank (number of dimensions) is 1, expected 2 or 3 for a pruned transform");
  check_sizes(a, ranks);
  constexpr unsigned transposed = HFFT_TRANSPOSED_IN | HFFT_TRANSPOSED_OUT;
  const bool real_kind = has_real_kind(a);
  Problem p = real_kind ? real_kind_problem(a, ranks) : four_step_problem(a, ranks);
  require((a.flags & transposed) == 0, HFFT_ERROR_FLAGS,
          "flags has HFFT_TRANSPOSED_IN or HFFT_TRANSPOSED_OUT, expected HFFT_SCRAMBLED_IN or "
          "HFFT_SCRAMBLED_OUT for one dimension");
  require(
      !real_kind || (a.flags & both_scrambled) == 0, HFFT_ERROR_FLAGS,
      "flags has HFFT_SCRAMBLED_IN or HFFT_SCRAMBLED_OUT, expected the kind HFFT_DFT for these");
  p.real_bytes = a.real_bytes;
  p.flags = a.flags & ~both_scrambled;
  p.scale = a.scale;
  set_execution(p, a);
  check(p, ranks);
  return p;
}

} // namespace hybridfft::plan
