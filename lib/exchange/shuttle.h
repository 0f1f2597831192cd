/// Several fields that go back and forth between the two sides of a transposition.
#pragma once

#include <cstddef>
#include <memory>

#include "exchange/exchange.h"

namespace hybridfft::exchange {

/// A field is on the side of the rows or of the columns, to which it goes when the other side has
/// been written. Whoever works on one side calls prepare_rows() or prepare_columns(), then await()
/// for each field that it reads and await_free() for each that it only writes, works, and calls
/// written() for those that it has written. All calls but the accessors and poll() are collective,
/// in the same order on all ranks, destruction too; they throw Failure(HFFT_ERROR_MPI).
class Shuttle {
public:
  virtual ~Shuttle() = default;

  /// Where a field lies: this rank's rows with all columns, or its columns (as rows) with all rows.
  struct Side {
    const SplitRows *rows = nullptr;
    std::byte *array = nullptr;
  };
  /// To read a field from, and to write it to; the two may be the same.
  virtual Side rows_in(int field) const = 0;
  virtual Side rows_out(int field) const = 0;
  virtual Side columns_in(int field) const = 0;
  virtual Side columns_out(int field) const = 0;

  virtual void prepare_rows() = 0;
  virtual void prepare_columns() = 0;
  /// Returns when the field has arrived on the side that has been prepared.
  virtual void await(int field) = 0;
  /// Returns when the field's side to write to is out of use.
  virtual void await_free(int field) = 0;
  /// The field goes to the other side.
  virtual void written(int field) = 0;
  /// Lets messages make progress; failures are told by await().
  virtual void poll() noexcept {}

  /// Fields travel one by one, so that one can while another is worked on.
  virtual bool sends_messages() const = 0;
  virtual std::size_t bytes() const = 0;
  virtual std::string describe() const = 0;
};

/// For `fields` fields of the matrix rows.n() x columns.n() x vec. Collective. Ranks of one node
/// share memory; others send messages. The environment variable HFFT_EXCHANGE forces an algorithm
/// (`shared` on one node only).
/// Throws Failure.
std::unique_ptr<Shuttle> make_shuttle(const Transposition &t, int fields,
                                      const std::shared_ptr<Communicator> &comm, int threads);

} // namespace hybridfft::exchange
