#include "exchange/message_schedule.h"

#include <algorithm>
#include <cstring>

#include "base/mpi.h"
#include "base/threads.h"
#include "exchange/message.h"
#include "exchange/requests.h"
#include "exchange/wire_message.h"

namespace hybridfft::exchange {

namespace {

/// Smaller copies, in bytes, are made by one thread.
constexpr std::ptrdiff_t min_shared = std::ptrdiff_t{1} << 16;

void copy_self(const Block &from, const std::byte *send, const Block &to, std::byte *receive,
               const MessageFormat &format) {
  const std::ptrdiff_t bytes = from.elements() * static_cast<std::ptrdiff_t>(format.element_bytes);
  if (!is_contiguous(from, format.order) || !is_contiguous(to, format.order)) {
    copy_block(from, send, to, receive, format.element_bytes);
    return;
  }
  const std::byte *source = send + from.base * static_cast<std::ptrdiff_t>(format.element_bytes);
  std::byte *target = receive + to.base * static_cast<std::ptrdiff_t>(format.element_bytes);
  parallel_ranges(bytes, bytes < min_shared ? 1 : format.threads,
                  [&](std::ptrdiff_t first, std::ptrdiff_t last, int) {
                    std::memcpy(target + first, source + first,
                                static_cast<std::size_t>(last - first));
                  });
}

/// Messages sent by MPI directly from the buffers.
class PlainMessages {
public:
  using Message = exchange::Message;

  explicit PlainMessages(const MessageFormat &format) : format_(format) {}

  Message make(const ScheduledMessage &m) {
    const std::ptrdiff_t offset = m.block.base * static_cast<std::ptrdiff_t>(format_.element_bytes);
    const std::ptrdiff_t bytes =
        m.block.elements() * static_cast<std::ptrdiff_t>(format_.element_bytes);
    if (is_contiguous(m.block, format_.order) && bytes <= format_.largest_count)
      return Message(m.peer, m.tag, offset, static_cast<int>(bytes));
    return Message(m.peer, m.tag, offset, type_of(m.block));
  }
  void complete() {}
  /// MPI sends directly from the buffer.
  static constexpr bool in_place = true;
  void leave() noexcept {}
  void copy_to_self(const Block &from, const std::byte *send, const Block &to,
                    std::byte *receive) const {
    copy_self(from, send, to, receive, format_);
  }
  std::size_t scratch_bytes() const { return 0; }
  std::string describe() const { return ""; }

private:
  struct Shape {
    Block block;
    std::shared_ptr<const Datatype> type;
  };

  /// Returns the datatype of a block. Adjacent blocks of one shape share a type, except the last
  /// block of a chunk.
  std::shared_ptr<const Datatype> type_of(const Block &block) {
    const auto same = [&](const Shape &s) {
      return s.block.rows == block.rows && s.block.columns == block.columns &&
             s.block.row_stride == block.row_stride && s.block.column_stride == block.column_stride;
    };
    auto known = std::find_if(shapes_.rbegin(), shapes_.rend(), same);
    if (known == shapes_.rend()) {
      shapes_.push_back({block, std::make_shared<const Datatype>(
                                    block_type(block, format_.order, format_.element_bytes,
                                               Origin::block, format_.largest_count))});
      known = shapes_.rbegin();
    }
    return known->type;
  }

  MessageFormat format_;
  std::vector<Shape> shapes_;
};

/// Messages in reduced precision, with memory for all messages of an execution.
class ReducedMessages {
public:
  using Message = WireMessage;

  explicit ReducedMessages(const MessageFormat &format)
      : format_(format),
        space_(std::make_shared<WireSpace>(WireSpace{
            ReducedPrecision(format.wire, format.order, format.element_reals, format.threads),
            Memory()})) {}

  Message make(const ScheduledMessage &m) {
    // The header precedes the numbers, which begin at a cache line.
    const auto line = static_cast<std::ptrdiff_t>(alignment);
    const ReducedPrecision &p = space_->precision;
    const std::ptrdiff_t offset = bytes_ + (p.header() > 0 ? line : 0);
    bytes_ = (offset + p.bytes(m.block) + line - 1) / line * line;
    return WireMessage(m.peer, m.tag, m.block, space_, offset, format_.largest_count);
  }
  void complete() { space_->memory = Memory(static_cast<std::size_t>(bytes_), format_.threads); }
  static constexpr bool in_place = false;
  void leave() noexcept { space_->memory.leave(); }
  void copy_to_self(const Block &from, const std::byte *send, const Block &to,
                    std::byte *receive) const {
    copy_self(from, send, to, receive, format_);
    if (format_.round_self) space_->precision.round(to, receive);
  }
  std::size_t scratch_bytes() const { return space_->memory.bytes(); }
  std::string describe() const { return std::string(", in ") + name(format_.wire) + " precision"; }

private:
  MessageFormat format_;
  std::shared_ptr<WireSpace> space_;
  std::ptrdiff_t bytes_ = 0;
};

/// Executes a schedule. It posts all receives at the start. Polling makes progress, without threads
/// of MPI.
template <class Messages> class ScheduledExchange final : public ChunkedExchange {
  using Message = typename Messages::Message;

public:
  ScheduledExchange(std::shared_ptr<Communicator> comm, SplitRows send, SplitRows receive,
                    MessageSchedule schedule, const MessageFormat &format)
      : ChunkedExchange(std::move(send), std::move(receive)), comm_(std::move(comm)),
        plan_(std::move(schedule)), messages_(format) {
    for (const ScheduledMessage &m : plan_.sends)
      sends_.push_back(messages_.make(m));
    for (const ScheduledMessage &m : plan_.receives)
      receives_.push_back(messages_.make(m));
    messages_.complete();
    plan_.sends = plan_.receives = {};
    sending_.resize(sends_.size(), MPI_REQUEST_NULL);
    receiving_.resize(receives_.size(), MPI_REQUEST_NULL);
  }

  const std::vector<std::ptrdiff_t> &send_ends() const override { return plan_.send_ends; }
  const std::vector<std::ptrdiff_t> &receive_ends() const override { return plan_.receive_ends; }

  void start(std::byte *send, std::byte *receive) override {
    send_buffer_ = send;
    receive_buffer_ = receive;
    started_ = true;
    posted_ = sends_done_ = receives_done_ = chunks_written_ = chunks_arrived_ = 0;
    failure_ = MPI_SUCCESS;
    for (std::size_t i = 0; i < receives_.size(); ++i)
      receives_[i].receive(receive, comm_->get(), first_tag_, receiving_[i]);
  }

  void rows_written(std::ptrdiff_t end) override {
    while (chunks_written_ < plan_.send_ends.size() && plan_.send_ends[chunks_written_] <= end)
      post_sends(plan_.sends_until[chunks_written_++]);
  }

  void poll() noexcept override {
    // MPI advances all requests when one of them is tested.
    if (test_in_order(receiving_, receives_done_, receiving_.size(), failure_))
      test_in_order(sending_, sends_done_, posted_, failure_);
  }

  bool complete() noexcept override {
    poll();
    return failure_ != MPI_SUCCESS ||
           (receives_done_ == receiving_.size() && sends_done_ == posted_);
  }

  void tag_slot(int slot) override { first_tag_ = slot * tags_of_execution; }

  void wait_rows(std::ptrdiff_t end) override {
    for (; chunks_arrived_ < plan_.receive_ends.size() && first_row(chunks_arrived_) < end;
         ++chunks_arrived_) {
      const std::size_t k = chunks_arrived_;
      const auto &[from, to] = plan_.self_copies[k];
      messages_.copy_to_self(from, send_buffer_, to, receive_buffer_);
      for (std::size_t i = k == 0 ? 0 : plan_.receives_until[k - 1]; i < plan_.receives_until[k];
           ++i) {
        wait_for_all(&receiving_[i], 1);
        receives_[i].arrived(receive_buffer_);
      }
    }
  }

  void finish() override {
    if (!started_) return;
    wait_rows(plan_.receive_ends.back());
    wait_for_all(sending_.data(), posted_);
    mpi::check(failure_, "MPI_Test");
    started_ = false; // after a failure it stays true, so that cancel() ends the messages
  }

  bool cancel(const Patience &patience) noexcept override {
    started_ = false;
    const bool all = exchange::cancel(receiving_, sending_, patience);
    if (!all) messages_.leave();
    return all || !Messages::in_place;
  }

  std::size_t scratch_bytes() const override { return messages_.scratch_bytes(); }
  std::string describe() const override { return plan_.text + messages_.describe(); }

private:
  std::ptrdiff_t first_row(std::size_t chunk) const {
    return chunk == 0 ? 0 : plan_.receive_ends[chunk - 1];
  }

  void post_sends(std::size_t end) {
    for (; posted_ < end; ++posted_)
      sends_[posted_].send(send_buffer_, comm_->get(), first_tag_, sending_[posted_]);
  }

  std::shared_ptr<Communicator> comm_;
  MessageSchedule plan_; ///< the schedule; its messages have moved to the next members
  Messages messages_;
  std::vector<Message> sends_, receives_;
  std::vector<MPI_Request> sending_, receiving_;

  // State of the active execution.
  int first_tag_ = 0;
  std::byte *send_buffer_ = nullptr;
  std::byte *receive_buffer_ = nullptr;
  bool started_ = false;
  std::size_t posted_ = 0;
  std::size_t sends_done_ = 0; ///< sends before this one are complete
  std::size_t receives_done_ = 0;
  std::size_t chunks_written_ = 0;
  std::size_t chunks_arrived_ = 0;
  int failure_ = MPI_SUCCESS;
};

} // namespace

std::unique_ptr<ChunkedExchange> make_messages(std::shared_ptr<Communicator> comm, SplitRows send,
                                               SplitRows receive, MessageSchedule schedule,
                                               const MessageFormat &format) {
  if (format.wire == WireFormat::full)
    return std::make_unique<ScheduledExchange<PlainMessages>>(
        std::move(comm), std::move(send), std::move(receive), std::move(schedule), format);
  return std::make_unique<ScheduledExchange<ReducedMessages>>(
      std::move(comm), std::move(send), std::move(receive), std::move(schedule), format);
}

} // namespace hybridfft::exchange
