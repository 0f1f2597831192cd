/// The orders in which messages lie in send and receive buffers, and their blocks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "exchange/datatype.h"
#include "exchange/exchange.h"

namespace hybridfft::exchange {

/// The order of blocks and elements in the send and receive buffers of an exchange.
///
/// Send buffer: written transposed, column after column of my rows, so that the block for each
/// destination is contiguous; or tight, row after row, so that no pass has to write it.
/// Receive buffer: the blocks as they come, source by source; or in final order, my columns one
/// after another with all rows, so that it can go on being used as it is.
struct Order {
  bool tight_send = false;
  bool final_receive = false;

  /// This rank's rows in the send buffer, and its columns as rows in the receive buffer.
  SplitRows send(const Transposition &t, int rank) const;
  SplitRows receive(const Transposition &t, int rank) const;
  /// True if all blocks are contiguous on the sending, or on the receiving side.
  bool contiguous_send() const { return !tight_send; }
  bool contiguous_receive() const { return !final_receive; }
};

/// The order in the options, blocks if they leave the choice.
Order order_of(const ExchangeOptions &options);

/// The part of a buffer that holds one message: `rows` x `columns` points of vec elements, element
/// v of row r, column c at base + r * row_stride + c * column_stride + v (in elements).
struct Block {
  std::ptrdiff_t rows = 0, columns = 0, vec = 0;
  std::ptrdiff_t base = 0, row_stride = 0, column_stride = 0;

  std::ptrdiff_t elements() const { return rows * columns * vec; }
  /// Rows or columns first .. last-1 of the block.
  Block row_range(std::ptrdiff_t first, std::ptrdiff_t last) const;
  Block column_range(std::ptrdiff_t first, std::ptrdiff_t last) const;
};

/// `count` elements that follow each other, as rows of one element each.
inline Block run_block(std::ptrdiff_t first, std::ptrdiff_t count) {
  return {count, 1, 1, first, 1, count};
}

/// The block that `rank` sends to `to`, and the block that it receives from `from`.
Block send_block(const Transposition &t, int rank, int to, const Order &order);
Block receive_block(const Transposition &t, int rank, int from, const Order &order);

/// The blocks that one rank exchanges with each rank, itself included (without elements if there is
/// nothing to send), and the rows of both buffers as passes see them.
struct PeerBlocks {
  PeerBlocks(const Transposition &t, int rank, const Order &wanted);
  /// Blocks of bytes, one after another on both sides.
  PeerBlocks(const Redistribution &r, int ranks, const BlockMessagesOptions &options);

  std::vector<Block> sent, received; ///< by rank
  SplitRows send, receive;
  Order order;
  std::size_t element_bytes;
};

/// Returns whether the elements of a block follow each other in the order in which they travel.
bool is_contiguous(const Block &block, const Order &order);

/// The elements of a block in the order in which they travel (row by row if sent from a tight
/// matrix, otherwise column by column), from `origin`: where the block begins or, for calls of MPI
/// that have no other place for it, where the buffer begins.
enum class Origin { block, buffer };
Datatype block_type(const Block &block, const Order &order, std::size_t element_bytes,
                    Origin origin, std::ptrdiff_t largest_count);

/// Copies a block that a rank sends to itself; the buffers do not overlap.
void copy_block(const Block &from, const std::byte *send, const Block &to, std::byte *receive,
                std::size_t element_bytes);

} // namespace hybridfft::exchange
