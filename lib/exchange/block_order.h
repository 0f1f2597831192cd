/// Orders of messages in send and receive buffers, and their blocks. All message exchanges share
/// these descriptions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "exchange/datatype.h"
#include "exchange/exchange.h"

namespace hybridfft::exchange {

/// Order of blocks and elements in the send and receive buffers of an exchange.
///
/// The send buffer is transposed: it holds this rank's rows column after column, so each
/// destination's block is contiguous. Or it is tight, row after row, and no pass has to write it.
/// The receive buffer holds the blocks source by source. Or it has the final order: this rank's
/// columns one after another with all rows, so its data need no further pass.
struct Order {
  bool tight_send = false;
  bool final_receive = false;

  /// Return this rank's rows in the send buffer, and its columns as rows in the receive buffer.
  SplitRows send(const Transposition &t, int rank) const;
  SplitRows receive(const Transposition &t, int rank) const;
  /// Return true if all blocks are contiguous on the sending, or on the receiving side.
  bool contiguous_send() const { return !tight_send; }
  bool contiguous_receive() const { return !final_receive; }
};

/// Returns the order in the options; blocks if the options leave it open.
Order order_of(const ExchangeOptions &options);

/// The part of a buffer sent or received in one message: `rows` x `columns` points of vec elements.
/// Element v of row r, column c is at base + r * row_stride + c * column_stride + v (in elements).
struct Block {
  std::ptrdiff_t rows = 0, columns = 0, vec = 0;
  std::ptrdiff_t base = 0, row_stride = 0, column_stride = 0;

  std::ptrdiff_t elements() const { return rows * columns * vec; }
  /// Returns the rows or the columns first .. last-1 of the block.
  Block row_range(std::ptrdiff_t first, std::ptrdiff_t last) const;
  Block column_range(std::ptrdiff_t first, std::ptrdiff_t last) const;
};

/// Returns `count` contiguous elements as rows of one element each.
inline Block run_block(std::ptrdiff_t first, std::ptrdiff_t count) {
  return {count, 1, 1, first, 1, count};
}

/// Return the block sent by `rank` to `to`, and the block received by it from `from`.
Block send_block(const Transposition &t, int rank, int to, const Order &order);
Block receive_block(const Transposition &t, int rank, int from, const Order &order);

/// Blocks exchanged by one rank with each rank, including itself (empty blocks have no elements).
/// `send` and `receive` are the rows of both buffers seen by passes.
struct PeerBlocks {
  PeerBlocks(const Transposition &t, int rank, const Order &wanted);
  /// Makes contiguous blocks of bytes, stored in the order of ranks in both buffers.
  PeerBlocks(const Redistribution &r, int ranks, const BlockMessagesOptions &options);

  std::vector<Block> sent, received; ///< by rank
  SplitRows send, receive;
  Order order;
  std::size_t element_bytes;
};

/// Returns true if the elements of a block are contiguous in the order of the message.
bool is_contiguous(const Block &block, const Order &order);

/// Returns the elements of a block in the order of the message: row by row if sent from a tight
/// matrix, otherwise column by column. The origin is the start of the block; for MPI calls without
/// a displacement it is the start of the buffer.
enum class Origin { block, buffer };
Datatype block_type(const Block &block, const Order &order, std::size_t element_bytes,
                    Origin origin, std::ptrdiff_t largest_count);

/// Copies a block sent by a rank to itself; the buffers must not overlap.
void copy_block(const Block &from, const std::byte *send, const Block &to, std::byte *receive,
                std::size_t element_bytes);

} // namespace hybridfft::exchange
