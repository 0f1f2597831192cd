/// Runs the sweeps of an operator plan as passes of a Program, with exchanges of fields between
/// them. After a sweep has written a field, the field's messages are in flight until a sweep reads
/// the field.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/memory.h"
#include "exchange/algorithms.h"
#include "plan/program.h"

namespace hybridfft {

/// Throws Failure with this code; the reason begins with "operator plan".
template <class... Parts>
[[noreturn]] void refuse_operator(hfft_error code, const Parts &...reason) {
  throw Failure(code, "operator plan: " + (plan::as_text(reason) + ...));
}

/// The two kinds of sweeps: over planes and over lines. A field written by one kind is exchanged,
/// for sweeps of the other kind.
enum class Half : char { planes, lines };

/// Indices of the operations of the program: sweep over planes, exchange forward, sweep over lines,
/// exchange backward.
enum SweepOperation : std::size_t { at_planes, at_forward, at_lines, at_backward };

/// Program of an operator plan, and the buffers of its fields. All calls but the accessors and
/// cancel() are collective, in the same order on all ranks, including destruction. They throw
/// Failure(HFFT_ERROR_MPI); messages may then be in flight until cancel().
class FieldProgram {
public:
  /// A field in memory on one side of its exchange: this rank's rows with all columns, or its
  /// columns (as rows) with all rows.
  struct Side {
    const SplitRows *rows = nullptr;
    std::byte *array = nullptr;
  };

  /// Makes the program and the buffers of the fields. Not collective. Throws std::bad_alloc; the
  /// caller must then free the exchanges on all ranks.
  FieldProgram(const exchange::FieldExchanges &exchanges, std::unique_ptr<local::Pass> planes,
               std::unique_ptr<local::Pass> lines, int threads);
  /// Waits for messages, because they would otherwise arrive in freed memory.
  ~FieldProgram();
  FieldProgram(const FieldProgram &) = delete;
  FieldProgram &operator=(const FieldProgram &) = delete;

  int fields() const { return static_cast<int>(states_.size()); }
  /// Throws Failure(HFFT_ERROR_ARGUMENT) unless sweeps of kind `by` may read the field: a sweep of
  /// the other kind must have written it last.
  void check_read(int field, Half by) const;
  /// Throws Failure(HFFT_ERROR_ARGUMENT) for unknown or repeated fields.
  void check_written(std::span<const int> fields) const;
  /// Records that sweeps of kind `by` have written the fields, completely (`all`) or in part. Both
  /// kinds may read a partly written field.
  void note_written(std::span<const int> fields, Half by, bool all);

  /// Prepares a sweep of a kind that writes these fields. Their former values remain readable.
  void open(Half half, std::span<const int> writes, profile::Recorder *recorder);
  /// Return a field for a sweep of a kind: it reads `in` and, after open(), writes `out`. Both may
  /// be the same memory.
  Side in(Half half, int field) const;
  Side out(Half half, int field) const;
  /// Runs the sweep after open() with the same fields. Afterwards the former values of the written
  /// fields are lost.
  void run(Half half, std::span<const int> reads, std::span<const int> writes,
           profile::Recorder *recorder);
  /// Ends a failed sweep: no message of any field remains in flight. All fields are lost, because
  /// some ranks may have made more progress than others.
  void cancel() noexcept;

  /// Returns true if each field has its own messages, so that one can be in flight during work on
  /// another.
  bool sends_messages() const { return !exchanges_.forward.front()->is_view(); }
  /// Returns the bytes of the fields on this rank.
  std::size_t bytes() const;
  std::string describe() const { return exchanges_.forward.front()->describe(); }

private:
  static constexpr int none = -1;
  /// An exchange of one field, in flight or complete, with its send and receive buffers.
  struct FieldTransfer {
    std::size_t by = 0; ///< operation that sends the field
    bool in_flight = false;
    int sent = none, received = none; ///< indices of the send and the receive buffer
  };
  /// Kinds of sweeps that may read a field; none: it was never written.
  enum class Reader : char { none, planes, lines, either };
  struct FieldState {
    Reader reader = Reader::none;
    FieldTransfer last; ///< exchange of the values to be read, in flight or complete
    FieldTransfer next; ///< exchange of the values being written
  };

  static std::size_t pass_of(Half half) { return half == Half::planes ? at_planes : at_lines; }
  static std::size_t before(Half half) { return half == Half::planes ? at_backward : at_forward; }
  static std::size_t after(Half half) { return half == Half::planes ? at_forward : at_backward; }
  const exchange::Exchange &exchange(std::size_t operation, int field) const {
    const auto &of = operation == at_forward ? exchanges_.forward : exchanges_.backward;
    return *of[static_cast<std::size_t>(field)];
  }
  bool in_chunks() const { return exchanges_.forward.front()->chunked() != nullptr; }
  Side side(const SplitRows &rows, const exchange::Exchange &e, int buffer) const;
  std::byte *data(int buffer) const {
    return buffer == none ? nullptr : memory_[static_cast<std::size_t>(buffer)].data();
  }
  plan::Lane lane(int field, const FieldTransfer &t) const {
    return {static_cast<std::size_t>(field), data(t.sent), data(t.received)};
  }
  void check(int field) const;
  FieldState &at(int field) { return states_[static_cast<std::size_t>(field)]; }
  void make_buffers(int threads);
  int take_free();
  int take(profile::Recorder *recorder);
  void give_back(int &buffer);
  void arrive(int field, profile::Recorder *recorder);
  void depart(int field, profile::Recorder *recorder);

  exchange::FieldExchanges exchanges_;
  plan::Program program_;
  std::vector<FieldState> states_;
  std::vector<Memory> memory_; ///< buffers; each can hold any field, before or after its exchange
  std::vector<int> free_;      ///< indices of free buffers; never exceeds its capacity
  std::vector<plan::Lane> lanes_; ///< exchanges before and after a sweep, which overlap with it
};

} // namespace hybridfft
