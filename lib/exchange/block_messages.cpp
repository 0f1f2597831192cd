#include "exchange/block_messages.h"

#include <algorithm>
#include <cstring>

#include "base/mpi.h"
#include "base/threads.h"
#include "exchange/datatype.h"
#include "exchange/message_size.h"
#include "exchange/requests.h"

namespace hybridfft::exchange {

namespace {

/// Bytes and the rank at their other end.
class BlockMessage {
public:
  BlockMessage(const RankBytes &bytes, std::ptrdiff_t largest_count)
      : rank_(bytes.rank), first_(bytes.first) {
    if (bytes.count <= largest_count)
      count_ = static_cast<int>(bytes.count);
    else
      type_ = Datatype(0, {}, bytes.count, largest_count);
  }

  void send(const std::byte *buffer, int tag, MPI_Comm comm, MPI_Request &request) const {
    mpi::check(MPI_Isend(buffer + first_, count_, type(), rank_, tag, comm, &request), "MPI_Isend");
  }
  void receive(std::byte *buffer, int tag, MPI_Comm comm, MPI_Request &request) const {
    mpi::check(MPI_Irecv(buffer + first_, count_, type(), rank_, tag, comm, &request), "MPI_Irecv");
  }

private:
  MPI_Datatype type() const { return type_.get() == MPI_DATATYPE_NULL ? MPI_BYTE : type_.get(); }

  int rank_;
  std::ptrdiff_t first_;
  int count_ = 1;
  Datatype type_; ///< of large messages
};

/// Blocks have no rows of their own: those of the pass count.
SplitRows with_rows(std::ptrdiff_t rows) { return SplitRows::tight(rows, 1, 1); }

/// Chunk c of a block.
RankBytes chunk_of(const RankBytes &block, int c, int chunks) {
  const std::ptrdiff_t unit = block.count / block.units;
  const std::ptrdiff_t first = even_cut(block.units, c, chunks);
  return {block.rank, block.first + first * unit,
          (even_cut(block.units, c + 1, chunks) - first) * unit, 1};
}

class BlockMessages final : public ChunkedExchange {
public:
  BlockMessages(std::shared_ptr<Communicator> comm, const std::vector<RankBytes> &sent,
                const std::vector<RankBytes> &received, const BlockMessagesOptions &options)
      : ChunkedExchange(with_rows(options.send_ends.back()),
                        with_rows(options.receive_ends.back())),
        comm_(std::move(comm)), options_(options), tag_(options.tag) {
    add(sent, 1, sends_, sends_until_, own_sent_);
    add(received, -1, receives_, receives_until_, own_received_);
    receiving_.resize(receives_.size(), MPI_REQUEST_NULL);
    sending_.resize(sends_.size(), MPI_REQUEST_NULL);
  }

  const std::vector<std::ptrdiff_t> &send_ends() const override { return options_.send_ends; }
  const std::vector<std::ptrdiff_t> &receive_ends() const override { return options_.receive_ends; }

  void start(std::byte *send, std::byte *receive) override {
    send_ = send;
    receive_ = receive;
    started_ = true;
    posted_ = receives_done_ = sends_done_ = written_ = arrived_ = 0;
    failure_ = MPI_SUCCESS;
    for (std::size_t i = 0; i < receives_.size(); ++i)
      receives_[i].receive(receive, tag_, comm_->get(), receiving_[i]);
  }

  void rows_written(std::ptrdiff_t end) override {
    const auto &ends = options_.send_ends;
    while (written_ < ends.size() && ends[written_] <= end)
      ++written_;
    if (written_ == 0) return;
    const std::size_t until = written_ == ends.size() ? sends_.size() : sends_until_[written_ - 1];
    for (; posted_ < until; ++posted_)
      sends_[posted_].send(send_, tag_, comm_->get(), sending_[posted_]);
  }

  void poll() noexcept override {
    // Testing one request lets all of them move on.
    if (test_in_order(receiving_, receives_done_, receiving_.size(), failure_))
      test_in_order(sending_, sends_done_, posted_, failure_);
  }

  bool complete() noexcept override {
    poll();
    return failure_ != MPI_SUCCESS ||
           (receives_done_ == receiving_.size() && sends_done_ == posted_);
  }

  void tag_slot(int execution) override { tag_ = execution * tags_of_execution + options_.tag; }

  void wait_rows(std::ptrdiff_t end) override {
    const auto &ends = options_.receive_ends;
    if (arrived_ == 0 && end > 0) copy_own();
    for (; arrived_ < ends.size() && (arrived_ == 0 ? 0 : ends[arrived_ - 1]) < end; ++arrived_) {
      const std::size_t first = arrived_ == 0 ? 0 : receives_until_[arrived_ - 1];
      const std::size_t until =
          arrived_ + 1 == ends.size() ? receives_.size() : receives_until_[arrived_];
      wait_for_all(receiving_.data() + first, until - first);
    }
  }

  void finish() override {
    if (!started_) return;
    started_ = false;
    wait_rows(options_.receive_ends.back());
    wait_for_all(sending_.data(), posted_);
    mpi::check(failure_, "MPI_Test");
  }

  bool cancel() noexcept override {
    started_ = false;
    return exchange::cancel(receiving_, sending_);
  }

  std::string describe() const override {
    return "of blocks, " + std::to_string(sends_.size()) + " sent and " +
           std::to_string(receives_.size()) + " received" +
           (options_.chunks > 1 ? ", in " + std::to_string(options_.chunks) + " chunks" : "");
  }

private:
  /// Chunk by chunk; in each, neighbours come first, in the same direction on all ranks, so that no
  /// rank is flooded. `until` counts the messages up to the end of each chunk.
  void add(std::vector<RankBytes> blocks, int direction, std::vector<BlockMessage> &messages,
           std::vector<std::size_t> &until, RankBytes &own) {
    const int size = comm_->size();
    const auto distance = [&](const RankBytes &b) {
      return (direction * (b.rank - comm_->rank()) + size) % size;
    };
    std::sort(blocks.begin(), blocks.end(),
              [&](const RankBytes &a, const RankBytes &b) { return distance(a) < distance(b); });
    for (int c = 0; c < options_.chunks; ++c) {
      for (const RankBytes &b : blocks)
        if (b.rank == comm_->rank())
          own = b;
        else
          add_chunk(chunk_of(b, c, options_.chunks),
                    message_limit(options_.largest_message, b.count, size), messages);
      until.push_back(messages.size());
    }
  }

  void add_chunk(const RankBytes &chunk, std::ptrdiff_t limit,
                 std::vector<BlockMessage> &messages) const {
    for (std::ptrdiff_t done = 0; done < chunk.count;) {
      const std::ptrdiff_t count = std::min(limit, chunk.count - done);
      messages.emplace_back(RankBytes{chunk.rank, chunk.first + done, count},
                            options_.largest_count);
      done += count;
    }
  }

  void copy_own() const {
    parallel_ranges(own_sent_.count, own_sent_.count < least_shared ? 1 : options_.threads,
                    [this](std::ptrdiff_t first, std::ptrdiff_t last, int) {
                      std::memcpy(receive_ + own_received_.first + first,
                                  send_ + own_sent_.first + first,
                                  static_cast<std::size_t>(last - first));
                    });
  }

  /// Fewer bytes are copied by one thread.
  static constexpr std::ptrdiff_t least_shared = std::ptrdiff_t{1} << 16;

  std::shared_ptr<Communicator> comm_;
  BlockMessagesOptions options_;
  int tag_; ///< of the execution that is under way, or the next one
  std::vector<BlockMessage> sends_, receives_;
  std::vector<std::size_t> sends_until_, receives_until_;
  RankBytes own_sent_, own_received_;
  std::vector<MPI_Request> receiving_, sending_;

  // Of the execution that is under way.
  std::byte *send_ = nullptr;
  std::byte *receive_ = nullptr;
  bool started_ = false;
  std::size_t posted_ = 0;
  std::size_t receives_done_ = 0; ///< receives before this one are known to be complete
  std::size_t sends_done_ = 0;
  std::size_t written_ = 0; ///< ends that rows_written() has reached
  std::size_t arrived_ = 0; ///< ends that wait_rows() has reached
  int failure_ = MPI_SUCCESS;
};

} // namespace

std::unique_ptr<ChunkedExchange> make_block_messages(const std::shared_ptr<Communicator> &comm,
                                                     const std::vector<RankBytes> &sent,
                                                     const std::vector<RankBytes> &received,
                                                     const BlockMessagesOptions &options) {
  return std::make_unique<BlockMessages>(comm, sent, received, options);
}

} // namespace hybridfft::exchange
