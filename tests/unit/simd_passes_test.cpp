// Compares passes with SIMD kernels with the same passes of FFTW. Other tests compare FFTW's passes
// with the definition of the DFT. The cases cover every instruction set, shape of tile, storage in
// pieces, kind of store, alignment and range of rows.
#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "base/memory.h"
#include "layout/split_rows.h"
#include "local/four_step.h"
#include "local/passes.h"
#include "simd/fft.h"

namespace {

using namespace hybridfft;
using namespace hybridfft::local;

constexpr unsigned estimate = 64; // FFTW_ESTIMATE

/// Returns a matrix with columns in blocks of `block`, stored column by column ([c][row][v], like
/// messages) or row by row.
SplitRows in_pieces(std::ptrdiff_t rows, std::ptrdiff_t columns, std::ptrdiff_t vec,
                    std::ptrdiff_t block, bool column_by_column) {
  SplitRows m{rows, columns, vec, {}};
  for (std::ptrdiff_t c = 0; c < columns; c += block) {
    const std::ptrdiff_t count = std::min(block, columns - c);
    m.pieces.push_back({c, count, c * rows * vec, column_by_column ? vec : count * vec,
                        column_by_column ? rows * vec : vec});
  }
  return m;
}

/// An array of reals whose first element is `shift` bytes after a cache line boundary.
template <class Real> class Array {
public:
  Array(std::ptrdiff_t complex, std::size_t shift)
      : reals_(2 * static_cast<std::size_t>(complex)),
        memory_(reals_ * sizeof(Real) + shift + alignment, 1), shift_(shift) {}
  std::byte *bytes() const { return memory_.data() + shift_; }
  Real *data() const { return reinterpret_cast<Real *>(bytes()); }
  std::size_t size() const { return reals_; }
  /// Fills it with numbers in -0.5 .. 0.5, the same on every machine.
  void fill(std::uint64_t seed) {
    for (std::size_t i = 0; i < reals_; ++i) {
      std::uint64_t h = (seed * 1000003 + i + 1) * 0x9E3779B97F4A7C15ULL;
      h = (h ^ (h >> 29)) * 0xBF58476D1CE4E5B9ULL;
      data()[i] = static_cast<Real>(static_cast<double>(h >> 24) / 1099511627776.0 - 0.5);
    }
  }

private:
  std::size_t reals_;
  Memory memory_;
  std::size_t shift_;
};

/// Compares sums of up to 1000 terms below 1. The tolerance is a few hundred roundings of either
/// precision.
template <class Real>
void expect_equal(const Array<Real> &found, const Array<Real> &expected, const std::string &what) {
  const double tolerance = sizeof(Real) == 4 ? 1e-4 : 1e-12;
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(found.data()[i], expected.data()[i], tolerance) << what << " real " << i;
}

struct Variant {
  simd::Isa isa;
  simd::Store store;
  std::size_t shift;
  int threads;
  bool in_ranges;
};

class SimdPasses : public ::testing::TestWithParam<Variant> {
protected:
  static PassOptions options(Kernel kernel) {
    PassOptions o{GetParam().threads, estimate, 4096};
    o.kernel = kernel;
    o.store = GetParam().store;
    o.isa = GetParam().isa;
    return o;
  }

  /// Executes all rows at once, or in three ranges from the last to the first.
  static void execute(const Pass &pass, std::byte *in, std::byte *out) {
    if (!GetParam().in_ranges) return pass.execute(in, out);
    int polls = 0;
    auto count = [&polls] { ++polls; };
    const std::ptrdiff_t unit = pass.row_unit();
    const std::ptrdiff_t a = pass.rows() / 3 / unit * unit;
    const std::ptrdiff_t b = 2 * pass.rows() / 3 / unit * unit;
    pass.execute(in, out, {b, pass.rows()}, Poll(count));
    pass.execute(in, out, {a, b}, Poll(count));
    pass.execute(in, out, {0, a}, Poll(count));
    if (pass.rows() > 0) {
      EXPECT_GT(polls, 0);
    }
  }

  template <class Real>
  static void expect_columns(const SplitRows &from, const SplitRows &to, int sign) {
    const std::string what = std::to_string(from.rows) + "x" + std::to_string(from.columns) + "x" +
                             std::to_string(from.vec);
    Array<Real> in(from.elements(), GetParam().shift);
    Array<Real> out(from.elements(), GetParam().shift);
    Array<Real> expected(from.elements(), 0);
    in.fill(1);
    const auto pass =
        make_column_pass<Real>(from, to, sign, TileOrder::interleaved, options(Kernel::simd));
    ASSERT_NE(pass->describe().find("kernels"), std::string::npos) << pass->describe();
    make_column_pass<Real>(from, to, sign, TileOrder::interleaved, options(Kernel::fftw))
        ->execute(in.bytes(), expected.bytes());
    execute(*pass, in.bytes(), out.bytes());
    expect_equal(out, expected, what);
    if (!(from == to)) return;
    execute(*pass, in.bytes(), in.bytes());
    expect_equal(in, expected, what + " in place");
  }

  template <class Real>
  static void expect_planes(const PlaneTransform &t, const SplitRows &from, const SplitRows &to) {
    const std::string what = pass_name(t, from);
    Array<Real> in(from.elements(), GetParam().shift);
    in.fill(2);
    Array<Real> kept(from.elements(), 0);
    kept.fill(2);
    Array<Real> out(from.elements(), GetParam().shift);
    Array<Real> expected(from.elements(), 0);
    const auto pass = make_plane_pass<Real>(t, from, to, false, options(Kernel::simd));
    ASSERT_NE(pass->describe().find("kernels"), std::string::npos) << pass->describe();
    make_plane_pass<Real>(t, from, to, false, options(Kernel::fftw))
        ->execute(kept.bytes(), expected.bytes());
    execute(*pass, in.bytes(), out.bytes());
    clear_padding(t, to, expected);
    clear_padding(t, to, out);
    expect_equal(out, expected, what);
    if (!from.is_tight() || !to.is_tight()) return;
    const auto in_place = make_plane_pass<Real>(t, from, to, true, options(Kernel::simd));
    execute(*in_place, in.bytes(), in.bytes());
    clear_padding(t, to, in);
    expect_equal(in, expected, what + " in place");
  }

  static std::string pass_name(const PlaneTransform &t, const SplitRows &from) {
    std::string text = t.kind == Kind::c2c ? "c2c" : t.kind == Kind::r2c ? "r2c" : "c2r";
    text += " " + std::to_string(from.rows) + " of";
    for (const std::ptrdiff_t n : t.extents)
      text += " " + std::to_string(n);
    return text;
  }

  /// Clears the padding of lines of reals, because its contents are arbitrary.
  template <class Real>
  static void clear_padding(const PlaneTransform &t, const SplitRows &to, const Array<Real> &a) {
    if (t.kind != Kind::c2r) return;
    const auto n = static_cast<std::size_t>(t.extents.back());
    const std::size_t line = 2 * (n / 2 + 1);
    const auto lines = static_cast<std::size_t>(to.elements()) * 2 / line;
    for (std::size_t l = 0; l < lines; ++l)
      for (std::size_t i = n; i < line; ++i)
        a.data()[l * line + i] = 0;
  }
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SimdPasses);

TEST_P(SimdPasses, Columns) {
  struct Shape {
    std::ptrdiff_t rows, columns, vec;
  };
  // The shapes have complete groups of lanes, remainders, many rows in one group, or no elements.
  for (const Shape s :
       {Shape{3, 12, 32}, Shape{2, 16, 37}, Shape{3, 37, 35}, Shape{7, 9, 5}, Shape{40, 6, 1},
        Shape{1, 64, 16}, Shape{0, 8, 8}, Shape{5, 1, 18}, Shape{3, 26, 3}, Shape{48, 16, 1}})
    for (const bool by_column : {false, true})
      for (const int sign : {-1, 1}) {
        const SplitRows from = in_pieces(s.rows, s.columns, s.vec, 5, by_column);
        const SplitRows to = in_pieces(s.rows, s.columns, s.vec, s.columns, !by_column);
        expect_columns<float>(from, to, sign);
        expect_columns<double>(to, from, sign);
        expect_columns<double>(from, from, sign);
        expect_columns<float>(to, to, sign);
      }
}

/// In pieces of one column, adjacent rows are adjacent in memory, and has_runs() is true although
/// the points of a line are not contiguous. Passes must choose a kernel that is right for this
/// case.
TEST_P(SimdPasses, LinesInSinglePoints) {
  const SplitRows points = in_pieces(37, 6, 1, 1, true);
  for (const bool by_column : {false, true}) {
    const SplitRows other = in_pieces(37, 6, 1, 4, by_column);
    expect_columns<float>(points, other, 1);
    expect_columns<double>(other, points, -1);
    expect_planes<double>({Kind::c2c, -1, {6}, 1}, points, in_pieces(37, 6, 1, 6, by_column));
    expect_planes<float>({Kind::c2c, -1, {6}, 1}, in_pieces(37, 6, 1, 6, by_column), points);
  }
  expect_columns<double>(points, points, 1);
}

/// Transforms lines whose lengths have three or four factors: in several tiles together, in a few
/// tiles, and as remaining lines. The tiles of 2048 points are streamed in place.
TEST_P(SimdPasses, LongColumns) {
  for (const std::ptrdiff_t count : {19, 140}) {
    const SplitRows lines = SplitRows::tight(count, 1280, 1);
    expect_columns<float>(in_pieces(count, 1280, 1, 640, true), lines, -1);
    expect_columns<double>(lines, in_pieces(count, 1280, 1, 640, true), 1);
  }
  expect_columns<float>(SplitRows::tight(1, 2048, 148), SplitRows::tight(1, 2048, 148), -1);
  expect_columns<double>(SplitRows::tight(2, 2048, 64), SplitRows::tight(2, 2048, 64), 1);
  expect_columns<float>(SplitRows::tight(1, 1280, 21), SplitRows::tight(1, 1280, 21), 1);
  expect_columns<double>(SplitRows::tight(1, 65536, 8), SplitRows::tight(1, 65536, 8), -1);
}

/// Lines of more than eight cache lines that do not start at cache lines: in source or destination
/// or both, contiguous in a row or in a column, with a prime length, and with gaps in the source.
TEST_P(SimdPasses, LongLinesOfColumns) {
  const bool streamed = GetParam().store == simd::Store::streamed;
  for (const std::ptrdiff_t vec : {67, 131})
    for (const bool by_column : {false, true})
      for (const std::ptrdiff_t n : {20, 37}) {
        const SplitRows from = in_pieces(5, n, vec, 7, by_column);
        const SplitRows to = in_pieces(5, n, vec, n, !by_column);
        expect_columns<float>(from, to, -1);
        expect_columns<double>(to, from, 1);
        const auto pass =
            make_column_pass<float>(from, to, -1, TileOrder::interleaved, options(Kernel::simd));
        EXPECT_EQ(pass->describe().find("streamed by line") != std::string::npos, streamed)
            << pass->describe();
      }
  const RetainedModes modes(20, 15, false);
  expect_columns<double>(modes.spread(in_pieces(5, 15, 67, 3, true)), SplitRows::tight(5, 20, 67),
                         1);
  expect_columns<float>(SplitRows::tight(5, 20, 67), modes.spread(in_pieces(5, 15, 67, 3, false)),
                        -1);
}

TEST_P(SimdPasses, ComplexPlanes) {
  for (const std::ptrdiff_t n1 : {1, 10, 16, 33, 37})
    for (const std::ptrdiff_t n2 : {1, 7, 16, 41, 48, 50, 128, 256})
      for (const int sign : {-1, 1}) {
        const PlaneTransform t{Kind::c2c, sign, {n1, n2}, 1};
        const SplitRows tight = SplitRows::tight(4, n1, n2);
        expect_planes<float>(t, tight, tight);
        expect_planes<double>(t, tight, in_pieces(4, n1, n2, 4, true));
        expect_planes<float>(t, in_pieces(4, n1, n2, 6, false), tight);
        expect_planes<double>(t, tight, in_pieces(4, n1, n2, 6, false));
      }
}

/// A plane larger than a second-level cache is streamed in place.
TEST_P(SimdPasses, LargePlanes) {
  const SplitRows tight = SplitRows::tight(2, 260, 256);
  expect_planes<float>({Kind::c2c, -1, {260, 256}, 1}, tight, tight);
  expect_planes<double>({Kind::c2c, 1, {260, 256}, 1}, tight, tight);
}

TEST_P(SimdPasses, RealPlanes) {
  for (const std::ptrdiff_t n1 : {1, 6, 16, 37, 40})
    for (const std::ptrdiff_t n2 : {1, 2, 9, 16, 30, 37, 64}) {
      const std::ptrdiff_t half = n2 / 2 + 1;
      const SplitRows tight = SplitRows::tight(3, n1, half);
      expect_planes<float>({Kind::r2c, -1, {n1, n2}, 1}, tight, tight);
      expect_planes<double>({Kind::r2c, -1, {n1, n2}, 1}, tight, in_pieces(3, n1, half, 4, true));
      expect_planes<float>({Kind::r2c, -1, {n1, n2}, 1}, tight, in_pieces(3, n1, half, 4, false));
      expect_planes<float>({Kind::c2r, 1, {n1, n2}, 1}, tight, tight);
      expect_planes<double>({Kind::c2r, 1, {n1, n2}, 1}, in_pieces(3, n1, half, 4, true), tight);
    }
}

/// Unaligned lines are streamed if they are adjacent.
TEST_P(SimdPasses, StreamsUnalignedLines) {
  const SplitRows tight = SplitRows::tight(3, 16, 33);
  const SplitRows apart = in_pieces(3, 16, 33, 1, true);
  const PlaneTransform t{Kind::r2c, -1, {16, 64}, 1};
  const auto streams = [&](const SplitRows &to) {
    return make_plane_pass<float>(t, tight, to, false, options(Kernel::simd))
               ->describe()
               .find("streamed") != std::string::npos;
  };
  EXPECT_EQ(streams(tight), GetParam().store == simd::Store::streamed);
  EXPECT_FALSE(streams(apart));
}

/// Long lines of successive planes that are adjacent in memory share cache lines.
TEST_P(SimdPasses, AdjacentPlanes_LinesShareCacheLines) {
  for (const std::ptrdiff_t n2 : {128, 266}) {
    const PlaneTransform t{Kind::r2c, -1, {20, n2}, 1};
    const std::ptrdiff_t half = n2 / 2 + 1;
    const SplitRows tight = SplitRows::tight(7, 20, half);
    expect_planes<float>(t, tight, in_pieces(7, 20, half, 12, true));
    expect_planes<double>(t, tight, in_pieces(7, 20, half, 20, true));
  }
}

template <class Real> bool go_in_pairs(simd::Isa isa, std::ptrdiff_t n) {
  const auto *kernels = simd::fft_kernels<Real>(isa);
  if (kernels == nullptr || !FourStepFft<Real>::applies_to_reals(isa, n)) return false;
  const bool wide = kernels->lanes * static_cast<std::ptrdiff_t>(sizeof(Real)) >= 64;
  return n >= (wide ? 8 : 16) * kernels->lanes;
}

/// Long real lines are transformed in parts (four-step algorithm), in pairs or two pairs together.
/// An odd last line is paired with itself. The lengths of the parts have factors 7, 11, 17 and 19.
TEST_P(SimdPasses, LongRealPlanes) {
  const auto expect_pairs = [&](auto real, const PlaneTransform &t, const SplitRows &m) {
    using Real = decltype(real);
    const auto pass = make_plane_pass<Real>(t, m, m, false, options(Kernel::simd));
    EXPECT_EQ(pass->describe().find("in parts") != std::string::npos,
              go_in_pairs<Real>(GetParam().isa, t.extents[1]))
        << pass->describe();
  };
  for (const std::ptrdiff_t n1 : {1, 3, 6, 36})
    for (const std::ptrdiff_t n2 : {64, 88, 128, 136, 152, 192, 224, 256, 384, 512, 640}) {
      const std::ptrdiff_t half = n2 / 2 + 1;
      const SplitRows tight = SplitRows::tight(2, n1, half);
      const SplitRows pieces = in_pieces(2, n1, half, 3, true);
      const PlaneTransform forward{Kind::r2c, -1, {n1, n2}, 1};
      const PlaneTransform backward{Kind::c2r, 1, {n1, n2}, 1};
      expect_planes<float>(forward, tight, tight);
      expect_planes<double>(forward, tight, pieces);
      expect_planes<float>(backward, pieces, tight);
      expect_planes<double>(backward, tight, tight);
      for (const PlaneTransform &t : {forward, backward}) {
        expect_pairs(float(), t, tight);
        expect_pairs(double(), t, tight);
      }
    }
}

/// Columns without storage are read as zeros, and not written.
TEST_P(SimdPasses, PrunedColumns) {
  struct Shape {
    std::ptrdiff_t rows, columns, modes, vec;
  };
  for (const Shape s : {Shape{3, 12, 8, 32}, Shape{2, 16, 1, 37}, Shape{3, 37, 24, 5},
                        Shape{40, 6, 5, 1}, Shape{1, 64, 42, 16}})
    for (const bool by_column : {false, true})
      for (const int sign : {-1, 1}) {
        const RetainedModes modes(s.columns, s.modes, false);
        const SplitRows all = in_pieces(s.rows, s.columns, s.vec, 5, !by_column);
        const SplitRows kept = modes.spread(in_pieces(s.rows, s.modes, s.vec, 3, by_column));
        expect_columns<float>(all, kept, sign);
        expect_columns<double>(kept, all, sign);
      }
}

TEST_P(SimdPasses, PrunedLines) {
  for (const std::ptrdiff_t n : {6, 9, 16, 37, 256})
    for (const std::ptrdiff_t m : {n - 1, 2 * n / 3, std::ptrdiff_t{1}}) {
      const RetainedModes complex(n, m, false);
      const SplitRows all = SplitRows::tight(21, n, 1);
      const SplitRows kept = complex.spread(SplitRows::tight(21, m, 1));
      expect_planes<float>({Kind::c2c, -1, {n}, 1}, all, kept);
      expect_planes<double>({Kind::c2c, 1, {n}, 1}, kept, all);
      const RetainedModes real(n, m, true);
      const SplitRows half = SplitRows::tight(21, n / 2 + 1, 1);
      const SplitRows kept_half = real.spread(SplitRows::tight(21, m / 2 + 1, 1));
      expect_planes<double>({Kind::r2c, -1, {n}, 1}, half, kept_half);
      expect_planes<float>({Kind::c2r, 1, {n}, 1}, kept_half, half);
    }
}

/// Compares plane transforms with separate transforms of lines and columns.
template <class Real>
void expect_pruned_planes(std::ptrdiff_t n1, std::ptrdiff_t m1, std::ptrdiff_t n2,
                          std::ptrdiff_t modes2, const PassOptions &simd, const PassOptions &fftw,
                          std::size_t shift) {
  constexpr std::ptrdiff_t rows = 3;
  const SplitRows planes = SplitRows::tight(rows, n1, n2 / 2 + 1);
  const SplitRows lines = SplitRows::tight(rows * n1, n2 / 2 + 1, 1);
  const SplitRows between = SplitRows::tight(rows, n1, modes2);
  SplitRows some_lines = SplitRows::tight(rows * n1, modes2, 1);
  some_lines.columns = n2 / 2 + 1;
  const SplitRows modes = RetainedModes(n1, m1, false).spread(in_pieces(rows, m1, modes2, 4, true));
  const auto make = [&](Kind kind, std::vector<std::ptrdiff_t> n, const SplitRows &from,
                        const SplitRows &to, const PassOptions &o) {
    return make_plane_pass<Real>({kind, kind == Kind::r2c ? -1 : 1, std::move(n), 1}, from, to,
                                 false, o);
  };
  const auto columns = [&](const SplitRows &from, const SplitRows &to, int sign) {
    return make_column_pass<Real>(from, to, sign, TileOrder::interleaved, fftw);
  };
  const std::string what = std::to_string(n1) + "x" + std::to_string(n2);
  Array<Real> in(planes.elements(), shift), between_both(planes.elements(), 0);
  Array<Real> out(planes.elements(), shift), expected(planes.elements(), 0);
  in.fill(3);
  make(Kind::r2c, {n2}, lines, some_lines, fftw)->execute(in.bytes(), between_both.bytes());
  columns(between, modes, -1)->execute(between_both.bytes(), expected.bytes());
  make(Kind::r2c, {n1, n2}, planes, modes, simd)->execute(in.bytes(), out.bytes());
  expect_equal(out, expected, "forward " + what);

  Array<Real> back(planes.elements(), shift), expected_back(planes.elements(), 0);
  columns(modes, between, 1)->execute(out.bytes(), between_both.bytes());
  make(Kind::c2r, {n2}, some_lines, lines, fftw)
      ->execute(between_both.bytes(), expected_back.bytes());
  make(Kind::c2r, {n1, n2}, modes, planes, simd)->execute(out.bytes(), back.bytes());
  for (std::ptrdiff_t l = 0; l < rows * n1; ++l)
    for (std::ptrdiff_t i = 0; i < n2; ++i) {
      const auto at = static_cast<std::size_t>(l * 2 * (n2 / 2 + 1) + i);
      // The tolerance of expect_equal(), for numbers that are n1 * n2 times as large.
      const double tolerance = (sizeof(Real) == 4 ? 1e-4 : 1e-12) * static_cast<double>(n1 * n2);
      ASSERT_NEAR(back.data()[at], expected_back.data()[at], tolerance) << what;
    }
}

TEST_P(SimdPasses, PrunedRealPlanes) {
  const std::size_t shift = GetParam().shift;
  for (const std::ptrdiff_t n1 : {6, 16, 37})
    for (const std::ptrdiff_t n2 : {9, 16, 37, 64})
      for (const std::ptrdiff_t modes2 : {std::ptrdiff_t{1}, n2 / 3, n2 / 2 + 1}) {
        const PassOptions simd = options(Kernel::simd), fftw = options(Kernel::fftw);
        expect_pruned_planes<float>(n1, 2 * n1 / 3, n2, modes2, simd, fftw, shift);
        expect_pruned_planes<double>(n1, n1, n2, modes2, simd, fftw, shift);
        expect_pruned_planes<double>(n1, 1, n2, modes2, simd, fftw, shift);
      }
  for (const std::ptrdiff_t n2 : {256, 384, 640})
    for (const std::ptrdiff_t modes2 : {std::ptrdiff_t{1}, n2 / 3, n2 / 2 - 1, n2 / 2 + 1}) {
      const PassOptions simd = options(Kernel::simd), fftw = options(Kernel::fftw);
      expect_pruned_planes<float>(7, 5, n2, modes2, simd, fftw, shift);
      expect_pruned_planes<double>(8, 8, n2, modes2, simd, fftw, shift);
    }
}

TEST_P(SimdPasses, Lines) {
  for (const std::ptrdiff_t rows : {0, 1, 5, 16, 45})
    for (const std::ptrdiff_t n : {1, 8, 15, 70, 74, 128, 256}) {
      const SplitRows tight = SplitRows::tight(rows, n, 1);
      const SplitRows half = SplitRows::tight(rows, n / 2 + 1, 1);
      if (rows > 0) {
        expect_planes<float>({Kind::c2c, -1, {n}, 1}, tight, tight);
        expect_planes<double>({Kind::c2c, 1, {n}, 1}, tight, in_pieces(rows, n, 1, 3, true));
        expect_planes<double>({Kind::c2c, 1, {n}, 1}, in_pieces(rows, n, 1, 4, false), tight);
        expect_planes<float>({Kind::c2c, -1, {n}, 1}, in_pieces(rows, n, 1, n, true), tight);
        const SplitRows three = SplitRows::tight(rows, n, 3);
        expect_planes<float>({Kind::c2c, -1, {n}, 3}, three, three);
        expect_planes<double>({Kind::c2c, 1, {n}, 3}, in_pieces(rows, n, 3, 4, false), three);
        expect_planes<float>({Kind::r2c, -1, {n}, 1}, half, half);
        expect_planes<double>({Kind::r2c, -1, {n}, 1}, half,
                              in_pieces(rows, n / 2 + 1, 1, 2, true));
        expect_planes<float>({Kind::c2r, 1, {n}, 1}, half, half);
        expect_planes<double>({Kind::c2r, 1, {n}, 1}, in_pieces(rows, n / 2 + 1, 1, 2, true), half);
      }
    }
}

/// Expects the same bits for lines and planes of a block of rows as for these rows one by one.
template <class Real> void expect_position_independent(simd::Isa isa, const PlaneTransform &t) {
  PassOptions o{1, estimate, 4096};
  o.kernel = Kernel::simd;
  o.isa = isa;
  o.deterministic = true;
  const std::ptrdiff_t rows = 37;
  const std::ptrdiff_t half = t.extents.back() / 2 + 1;
  const std::ptrdiff_t points = t.kind == Kind::c2c ? t.extents.back() : half;
  const bool lines = t.extents.size() == 1;
  const auto matrix = [&](std::ptrdiff_t n) {
    return lines ? SplitRows::tight(n, points, 1) : SplitRows::tight(n, t.extents[0], points);
  };
  const SplitRows all = matrix(rows);
  const SplitRows one = matrix(1);
  Array<Real> in(all.elements(), 0);
  Array<Real> together(all.elements(), 0);
  in.fill(3);
  Array<Real> kept(all.elements(), 0);
  kept.fill(3);
  make_plane_pass<Real>(t, all, all, false, o)->execute(in.bytes(), together.bytes());
  const auto single = make_plane_pass<Real>(t, one, one, false, o);
  const auto reals = static_cast<std::size_t>(2 * one.elements());
  for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r) {
    Array<Real> row(one.elements(), 0);
    Array<Real> result(one.elements(), 0);
    std::memcpy(row.data(), kept.data() + r * reals, reals * sizeof(Real));
    std::memcpy(result.data(), together.data() + r * reals, reals * sizeof(Real));
    single->execute(row.bytes(), result.bytes());
    for (std::size_t i = 0; i < reals; ++i)
      ASSERT_EQ(result.data()[i], together.data()[r * reals + i]) << "row " << r << " real " << i;
  }
}

TEST_P(SimdPasses, DeterministicRowsDoNotDependOnTheirNeighbours) {
  for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r})
    for (const std::vector<std::ptrdiff_t> &n :
         {std::vector<std::ptrdiff_t>{12}, {15}, {9, 14}, {20, 48}}) {
      const int sign = kind == Kind::c2r ? 1 : -1;
      expect_position_independent<float>(GetParam().isa, {kind, sign, n, 1});
      expect_position_independent<double>(GetParam().isa, {kind, sign, n, 1});
    }
}

TEST(SimdPassFallback, MachinesWithoutKernelsStayWithFftw) {
  PassOptions o{1, estimate, 4096};
  o.kernel = Kernel::simd;
  o.isa = simd::find("scalar");
  const SplitRows m = SplitRows::tight(3, 16, 4);
  EXPECT_EQ(
      make_column_pass<double>(m, m, -1, TileOrder::interleaved, o)->describe().find("kernels"),
      std::string::npos);
  EXPECT_EQ(make_plane_pass<double>({Kind::c2c, -1, {16, 4}, 1}, m, m, false, o)
                ->describe()
                .find("kernels"),
            std::string::npos);
}

std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (const simd::Isa isa : simd::instruction_sets())
    if (simd::supported(isa) && simd::fft_kernels<float>(isa) != nullptr) {
      all.push_back({isa, simd::Store::cached, 0, 1, false});
      all.push_back({isa, simd::Store::cached, sizeof(double), 3, true});
      all.push_back({isa, simd::Store::streamed, 0, 3, false});
      all.push_back({isa, simd::Store::streamed, 2 * sizeof(double), 1, true});
    }
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, SimdPasses, ::testing::ValuesIn(variants()), [](const auto &info) {
  const Variant &v = info.param;
  return std::string(simd::name(v.isa)) +
         (v.store == simd::Store::streamed ? "Streamed" : "Cached") + "Shift" +
         std::to_string(v.shift) + "Threads" + std::to_string(v.threads) +
         (v.in_ranges ? "Ranges" : "");
});

} // namespace
