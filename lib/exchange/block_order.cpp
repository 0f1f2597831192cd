#include "exchange/block_order.h"

#include <array>
#include <cstring>
#include <utility>

#include "base/threads.h"
#include "exchange/exchange.h"

namespace hybridfft::exchange {

namespace {

/// Copies of fewer bytes are made by one thread.
constexpr std::ptrdiff_t min_shared = std::ptrdiff_t{1} << 16;

} // namespace

SplitRows Order::send(const Transposition &t, int rank) const {
  const std::ptrdiff_t rows = t.rows.count(rank);
  return tight_send ? SplitRows::tight(rows, t.columns.n(), t.vec)
                    : SplitRows::transposed_view(rows, t.columns.n(), t.vec);
}

SplitRows Order::receive(const Transposition &t, int rank) const {
  const std::ptrdiff_t mine = t.columns.count(rank);
  if (final_receive) return SplitRows::tight(mine, t.rows.n(), t.vec);
  SplitRows m{mine, t.rows.n(), t.vec, {}};
  for (int q = 0; q < t.rows.working_parts(); ++q) {
    const Block b = receive_block(t, rank, q, *this);
    m.pieces.push_back({t.rows.start(q), b.rows, b.base, b.column_stride, b.row_stride});
  }
  return m;
}

Block Block::row_range(std::ptrdiff_t first, std::ptrdiff_t last) const {
  Block part = *this;
  part.rows = last - first;
  part.base += first * row_stride;
  return part;
}

Block Block::column_range(std::ptrdiff_t first, std::ptrdiff_t last) const {
  Block part = *this;
  part.columns = last - first;
  part.base += first * column_stride;
  return part;
}

Block send_block(const Transposition &t, int rank, int to, const Order &order) {
  const std::ptrdiff_t rows = t.rows.count(rank);
  const std::ptrdiff_t first = t.columns.start(to);
  if (order.tight_send)
    return {rows, t.columns.count(to), t.vec, first * t.vec, t.columns.n() * t.vec, t.vec};
  return {rows, t.columns.count(to), t.vec, first * rows * t.vec, t.vec, rows * t.vec};
}

Block receive_block(const Transposition &t, int rank, int from, const Order &order) {
  const std::ptrdiff_t rows = t.rows.count(from);
  const std::ptrdiff_t mine = t.columns.count(rank);
  const std::ptrdiff_t first = t.rows.start(from);
  if (order.final_receive) return {rows, mine, t.vec, first * t.vec, t.vec, t.rows.n() * t.vec};
  // The receiver gets the block in the sender's order.
  const std::ptrdiff_t base = first * mine * t.vec;
  if (order.tight_send) return {rows, mine, t.vec, base, mine * t.vec, t.vec};
  return {rows, mine, t.vec, base, t.vec, rows * t.vec};
}

bool is_contiguous(const Block &b, const Order &order) {
  const std::ptrdiff_t inner = order.tight_send ? b.columns : b.rows;
  const std::ptrdiff_t inner_stride = order.tight_send ? b.column_stride : b.row_stride;
  const std::ptrdiff_t outer = order.tight_send ? b.rows : b.columns;
  const std::ptrdiff_t outer_stride = order.tight_send ? b.row_stride : b.column_stride;
  return (inner == 1 || inner_stride == b.vec) && (outer == 1 || outer_stride == inner * b.vec);
}

Datatype block_type(const Block &b, const Order &order, std::size_t element_bytes,
                    std::ptrdiff_t offset, std::ptrdiff_t largest_count) {
  const auto element = static_cast<std::ptrdiff_t>(element_bytes);
  std::array<Repeat, 2> loops{
      {{b.columns, b.column_stride * element}, {b.rows, b.row_stride * element}}};
  if (order.tight_send) std::swap(loops[0], loops[1]);
  return Datatype(offset, loops, b.vec * element, largest_count);
}

void copy_block(const Block &from, const std::byte *send, const Block &to, std::byte *receive,
                std::size_t element_bytes, int threads) {
  const auto element = static_cast<std::ptrdiff_t>(element_bytes);
  // Copy rows, and columns of such rows, as one piece if they are contiguous in both buffers.
  std::ptrdiff_t run = from.vec, rows = from.rows, columns = from.columns;
  const auto merge = [&run](std::ptrdiff_t &count, std::ptrdiff_t one, std::ptrdiff_t other) {
    if (count > 1 && (one != run || other != run)) return false;
    run *= std::exchange(count, 1);
    return true;
  };
  if (merge(rows, from.row_stride, to.row_stride))
    merge(columns, from.column_stride, to.column_stride);
  const auto target = [&](std::ptrdiff_t c, std::ptrdiff_t r) {
    return receive + (to.base + c * to.column_stride + r * to.row_stride) * element;
  };
  const auto source = [&](std::ptrdiff_t c, std::ptrdiff_t r) {
    return send + (from.base + c * from.column_stride + r * from.row_stride) * element;
  };
  const std::ptrdiff_t bytes = run * element;
  if (rows == 1 && columns == 1)
    parallel_ranges(bytes, bytes < min_shared ? 1 : threads,
                    [&](std::ptrdiff_t first, std::ptrdiff_t last, int) {
                      std::memcpy(target(0, 0) + first, source(0, 0) + first,
                                  static_cast<std::size_t>(last - first));
                    });
  else
    for (std::ptrdiff_t c = 0; c < columns; ++c)
      for (std::ptrdiff_t r = 0; r < rows; ++r)
        std::memcpy(target(c, r), source(c, r), static_cast<std::size_t>(bytes));
}

PeerBlocks::PeerBlocks(const Transposition &t, const Communicator &comm,
                       const ExchangeOptions &options)
    : order{options.tight_send, options.final_order}, send(order.send(t, comm.rank())),
      receive(order.receive(t, comm.rank())), element_bytes(t.element_bytes()),
      point_elements(t.vec) {
  for (int q = 0; q < t.rows.parts(); ++q) {
    sent.push_back(send_block(t, comm.rank(), q, order));
    received.push_back(receive_block(t, comm.rank(), q, order));
  }
}

PeerBlocks::PeerBlocks(const Redistribution &r, const Communicator &comm,
                       const BlockMessagesOptions &options)
    : send(SplitRows::tight(options.send_ends.back(), 1, 1)),
      receive(SplitRows::tight(options.receive_ends.back(), 1, 1)),
      element_bytes(options.wire == WireFormat::full ? 1 : r.real_bytes), point_elements(1) {
  const auto place = [&](const std::vector<RankBytes> &from, std::vector<Block> &to) {
    to.resize(static_cast<std::size_t>(comm.size()));
    const auto element = static_cast<std::ptrdiff_t>(element_bytes);
    for (const RankBytes &b : from) {
      Block &block = to[static_cast<std::size_t>(b.rank)];
      block = run_block(b.first / element, b.count / element);
      block.unit = std::max<std::ptrdiff_t>(block.rows / b.units, 1);
    }
  };
  place(r.sent, sent);
  place(r.received, received);
}

} // namespace hybridfft::exchange
