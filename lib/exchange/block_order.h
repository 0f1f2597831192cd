/// Orders of elements in send and receive buffers, and the blocks of these buffers. All exchanges
/// by messages use them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "exchange/exchange.h"
#include "exchange/mpi_handles.h"

namespace hybridfft::exchange {

/// Order of blocks and elements in the send and receive buffers of an exchange.
///
/// The send buffer has one of two orders. Transposed: it holds this rank's rows column after
/// column, so the block for each destination is contiguous. Tight: row after row without gaps, as
/// in the user's array, so no pass has to write it. The receive buffer also has one of two orders.
/// Blocks: one block after another, by source. Final: this rank's columns one after another with
/// all their rows, so the data need no further pass.
struct Order {
  bool tight_send = false;
  bool final_receive = false;

  /// send() returns the matrix of the rows of `rank` in its send buffer. receive() returns the
  /// matrix of its columns, as rows, in its receive buffer.
  SplitRows send(const Transposition &t, int rank) const;
  SplitRows receive(const Transposition &t, int rank) const;
};

/// The part of a buffer sent or received in one message: `rows` x `columns` points of vec elements.
/// Element v of row r, column c is at base + r * row_stride + c * column_stride + v (in elements).
struct Block {
  std::ptrdiff_t rows = 0, columns = 0, vec = 0;
  std::ptrdiff_t base = 0, row_stride = 0, column_stride = 0;
  std::ptrdiff_t unit = 1; ///< chunks consist of multiples of this number of rows

  std::ptrdiff_t elements() const { return rows * columns * vec; }
  /// row_range() returns the part with rows first .. last-1, column_range() the part with columns
  /// first .. last-1.
  Block row_range(std::ptrdiff_t first, std::ptrdiff_t last) const;
  Block column_range(std::ptrdiff_t first, std::ptrdiff_t last) const;
};

/// Returns a block of `count` contiguous elements, as rows of one element each.
inline Block run_block(std::ptrdiff_t first, std::ptrdiff_t count) {
  return {count, 1, 1, first, 1, count};
}

/// Return the block sent by `rank` to `to`, and the block received by it from `from`.
Block send_block(const Transposition &t, int rank, int to, const Order &order);
Block receive_block(const Transposition &t, int rank, int from, const Order &order);

/// The blocks that one rank exchanges with each rank, including itself (empty blocks have no
/// elements). `send` and `receive` are the matrices that the passes write and read in the two
/// buffers.
struct PeerBlocks {
  /// Makes the blocks of a matrix, in the orders set by the options.
  PeerBlocks(const Transposition &t, const Communicator &comm, const ExchangeOptions &options);
  /// Makes contiguous blocks, stored in the order of ranks in both buffers: of bytes or, for
  /// reduced precision, of the numbers to convert. Passes know the places of the blocks. The
  /// matrices only have the numbers of rows written and read by the passes.
  PeerBlocks(const Redistribution &r, const Communicator &comm,
             const BlockMessagesOptions &options);

  Order order;
  SplitRows send, receive;
  std::size_t element_bytes;
  std::ptrdiff_t point_elements;               ///< elements per point
  std::vector<Block> sent = {}, received = {}; ///< by rank
};

/// Returns true if the elements of a block are contiguous in the order of the message.
bool is_contiguous(const Block &block, const Order &order);

/// Returns a datatype with the elements of a block in the order of the message: row by row from a
/// send buffer without gaps, otherwise column by column. The block begins `offset` bytes after the
/// type's origin.
Datatype block_type(const Block &block, const Order &order, std::size_t element_bytes,
                    std::ptrdiff_t offset, std::ptrdiff_t largest_count);

/// Copies the block that a rank sends to itself; the buffers must not overlap. Threads share the
/// copy of a large block if it is contiguous in both.
void copy_block(const Block &from, const std::byte *send, const Block &to, std::byte *receive,
                std::size_t element_bytes, int threads);

} // namespace hybridfft::exchange
