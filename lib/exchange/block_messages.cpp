#include "exchange/block_messages.h"

#include <algorithm>

#include "base/error.h"
#include "base/threads.h"
#include "exchange/message.h"
#include "exchange/message_schedule.h"

namespace hybridfft::exchange {

namespace {

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
  // Passes do not refer to rows of these messages, so each buffer counts as a single row.
  return make_messages(comm, SplitRows::tight(options.send_ends.back(), 1, 1),
                       SplitRows::tight(options.receive_ends.back(), 1, 1),
                       BlockScheduler(*comm, options, element).make(r), format);
}

} // namespace hybridfft::exchange
