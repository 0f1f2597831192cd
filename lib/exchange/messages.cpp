// Executes schedules of messages. MPI sends directly from the buffers. Numbers in reduced precision
// (the wire format) are sent from memory of the exchange; they halve the bytes on slow networks.
#include "exchange/messages.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>

#include "base/memory.h"
#include "base/threads.h"
#include "simd/wire.h"

namespace hybridfft::exchange {

namespace {

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
  ReducedPrecision(WireFormat wire, const PeerBlocks &blocks, int threads)
      : wire_(wire), rows_outside_(blocks.order.tight_send),
        full_bytes_(static_cast<std::ptrdiff_t>(blocks.element_bytes)),
        reals_(full_bytes_ / (wire == WireFormat::single ? 8 : 4)), threads_(threads),
        kernels_(simd::wire_kernels(simd::active())) {}

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
      reduce(buffer + first * full_bytes_, packed + at * element_bytes(), count, scale);
    });
  }

  /// Unpacks a block.
  void unpack(const std::byte *packed, const Block &block, std::byte *buffer) const {
    float scale = 1;
    if (wire_ == WireFormat::half) std::memcpy(&scale, packed - scale_bytes, sizeof(scale));
    for_runs(block, [&](std::ptrdiff_t first, std::ptrdiff_t at, std::ptrdiff_t count) {
      restore(packed + at * element_bytes(), buffer + first * full_bytes_, count, scale);
    });
  }

  /// Rounds the numbers of a block in place. Half precision does not support it: its rounding
  /// depends on the scale of a message.
  void round(const Block &block, std::byte *buffer) const {
    for_runs(block, [&](std::ptrdiff_t first, std::ptrdiff_t, std::ptrdiff_t count) {
      alignas(alignment) std::array<std::byte, rounded_at_once * 8> reduced;
      for (std::ptrdiff_t done = 0; done < count; done += rounded_at_once) {
        std::byte *numbers = buffer + (first + done) * full_bytes_;
        const std::ptrdiff_t now = std::min(rounded_at_once, count - done);
        reduce(numbers, reduced.data(), now, 1);
        restore(reduced.data(), numbers, now, 1);
      }
    });
  }

private:
  /// Returns the bytes of an element in a message.
  std::ptrdiff_t element_bytes() const { return full_bytes_ / 2; }

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
  /// largest number in half precision. Numbers down to 2^-28 of the largest one keep all bits of
  /// the format.
  float scale_for(const Block &block, const std::byte *buffer) const {
    std::atomic<float> largest{0};
    for_runs(block, [&](std::ptrdiff_t first, std::ptrdiff_t, std::ptrdiff_t count) {
      const float mine = kernels_.largest(as<float>(buffer + first * full_bytes_),
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
  bool rows_outside_;         ///< true if messages contain blocks row by row
  std::ptrdiff_t full_bytes_; ///< bytes of an element in the buffers
  std::ptrdiff_t reals_;      ///< real numbers of an element
  int threads_;
  const simd::WireKernels &kernels_;
};

/// Executes a schedule. It posts all receives at the start. Polling makes progress, without threads
/// of MPI. In reduced precision MPI sends and receives in memory of the exchange, where each
/// message has its own place.
class ScheduledExchange final : public ChunkedExchange {
public:
  ScheduledExchange(std::shared_ptr<Communicator> comm, const PeerBlocks &blocks,
                    MessageSchedule schedule, const ExchangeOptions &options)
      : ChunkedExchange(blocks.send, blocks.receive), comm_(std::move(comm)),
        plan_(std::move(schedule)), options_(options), order_(blocks.order),
        element_bytes_(blocks.element_bytes) {
    if (options.wire != WireFormat::full) reduced_.emplace(options.wire, blocks, options.threads);
    std::ptrdiff_t bytes = 0;
    std::vector<Shape> shapes;
    for (const ScheduledMessage &m : plan_.sends)
      sends_.push_back(reduced_ ? packed_message(m, bytes) : plain_message(m, shapes));
    for (const ScheduledMessage &m : plan_.receives)
      receives_.push_back(reduced_ ? packed_message(m, bytes) : plain_message(m, shapes));
    if (reduced_) packed_ = Memory(static_cast<std::size_t>(bytes), options.threads);
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
      receives_[i].message.receive(buffer_of_messages(receive), comm_->get(), first_tag_,
                                   receiving_[i]);
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
      copy_block(from, send_buffer_, to, receive_buffer_, element_bytes_, options_.threads);
      if (reduced_ && options_.round_own) reduced_->round(to, receive_buffer_);
      for (std::size_t i = k == 0 ? 0 : plan_.receives_until[k - 1]; i < plan_.receives_until[k];
           ++i) {
        wait_for_all(&receiving_[i], 1);
        const PlannedMessage &m = receives_[i];
        if (reduced_) reduced_->unpack(packed_.data() + m.packed, m.block, receive_buffer_);
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
    if (!all && reduced_) packed_.leave();
    return all || reduced_;
  }

  std::size_t scratch_bytes() const override { return packed_.bytes(); }
  std::string describe() const override {
    return plan_.text + (reduced_ ? std::string(", in ") + name(options_.wire) + " precision" : "");
  }

private:
  /// A message, and the block that it carries in reduced precision.
  struct PlannedMessage {
    Message message;
    Block block;
    std::ptrdiff_t packed = 0; ///< offset of the numbers in packed_, in bytes
  };
  struct Shape {
    Block block;
    std::shared_ptr<const Datatype> type;
  };

  /// Returns a message that MPI sends directly from the buffer. Messages of blocks with the same
  /// shape share a type.
  PlannedMessage plain_message(const ScheduledMessage &m, std::vector<Shape> &shapes) const {
    const Block &b = m.block;
    const auto element = static_cast<std::ptrdiff_t>(element_bytes_);
    const std::ptrdiff_t bytes = b.elements() * element;
    if (is_contiguous(b, order_) && bytes <= options_.largest_count)
      return {Message(m.peer, m.tag, b.base * element, static_cast<int>(bytes)), b};
    auto known = std::find_if(shapes.rbegin(), shapes.rend(), [&](const Shape &s) {
      return s.block.rows == b.rows && s.block.columns == b.columns &&
             s.block.row_stride == b.row_stride && s.block.column_stride == b.column_stride;
    });
    if (known == shapes.rend()) {
      shapes.push_back({b, std::make_shared<const Datatype>(
                               block_type(b, order_, element_bytes_, 0, options_.largest_count))});
      known = shapes.rbegin();
    }
    return {Message(m.peer, m.tag, b.base * element, known->type), b};
  }

  /// Returns a message in reduced precision, and adds its bytes to `bytes`, the size of all
  /// messages so far. Its header precedes the numbers, which begin at a cache line.
  PlannedMessage packed_message(const ScheduledMessage &m, std::ptrdiff_t &bytes) const {
    const std::ptrdiff_t header = reduced_->header();
    const std::ptrdiff_t numbers = reduced_->bytes(m.block);
    const std::ptrdiff_t packed = bytes + whole_lines(header);
    bytes = whole_lines(packed + numbers);
    return {Message(m.peer, m.tag, run_block(packed - header, header + numbers), Order(), 1,
                    options_.largest_count),
            m.block, packed};
  }

  /// Returns the memory from which MPI sends, and into which it receives.
  std::byte *buffer_of_messages(std::byte *buffer) const {
    return reduced_ ? packed_.data() : buffer;
  }

  std::ptrdiff_t first_row(std::size_t chunk) const {
    return chunk == 0 ? 0 : plan_.receive_ends[chunk - 1];
  }

  void post_sends(std::size_t end) {
    for (; posted_ < end; ++posted_) {
      const PlannedMessage &m = sends_[posted_];
      if (reduced_) reduced_->pack(m.block, send_buffer_, packed_.data() + m.packed);
      m.message.send(buffer_of_messages(send_buffer_), comm_->get(), first_tag_, sending_[posted_]);
    }
  }

  std::shared_ptr<Communicator> comm_;
  MessageSchedule plan_; ///< the schedule; its messages have moved to sends_ and receives_
  ExchangeOptions options_;
  Order order_;
  std::size_t element_bytes_;
  std::optional<ReducedPrecision> reduced_; ///< no value: messages in full precision
  Memory packed_;                           ///< all messages in reduced precision
  std::vector<PlannedMessage> sends_, receives_;
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

std::unique_ptr<ChunkedExchange> make_messages(std::shared_ptr<Communicator> comm,
                                               const PeerBlocks &blocks, MessageSchedule schedule,
                                               const ExchangeOptions &options) {
  return std::make_unique<ScheduledExchange>(std::move(comm), blocks, std::move(schedule), options);
}

} // namespace hybridfft::exchange
