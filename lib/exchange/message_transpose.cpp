#include "exchange/message_transpose.h"

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/memory.h"
#include "base/mpi.h"
#include "exchange/message_size.h"
#include "exchange/pipelined.h"

namespace hybridfft::exchange {

namespace {

/// A pool of buffers. Each can hold any field on either side.
class Buffers {
public:
  static constexpr int none = -1;

  void add(std::size_t bytes, int threads) {
    memory_.emplace_back(bytes, threads);
    free_.push_back(static_cast<int>(memory_.size()) - 1);
  }
  /// Takes a free buffer; returns `none` if all are in use.
  int take() {
    if (free_.empty()) return none;
    const int buffer = free_.back();
    free_.pop_back();
    return buffer;
  }
  void give_back(int &buffer) {
    if (buffer != none) free_.push_back(buffer);
    buffer = none;
  }
  /// Leaks a buffer on purpose, for sends that may still read it.
  void leave(int buffer) {
    if (buffer != none) memory_[static_cast<std::size_t>(buffer)].leave();
  }
  std::byte *data(int buffer) const {
    return buffer == none ? nullptr : memory_[static_cast<std::size_t>(buffer)].data();
  }
  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const Memory &m : memory_)
      sum += m.bytes();
    return sum;
  }

private:
  std::vector<Memory> memory_;
  std::vector<int> free_; ///< never exceeds the capacity reserved by add()
};

/// A transpose by messages. A field is received into one buffer and sent from another, so one can
/// be read while the other is written. A free receive buffer is taken before writing begins,
/// because other ranks may send early.
class MessageTranspose final : public BidirectionalTranspose {
public:
  /// Transfer of a field from one side to the other.
  struct Transfer {
    Exchange *by = nullptr; ///< the active exchange
    int sent = Buffers::none, received = Buffers::none;
    bool started = false;
  };
  struct Field {
    std::unique_ptr<Exchange> forth, back;
    Transfer last; ///< transfer of the data to read
    Transfer next; ///< transfer of the written data
  };

  MessageTranspose(std::vector<Field> fields, Buffers buffers)
      : fields_(std::move(fields)), buffers_(std::move(buffers)),
        row_ends_(cuts(*fields_.front().back, *fields_.front().forth)),
        column_ends_(cuts(*fields_.front().forth, *fields_.front().back)) {}
  /// Waits for messages: otherwise they would arrive in freed memory.
  ~MessageTranspose() override {
    if (!mpi::running()) return;
    try {
      for (Field &field : fields_)
        arrive(field.last);
    } catch (const Failure &) { // a destructor cannot report a failure
    }
    MessageTranspose::cancel();
  }

  Side rows_in(int f) const override { return {&at(f).back->receive(), arrived(f)}; }
  Side rows_out(int f) const override { return {&at(f).forth->send(), leaving(f)}; }
  Side columns_in(int f) const override { return {&at(f).forth->receive(), arrived(f)}; }
  Side columns_out(int f) const override { return {&at(f).back->send(), leaving(f)}; }

  std::span<const std::ptrdiff_t> ends() const override {
    return at_columns_ ? column_ends_ : row_ends_;
  }

  void prepare_rows() override { prepare(false); }
  void prepare_columns() override { prepare(true); }

  void open(int f) override {
    Field &field = at(f);
    Exchange *by = at_columns_ ? field.back.get() : field.forth.get();
    if (field.last.by == by) arrive(field.last); // the data have not been read
    field.next = {by, take(), Buffers::none, false};
    if (by->chunked() == nullptr) return;
    // All ranks post receives in the order of the fields, independent of their free buffers.
    if (room_) field.next.received = buffers_.take();
    room_ = field.next.received != Buffers::none;
    if (room_) start(field.next);
  }

  void await(int f, std::ptrdiff_t end) override {
    Field &field = at(f);
    if (field.last.by == nullptr) return;
    if (end < field.last.by->receive().rows)
      field.last.by->chunked()->wait_rows(end);
    else
      arrive(field.last);
  }

  void written(int f, std::ptrdiff_t end) override {
    Field &field = at(f);
    Transfer &next = field.next;
    if (next.started) next.by->chunked()->rows_written(end);
    if (end < next.by->send().rows) return;
    arrive(field.last);
    buffers_.give_back(field.last.received);
    if (!next.started) {
      next.received = take();
      depart(next);
    }
    field.last = next;
    next = {};
  }

  void poll() noexcept override {
    // MPI advances all requests when one of them is tested.
    for (Field &f : fields_) {
      if (f.last.by != nullptr && !f.last.by->chunked()->complete()) return;
      if (f.next.started && !f.next.by->chunked()->complete()) return;
    }
  }

  void cancel() noexcept override {
    const Patience patience;
    for (Field &field : fields_) {
      end(field.last, patience);
      end(field.next, patience);
    }
  }

  bool sends_messages() const override { return true; }
  std::size_t bytes() const override { return buffers_.bytes(); }
  std::string describe() const override { return fields_.front().forth->describe(); }

private:
  /// Returns the ends of the row parts received by `in` and sent by `out`.
  static std::vector<std::ptrdiff_t> cuts(Exchange &in, Exchange &out) {
    std::vector<std::ptrdiff_t> ends;
    if (in.chunked() != nullptr && out.chunked() != nullptr)
      std::set_union(in.chunked()->receive_ends().begin(), in.chunked()->receive_ends().end(),
                     out.chunked()->send_ends().begin(), out.chunked()->send_ends().end(),
                     std::back_inserter(ends));
    // Ranks without rows have empty chunks.
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    if (ends.empty()) ends.push_back(out.send().rows);
    return ends;
  }

  void prepare(bool columns) {
    at_columns_ = columns;
    room_ = true;
  }

  void start(Transfer &transfer) {
    transfer.by->chunked()->tag_slot(Communicator::ordered_tag_slot);
    transfer.by->chunked()->start(buffers_.data(transfer.sent), buffers_.data(transfer.received));
    transfer.started = true;
  }

  /// Sends the field after it is completely written; nothing is sent before.
  void depart(Transfer &transfer) {
    if (transfer.by->chunked() != nullptr) {
      start(transfer);
      transfer.by->chunked()->rows_written(transfer.by->send().rows);
      return;
    }
    transfer.by->execute(buffers_.data(transfer.sent), buffers_.data(transfer.received));
    transfer.by = nullptr;
    buffers_.give_back(transfer.sent);
  }

  void arrive(Transfer &transfer) {
    if (transfer.by == nullptr) return;
    transfer.by->chunked()->finish();
    transfer.by = nullptr;
    buffers_.give_back(transfer.sent);
  }

  /// Ends a transfer, active or not, and frees its buffers. Sends may still read them, but their
  /// receiver has lost the field, too.
  void end(Transfer &transfer, const Patience &patience) noexcept {
    if (transfer.by != nullptr && !transfer.by->cancel(patience)) buffers_.leave(transfer.sent);
    buffers_.give_back(transfer.sent);
    buffers_.give_back(transfer.received);
    transfer = {};
  }

  /// Takes a free buffer, after waiting for transfers if necessary. Each field has two buffers: one
  /// for received data, and one for data being written.
  int take() {
    for (Field &field : fields_) {
      const int buffer = buffers_.take();
      if (buffer != Buffers::none) return buffer;
      arrive(field.last);
    }
    return buffers_.take();
  }

  std::byte *arrived(int f) const { return buffers_.data(at(f).last.received); }
  std::byte *leaving(int f) const { return buffers_.data(at(f).next.sent); }
  Field &at(int f) { return fields_[static_cast<std::size_t>(f)]; }
  const Field &at(int f) const { return fields_[static_cast<std::size_t>(f)]; }

  std::vector<Field> fields_;
  Buffers buffers_;
  std::vector<std::ptrdiff_t> row_ends_, column_ends_;
  bool at_columns_ = false;
  bool room_ = true; ///< true if there are buffers for all fields opened since prepare()
};

std::ptrdiff_t largest(const SplitRows &a, const SplitRows &b) {
  return std::max(a.elements(), b.elements());
}

/// Buffers in addition to two per field. With them a field can be sent chunk by chunk while others
/// are in flight.
constexpr int spare_buffers = 2;

} // namespace

std::unique_ptr<BidirectionalTranspose>
make_message_transpose(const Transposition &t, int fields,
                       const std::shared_ptr<Communicator> &comm, int threads,
                       const Algorithm *forced) {
  const auto make = forced != nullptr ? forced->make : make_pipelined;
  std::vector<MessageTranspose::Field> made;
  mpi::all_or_none(comm->get(), [&] { made.resize(static_cast<std::size_t>(fields)); });
  ExchangeOptions options;
  options.forced = forced != nullptr;
  options.largest_message = eager_message;
  std::ptrdiff_t elements = 0;
  for (MessageTranspose::Field &f : made) {
    f.forth = make(t, comm, options);
    ExchangeOptions returning = options;
    returning.returning = true;
    f.back = make({t.columns, t.rows, t.vec, t.real_bytes}, comm, returning);
    if (!f.forth || !f.back) return nullptr;
    elements = std::max({elements, largest(f.forth->send(), f.forth->receive()),
                         largest(f.back->send(), f.back->receive())});
  }
  std::unique_ptr<BidirectionalTranspose> transpose;
  mpi::all_or_none(comm->get(), [&] {
    const bool chunked = made.front().forth->chunked() != nullptr;
    Buffers buffers;
    for (int i = 0; i < 2 * fields + (chunked ? spare_buffers : 0); ++i)
      buffers.add(static_cast<std::size_t>(elements) * t.element_bytes(), threads);
    transpose = std::make_unique<MessageTranspose>(std::move(made), std::move(buffers));
  });
  return transpose;
}

} // namespace hybridfft::exchange
