/// Tests redistributions by messages between pairs of ranks: blocks of any size, empty ones
/// included, blocks sent in several messages, and tags.

#include <gtest/gtest.h>

#include <deque>
#include <set>
#include <sstream>

#include "base/error.h"
#include "base/threads.h"
#include "exchange/algorithms.h"
#include "exchange/messages.h"
#include "support/mpi_test.h"

namespace hybridfft::exchange {
namespace {

/// Returns the bytes that rank `from` sends to rank `to`; 0 for some pairs.
std::ptrdiff_t bytes_between(int from, int to) { return (from + 1) * (to + 2) % 5 * 100; }

std::byte value(int from, int to, std::ptrdiff_t i) {
  return static_cast<std::byte>((from * 31 + to * 7 + i) % 251);
}

struct Side {
  std::vector<RankBytes> blocks;
  std::vector<std::byte> buffer;

  /// Places the blocks in descending order of ranks, with gaps between them.
  template <class Bytes> Side(int ranks, const Bytes &bytes) {
    std::ptrdiff_t first = 3;
    for (int q = ranks - 1; q >= 0; --q) {
      blocks.push_back({q, first, bytes(q)});
      first += bytes(q) + 5;
    }
    buffer.assign(static_cast<std::size_t>(first), std::byte{255});
  }
};

BlockMessagesOptions options_with(std::ptrdiff_t largest_count,
                                  std::ptrdiff_t largest_message = 0) {
  BlockMessagesOptions options;
  options.tag = 7;
  options.threads = 2;
  options.largest_count = largest_count;
  options.largest_message = largest_message;
  return options;
}

void expect_delivered(std::ptrdiff_t largest_count, bool apart,
                      std::ptrdiff_t largest_message = 0) {
  const auto comm = acquire(test::world());
  const int me = comm->rank();
  Side send(comm->size(), [&](int q) { return bytes_between(me, q); });
  Side receive(comm->size(), [&](int q) { return bytes_between(q, me); });
  for (const RankBytes &b : send.blocks)
    for (std::ptrdiff_t i = 0; i < b.count; ++i)
      send.buffer[static_cast<std::size_t>(b.first + i)] = value(me, b.rank, i);
  const auto exchange = make_block_messages(comm, {send.blocks, receive.blocks},
                                            options_with(largest_count, largest_message));
  for (int repeat = 0; repeat < 2; ++repeat) {
    std::fill(receive.buffer.begin(), receive.buffer.end(), std::byte{255});
    if (apart) {
      exchange->start(send.buffer.data(), receive.buffer.data());
      exchange->rows_written(exchange->send().rows);
      exchange->poll();
      exchange->finish();
    } else {
      exchange->execute(send.buffer.data(), receive.buffer.data());
    }
    std::vector<std::byte> expected(receive.buffer.size(), std::byte{255});
    for (const RankBytes &b : receive.blocks)
      for (std::ptrdiff_t i = 0; i < b.count; ++i)
        expected[static_cast<std::size_t>(b.first + i)] = value(b.rank, me, i);
    EXPECT_EQ(receive.buffer, expected);
  }
}

TEST(BlockMessages, Messages_ArriveAtTheirBlocks) {
  expect_delivered(INT_MAX, false);
  expect_delivered(INT_MAX, true);
}

/// All message algorithms support blocks of any sizes, not only blocks of a matrix.
TEST(Redistribution, EveryAlgorithmOfMessagesDelivers) {
  const auto comm = acquire(test::world());
  const int me = comm->rank();
  Side send(comm->size(), [&](int q) { return bytes_between(me, q); });
  Side receive(comm->size(), [&](int q) { return bytes_between(q, me); });
  for (const RankBytes &b : send.blocks)
    for (std::ptrdiff_t i = 0; i < b.count; ++i)
      send.buffer[static_cast<std::size_t>(b.first + i)] = value(me, b.rank, i);
  std::vector<std::byte> expected(receive.buffer.size(), std::byte{255});
  for (const RankBytes &b : receive.blocks)
    for (std::ptrdiff_t i = 0; i < b.count; ++i)
      expected[static_cast<std::size_t>(b.first + i)] = value(b.rank, me, i);
  int carried = 0;
  for (const Algorithm &a : algorithms()) {
    if (a.make_blocks == nullptr) continue;
    for (const std::ptrdiff_t largest_count : {std::ptrdiff_t{INT_MAX}, std::ptrdiff_t{7}}) {
      const auto exchange =
          a.make_blocks({send.blocks, receive.blocks}, comm, options_with(largest_count));
      ASSERT_NE(exchange, nullptr) << a.name;
      std::fill(receive.buffer.begin(), receive.buffer.end(), std::byte{255});
      exchange->execute(send.buffer.data(), receive.buffer.data());
      EXPECT_EQ(receive.buffer, expected) << a.name << ", " << exchange->describe();
    }
    ++carried;
  }
  EXPECT_EQ(carried, 5);
}

/// Rank p sends 1 + p + 2 q real numbers to rank q in single precision: they are rounded once. A
/// block for the rank itself is not rounded.
TEST(Redistribution, ReducesPrecision) {
  const auto comm = acquire(test::world());
  const int me = comm->rank();
  const auto number = [](int from, int to, std::ptrdiff_t i) {
    return 1.0 / (3.0 + from + 10.0 * to + 100.0 * static_cast<double>(i));
  };
  Redistribution r;
  r.real_bytes = sizeof(double);
  std::vector<double> sent, received;
  for (int q = 0; q < comm->size(); ++q) {
    constexpr std::ptrdiff_t real = sizeof(double);
    const std::ptrdiff_t to = 1 + me + 2 * q, from = 1 + q + 2 * me;
    r.sent.push_back({q, std::ssize(sent) * real, to * real});
    r.received.push_back({q, std::ssize(received) * real, from * real});
    for (std::ptrdiff_t i = 0; i < to; ++i)
      sent.push_back(number(me, q, i));
    received.resize(received.size() + static_cast<std::size_t>(from));
  }
  BlockMessagesOptions options;
  options.wire = WireFormat::single;
  const auto exchange = make_block_messages(comm, r, options);
  exchange->execute(reinterpret_cast<std::byte *>(sent.data()),
                    reinterpret_cast<std::byte *>(received.data()));
  for (const RankBytes &b : r.received)
    for (std::ptrdiff_t i = 0; i < b.count / std::ptrdiff_t{sizeof(double)}; ++i) {
      const double exact = number(b.rank, me, i);
      const double rounded = static_cast<double>(static_cast<float>(exact));
      const auto at = static_cast<std::size_t>(b.first / std::ptrdiff_t{sizeof(double)} + i);
      EXPECT_EQ(received[at], b.rank == me ? exact : rounded) << "from rank " << b.rank;
    }
}

TEST(BlockMessages, LargerThanTheCountsOfMpi) {
  // Pretends that MPI's counts are at most 7, so blocks of 100 or more bytes need derived
  // datatypes.
  expect_delivered(7, false);
}

TEST(BlockMessages, InSmallMessages) {
  // Blocks of 100 to 400 bytes in messages of 30 bytes. The second call also limits MPI's counts
  // to 7.
  expect_delivered(INT_MAX, true, 30);
  expect_delivered(7, false, 30);
}

TEST(BlockMessages, AreNotTooMany) {
  // Plans messages for a block of 4 TiB between each pair of ranks, without allocating arrays.
  const auto comm = acquire(test::world());
  std::vector<RankBytes> blocks;
  for (int q = 0; q < comm->size(); ++q)
    blocks.push_back({q, q * (std::ptrdiff_t{1} << 42), std::ptrdiff_t{1} << 42});
  const auto exchange =
      make_block_messages(comm, {blocks, blocks}, options_with(INT_MAX, eager_message));
  std::istringstream words(exchange->describe().substr(std::string("of blocks, ").size()));
  std::ptrdiff_t sent = -1;
  words >> sent;
  EXPECT_LE(sent, max_messages) << exchange->describe();
  EXPECT_GE(sent, (comm->size() - 1) * (max_messages / comm->size())) << exchange->describe();
}

TEST(MessageLimit, ManyMessages_LimitGrows) {
  constexpr std::ptrdiff_t huge = std::ptrdiff_t{1} << 60;
  EXPECT_GE(message_limit(0, huge, 4), huge) << "no limit";
  for (const int ranks : {1, 2, 7, 4096, 100000})
    for (const std::ptrdiff_t bytes : {std::ptrdiff_t{0}, std::ptrdiff_t{1}, eager_message,
                                       max_messages * eager_message + 1, huge}) {
      const std::ptrdiff_t limit = message_limit(eager_message, bytes, ranks);
      const std::ptrdiff_t messages = bytes / limit + (bytes % limit != 0 ? 1 : 0);
      EXPECT_LE(messages, std::max<std::ptrdiff_t>(max_messages / ranks, 1));
      // The requested limit applies unless it needs too many messages.
      if (bytes <= eager_message * (max_messages / ranks)) {
        EXPECT_EQ(limit, eager_message) << bytes << " bytes, " << ranks << " ranks";
      }
    }
}

/// Each pair of ranks exchanges a block of seven units in three chunks. Chunks are sent as rows are
/// written, and awaited one after another.
TEST(BlockMessages, InChunks) {
  const auto comm = acquire(test::world());
  const int me = comm->rank();
  constexpr int chunks = 3;
  constexpr std::ptrdiff_t units = 7;
  constexpr std::ptrdiff_t unit = 10;
  constexpr std::ptrdiff_t rows = 2; // rows of a pass in each unit
  Side send(comm->size(), [&](int) { return units * unit; });
  Side receive(comm->size(), [&](int) { return units * unit; });
  BlockMessagesOptions options;
  options.tag = 9;
  options.threads = 2;
  options.chunks = chunks;
  options.send_ends.clear();
  for (int c = 1; c <= chunks; ++c)
    options.send_ends.push_back(even_cut(units, c, chunks) * rows);
  options.receive_ends = options.send_ends;
  for (Side *side : {&send, &receive})
    for (RankBytes &b : side->blocks)
      b.units = units;
  const auto exchange = make_block_messages(comm, {send.blocks, receive.blocks}, options);
  ASSERT_EQ(exchange->send_ends(), options.send_ends);
  std::fill(receive.buffer.begin(), receive.buffer.end(), std::byte{255});
  exchange->start(send.buffer.data(), receive.buffer.data());
  // Each unit is filled just before its rows are reported as written, so a message sent too early
  // would contain wrong bytes.
  std::ptrdiff_t written = 0;
  for (const std::ptrdiff_t end : options.send_ends) {
    for (; written < end / rows * unit; ++written)
      for (const RankBytes &b : send.blocks)
        send.buffer[static_cast<std::size_t>(b.first + written)] = value(me, b.rank, written);
    exchange->rows_written(end);
    exchange->poll();
  }
  std::ptrdiff_t seen = 0;
  for (const std::ptrdiff_t end : options.receive_ends) {
    exchange->wait_rows(end);
    for (; seen < end / rows * unit; ++seen)
      for (const RankBytes &b : receive.blocks)
        EXPECT_EQ(receive.buffer[static_cast<std::size_t>(b.first + seen)],
                  value(b.rank, me, seen));
  }
  exchange->finish();
}

/// Simultaneous slots have different numbers. If no number is free, a new slot is refused.
TEST(TagSlots, AreNotUsedTwiceAtOnce) {
  const auto comm = acquire(MPI_COMM_SELF);
  std::deque<TagSlot> slots;
  std::set<int> numbers;
  try {
    for (;;)
      numbers.insert(slots.emplace_back(comm).number());
  } catch (const Failure &e) {
    EXPECT_EQ(e.code(), HFFT_ERROR_ARGUMENT) << e.what();
  }
  EXPECT_GE(slots.size(), 510U);
  EXPECT_EQ(numbers.size(), slots.size());
  const int first = slots.front().number();
  slots.pop_front();
  EXPECT_EQ(TagSlot(comm).number(), first);
}

} // namespace
} // namespace hybridfft::exchange
