/// The executable form of a plan: a list of operations, each of them a pass or an exchange with its
/// buffers. All fields at once: exchanges overlap with the passes next to them. Field by field:
/// passes of one field overlap with the messages of other fields. The second mode suits several
/// separate fields with large messages. Operator plans run one pass at a time: a sweep. Its list of
/// operations is a circle, and exchanges overlap with all sweeps.
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

/// A pass or an exchange, with its slots for even and for odd fields. Messages of two successive
/// fields may be in flight at once, hence two sets. Executions of all fields at once use the first
/// set only. Sweeps use no slots.
struct Operation {
  std::unique_ptr<local::Pass> pass;
  /// One exchange, or one each for even and for odd fields, or one for each field of sweeps.
  std::vector<std::shared_ptr<exchange::Exchange>> exchanges = {};
  std::array<Slot, 2> source{};
  std::array<Slot, 2> destination{};
  bool receives_early = false; ///< a chunked exchange; it starts before the preceding pass
  bool sends_late = false;     ///< a chunked exchange; it finishes after the following pass
};

/// Returns step k without its pass, on the routes of even and of odd fields.
Operation operation_of(const Steps &steps, std::size_t k, const std::array<Route, 2> &routes);

/// Fields stored one after another, each transformed separately.
struct SeparateFields {
  std::ptrdiff_t number = 1;
  std::ptrdiff_t in = 0, out = 0; ///< bytes from one field to the next in the user's arrays
};

/// Progress of an active execution: the number of its next turn. A turn is a group of passes of one
/// field.
struct Progress {
  std::size_t turn = 0;
};

/// One exchange of an operation, and its buffers.
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
  /// Returns the operations, for another program. This one is empty afterwards.
  std::vector<Operation> take_operations() { return std::move(operations_); }
  /// "in -> work: columns of 64 ..., 2 threads".
  std::string describe(std::size_t operation) const;

  /// Runs the execution to its end and returns true. Without `waits` it returns false instead of
  /// waiting for messages. Allocates nothing. `recorder` has one stage per operation; nullptr: no
  /// recording. Throws Failure(HFFT_ERROR_MPI); messages may then be in flight until cancel().
  bool advance(Progress &progress, const Addresses &addresses, profile::Recorder *recorder,
               bool waits) const;
  /// Runs pass `k` once: a sweep. The last operation and the first one are neighbours. Exchanges of
  /// the operation before the pass deliver rows, and are finished; they have been begun. Exchanges
  /// of the operation after the pass begin, and send its rows. It fails as advance().
  void sweep(std::size_t k, std::span<const Lane> before, std::span<const Lane> after,
             profile::Recorder *recorder) const;
  /// Begin and end an exchange of operation `k`, with nothing beside it.
  void begin_exchange(std::size_t k, const Lane &lane, profile::Recorder *recorder) const;
  void end_exchange(std::size_t k, std::size_t lane, profile::Recorder *recorder) const;
  /// Cancels the messages of a failed execution, so that none arrives in the buffers later. Returns
  /// false if MPI may still read the buffers; the caller must then leak them.
  bool cancel() const noexcept;
  /// Advances messages. Returns true if advance() could make progress.
  bool ready(const Progress &progress) const noexcept;
  /// Sets the tag slot of the next execution. Slots separate the messages of concurrent executions.
  void tag_slot(int slot) const;
  /// True, on all ranks alike, if advance() can return while any of the exchanges is in flight.
  /// Other exchanges block until every rank has reached them.
  bool returns() const;

private:
  /// An exchange advanced during a pass.
  struct PolledExchange {
    std::size_t operation = 0;
    exchange::ChunkedExchange *exchange = nullptr;
  };
  /// A pass in portions of rows, and the exchanges overlapped with it.
  struct Portions {
    bool before = false;                ///< the exchange before delivers rows to the pass
    bool after = false;                 ///< the exchange after sends rows of the pass
    std::vector<PolledExchange> polled; ///< exchanges of both, or of other fields, too
    std::vector<std::ptrdiff_t> ends;   ///< last row, exclusive, of each portion
  };
  /// Arrays of a pass.
  struct PassArrays {
    std::byte *source = nullptr, *destination = nullptr;
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
  std::byte *at(Slot slot, const Turn &t, const Addresses &addresses) const;
  Lane lane_of(std::size_t k, const Turn &t, const Addresses &addresses) const;
  void begin_window(std::size_t k, profile::Recorder *recorder) const;
  void run_portions(std::size_t k, const PassArrays &arrays, std::span<const Lane> before_it,
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
