/// Several fields that go back and forth between the two sides of a transposition.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "exchange/exchange.h"

namespace hybridfft::exchange {

/// A field is on the side of the rows or of the columns, and goes to the other side while it is
/// written. A sweep over one side calls prepare_rows() or prepare_columns(), then open() for each
/// field that it will write. It then goes over the rows of that side in parts: for each part it
/// calls await() for the fields that it reads, works, and calls written() for those that it writes.
/// All calls but the accessors, poll() and cancel() are collective, in the same order on all ranks,
/// destruction too; they throw Failure(HFFT_ERROR_MPI), and messages may be under way until
/// cancel() then.
class BidirectionalTranspose {
public:
  virtual ~BidirectionalTranspose() = default;

  /// A field in memory: this rank's rows with all columns, or its columns (as rows) with all rows.
  struct Side {
    const SplitRows *rows = nullptr;
    std::byte *array = nullptr;
  };
  /// The sides that a sweep reads of a field (in) and, once the field is open, writes (out); the
  /// two may be the same.
  virtual Side rows_in(int field) const = 0;
  virtual Side rows_out(int field) const = 0;
  virtual Side columns_in(int field) const = 0;
  virtual Side columns_out(int field) const = 0;

  /// The best parts to cut the rows of the prepared side into: their ends, the last one being the
  /// number of rows.
  virtual std::span<const std::ptrdiff_t> ends() const = 0;

  /// Prepares a sweep over the side of the rows, or of the columns; see above.
  virtual void prepare_rows() = 0;
  virtual void prepare_columns() = 0;
  /// Makes room for the field to be written; its former values can still be read.
  virtual void open(int field) = 0;
  /// Returns when rows 0 .. end-1 of the field have arrived on the side that has been prepared.
  virtual void await(int field, std::ptrdiff_t end) = 0;
  /// Rows 0 .. end-1 are written and go to the other side; with the last, the field's former values
  /// are lost.
  virtual void written(int field, std::ptrdiff_t end) = 0;
  /// Lets messages make progress; failures are reported by await() and written().
  virtual void poll() noexcept {}
  /// Ends a sweep that has failed: no message of any field is under way any more, and all fields
  /// are lost, as other ranks may have come further or less far.
  virtual void cancel() noexcept {}

  /// True if fields travel one by one, so that one can while another is worked on.
  virtual bool sends_messages() const = 0;
  /// Bytes of memory that it takes on this rank.
  virtual std::size_t bytes() const = 0;
  virtual std::string describe() const = 0;
};

/// Makes one for `fields` fields of the matrix rows.n() x columns.n() x vec. Collective. Ranks of
/// one node share memory; others send messages. The environment variable HFFT_EXCHANGE forces an
/// algorithm (`shared` on one node only). Throws Failure.
std::unique_ptr<BidirectionalTranspose>
make_bidirectional_transpose(const Transposition &t, int fields,
                             const std::shared_ptr<Communicator> &comm, int threads);

} // namespace hybridfft::exchange
