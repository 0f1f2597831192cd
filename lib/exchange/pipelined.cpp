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

/// Maximum numbers of chunks, limited by the tags.
constexpr std::ptrdiff_t max_rows = 8;
constexpr std::ptrdiff_t max_columns = 4;
static_assert(2 * max_rows * max_columns <= ChunkedExchange::tags_of_execution);

std::vector<std::ptrdiff_t> even_ends(std::ptrdiff_t n, int parts) {
  std::vector<std::ptrdiff_t> ends;
  for (int i = 1; i <= parts; ++i)
    ends.push_back(even_cut(n, i, parts));
  return ends;
}

/// Makes the schedule of one rank for the transposition of a matrix.
class MatrixScheduler {
public:
  MatrixScheduler(const Transposition &t, const Communicator &comm, const Order &order,
                  const ExchangeOptions &options, ChunkCounts chunks)
      : t_(t), comm_(comm), order_(order), first_tag_(options.tag), chunks_(chunks),
        point_bytes_(t.vec * static_cast<std::ptrdiff_t>(t.element_bytes())),
        largest_message_(options.wire == WireFormat::full ? options.largest_message : 0) {}

  MessageSchedule make() {
    const int rank = comm_.rank();
    made_.send_ends = even_ends(t_.rows.count(rank), chunks_.rows);
    made_.receive_ends = even_ends(t_.columns.count(rank), chunks_.columns);
    for (int k = 0; k < chunks_.columns; ++k)
      for (int m = 0; m < (k == 0 ? chunks_.rows : 1); ++m)
        add_step(k, m);
    const Block sent = send_block(t_, rank, rank, order_);
    const Block received = receive_block(t_, rank, rank, order_);
    std::ptrdiff_t first = 0;
    for (const std::ptrdiff_t end : made_.receive_ends) {
      made_.self_copies.emplace_back(sent.column_range(first, end),
                                     received.column_range(first, end));
      first = end;
    }
    made_.text = text();
    return std::move(made_);
  }

private:
  /// Adds the messages of chunk k of the receivers' columns, to and from all ranks. For the first
  /// chunk (k = 0) it adds only the sender's row chunk m. Each rank begins with its next neighbour,
  /// so that no rank gets many messages at the same time.
  void add_step(int k, int m) {
    const int rank = comm_.rank();
    const int size = comm_.size();
    for (int i = 1; i < size; ++i) {
      add_message(k, m, rank, (rank + i) % size);
      add_message(k, m, (rank - i + size) % size, rank);
    }
    const bool last_rows = k > 0 || m + 1 == chunks_.rows;
    if (k == 0) made_.sends_until.push_back(made_.sends.size());
    if (k > 0) made_.sends_until.back() = made_.sends.size();
    if (last_rows) made_.receives_until.push_back(made_.receives.size());
  }

  void add_message(int k, int m, int from, int to) {
    const bool sending = from == comm_.rank();
    Block b = sending ? send_block(t_, from, to, order_) : receive_block(t_, to, from, order_);
    const std::ptrdiff_t limit =
        message_limit(largest_message_, b.rows * b.columns * point_bytes_, comm_.size());
    b = b.column_range(even_cut(b.columns, k, chunks_.columns),
                       even_cut(b.columns, k + 1, chunks_.columns));
    if (k == 0)
      b = b.row_range(even_cut(b.rows, m, chunks_.rows), even_cut(b.rows, m + 1, chunks_.rows));
    if (b.elements() == 0) return;
    // MPI matches messages with the same tag in the order of their sends and receives.
    const int tag = 2 * (k * chunks_.rows + m) + first_tag_;
    std::vector<ScheduledMessage> &messages = sending ? made_.sends : made_.receives;
    const auto [rows, columns] = largest_part(b, std::max<std::ptrdiff_t>(limit / point_bytes_, 1));
    for (std::ptrdiff_t c = 0; c < b.columns; c += columns)
      for (std::ptrdiff_t r = 0; r < b.rows; r += rows)
        messages.push_back({sending ? to : from, tag,
                            b.column_range(c, std::min(c + columns, b.columns))
                                .row_range(r, std::min(r + rows, b.rows))});
  }

  /// Returns the numbers of rows and columns, at least one of each, of the parts into which a block
  /// is divided. A part has at most `points` points.
  static std::pair<std::ptrdiff_t, std::ptrdiff_t> largest_part(const Block &b,
                                                                std::ptrdiff_t points) {
    const std::ptrdiff_t rows = std::min(points, b.rows);
    return {rows, std::min(points / rows, b.columns)};
  }

  std::string text() const {
    const bool eager = largest_message_ > 0;
    return std::string(eager ? "eager" : "pipelined") + ", rows in " +
           std::to_string(chunks_.rows) + " and columns in " + std::to_string(chunks_.columns) +
           " chunks" + (eager ? ", " + std::to_string(made_.sends.size()) + " messages" : "");
  }

  const Transposition &t_;
  const Communicator &comm_;
  Order order_;
  int first_tag_;
  ChunkCounts chunks_;
  std::ptrdiff_t point_bytes_, largest_message_;
  MessageSchedule made_;
};

/// Returns chunk c of a block.
RankBytes chunk_of(const RankBytes &block, int c, int chunks) {
  const std::ptrdiff_t unit = block.count / block.units;
  const std::ptrdiff_t first = even_cut(block.units, c, chunks);
  return {block.rank, block.first + first * unit,
          (even_cut(block.units, c + 1, chunks) - first) * unit, 1};
}

/// Makes the schedule of messages of one rank from blocks. Elements have `element` bytes.
class BlockScheduler {
public:
  BlockScheduler(const Communicator &comm, const BlockMessagesOptions &options,
                 std::ptrdiff_t element)
      : comm_(comm), options_(options), element_(element) {}

  MessageSchedule make(const Redistribution &r) {
    made_.send_ends = options_.send_ends;
    made_.receive_ends = options_.receive_ends;
    Block sent, received;
    add(r.sent, 1, made_.sends, made_.sends_until, sent);
    add(r.received, -1, made_.receives, made_.receives_until, received);
    // With a single end the pass has no chunks of rows: all messages are sent at once.
    if (made_.send_ends.size() == 1) made_.sends_until = {made_.sends.size()};
    if (made_.receive_ends.size() == 1) made_.receives_until = {made_.receives.size()};
    made_.self_copies.resize(made_.receive_ends.size());
    made_.self_copies.front() = {sent, received};
    made_.text = "of blocks, " + std::to_string(made_.sends.size()) + " sent and " +
                 std::to_string(made_.receives.size()) + " received" +
                 (options_.chunks > 1 ? ", in " + std::to_string(options_.chunks) + " chunks" : "");
    return std::move(made_);
  }

private:
  /// Adds messages chunk by chunk. Within a chunk each rank begins with its next neighbour, in the
  /// same direction on all ranks, so that no rank gets many messages at the same time. `until`
  /// counts the messages up to the end of each chunk.
  void add(std::vector<RankBytes> blocks, int direction, std::vector<ScheduledMessage> &messages,
           std::vector<std::size_t> &until, Block &self) const {
    const int size = comm_.size();
    const auto distance = [&](const RankBytes &b) {
      return (direction * (b.rank - comm_.rank()) + size) % size;
    };
    std::sort(blocks.begin(), blocks.end(),
              [&](const RankBytes &a, const RankBytes &b) { return distance(a) < distance(b); });
    for (int c = 0; c < options_.chunks; ++c) {
      for (const RankBytes &b : blocks)
        if (b.rank == comm_.rank())
          self = run_block(b.first / element_, b.count / element_);
        else
          add_chunk(chunk_of(b, c, options_.chunks), limit_of(b), messages);
      until.push_back(messages.size());
    }
  }

  std::ptrdiff_t limit_of(const RankBytes &b) const {
    const std::ptrdiff_t wanted = options_.wire == WireFormat::full ? options_.largest_message : 0;
    return message_limit(wanted, b.count, comm_.size());
  }

  void add_chunk(const RankBytes &chunk, std::ptrdiff_t limit,
                 std::vector<ScheduledMessage> &messages) const {
    for (std::ptrdiff_t done = 0; done < chunk.count;) {
      const std::ptrdiff_t count = std::min(limit, chunk.count - done);
      messages.push_back(
          {chunk.rank, options_.tag, run_block((chunk.first + done) / element_, count / element_)});
      done += count;
    }
  }

  const Communicator &comm_;
  const BlockMessagesOptions &options_;
  std::ptrdiff_t element_;
  MessageSchedule made_;
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
    const Order order{options.tight_send, true};
    const MessageFormat format{.order = order,
                               .element_bytes = t.element_bytes(),
                               .wire = options.wire,
                               .round_self = options.round_own,
                               .threads = options.threads,
                               .largest_count = options.largest_count};
    return make_messages(comm, order.send(t, comm->rank()), order.receive(t, comm->rank()),
                         MatrixScheduler(t, *comm, order, options, chunks).make(), format);
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
  // For reduced precision the elements are numbers to be converted; otherwise they are bytes.
  const bool full = options.wire == WireFormat::full;
  const auto element = static_cast<std::ptrdiff_t>(full ? 1 : r.real_bytes);
  const MessageFormat format{.element_bytes = static_cast<std::size_t>(element),
                             .element_reals = 1,
                             .wire = options.wire,
                             .threads = options.threads,
                             .largest_count = options.largest_count};
  // Passes know the places of the blocks. These matrices only have the numbers of rows that the
  // passes write and read.
  return make_messages(comm, SplitRows::tight(options.send_ends.back(), 1, 1),
                       SplitRows::tight(options.receive_ends.back(), 1, 1),
                       BlockScheduler(*comm, options, element).make(r), format);
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
