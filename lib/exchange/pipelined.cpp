// Exchanges of matrices, and of blocks of any size, by messages in chunks. The messages overlap
// with the passes before and after. Used if the network takes much of the time.
#include "exchange/algorithms.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/mpi.h"
#include "base/threads.h"
#include "exchange/messages.h"

namespace hybridfft::exchange {

namespace {

/// Maximum numbers of chunks of a matrix, limited by the tags.
constexpr std::ptrdiff_t max_rows = 8;
constexpr std::ptrdiff_t max_columns = 4;
static_assert(2 * max_rows * max_columns <= ChunkedExchange::tags_of_execution);

std::vector<std::ptrdiff_t> even_ends(std::ptrdiff_t n, int parts) {
  std::vector<std::ptrdiff_t> ends;
  for (int i = 1; i <= parts; ++i)
    ends.push_back(even_cut(n, i, parts));
  return ends;
}

/// Makes the schedule of one rank. The columns of all blocks are divided into chunks, which are
/// sent one after another. The first of them is sent in chunks of its rows. A matrix has both kinds
/// of chunks. Blocks of a redistribution have one column, so they have chunks of rows only.
class Scheduler {
public:
  /// \param chunk_tags difference of the tags of successive chunks. MPI matches messages with the
  ///   same tag in the order of their sends and receives. Fields of operator plans need tags of
  ///   chunks, because their messages are posted field by field and sent chunk by chunk.
  Scheduler(const PeerBlocks &blocks, const Communicator &comm, const ExchangeOptions &options,
            ChunkCounts chunks, int chunk_tags)
      : blocks_(blocks), comm_(comm), tag_(options.tag), chunks_(chunks), chunk_tags_(chunk_tags),
        point_bytes_(blocks.point_elements * static_cast<std::ptrdiff_t>(blocks.element_bytes)),
        largest_message_(options.wire == WireFormat::full ? options.largest_message : 0) {}

  /// Makes the schedule for passes with these ends of chunks. With fewer ends than chunks, all
  /// later chunks are sent after the last row, and all earlier ones arrive before the first row.
  MessageSchedule make(const std::vector<std::ptrdiff_t> &send_ends,
                       const std::vector<std::ptrdiff_t> &receive_ends) const {
    MessageSchedule made;
    made.send_ends = send_ends;
    made.receive_ends = receive_ends;
    for (int k = 0; k < chunks_.columns; ++k)
      for (int m = 0; m < (k == 0 ? chunks_.rows : 1); ++m) {
        add(k, m, blocks_.sent, 1, made.sends, made.sends_until);
        add(k, m, blocks_.received, -1, made.receives, made.receives_until);
      }
    auto &sends = made.sends_until;
    sends.erase(sends.begin() + static_cast<std::ptrdiff_t>(send_ends.size()) - 1, sends.end() - 1);
    auto &receives = made.receives_until;
    receives.erase(receives.begin(),
                   receives.end() - static_cast<std::ptrdiff_t>(receive_ends.size()));
    const auto self = static_cast<std::size_t>(comm_.rank());
    for (int k = 0; k < chunks_.columns; ++k)
      made.self_copies.emplace_back(columns_of(blocks_.sent[self], k),
                                    columns_of(blocks_.received[self], k));
    made.self_copies.resize(receive_ends.size());
    return made;
  }

private:
  /// Adds the messages of chunk k of the columns; of the first one (k = 0) only those of chunk m of
  /// its rows. Each rank begins with its next neighbour, in the same direction on all ranks, so
  /// that no rank gets many messages at the same time.
  void add(int k, int m, const std::vector<Block> &blocks, int direction,
           std::vector<ScheduledMessage> &messages, std::vector<std::size_t> &until) const {
    const int size = comm_.size();
    for (int i = 1; i < size; ++i) {
      const int peer = (comm_.rank() + direction * i + size) % size;
      const Block &whole = blocks[static_cast<std::size_t>(peer)];
      Block b = columns_of(whole, k);
      if (k == 0) b = b.row_range(row_cut(b, m), row_cut(b, m + 1));
      if (b.elements() == 0) continue;
      const std::ptrdiff_t limit =
          message_limit(largest_message_, whole.rows * whole.columns * point_bytes_, size);
      const std::ptrdiff_t points = std::max<std::ptrdiff_t>(limit / point_bytes_, 1);
      const std::ptrdiff_t rows = std::min(points, b.rows);
      const std::ptrdiff_t columns = std::min(points / rows, b.columns);
      for (std::ptrdiff_t c = 0; c < b.columns; c += columns)
        for (std::ptrdiff_t r = 0; r < b.rows; r += rows)
          messages.push_back({peer, tag_ + chunk_tags_ * (k * chunks_.rows + m),
                              b.column_range(c, std::min(c + columns, b.columns))
                                  .row_range(r, std::min(r + rows, b.rows))});
    }
    until.push_back(messages.size());
  }

  Block columns_of(const Block &b, int k) const {
    return b.column_range(even_cut(b.columns, k, chunks_.columns),
                          even_cut(b.columns, k + 1, chunks_.columns));
  }
  std::ptrdiff_t row_cut(const Block &b, int m) const {
    return even_cut(b.rows / b.unit, m, chunks_.rows) * b.unit;
  }

  const PeerBlocks &blocks_;
  const Communicator &comm_;
  int tag_;
  ChunkCounts chunks_;
  int chunk_tags_;
  std::ptrdiff_t point_bytes_, largest_message_;
};

} // namespace

ChunkCounts choose_chunks(const Transposition &t) {
  // Below this size latency costs more than overlap gains.
  constexpr std::ptrdiff_t min_bytes = std::ptrdiff_t{64} << 10;
  const std::ptrdiff_t rows = std::max<std::ptrdiff_t>(t.rows.count(0), 1);
  const std::ptrdiff_t columns = std::max<std::ptrdiff_t>(t.columns.count(0), 1);
  const std::ptrdiff_t messages =
      rows * columns * t.vec * static_cast<std::ptrdiff_t>(t.element_bytes()) / min_bytes;
  const std::ptrdiff_t k = std::clamp<std::ptrdiff_t>(messages, 1, std::min(max_columns, columns));
  const std::ptrdiff_t m = std::clamp<std::ptrdiff_t>(messages / k, 1, std::min(max_rows, rows));
  return {static_cast<int>(m), static_cast<int>(k)};
}

std::unique_ptr<Exchange> make_pipelined_with(const Transposition &t,
                                              const std::shared_ptr<Communicator> &comm,
                                              const ExchangeOptions &options, ChunkCounts chunks) {
  return made_by_all(*comm, [&] {
    ExchangeOptions in_order = options;
    in_order.final_order = true;
    const PeerBlocks blocks(t, *comm, in_order);
    MessageSchedule schedule = Scheduler(blocks, *comm, options, chunks, 2)
                                   .make(even_ends(blocks.send.rows, chunks.rows),
                                         even_ends(blocks.receive.rows, chunks.columns));
    const bool eager = options.largest_message > 0 && options.wire == WireFormat::full;
    schedule.text = std::string(eager ? "eager" : "pipelined") + ", rows in " +
                    std::to_string(chunks.rows) + " and columns in " +
                    std::to_string(chunks.columns) + " chunks" +
                    (eager ? ", " + std::to_string(schedule.sends.size()) + " messages" : "");
    return make_messages(comm, blocks, std::move(schedule), options);
  });
}

std::unique_ptr<Exchange> make_pipelined(const Transposition &t,
                                         const std::shared_ptr<Communicator> &comm,
                                         const ExchangeOptions &options) {
  return make_pipelined_with(t, comm, options, choose_chunks(t));
}

std::unique_ptr<ChunkedExchange> make_block_messages(const std::shared_ptr<Communicator> &comm,
                                                     const Redistribution &r,
                                                     const BlockMessagesOptions &options) {
  const PeerBlocks blocks(r, *comm, options);
  MessageSchedule schedule = Scheduler(blocks, *comm, options, {options.chunks, 1}, 0)
                                 .make(options.send_ends, options.receive_ends);
  schedule.text = "of blocks, " + std::to_string(schedule.sends.size()) + " sent and " +
                  std::to_string(schedule.receives.size()) + " received" +
                  (options.chunks > 1 ? ", in " + std::to_string(options.chunks) + " chunks" : "");
  return make_messages(comm, blocks, std::move(schedule), options);
}

namespace {

/// Makes a pipelined exchange with messages below MPI's eager limit. It applies only in full
/// precision, and on one node only if forced.
std::unique_ptr<Exchange> make_eager(const Transposition &t,
                                     const std::shared_ptr<Communicator> &comm,
                                     const ExchangeOptions &options) {
  if (options.wire != WireFormat::full) return nullptr;
  if (!options.forced && nodes_of(*comm)->count() == 1) return nullptr;
  ExchangeOptions small = options;
  small.largest_message = eager_message;
  return make_pipelined(t, comm, small);
}

std::unique_ptr<Exchange> make_pipelined_blocks(const Redistribution &r,
                                                const std::shared_ptr<Communicator> &comm,
                                                const BlockMessagesOptions &options) {
  return made_by_all(*comm, [&] { return make_block_messages(comm, r, options); });
}

std::unique_ptr<Exchange> make_eager_blocks(const Redistribution &r,
                                            const std::shared_ptr<Communicator> &comm,
                                            const BlockMessagesOptions &options) {
  BlockMessagesOptions small = options;
  small.largest_message = eager_message;
  return make_pipelined_blocks(r, comm, small);
}

} // namespace

namespace table {
Algorithm pipelined() {
  return {.name = "pipelined",
          .make = make_pipelined,
          .make_blocks = make_pipelined_blocks,
          .cost = {2.2, 4, 0.5, all_at_once},
          .chunked = true};
}

Algorithm eager() {
  return {.name = "eager",
          .make = make_eager,
          .make_blocks = make_eager_blocks,
          .cost = {2.15, 4, 0.5, all_at_once},
          .chunked = true};
}
} // namespace table

} // namespace hybridfft::exchange
