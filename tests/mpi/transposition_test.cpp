// Every exchange algorithm puts every element where its own description says, for even and uneven
// blocks, and beyond MPI's int counts (with the limit lowered).
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <string>
#include <vector>

#include "exchange/alltoallv.h"
#include "exchange/exchange.h"
#include "support/mpi_test.h"

namespace {

using namespace hybridfft;
using namespace hybridfft::exchange;
using Complex = std::complex<double>;

/// Element v of global row i, column j.
Complex value(std::ptrdiff_t i, std::ptrdiff_t j, std::ptrdiff_t v) {
  return {static_cast<double>(i * 1000 + j), static_cast<double>(v)};
}

std::size_t offset(const SplitRows &m, std::ptrdiff_t row, std::ptrdiff_t column,
                   std::ptrdiff_t v) {
  for (const Piece &p : m.pieces)
    if (column >= p.first && column < p.first + p.count)
      return static_cast<std::size_t>(p.base + row * p.row_stride +
                                      (column - p.first) * p.column_stride + v);
  throw std::out_of_range("column " + std::to_string(column));
}

void expect_transposed(const Transposition &t, Exchange &exchange, int rank) {
  const Complex unwritten(-1, -1);
  const auto most =
      static_cast<std::size_t>(std::max(exchange.send().elements(), exchange.receive().elements()));
  std::vector<Complex> send(most + 1, unwritten);
  std::vector<Complex> receive(most + 1, unwritten);
  for (std::ptrdiff_t i = 0; i < t.rows.count(rank); ++i)
    for (std::ptrdiff_t j = 0; j < t.columns.n(); ++j)
      for (std::ptrdiff_t v = 0; v < t.vec; ++v)
        send[offset(exchange.send(), i, j, v)] = value(t.rows.start(rank) + i, j, v);
  exchange.execute(reinterpret_cast<std::byte *>(send.data()),
                   reinterpret_cast<std::byte *>(receive.data()));
  for (std::ptrdiff_t j = 0; j < t.columns.count(rank); ++j)
    for (std::ptrdiff_t i = 0; i < t.rows.n(); ++i)
      for (std::ptrdiff_t v = 0; v < t.vec; ++v)
        ASSERT_EQ(receive[offset(exchange.receive(), j, i, v)],
                  value(i, t.columns.start(rank) + j, v))
            << exchange.describe() << " row " << i << " column " << j;
  EXPECT_EQ(send.back(), unwritten);
  EXPECT_EQ(receive.back(), unwritten);
}

std::vector<Transposition> cases(int ranks) {
  std::vector<Transposition> list;
  for (const std::ptrdiff_t rows : {1, 7, 16})
    for (const std::ptrdiff_t columns : {1, 5, 24})
      for (const std::ptrdiff_t vec : {1, 3})
        for (const std::ptrdiff_t wider : {0, 4}) {
          const BlockDistribution plain(rows, ranks);
          list.push_back({BlockDistribution(rows, ranks, plain.block() + wider),
                          BlockDistribution(columns, ranks), vec, sizeof(double)});
        }
  return list;
}

TEST(Transposition, EveryAlgorithmMovesEveryElement) {
  const auto comm = acquire(MPI_COMM_WORLD);
  for (const Algorithm &algorithm : algorithms())
    for (const Transposition &t : cases(comm->size())) {
      const auto exchange = algorithm.make(t, comm, {64, true, false});
      if (exchange) expect_transposed(t, *exchange, comm->rank());
      // Alltoallv is the one that always applies.
      if (algorithm.name == std::string("alltoallv")) {
        EXPECT_NE(exchange, nullptr);
      }
    }
}

TEST(Transposition, CountsBeyondTheLimitOfMpiWork) {
  const auto comm = acquire(MPI_COMM_WORLD);
  for (const std::ptrdiff_t limit : {1, 3, 50})
    for (const Transposition &t : cases(comm->size())) {
      const auto exchange = make_alltoallv_with_limit(t, comm, limit);
      expect_transposed(t, *exchange, comm->rank());
    }
}

TEST(Transposition, FftwIsNotOfferedWithoutEnd) {
  // Each FFTW plan holds a communicator: after some, plans do without.
  const auto comm = acquire(MPI_COMM_WORLD);
  if (comm->size() == 1) GTEST_SKIP() << "one rank needs no exchange";
  const Transposition t{BlockDistribution(4, comm->size()), BlockDistribution(4, comm->size()), 1,
                        sizeof(float)};
  const Algorithm *fftw = nullptr;
  for (const Algorithm &a : algorithms())
    if (std::string(a.name) == "fftw") fftw = &a;
  ASSERT_NE(fftw, nullptr);
  std::vector<std::unique_ptr<Exchange>> held;
  for (int i = 0; i < 100; ++i)
    if (auto e = fftw->make(t, comm, {64, false, false})) held.push_back(std::move(e));
  EXPECT_GT(held.size(), 0U);
  EXPECT_LT(held.size(), 100U);
  held.clear();
  EXPECT_NE(fftw->make(t, comm, {64, false, false}), nullptr);
}

} // namespace
