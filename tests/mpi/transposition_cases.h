/// Cases of transpositions, and buffers in which each element has a different value.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <string>
#include <vector>

#include "exchange/exchange.h"

namespace hybridfft::test {

/// Returns cases with even, uneven, single and empty blocks, one element per point and several.
inline std::vector<exchange::Transposition> cases(int ranks) {
  std::vector<exchange::Transposition> list;
  for (const std::ptrdiff_t rows : {1, 7, 16})
    for (const std::ptrdiff_t columns : {1, 5, 24})
      for (const std::ptrdiff_t vec : {1, 3})
        for (const std::ptrdiff_t wider : {0, 4}) {
          const BlockDistribution plain(rows, ranks);
          list.push_back({BlockDistribution(rows, ranks, plain.block() + wider),
                          BlockDistribution(columns, ranks), vec, sizeof(double)});
        }
  for (const std::ptrdiff_t side : {1, 5}) // equal blocks
    for (const std::ptrdiff_t vec : {1, 3}) {
      const BlockDistribution d(side * ranks, ranks);
      list.push_back({d, d, vec, sizeof(double)});
    }
  return list;
}

/// The send and the receive buffer of an exchange, or its window, with guard values after them.
class Buffers {
public:
  using Complex = std::complex<double>;

  explicit Buffers(exchange::Exchange &exchange, double mark = 0)
      : mark_(mark), exchange_(exchange) {
    if (exchange.window() != nullptr) return;
    const auto most = static_cast<std::size_t>(
        std::max(exchange.send().elements(), exchange.receive().elements()));
    send_.assign(most + 1, unwritten);
    receive_.assign(most + 1, unwritten);
  }

  std::byte *send() { return reinterpret_cast<std::byte *>(from()); }
  std::byte *receive() { return reinterpret_cast<std::byte *>(to()); }

  void write_row(const exchange::Transposition &t, const SplitRows &m, int rank,
                 std::ptrdiff_t row) {
    for (std::ptrdiff_t j = 0; j < t.columns.n(); ++j)
      for (std::ptrdiff_t v = 0; v < t.vec; ++v)
        from()[offset(m, row, j, v)] = value(t.rows.start(rank) + row, j, v);
  }
  void write(const exchange::Transposition &t, const SplitRows &m, int rank) {
    for (std::ptrdiff_t i = 0; i < m.rows; ++i)
      write_row(t, m, rank, i);
  }

  void expect_row(const exchange::Transposition &t, const SplitRows &m, int rank,
                  std::ptrdiff_t row, const std::string &name) {
    for (std::ptrdiff_t i = 0; i < t.rows.n(); ++i)
      for (std::ptrdiff_t v = 0; v < t.vec; ++v)
        ASSERT_EQ(to()[offset(m, row, i, v)], value(i, t.columns.start(rank) + row, v))
            << name << " row " << i << " column " << row;
  }
  void expect(const exchange::Transposition &t, const SplitRows &m, int rank,
              const std::string &name) {
    for (std::ptrdiff_t j = 0; j < m.rows; ++j)
      expect_row(t, m, rank, j, name);
  }

  void expect_guards() const {
    if (exchange_.window() != nullptr) return;
    EXPECT_EQ(send_.back(), unwritten);
    EXPECT_EQ(receive_.back(), unwritten);
  }
  /// Returns a copy of the send buffer; it is empty if the exchange has a window.
  std::vector<Complex> copy_of_send() const { return send_; }

private:
  static constexpr Complex unwritten{-1, -1};

  /// Returns the value of element v of row i, column j of the matrix.
  Complex value(std::ptrdiff_t i, std::ptrdiff_t j, std::ptrdiff_t v) const {
    return {static_cast<double>(i * 1000 + j) + mark_, static_cast<double>(v)};
  }
  static std::ptrdiff_t offset(const SplitRows &m, std::ptrdiff_t row, std::ptrdiff_t column,
                               std::ptrdiff_t v) {
    for (const Piece &p : m.pieces)
      if (column >= p.first && column < p.first + p.count)
        return p.base + row * p.row_stride + (column - p.first) * p.column_stride + v;
    throw std::out_of_range("column " + std::to_string(column));
  }
  /// Returns the current address of the data; a window may move.
  Complex *window() const { return reinterpret_cast<Complex *>(exchange_.window()); }
  Complex *from() { return window() != nullptr ? window() : send_.data(); }
  Complex *to() {
    if (exchange_.in_place()) return send_.data();
    return window() != nullptr ? window() : receive_.data();
  }

  double mark_;
  const exchange::Exchange &exchange_;
  std::vector<Complex> send_, receive_;
};

/// Executes an exchange in one step, and checks the result. An exchange out of place, except
/// FFTW's, must not change its input.
inline void expect_transposed(const exchange::Transposition &t, exchange::Exchange &exchange,
                              int rank) {
  Buffers buffers(exchange);
  exchange.begin();
  buffers.write(t, exchange.send(), rank);
  const auto before = buffers.copy_of_send();
  exchange.execute(buffers.send(), buffers.receive());
  buffers.expect(t, exchange.receive(), rank, exchange.describe());
  buffers.expect_guards();
  if (exchange.describe() != "fftw" && !exchange.in_place()) {
    EXPECT_EQ(buffers.copy_of_send(), before) << exchange.describe();
  }
}

} // namespace hybridfft::test
