// Compares local passes over matrices in pieces with the definition of the DFT.
#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <numbers>
#include <vector>

#include "local/passes.h"

namespace {

using namespace hybridfft;
using namespace hybridfft::local;
using Complex = std::complex<double>;

/// Returns a matrix with columns 0..n-1 in blocks of `block`. Each block is stored row by row (as a
/// sender does) or column by column (as a receiver does).
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

Complex &at(const SplitRows &m, std::vector<Complex> &data, std::ptrdiff_t row,
            std::ptrdiff_t column, std::ptrdiff_t v) {
  for (const Piece &p : m.pieces)
    if (column >= p.first && column < p.first + p.count)
      return data[static_cast<std::size_t>(p.base + row * p.row_stride +
                                           (column - p.first) * p.column_stride + v)];
  throw std::out_of_range("column");
}

Complex value(std::ptrdiff_t row, std::ptrdiff_t column, std::ptrdiff_t v) {
  const auto h = static_cast<std::uint64_t>(row * 7919 + column * 104729 + v * 1299709 + 1) *
                 0x9E3779B97F4A7C15ULL;
  return {static_cast<double>(h >> 40) / 16777216.0 - 0.5,
          static_cast<double>((h >> 16) & 0xFFFFFF) / 16777216.0 - 0.5};
}

void fill(const SplitRows &m, std::vector<Complex> &data) {
  for (std::ptrdiff_t r = 0; r < m.rows; ++r)
    for (std::ptrdiff_t c = 0; c < m.columns; ++c)
      for (std::ptrdiff_t v = 0; v < m.vec; ++v)
        at(m, data, r, c, v) = value(r, c, v);
}

std::byte *bytes(std::vector<Complex> &data) { return reinterpret_cast<std::byte *>(data.data()); }

constexpr unsigned estimate = 64; // FFTW_ESTIMATE

struct Shape {
  std::ptrdiff_t rows, columns, vec;
};

class Passes : public ::testing::TestWithParam<Shape> {};

// Sums of n terms of magnitude below 1 with eps 2.2e-16: 1e-13 covers n <= 64 with a wide margin.
constexpr double tolerance = 1e-13;

TEST_P(Passes, ColumnsBetweenAnyPieces) {
  const auto [rows, columns, vec] = GetParam();
  for (const int sign : {-1, 1})
    for (const auto order : {TileOrder::interleaved, TileOrder::lines})
      for (const int threads : {1, 3})
        for (const bool by_column : {false, true}) {
          const SplitRows from = in_pieces(rows, columns, vec, 3, by_column);
          const SplitRows to = in_pieces(rows, columns, vec, 5, !by_column);
          std::vector<Complex> in(static_cast<std::size_t>(from.elements()));
          std::vector<Complex> out(in.size());
          fill(from, in);
          const auto pass =
              make_column_pass<double>(from, to, sign, order, {threads, estimate, 2048});
          pass->execute(bytes(in), bytes(out));
          for (std::ptrdiff_t r = 0; r < rows; ++r)
            for (std::ptrdiff_t k = 0; k < columns; ++k)
              for (std::ptrdiff_t v = 0; v < vec; ++v) {
                Complex sum = 0;
                for (std::ptrdiff_t c = 0; c < columns; ++c)
                  sum += value(r, c, v) * std::polar(1.0, sign * 2 * std::numbers::pi *
                                                              static_cast<double>(c * k % columns) /
                                                              static_cast<double>(columns));
                ASSERT_NEAR(std::abs(at(to, out, r, k, v) - sum), 0, tolerance);
              }
        }
}

TEST_P(Passes, CopiesBetweenAnyPieces) {
  const auto [rows, columns, vec] = GetParam();
  for (const int threads : {1, 3}) {
    const SplitRows from = in_pieces(rows, columns, vec, 4, true);
    const SplitRows to = in_pieces(rows, columns, vec, 7, false);
    std::vector<Complex> in(static_cast<std::size_t>(from.elements()));
    std::vector<Complex> out(in.size());
    fill(from, in);
    make_copy_pass(from, to, sizeof(Complex), {threads, estimate, 1024})
        ->execute(bytes(in), bytes(out));
    for (std::ptrdiff_t r = 0; r < rows; ++r)
      for (std::ptrdiff_t c = 0; c < columns; ++c)
        for (std::ptrdiff_t v = 0; v < vec; ++v)
          ASSERT_EQ(at(to, out, r, c, v), value(r, c, v));
  }
}

TEST_P(Passes, PlanesScatterAndGather) {
  const auto [rows, columns, vec] = GetParam();
  const PlaneTransform forward{Kind::c2c, -1, {columns, vec}, 1};
  const PlaneTransform backward{Kind::c2c, 1, {columns, vec}, 1};
  const SplitRows tight = SplitRows::tight(rows, columns, vec);
  const SplitRows pieces = in_pieces(rows, columns, vec, 3, true);
  std::vector<Complex> in(static_cast<std::size_t>(tight.elements()));
  std::vector<Complex> middle(in.size());
  std::vector<Complex> out(in.size());
  fill(tight, in);
  const PassOptions options{2, estimate, 4096};
  make_plane_pass<double>(forward, tight, pieces, false, options)
      ->execute(bytes(in), bytes(middle));
  // The sum of each plane is its first Fourier coefficient, stored in the order of the pieces.
  for (std::ptrdiff_t r = 0; r < rows; ++r) {
    Complex sum = 0;
    for (std::ptrdiff_t c = 0; c < columns; ++c)
      for (std::ptrdiff_t v = 0; v < vec; ++v)
        sum += value(r, c, v);
    ASSERT_NEAR(std::abs(at(pieces, middle, r, 0, 0) - sum), 0, 1e-12);
  }
  make_plane_pass<double>(backward, pieces, tight, false, options)
      ->execute(bytes(middle), bytes(out));
  const auto scale = static_cast<double>(columns * vec);
  for (std::size_t i = 0; i < in.size(); ++i)
    ASSERT_NEAR(std::abs(out[i] / scale - in[i]), 0, tolerance);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Passes,
                         ::testing::Values(Shape{1, 8, 1}, Shape{13, 7, 1}, Shape{5, 16, 3},
                                           Shape{2, 11, 40}, Shape{0, 6, 4}, Shape{3, 1, 9},
                                           Shape{40, 12, 2}));

} // namespace
