#include "exchange/pipelined.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/mpi.h"
#include "base/threads.h"
#include "exchange/message.h"
#include "exchange/message_size.h"
#include "exchange/nodes.h"
#include "exchange/requests.h"
#include "exchange/wire_message.h"

namespace hybridfft::exchange {

namespace {

/// As many as choose_chunks needs.
constexpr int tags = ChunkedExchange::tags_of_execution;
constexpr std::ptrdiff_t most_rows = 8;
constexpr std::ptrdiff_t most_columns = 4;
static_assert(2 * most_rows * most_columns <= tags);

std::vector<std::ptrdiff_t> even_ends(std::ptrdiff_t n, int parts) {
  std::vector<std::ptrdiff_t> ends;
  for (int i = 1; i <= parts; ++i)
    ends.push_back(even_cut(n, i, parts));
  return ends;
}

/// Messages as MPI packs them.
class PlainMessages {
public:
  using Message = exchange::Message;

  PlainMessages(const Order &order, const ExchangeOptions &options, std::size_t element_bytes)
      : order_(order), largest_count_(options.largest_count), element_bytes_(element_bytes) {}

  Message make(int peer, int tag, const Block &block) {
    // Blocks of one shape follow each other, but for the last of a chunk.
    const auto same = [&](const Shape &s) {
      return s.block.rows == block.rows && s.block.columns == block.columns &&
             s.block.row_stride == block.row_stride && s.block.column_stride == block.column_stride;
    };
    auto known = std::find_if(shapes_.rbegin(), shapes_.rend(), same);
    if (known == shapes_.rend()) {
      shapes_.push_back(
          {block, std::make_shared<const Datatype>(
                      block_type(block, order_, element_bytes_, Origin::block, largest_count_))});
      known = shapes_.rbegin();
    }
    return Message(peer, tag, block.base * static_cast<std::ptrdiff_t>(element_bytes_),
                   known->type);
  }
  void complete() {}
  void leave() noexcept {}
  void keep(const Block &from, const std::byte *send, const Block &to, std::byte *receive) const {
    copy_block(from, send, to, receive, element_bytes_);
  }
  std::size_t scratch_bytes() const { return 0; }
  std::string describe() const { return ""; }

private:
  struct Shape {
    Block block;
    std::shared_ptr<const Datatype> type;
  };
  Order order_;
  std::ptrdiff_t largest_count_;
  std::size_t element_bytes_;
  std::vector<Shape> shapes_;
};

/// Narrow ones, with room for all that are under way.
class NarrowMessages {
public:
  using Message = WireMessage;

  NarrowMessages(const Order &order, const ExchangeOptions &options, std::size_t element_bytes)
      : plain_(order, options, element_bytes), options_(options),
        space_(std::make_shared<WireSpace>(
            WireSpace{Narrowing(options.wire, order, options.threads), Memory()})) {}

  Message make(int peer, int tag, const Block &block) {
    // The numbers begin at a cache line, the header lies before it.
    const auto line = static_cast<std::ptrdiff_t>(alignment);
    const Narrowing &n = space_->narrowing;
    const std::ptrdiff_t offset = bytes_ + (n.header() > 0 ? line : 0);
    bytes_ = (offset + n.bytes(block) + line - 1) / line * line;
    return WireMessage(peer, tag, block, space_, offset, options_.largest_count);
  }
  void complete() { space_->memory = Memory(static_cast<std::size_t>(bytes_), options_.threads); }
  void leave() noexcept { space_->memory.leave(); }
  void keep(const Block &from, const std::byte *send, const Block &to, std::byte *receive) const {
    plain_.keep(from, send, to, receive);
    if (options_.round_own) space_->narrowing.round(to, receive);
  }
  std::size_t scratch_bytes() const { return space_->memory.bytes(); }
  std::string describe() const { return std::string(", in ") + name(options_.wire) + " precision"; }

private:
  PlainMessages plain_;
  ExchangeOptions options_;
  std::shared_ptr<WireSpace> space_;
  std::ptrdiff_t bytes_ = 0;
};

template <class Messages> class Pipelined final : public ChunkedExchange {
  using Message = typename Messages::Message;

public:
  Pipelined(const Transposition &t, std::shared_ptr<Communicator> comm, const Order &order,
            const ExchangeOptions &options, ChunkCounts chunks)
      : ChunkedExchange(order.send(t, comm->rank()), order.receive(t, comm->rank())),
        comm_(std::move(comm)), order_(order), returning_(options.returning), chunks_(chunks),
        point_bytes_(t.vec * static_cast<std::ptrdiff_t>(t.element_bytes())),
        largest_message_(options.wire == Wire::full ? options.largest_message : 0),
        messages_(order, options, t.element_bytes()),
        send_ends_(even_ends(t.rows.count(comm_->rank()), chunks.rows)),
        receive_ends_(even_ends(t.columns.count(comm_->rank()), chunks.columns)) {
    for (int k = 0; k < chunks.columns; ++k)
      for (int m = 0; m < (k == 0 ? chunks.rows : 1); ++m)
        add_step(t, k, m);
    messages_.complete();
    const int rank = comm_->rank();
    own_sent_ = send_block(t, rank, rank, order);
    own_received_ = receive_block(t, rank, rank, order);
    sending_.resize(sends_.size(), MPI_REQUEST_NULL);
    receiving_.resize(receives_.size(), MPI_REQUEST_NULL);
  }

  const std::vector<std::ptrdiff_t> &send_ends() const override { return send_ends_; }
  const std::vector<std::ptrdiff_t> &receive_ends() const override { return receive_ends_; }

  void start(std::byte *send, std::byte *receive) override {
    send_buffer_ = send;
    receive_buffer_ = receive;
    posted_ = sends_done_ = receives_done_ = chunks_written_ = chunks_arrived_ = 0;
    failure_ = MPI_SUCCESS;
    for (std::size_t i = 0; i < receives_.size(); ++i)
      receives_[i].receive(receive, comm_->get(), first_tag_, receiving_[i]);
  }

  void rows_written(std::ptrdiff_t end) override {
    while (chunks_written_ < send_ends_.size() && send_ends_[chunks_written_] <= end)
      post_sends(sends_until_[chunks_written_++]);
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

  void tag_slot(int execution) override { first_tag_ = execution * tags; }

  void wait_rows(std::ptrdiff_t end) override {
    for (; chunks_arrived_ < receive_ends_.size() && first_row(chunks_arrived_) < end;
         ++chunks_arrived_) {
      const std::size_t k = chunks_arrived_;
      messages_.keep(own_sent_.column_range(first_row(k), receive_ends_[k]), send_buffer_,
                     own_received_.column_range(first_row(k), receive_ends_[k]), receive_buffer_);
      for (std::size_t i = k == 0 ? 0 : receives_until_[k - 1]; i < receives_until_[k]; ++i) {
        wait_for_all(&receiving_[i], 1);
        receives_[i].arrived(receive_buffer_);
      }
    }
  }

  void finish() override {
    wait_rows(receive_ends_.back());
    wait_for_all(sending_.data(), posted_);
    mpi::check(failure_, "MPI_Test");
  }

  bool cancel() noexcept override {
    const bool all = exchange::cancel(receiving_, sending_);
    if (!all) messages_.leave();
    return all;
  }

  std::size_t scratch_bytes() const override { return messages_.scratch_bytes(); }

  std::string describe() const override {
    const bool eager = largest_message_ > 0;
    return std::string(eager ? "eager" : "pipelined") + ", rows in " +
           std::to_string(chunks_.rows) + " and columns in " + std::to_string(chunks_.columns) +
           " chunks" + (eager ? ", " + std::to_string(sends_.size()) + " messages" : "") +
           messages_.describe();
  }

private:
  std::ptrdiff_t first_row(std::size_t chunk) const {
    return chunk == 0 ? 0 : receive_ends_[chunk - 1];
  }

  void post_sends(std::size_t end) {
    for (; posted_ < end; ++posted_)
      sends_[posted_].send(send_buffer_, comm_->get(), first_tag_, sending_[posted_]);
  }

  /// The messages from and to all ranks of chunk k of the columns of the receiver: for the first,
  /// of chunk m of the rows of the sender. Neighbours come first, so that no rank is flooded.
  void add_step(const Transposition &t, int k, int m) {
    const int rank = comm_->rank();
    const int size = comm_->size();
    for (int i = 1; i < size; ++i) {
      add_message(t, k, m, rank, (rank + i) % size);
      add_message(t, k, m, (rank - i + size) % size, rank);
    }
    const bool last_rows = k > 0 || m + 1 == chunks_.rows;
    if (k == 0) sends_until_.push_back(sends_.size());
    if (k > 0) sends_until_.back() = sends_.size();
    if (last_rows) receives_until_.push_back(receives_.size());
  }

  void add_message(const Transposition &t, int k, int m, int from, int to) {
    const bool sending = from == comm_->rank();
    Block b = sending ? send_block(t, from, to, order_) : receive_block(t, to, from, order_);
    const std::ptrdiff_t limit =
        message_limit(largest_message_, b.rows * b.columns * point_bytes_, comm_->size());
    b = b.column_range(even_cut(b.columns, k, chunks_.columns),
                       even_cut(b.columns, k + 1, chunks_.columns));
    if (k == 0)
      b = b.row_range(even_cut(b.rows, m, chunks_.rows), even_cut(b.rows, m + 1, chunks_.rows));
    if (b.elements() == 0) return;
    // Messages of one tag arrive in the order in which they are sent and expected.
    const int tag = 2 * (k * chunks_.rows + m) + (returning_ ? 1 : 0);
    std::vector<Message> &messages = sending ? sends_ : receives_;
    const auto [rows, columns] = largest_part(b, std::max<std::ptrdiff_t>(limit / point_bytes_, 1));
    for (std::ptrdiff_t c = 0; c < b.columns; c += columns)
      for (std::ptrdiff_t r = 0; r < b.rows; r += rows)
        messages.push_back(messages_.make(sending ? to : from, tag,
                                          b.column_range(c, std::min(c + columns, b.columns))
                                              .row_range(r, std::min(r + rows, b.rows))));
  }

  /// Rows and columns of the parts that a block is sent in: one at least of each.
  static std::pair<std::ptrdiff_t, std::ptrdiff_t> largest_part(const Block &b,
                                                                std::ptrdiff_t points) {
    const std::ptrdiff_t rows = std::min(points, b.rows);
    return {rows, std::min(points / rows, b.columns)};
  }

  std::shared_ptr<Communicator> comm_;
  Order order_;
  bool returning_;
  ChunkCounts chunks_;
  std::ptrdiff_t point_bytes_, largest_message_;
  Messages messages_;
  std::vector<std::ptrdiff_t> send_ends_, receive_ends_;
  Block own_sent_{}, own_received_{};
  std::vector<Message> sends_, receives_;   ///< in the order in which they are needed
  std::vector<std::size_t> sends_until_;    ///< by chunk of rows: sends that it completes
  std::vector<std::size_t> receives_until_; ///< by chunk of columns: receives that complete it
  std::vector<MPI_Request> sending_, receiving_;

  // Of the execution that is under way.
  int first_tag_ = 0;
  std::byte *send_buffer_ = nullptr;
  std::byte *receive_buffer_ = nullptr;
  std::size_t posted_ = 0;
  std::size_t sends_done_ = 0; ///< sends before this one are known to be complete
  std::size_t receives_done_ = 0;
  std::size_t chunks_written_ = 0;
  std::size_t chunks_arrived_ = 0;
  int failure_ = MPI_SUCCESS;
};

} // namespace

ChunkCounts choose_chunks(const Transposition &t) {
  // Below this size latency counts for more than what overlap saves.
  constexpr std::ptrdiff_t least_bytes = std::ptrdiff_t{64} << 10;
  const std::ptrdiff_t rows = std::max<std::ptrdiff_t>(t.rows.count(0), 1);
  const std::ptrdiff_t columns = std::max<std::ptrdiff_t>(t.columns.count(0), 1);
  const std::ptrdiff_t messages =
      rows * columns * t.vec * static_cast<std::ptrdiff_t>(t.element_bytes()) / least_bytes;
  const std::ptrdiff_t k = std::clamp<std::ptrdiff_t>(messages, 1, std::min(most_columns, columns));
  const std::ptrdiff_t m = std::clamp<std::ptrdiff_t>(messages / k, 1, std::min(most_rows, rows));
  return {static_cast<int>(m), static_cast<int>(k)};
}

std::unique_ptr<Exchange> make_pipelined_with(const Transposition &t,
                                              const std::shared_ptr<Communicator> &comm,
                                              const ExchangeOptions &options, ChunkCounts chunks) {
  std::unique_ptr<Exchange> made;
  mpi::all_or_none(comm->get(), [&] {
    const Order order{options.tight_send, true};
    if (options.wire == Wire::full)
      made = std::make_unique<Pipelined<PlainMessages>>(t, comm, order, options, chunks);
    else
      made = std::make_unique<Pipelined<NarrowMessages>>(t, comm, order, options, chunks);
  });
  return made;
}

std::unique_ptr<Exchange> make_pipelined(const Transposition &t,
                                         const std::shared_ptr<Communicator> &comm,
                                         const ExchangeOptions &options) {
  return make_pipelined_with(t, comm, options, choose_chunks(t));
}

std::unique_ptr<Exchange> make_eager(const Transposition &t,
                                     const std::shared_ptr<Communicator> &comm,
                                     const ExchangeOptions &options) {
  if (options.wire != Wire::full) return nullptr;
  if (!options.forced && nodes_of(*comm)->count() == 1) return nullptr;
  ExchangeOptions small = options;
  small.largest_message = eager_message;
  return make_pipelined(t, comm, small);
}

namespace table {
Algorithm pipelined() {
  return {.name = "pipelined",
          .make = make_pipelined,
          .cost = {2.2, 4, 0.5},
          .place = 2,
          .chunked = true};
}

Algorithm eager() {
  return {.name = "eager", .make = make_eager, .cost = {2.15, 4, 0.5}, .place = 1, .chunked = true};
}
} // namespace table

} // namespace hybridfft::exchange
