/// The executable form of a plan: a list of operations. Each operation is a pass or an exchange,
/// with its buffers. There are three ways to run it:
/// - all fields at once: exchanges overlap with the passes before and after them;
/// - field by field, for several separate fields with large messages: passes of one field overlap
/// with the messages of other fields;
/// - sweeps of operator plans, one pass at a time: the last operation is followed by the first, and
/// exchanges overlap with all sweeps.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "exchange/exchange.h"
#include "local/pass.h"
#include "plan/buffers.h"

namespace hybridfft::profile {
class Recorder;
}

namespace hybridfft::plan {

/// A pass or an exchange, with its slots (buffers). Even and odd fields have separate slots,
/// because messages of two successive fields may be in flight at once. Executions of all fields at
/// once use the first slots only. Sweeps use no slots.
struct Operation {
  std::unique_ptr<local::Pass> pass;
  /// Executions of all fields: one exchange. Field by field: one for even and one for odd fields.
  /// Sweeps: one for each field.
  std::vector<std::shared_ptr<exchange::Exchange>> exchanges = {};
  std::array<Slot, 2> source{};
  std::array<Slot, 2> destination{};
  bool receives_early = false; ///< a chunked exchange; it starts before the preceding pass
  bool sends_late = false;     ///< a chunked exchange; it finishes after the following pass
};

/// Fields stored one after another, each transformed separately.
struct SeparateFields {
  std::ptrdiff_t number = 1;
  std::ptrdiff_t in = 0, out = 0; ///< bytes from one field to the next in the user's arrays
};

/// Progress of an active execution: the index of its next turn. A turn is a group of passes of one
/// field without an exchange between them.
struct Progress {
  std::size_t turn = 0;
};

/// The buffers of one of an operation's exchanges, or of its pass.
struct Lane {
  std::size_t number = 0; ///< index of the exchange
  std::byte *send = nullptr, *receive = nullptr;
};

class Program {
public:
  Program() = default;
  /// The passes run on `threads` threads.
  Program(std::vector<Operation> operations, const SeparateFields &fields, int threads);

  const std::vector<Operation> &operations() const { return operations_; }
  /// Returns the operations, for use in another program, and leaves this program empty.
  std::vector<Operation> take_operations() { return std::move(operations_); }
  /// Returns a text such as "in -> work: columns of 64 ..., 2 threads".
  std::string describe(std::size_t operation) const;

  /// Runs the execution to its end and returns true. If `waits` is false, it returns false as soon
  /// as it would have to wait for messages. Allocates nothing. `recorder` has one stage per
  /// operation; nullptr: no recording. Throws Failure(HFFT_ERROR_MPI); messages may then be in
  /// flight until cancel().
  bool advance(Progress &progress, const Addresses &addresses, profile::Recorder *recorder,
               bool waits) const;
  /// Runs pass `k` once: a sweep. The operations before and after it are exchanges; the operation
  /// list is cyclic. `before` lists exchanges that are in flight: they deliver rows to the pass,
  /// and the sweep finishes them. `after` lists exchanges that the sweep begins: they send rows of
  /// the pass, and remain in flight. Throws like advance().
  void sweep(std::size_t k, std::span<const Lane> before, std::span<const Lane> after,
             profile::Recorder *recorder) const;
  /// begin_exchange() begins one exchange of operation `k`, and end_exchange() ends it. Neither
  /// overlaps it with a pass.
  void begin_exchange(std::size_t k, const Lane &lane, profile::Recorder *recorder) const;
  void end_exchange(std::size_t k, std::size_t lane, profile::Recorder *recorder) const;
  /// Cancels the messages of a failed execution, so that none arrives in the buffers later. Returns
  /// false if MPI may still access the buffers; the caller must then leak them on purpose.
  bool cancel() const noexcept;
  /// Makes progress on messages. Returns true if advance() could continue now.
  bool ready(const Progress &progress) const noexcept;
  /// Sets the tag slot (a range of MPI tags) of the next execution. The slot separates the messages
  /// of concurrent executions.
  void tag_slot(int slot) const;
  /// True, on all ranks alike, if advance() can return while any of the exchanges is in flight. If
  /// an exchange blocks until every rank has reached it, the result is false.
  bool returns() const;

private:
  /// An exchange whose messages make progress during a pass.
  struct PolledExchange {
    std::size_t operation = 0;
    exchange::ChunkedExchange *exchange = nullptr;
  };
  /// A pass divided into portions of rows, and the exchanges overlapped with it.
  struct Portions {
    bool before = false; ///< the exchange before the pass delivers rows to it
    bool after = false;  ///< the exchange after the pass sends its rows
    /// Exchanges that need progress during the pass: the exchanges before and after it, and those
    /// of other fields.
    std::vector<PolledExchange> polled;
    std::vector<std::ptrdiff_t> ends; ///< end (one past the last row) of each portion
  };
  /// Passes of one field between two exchanges.
  struct Turn {
    std::size_t group;
    std::ptrdiff_t field;
    std::size_t parity() const { return static_cast<std::size_t>(field % 2); }
  };

  bool by_field() const { return fields_.number > 1; }
  std::size_t groups() const { return exchanges_.size() + 1; }
  Turn turn(std::size_t number) const;
  bool has_field(const Turn &t) const { return t.field >= 0 && t.field < fields_.number; }
  exchange::ChunkedExchange *chunked(std::size_t k, std::size_t lane) const {
    return operations_[k].exchanges[lane]->chunked();
  }
  std::size_t before(std::size_t k) const { return (k > 0 ? k : operations_.size()) - 1; }
  std::size_t after(std::size_t k) const { return k + 1 < operations_.size() ? k + 1 : 0; }
  Portions portions_of(std::size_t k, int threads) const;
  std::byte *at(Slot slot, std::size_t exchange, const Turn &t, const Addresses &addresses) const;
  Lane lane_of(std::size_t k, const Turn &t, const Addresses &addresses) const;
  void begin_window(std::size_t k, profile::Recorder *recorder) const;
  void run_portions(std::size_t k, const Lane &arrays, std::span<const Lane> before_it,
                    std::span<const Lane> after_it, profile::Recorder *recorder) const;
  void run_pass(std::size_t k, const Turn &t, const Addresses &addresses,
                profile::Recorder *recorder) const;
  template <class F> void for_each_exchange(const F &f) const;

  std::vector<Operation> operations_;
  std::vector<Portions> portions_;     ///< portions of each operation
  std::vector<std::size_t> exchanges_; ///< indices of the operations with an exchange
  SeparateFields fields_;
};

} // namespace hybridfft::plan
