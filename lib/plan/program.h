/// Steps with their passes, exchanges and buffers, as executions go through them: all fields at
/// once, exchanges overlapped with passes where possible; or field by field, the work on one of
/// them overlapped with the messages of others.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
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

/// A pass or an exchange, and the slots between which it works, for fields of even and of odd
/// number: the exchanges of two fields may be under way. Fields that are transformed at once have
/// the even ones alone.
struct Operation {
  std::unique_ptr<local::Pass> pass;
  std::array<std::shared_ptr<exchange::Exchange>, 2> exchanges = {};
  std::array<Slot, 2> source{};
  std::array<Slot, 2> destination{};
  bool receives_early = false; ///< a chunked exchange starts before the pass before it
  bool sends_late = false;     ///< a chunked exchange finishes after the pass after it
};

/// Step k without its pass, along the routes of fields of even and of odd number.
Operation operation_of(const Steps &steps, std::size_t k, const std::array<Route, 2> &routes);

/// Fields that lie one after another, each transformed on its own.
struct SeparateFields {
  std::ptrdiff_t number = 1;
  std::ptrdiff_t in = 0, out = 0; ///< bytes from one to the next in the user's arrays
};

/// How far an execution has come that is under way: the next group of passes, of some field.
struct Progress {
  std::size_t turn = 0;
};

class Program {
public:
  Program() = default;
  /// Passes work with `threads` threads.
  Program(std::vector<Operation> operations, const SeparateFields &fields, int threads);

  const std::vector<Operation> &operations() const { return operations_; }
  /// "in -> work: columns of 64 ..., 2 threads".
  std::string describe(std::size_t operation) const;

  /// Goes on until the end (true) or, unless `waits`, until messages are waited for (false).
  /// Allocates nothing. `recorder`, which knows the operations as its stages, may be null. Throws
  /// Failure(HFFT_ERROR_MPI); messages may be under way until cancel() then.
  bool advance(Progress &progress, const Addresses &addresses, profile::Recorder *recorder,
               bool waits) const;
  /// Cancels the messages of an execution that has failed: none arrives in the buffers any more.
  /// Returns false where MPI may still read them, so that they must be leaked.
  bool cancel() const noexcept;
  /// Lets messages make progress, and tells whether advance() would come any further.
  bool ready(const Progress &progress) const noexcept;
  /// Messages of the next execution are kept apart from those of others by this slot, 0 to 500.
  void tag_slot(int slot) const;
  /// Whether all exchanges let advance() return while their messages are under way: others would
  /// stop it where another rank may not have come to yet. The same on all ranks.
  bool returns() const;

private:
  /// An exchange that works while a pass does.
  struct Neighbour {
    std::size_t operation = 0;
    exchange::ChunkedExchange *exchange = nullptr;
  };
  /// A pass and the exchanges that overlap with it.
  struct Portions {
    Neighbour before;                 ///< delivers the rows that the pass reads
    Neighbour after;                  ///< sends the rows that the pass has written
    std::vector<Neighbour> polled;    ///< these, or those of other fields
    std::vector<std::ptrdiff_t> ends; ///< where the rows of the pass are cut
  };
  /// The passes of a field between two exchanges.
  struct Turn {
    std::size_t group;
    std::ptrdiff_t field;
    std::size_t parity() const { return static_cast<std::size_t>(field % 2); }
  };

  bool by_field() const { return fields_.number > 1; }
  std::size_t groups() const { return exchanges_.size() + 1; }
  Turn turn(std::size_t number) const;
  bool has_field(const Turn &t) const { return t.field >= 0 && t.field < fields_.number; }
  Portions portions_of(std::size_t k, int threads) const;
  std::byte *at(Slot slot, const Turn &t, const Addresses &addresses) const;
  void run_pass(std::size_t k, const Turn &t, const Addresses &addresses,
                profile::Recorder *recorder) const;
  void begin_exchange(std::size_t k, const Turn &t, const Addresses &addresses,
                      profile::Recorder *recorder) const;
  void end_exchange(std::size_t k, const Turn &t, profile::Recorder *recorder) const;
  template <class F> void for_each_exchange(const F &f) const;

  std::vector<Operation> operations_;
  std::vector<Portions> portions_;     ///< the portions of each operation
  std::vector<std::size_t> exchanges_; ///< which operations are
  SeparateFields fields_;
};

} // namespace hybridfft::plan
