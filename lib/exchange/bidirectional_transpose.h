/// Transposes several fields back and forth between two distributions. Operator plans use it: they
/// alternate between sweeps over rows and over columns.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "exchange/exchange.h"

namespace hybridfft::exchange {

/// Fields lie on the side of the rows or of the columns. Writing a field sends it to the other
/// side. A sweep over one side calls prepare_rows() or prepare_columns(), then open() for each
/// field to write. It then processes the rows of this side in parts. For each part it calls await()
/// for the fields to read, works, and calls written() for the written fields. All calls but the
/// accessors, poll() and cancel() are collective, in the same order on all ranks, including
/// destruction. They throw Failure(HFFT_ERROR_MPI). After a failure messages may be in flight until
/// cancel().
class BidirectionalTranspose {
public:
  virtual ~BidirectionalTranspose() = default;

  /// A field in memory: this rank's rows with all columns, or this rank's columns (as rows) with
  /// all rows.
  struct Side {
    const SplitRows *rows = nullptr;
    std::byte *array = nullptr;
  };
  /// Return the sides of a field: a sweep reads `in` and, after open(), writes `out`. Both may be
  /// the same.
  virtual Side rows_in(int field) const = 0;
  virtual Side rows_out(int field) const = 0;
  virtual Side columns_in(int field) const = 0;
  virtual Side columns_out(int field) const = 0;

  /// Returns the ends of the best parts of the prepared side's rows; the last end is the number of
  /// rows.
  virtual std::span<const std::ptrdiff_t> ends() const = 0;

  /// Prepare a sweep over the side of the rows, or of the columns.
  virtual void prepare_rows() = 0;
  virtual void prepare_columns() = 0;
  /// Prepares the field for writing; its former values remain readable.
  virtual void open(int field) = 0;
  /// Returns when rows 0 .. end-1 of the field have arrived on the prepared side.
  virtual void await(int field, std::ptrdiff_t end) = 0;
  /// Sends the written rows 0 .. end-1 to the other side. The last rows overwrite the field's
  /// former values.
  virtual void written(int field, std::ptrdiff_t end) = 0;
  /// Lets messages make progress; failures are reported by await() and written().
  virtual void poll() noexcept {}
  /// Ends a failed sweep: no message of any field remains in flight. All fields are lost, as other
  /// ranks may have made more or less progress.
  virtual void cancel() noexcept {}

  /// Returns true if each field has messages of its own, so that one is in flight during work on
  /// another.
  virtual bool sends_messages() const = 0;
  /// Returns the bytes of memory on this rank.
  virtual std::size_t bytes() const = 0;
  virtual std::string describe() const = 0;
};

/// Makes a transpose of `fields` fields of the matrix rows.n() x columns.n() x vec. Collective.
/// Ranks of one node share memory; others send messages. The environment variable HFFT_EXCHANGE
/// forces an algorithm (`shared` on one node only). Throws Failure.
std::unique_ptr<BidirectionalTranspose>
make_bidirectional_transpose(const Transposition &t, int fields,
                             const std::shared_ptr<Communicator> &comm, int threads);

} // namespace hybridfft::exchange
