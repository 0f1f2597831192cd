// Executes schedules of messages. MPI sends directly from the buffers, or numbers in reduced
// precision (the wire format) from memory of the exchange, which halves the bytes on slow networks.
#include "exchange/messages.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/memory.h"
#include "base/threads.h"
#include "simd/wire.h"

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
  void round_self(const Block &, std::byte *) const {}
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

constexpr std::ptrdiff_t scale_bytes = sizeof(float);
/// Number of elements rounded at once; they fill a fraction of a cache.
constexpr std::ptrdiff_t rounded_at_once = 512;

template <class T> const T *as(const std::byte *p) { return reinterpret_cast<const T *>(p); }
template <class T> T *as(std::byte *p) { return reinterpret_cast<T *>(p); }

/// Packs blocks into contiguous numbers of reduced precision, in the order of the message, and
/// unpacks them, with all threads. In half precision each message has a scale in `header` bytes
/// before the numbers. The scale is a power of two and brings the largest number near the upper end
/// of the format.
class ReducedPrecision {
public:
  explicit ReducedPrecision(const MessageFormat &format)
      : wire_(format.wire), rows_outside_(format.order.tight_send), reals_(format.element_reals),
        threads_(format.threads), kernels_(simd::wire_kernels(simd::active())) {}

  /// Returns the bytes of a packed block, without the header.
  std::ptrdiff_t bytes(const Block &block) const { return block.elements() * element_bytes(); }
  /// Returns the bytes before a packed block: the scale of half precision, else 0.
  std::ptrdiff_t header() const { return wire_ == WireFormat::half ? scale_bytes : 0; }

  /// Packs a block; `packed` has header() bytes before it.
  void pack(const Block &block, const std::byte *buffer, std::byte *packed) const {
    float scale = 1;
    if (wire_ == WireFormat::half) {
      scale = scale_for(block, buffer);
      const float inverse = 1 / scale;
      std::memcpy(packed - scale_bytes, &inverse, sizeof(inverse));
    }
    for_runs(block, [&](std::ptrdiff_t first, std::ptrdiff_t at, std::ptrdiff_t count) {
      reduce(buffer + first * full_bytes(), packed + at * element_bytes(), count, scale);
    });
  }

  /// Unpacks a block.
  void unpack(const std::byte *packed, const Block &block, std::byte *buffer) const {
    float scale = 1;
    if (wire_ == WireFormat::half) std::memcpy(&scale, packed - scale_bytes, sizeof(scale));
    for_runs(block, [&](std::ptrdiff_t first, std::ptrdiff_t at, std::ptrdiff_t count) {
      restore(packed + at * element_bytes(), buffer + first * full_bytes(), count, scale);
    });
  }

  /// Rounds the numbers of a block in place. Half precision does not support it: its rounding
  /// depends on the scale of a message.
  void round(const Block &block, std::byte *buffer) const {
    for_runs(block, [&](std::ptrdiff_t first, std::ptrdiff_t, std::ptrdiff_t count) {
      alignas(alignment) std::array<std::byte, rounded_at_once * 8> reduced;
      for (std::ptrdiff_t done = 0; done < count; done += rounded_at_once) {
        std::byte *numbers = buffer + (first + done) * full_bytes();
        const std::ptrdiff_t now = std::min(rounded_at_once, count - done);
        reduce(numbers, reduced.data(), now, 1);
        restore(reduced.data(), numbers, now, 1);
      }
    });
  }

private:
  /// Bytes of an element in a message, and in the buffers.
  std::ptrdiff_t element_bytes() const { return reals_ * (wire_ == WireFormat::single ? 4 : 2); }
  std::ptrdiff_t full_bytes() const { return 2 * element_bytes(); }

  /// Calls f(first element in the buffer, first element in the message, number of elements) for
  /// each piece of a block that is contiguous in both.
  template <class F> void for_runs(const Block &b, const F &f) const {
    const bool by_rows = rows_outside_;
    const std::ptrdiff_t inside = by_rows ? b.columns : b.rows;
    const std::ptrdiff_t inner_stride = by_rows ? b.column_stride : b.row_stride;
    const std::ptrdiff_t outer_stride = by_rows ? b.row_stride : b.column_stride;
    const std::ptrdiff_t line = inside * b.vec;
    const std::ptrdiff_t run = inner_stride == b.vec ? line : b.vec;
    parallel_ranges(b.elements(), threads_, [&](std::ptrdiff_t first, std::ptrdiff_t last, int) {
      for (std::ptrdiff_t at = first; at < last;) {
        const std::ptrdiff_t in_line = at % line;
        const std::ptrdiff_t in_run = in_line % run;
        const std::ptrdiff_t count = std::min(run - in_run, last - at);
        f(b.base + at / line * outer_stride + in_line / run * inner_stride + in_run, at, count);
        at += count;
      }
    });
  }

  void reduce(const std::byte *from, std::byte *to, std::ptrdiff_t elements, float scale) const {
    const auto n = static_cast<std::size_t>(reals_ * elements);
    if (wire_ == WireFormat::single)
      kernels_.double_to_single(as<double>(from), as<float>(to), n);
    else if (wire_ == WireFormat::bfloat16)
      kernels_.single_to_bfloat16(as<float>(from), as<std::uint16_t>(to), n);
    else
      kernels_.single_to_half(as<float>(from), as<std::uint16_t>(to), n, scale);
  }

  void restore(const std::byte *from, std::byte *to, std::ptrdiff_t elements, float scale) const {
    const auto n = static_cast<std::size_t>(reals_ * elements);
    if (wire_ == WireFormat::single)
      kernels_.single_to_double(as<float>(from), as<double>(to), n);
    else if (wire_ == WireFormat::bfloat16)
      kernels_.bfloat16_to_single(as<std::uint16_t>(from), as<float>(to), n);
    else
      kernels_.half_to_single(as<std::uint16_t>(from), as<float>(to), n, scale);
  }

  /// Returns a power of two. Multiplied by it, the largest number is 2^14 .. 2^15, below 65504, the
  /// largest number in half precision. Numbers down to 2^-29 of the largest one keep all bits of
  /// the format.
  float scale_for(const Block &block, const std::byte *buffer) const {
    std::atomic<float> largest{0};
    for_runs(block, [&](std::ptrdiff_t first, std::ptrdiff_t, std::ptrdiff_t count) {
      const float mine = kernels_.largest(as<float>(buffer + first * full_bytes()),
                                          static_cast<std::size_t>(reals_ * count));
      float before = largest.load(std::memory_order_relaxed);
      while (before < mine &&
             !largest.compare_exchange_weak(before, mine, std::memory_order_relaxed)) {
      }
    });
    if (largest == 0.0F) return 1;
    int exponent = 0;
    std::frexp(largest.load(), &exponent);
    // The limits keep the scale and its inverse within the normal numbers.
    return std::ldexp(1.0F, std::clamp(15 - exponent, -126, 126));
  }

  WireFormat wire_;
  bool rows_outside_; ///< true if messages contain blocks row by row
  std::ptrdiff_t reals_;
  int threads_;
  const simd::WireKernels &kernels_;
};

/// Memory for all messages of one exchange in reduced precision, one after another.
struct WireSpace {
  ReducedPrecision precision;
  Memory memory;
};

/// A message with a buffer for conversion: send() packs the block into it, and arrived() unpacks
/// it. The header and the numbers are contiguous in the buffer.
class WireMessage {
public:
  WireMessage(int peer, int tag, const Block &block, std::shared_ptr<const WireSpace> space,
              std::ptrdiff_t offset, std::ptrdiff_t largest_count)
      : block_(block), space_(std::move(space)), offset_(offset),
        packed_(peer, tag,
                run_block(offset - space_->precision.header(),
                          space_->precision.header() + space_->precision.bytes(block)),
                Order(), 1, largest_count) {}

  void send(const std::byte *buffer, MPI_Comm comm, int first_tag, MPI_Request &request) const {
    space_->precision.pack(block_, buffer, space_->memory.data() + offset_);
    packed_.send(space_->memory.data(), comm, first_tag, request);
  }
  void receive(std::byte *, MPI_Comm comm, int first_tag, MPI_Request &request) const {
    packed_.receive(space_->memory.data(), comm, first_tag, request);
  }
  void arrived(std::byte *buffer) const {
    space_->precision.unpack(space_->memory.data() + offset_, block_, buffer);
  }

private:
  Block block_;
  std::shared_ptr<const WireSpace> space_;
  std::ptrdiff_t offset_; ///< bytes before the numbers
  Message packed_;
};

/// Messages in reduced precision, with memory for all messages of an execution.
class ReducedMessages {
public:
  using Message = WireMessage;

  explicit ReducedMessages(const MessageFormat &format)
      : format_(format),
        space_(std::make_shared<WireSpace>(WireSpace{ReducedPrecision(format), Memory()})) {}

  Message make(const ScheduledMessage &m) {
    // The header precedes the numbers, which begin at a cache line.
    const ReducedPrecision &p = space_->precision;
    const std::ptrdiff_t offset = bytes_ + whole_lines(p.header());
    bytes_ = whole_lines(offset + p.bytes(m.block));
    return WireMessage(m.peer, m.tag, m.block, space_, offset, format_.largest_count);
  }
  void complete() { space_->memory = Memory(static_cast<std::size_t>(bytes_), format_.threads); }
  static constexpr bool in_place = false;
  void leave() noexcept { space_->memory.leave(); }
  void round_self(const Block &block, std::byte *receive) const {
    space_->precision.round(block, receive);
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
        plan_(std::move(schedule)), format_(format), messages_(format) {
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
      copy_self(from, send_buffer_, to, receive_buffer_, format_);
      if (format_.round_self) messages_.round_self(to, receive_buffer_);
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
  MessageFormat format_;
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
