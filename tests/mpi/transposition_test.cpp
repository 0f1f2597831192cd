// Tests that every exchange algorithm moves each element to the place that its own description
// states. The cases have even and uneven blocks, all orders of the buffers, exchanges in one step
// and in chunks, and counts beyond MPI's int (with a lowered limit).
#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <complex>
#include <string>
#include <vector>

#include "exchange/algorithms.h"
#include "exchange/exchange.h"
#include "exchange/messages.h"
#include "hybridfft/mpi_kind.h"
#include "support/mpi_test.h"
#include "support/skipped_cases.h"
#include "transposition_cases.h"

namespace {

using namespace hybridfft;
using namespace hybridfft::exchange;
using namespace hybridfft::test;

/// The parameter is the name of an algorithm: each one is a separate test.
class Transpositions : public ::testing::TestWithParam<std::string> {
protected:
  const Algorithm &algorithm() const {
    const auto all = algorithms();
    return *std::find_if(all.begin(), all.end(),
                         [](const Algorithm &a) { return a.name == GetParam(); });
  }

  static std::vector<ExchangeOptions> orders() {
    std::vector<ExchangeOptions> list;
    for (const bool tight : {false, true})
      for (const bool final : {false, true}) {
        ExchangeOptions options{true};
        options.tight_send = options.keep_send = tight;
        options.final_order = final;
        list.push_back(options);
      }
    list.emplace_back(ExchangeOptions{true}).in_place = true;
    return list;
  }
};

TEST_P(Transpositions, MoveEveryElementInEveryOrder) {
  const auto comm = acquire(test::world());
  for (const ExchangeOptions &options : orders())
    for (const Transposition &t : cases(comm->size())) {
      const auto exchange = algorithm().make(t, comm, options);
      if (!exchange) continue;
      if (exchange->window() == nullptr) {
        EXPECT_TRUE(!options.tight_send || exchange->send().is_tight());
        EXPECT_TRUE(!options.final_order || exchange->receive().is_tight());
      }
      // The second execution must not depend on the first one.
      for (int i = 0; i < 2; ++i)
        expect_transposed(t, *exchange, comm->rank());
    }
}

TEST_P(Transpositions, CountsBeyondTheLimitOfMpiWork) {
  const auto comm = acquire(test::world());
  for (const std::ptrdiff_t limit : {1, 3, 50})
    for (ExchangeOptions options : orders())
      for (const Transposition &t : cases(comm->size())) {
        options.largest_count = limit;
        const auto exchange = algorithm().make(t, comm, options);
        if (exchange) expect_transposed(t, *exchange, comm->rank());
      }
}

TEST_P(Transpositions, ApplyOrNotOnAllRanksAlike) {
  const auto comm = acquire(test::world());
  const bool always = GetParam() != "fftw" && GetParam() != "shared";
  for (const Transposition &t : cases(comm->size())) {
    ExchangeOptions options{true};
    options.in_place = algorithm().in_place;
    const auto exchange = algorithm().make(t, comm, options);
    EXPECT_TRUE(same_everywhere(exchange ? 1 : 0));
    if (always) {
      EXPECT_EQ(exchange != nullptr, !options.in_place || has_equal_blocks(t));
    }
  }
}

TEST_P(Transpositions, OfMoreThanTwoToTheThirtyFirstElementsCanBePlanned) {
  if (GetParam() == "fftw") GTEST_SKIP() << "takes the arrays to plan on";
  const auto comm = acquire(test::world());
  const std::ptrdiff_t n = (std::ptrdiff_t{1} << 20) + 7;
  const Transposition t{BlockDistribution(n, comm->size()), BlockDistribution(n, comm->size()), 5,
                        sizeof(double)};
  for (const ExchangeOptions &options : orders()) {
    const auto exchange = algorithm().make(t, comm, options);
    if (!exchange) continue;
    EXPECT_EQ(exchange->send().elements(), t.rows.count(comm->rank()) * n * 5);
    EXPECT_EQ(exchange->receive().elements(), t.columns.count(comm->rank()) * n * 5);
    if (GetParam() != "eager" || comm->size() == 1) continue;
    // Messages of the usual eager size would number billions. The library limits their number by
    // larger messages: each message of a chunk, except the last ones, has at least half of the
    // larger size.
    const std::string words = exchange->describe();
    const auto at = words.find(" chunks, ");
    ASSERT_NE(at, std::string::npos) << words;
    const std::ptrdiff_t messages =
        std::atoll(words.c_str() + at + std::string(" chunks, ").size());
    EXPECT_GT(messages, max_messages / 2) << words;
    EXPECT_LE(messages, 2 * max_messages + 64 * comm->size()) << words;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Transpositions, ::testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const Algorithm &a : algorithms())
                             names.emplace_back(a.name);
                           return names;
                         }()),
                         [](const auto &info) { return info.param; });

/// Transposes like a plan: writes a few rows at a time, and reads rows as they arrive.
void expect_transposed_in_chunks(const Transposition &t, ChunkedExchange &exchange, int rank) {
  Buffers buffers(exchange);
  exchange.start(buffers.send(), buffers.receive());
  const std::ptrdiff_t rows = t.rows.count(rank);
  for (std::ptrdiff_t i = 0; i < rows; ++i) {
    buffers.write_row(t, exchange.send(), rank, i);
    exchange.poll();
    if (i % 2 == 1) exchange.rows_written(i + 1);
  }
  exchange.rows_written(rows);
  for (std::ptrdiff_t j = 0; j < t.columns.count(rank); ++j) {
    exchange.wait_rows(j + 1);
    exchange.poll();
    buffers.expect_row(t, exchange.receive(), rank, j, exchange.describe());
  }
  exchange.finish();
  buffers.expect_guards();
}

TEST(Pipelined, AnyChunksArriveInTime) {
  const auto comm = acquire(test::world());
  for (const ChunkCounts chunks : {ChunkCounts{1, 1}, ChunkCounts{3, 1}, ChunkCounts{1, 2},
                                   ChunkCounts{2, 3}, ChunkCounts{8, 4}})
    for (const bool tight : {false, true})
      for (const Transposition &t : cases(comm->size())) {
        ExchangeOptions options{true};
        options.tight_send = tight;
        // With 0, each chunk is one message. With more, messages have a few points or many points.
        options.largest_message = 70 * (chunks.rows - 1);
        const auto exchange = make_pipelined_with(t, comm, options, chunks);
        ASSERT_NE(exchange->chunked(), nullptr);
        expect_transposed_in_chunks(t, *exchange->chunked(), comm->rank());
        expect_transposed(t, *exchange, comm->rank());
      }
}

TEST(Pipelined, TwoExchangesAtOnceKeepTheirMessagesApart) {
  const auto comm = acquire(test::world());
  const Transposition t{BlockDistribution(9, comm->size()), BlockDistribution(11, comm->size()), 2,
                        sizeof(double)};
  ExchangeOptions options{true};
  const auto first = make_pipelined_with(t, comm, options, {2, 2});
  options.tag = 1;
  const auto second = make_pipelined_with(t, comm, options, {2, 2});
  ChunkedExchange &a = *first->chunked();
  ChunkedExchange &b = *second->chunked();
  Buffers of_a(a);
  Buffers of_b(b, 1000);
  a.start(of_a.send(), of_a.receive());
  b.start(of_b.send(), of_b.receive());
  // Half of the ranks send in the opposite order.
  const auto send = [&](ChunkedExchange &e, Buffers &buffers) {
    buffers.write(t, e.send(), comm->rank());
    e.rows_written(e.send().rows);
  };
  if (comm->rank() % 2 == 0) send(a, of_a);
  send(b, of_b);
  if (comm->rank() % 2 == 1) send(a, of_a);
  a.finish();
  b.finish();
  of_a.expect(t, a.receive(), comm->rank(), "first");
  of_b.expect(t, b.receive(), comm->rank(), "second");
}

TEST(Pipelined, ChunksAreNotSmall) {
  for (const std::ptrdiff_t n : {1, 16, 64, 256, 1024})
    for (const int ranks : {2, 4, 64}) {
      const Transposition t{BlockDistribution(n, ranks), BlockDistribution(n, ranks), n,
                            sizeof(float)};
      const ChunkCounts c = choose_chunks(t);
      EXPECT_LE(c.rows, std::min<std::ptrdiff_t>(8, t.rows.count(0)));
      EXPECT_LE(c.columns, std::min<std::ptrdiff_t>(4, t.columns.count(0)));
      const std::ptrdiff_t bytes =
          t.rows.count(0) * t.columns.count(0) * n * static_cast<std::ptrdiff_t>(t.element_bytes());
      if (c.rows * c.columns > 1) {
        EXPECT_GE(bytes / (c.rows * c.columns), 64 << 10);
      }
    }
}

TEST(Transposition, FftwIsNotOfferedWithoutEnd) {
  // Each plan of FFTW holds a communicator. When communicators become scarce, new plans use other
  // exchanges.
  if (HFFT_FFTW_MPI == 0) GTEST_SKIP() << test::this_machine << "no FFTW-MPI for this MPI";
  const auto comm = acquire(test::world());
  if (comm->size() == 1) GTEST_SKIP() << "one rank needs no exchange";
  const Transposition t{BlockDistribution(4, comm->size()), BlockDistribution(4, comm->size()), 1,
                        sizeof(float)};
  const Algorithm *fftw = nullptr;
  for (const Algorithm &a : algorithms())
    if (std::string(a.name) == "fftw") fftw = &a;
  ASSERT_NE(fftw, nullptr);
  std::vector<std::unique_ptr<Exchange>> held;
  for (int i = 0; i < 100; ++i)
    if (auto e = fftw->make(t, comm, {})) held.push_back(std::move(e));
  EXPECT_GT(held.size(), 0U);
  EXPECT_LT(held.size(), 100U);
  held.clear();
  EXPECT_NE(fftw->make(t, comm, {}), nullptr);
}

} // namespace
