#include "exchange/block_messages.h"

#include <algorithm>
#include <cstring>

#include "base/mpi.h"
#include "base/threads.h"
#include "exchange/datatype.h"

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

SplitRows one_row(const std::vector<RankBytes> &blocks) {
  std::ptrdiff_t end = 0;
  for (const RankBytes &b : blocks)
    end = std::max(end, b.first + b.count);
  return SplitRows::tight(1, end, 1);
}

class BlockMessages final : public ChunkedExchange {
public:
  BlockMessages(std::shared_ptr<Communicator> comm, const std::vector<RankBytes> &sent,
                const std::vector<RankBytes> &received, const BlockMessagesOptions &options)
      : ChunkedExchange(one_row(sent), one_row(received)), comm_(std::move(comm)),
        options_(options) {
    add(sent, 1, sends_, own_sent_);
    add(received, -1, receives_, own_received_);
    requests_.resize(sends_.size() + receives_.size(), MPI_REQUEST_NULL);
  }

  const std::vector<std::ptrdiff_t> &send_ends() const override { return one_end_; }
  const std::vector<std::ptrdiff_t> &receive_ends() const override { return one_end_; }

  void start(std::byte *send, std::byte *receive) override {
    send_ = send;
    receive_ = receive;
    started_ = true;
    posted_ = done_ = 0;
    failure_ = MPI_SUCCESS;
    for (const BlockMessage &m : receives_)
      m.receive(receive, options_.tag, comm_->get(), requests_[posted_++]);
  }

  void rows_written(std::ptrdiff_t end) override {
    if (end < one_end_.front() || posted_ == requests_.size()) return;
    for (const BlockMessage &m : sends_)
      m.send(send_, options_.tag, comm_->get(), requests_[posted_++]);
  }

  void poll() noexcept override {
    // Testing one request lets all of them move on.
    for (; done_ < posted_; ++done_) {
      int complete = 0;
      const int code = MPI_Test(&requests_[done_], &complete, MPI_STATUS_IGNORE);
      if (code != MPI_SUCCESS) failure_ = code;
      if (complete == 0 || code != MPI_SUCCESS) return;
    }
  }

  bool complete() noexcept override {
    poll();
    return failure_ != MPI_SUCCESS || done_ == posted_;
  }

  /// Plans with these messages are not executed in the background.
  void number(int) override {}

  void wait_rows(std::ptrdiff_t end) override {
    if (end > 0) finish();
  }

  void finish() override {
    if (!started_) return;
    started_ = false;
    copy_own();
    mpi::check(MPI_Waitall(static_cast<int>(posted_), requests_.data(), MPI_STATUSES_IGNORE),
               "MPI_Waitall");
    mpi::check(failure_, "MPI_Test");
  }

  std::string describe() const override {
    return "of blocks, " + std::to_string(sends_.size()) + " sent and " +
           std::to_string(receives_.size()) + " received";
  }

private:
  /// Neighbours come first, in the same direction on all ranks, so that no rank is flooded.
  void add(std::vector<RankBytes> blocks, int direction, std::vector<BlockMessage> &messages,
           RankBytes &own) {
    const int size = comm_->size();
    const auto distance = [&](const RankBytes &b) {
      return (direction * (b.rank - comm_->rank()) + size) % size;
    };
    std::sort(blocks.begin(), blocks.end(),
              [&](const RankBytes &a, const RankBytes &b) { return distance(a) < distance(b); });
    for (const RankBytes &b : blocks)
      if (b.rank == comm_->rank())
        own = b;
      else if (b.count > 0)
        messages.emplace_back(b, options_.largest_count);
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
  std::vector<std::ptrdiff_t> one_end_{1};
  std::vector<BlockMessage> sends_, receives_;
  RankBytes own_sent_, own_received_;
  std::vector<MPI_Request> requests_; ///< of the receives, then of the sends

  // Of the execution that is under way.
  std::byte *send_ = nullptr;
  std::byte *receive_ = nullptr;
  bool started_ = false;
  std::size_t posted_ = 0;
  std::size_t done_ = 0;
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
