/// Operator plans: sweeps over planes and over lines of several fields. A sweep transforms, works
/// in cache and transforms back. Choose them for time steps that apply operators to many fields.
/// They implement hybridfft/operators.h for one precision, with the structs of that header.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/memory.h"
#include "exchange/algorithms.h"
#include "hybridfft/mpi_kind.h"
#include "hybridfft/operators.h"
#include "local/line_sweep.h"
#include "local/plane_sweep.h"
#include "plan/program.h"
#include "profile/recorder.h"

/// Complex factors of the stored bins along an axis: n0 for axis 0, n1/2+1 for axis 1, n2 for axis
/// 2. They have the precision of the plan that made them.
struct hfft_factors_s {
  int axis = 0;
  std::ptrdiff_t extent = 0; ///< extent of this axis
  std::variant<std::vector<std::complex<double>>, std::vector<std::complex<float>>> values;
};

/// Real factors for all bins of a rank.
struct hfft_table_s {
  std::variant<hybridfft::local::SpectralTable<double>, hybridfft::local::SpectralTable<float>>
      values;
  std::array<std::ptrdiff_t, 3> extents{}; ///< extents of the plan that made the table
  int rank = 0, ranks = 1;                 ///< rank and number of ranks in this plan
};

namespace hybridfft {

// Runs the sweeps of an operator plan as passes of a Program, with exchanges of fields between
// them. After a sweep has written a field, the field's messages are in flight until a sweep reads
// the field.

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
  /// Return a field for a sweep of a kind: the sweep reads in() and, after open(), writes out().
  /// Both may be the same memory.
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
  struct FieldState {
    bool for_planes = false; ///< sweeps over planes may read the field
    bool for_lines = false;  ///< sweeps over lines may read the field
    FieldTransfer last;      ///< exchange of the values to be read, in flight or complete
    FieldTransfer next;      ///< exchange of the values being written
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

/// Operator plan; hybridfft/operators.h documents its functions. Errors are thrown as Failure.
/// Results do not depend on the number of ranks and threads, not even in the last bit.
template <class Real> class OperatorEngine {
public:
  using Complex = std::complex<Real>;

  /// Returns true if this rank's processor has kernels for the extents. A plan uses kernels common
  /// to all ranks.
  static bool supports(const std::array<std::ptrdiff_t, 3> &extents);

  /// Makes a plan. A rank may have planes or none. Collective. Throws Failure on all ranks alike,
  /// HFFT_ERROR_UNSUPPORTED if no kernel common to all ranks fits the extents.
  /// \param threads number of threads per rank, at least 1
  /// \param prepare function that may throw on any rank; all ranks then throw
  static std::unique_ptr<OperatorEngine> make(const std::array<std::ptrdiff_t, 3> &n, int fields,
                                              MPI_Comm user, int threads,
                                              const std::function<void()> &prepare);

  /// Makes factors. Throws Failure(HFFT_ERROR_ARGUMENT) for a wrong axis or number.
  std::unique_ptr<hfft_factors_s> factors(int axis, std::span<const Complex> values) const;

  /// Makes a table of f(k0, k1, k2, user) for bins 0 <= k0 <= n0/2, 0 <= k1 < n1, 0 <= k2 <= n2/2.
  /// f must be even in k0 and, for k2 = 0 and k2 = n2/2, in k1. Threads call it concurrently.
  /// Collective. Throws Failure on all ranks alike.
  std::unique_ptr<hfft_table_s> table(hfft_table_function f, void *user) const;

  /// Runs a sweep over planes. It calls `work` once for each line, concurrently and in any order.
  /// All sources of a plane are read before the first of its lines, and targets are written after
  /// the last: a field may be a source and a target. `work` must not throw or be null. There are at
  /// most 3 sources and 3 targets.
  /// \param wanted nullptr: all planes. Otherwise the sweep covers a part, which may differ between
  ///   ranks, and must have no targets. On one rank targets are allowed if the part has complete
  ///   planes: the other planes of a target then stay unchanged for later sweeps over planes, and a
  ///   sweep over lines reads the results of all parts. Throws Failure(HFFT_ERROR_ARGUMENT) for
  ///   negative numbers, and for targets in other cases.
  void planes(const hfft_part *wanted, std::span<const hfft_source> sources,
              std::span<const int> targets, const local::PlaneWork<Real> *work);

  /// Runs a sweep over lines for all products together. The terms use the fields as they were
  /// before the sweep. There are at most 3 products, and 3 different fields in the terms. Invalid
  /// calls fail before any product is computed.
  void lines(std::span<const hfft_product> products);

  /// Returns true if each field has messages of its own. Work on one field is then faster in a
  /// sweep of its own, while other fields are in flight. Otherwise sweeps over several fields are
  /// faster. The result is the same on all ranks.
  bool fields_travel_apart() const;

  /// Seconds spent by this rank in its sweeps: `planes` and `lines` in transforms and the user's
  /// work, `exchange` in exchanges. Messages also progress during transforms.
  struct Profile {
    double planes = 0, lines = 0, exchange = 0;
  };
  Profile profile() const;

  /// Returns a description of the plan.
  std::string describe() const;
  /// Returns the bytes of this rank's fields and of the scratch of all threads. Each table adds
  /// (n0/2+1) (n1/2+1) n2 numbers over all ranks.
  std::size_t bytes() const;

private:
  OperatorEngine(const std::array<std::ptrdiff_t, 3> &n,
                 std::shared_ptr<exchange::Communicator> own);
  /// Plans sweeps and exchanges. Collective, like make().
  void plan(simd::Isa isa, int fields, int threads);
  /// Adds every sweep to a trace, if there is one.
  void trace(profile::Trace *known);

  /// Return the values of factors or of a table. For nullptr they return nullptr. They throw
  /// Failure if the factors or the table do not fit the axis, or the precision, extents or ranks of
  /// this plan.
  const Complex *values(const hfft_factors_s *factors, int axis) const;
  const local::SpectralTable<Real> *values(const hfft_table_s *table) const;
  /// Returns the number of factors along an axis that the user passes to factors().
  std::ptrdiff_t bins(int axis) const {
    const std::ptrdiff_t n = extents_[static_cast<std::size_t>(axis)];
    return axis == 2 ? n / 2 + 1 : n;
  }
  /// Calls sweep(), which includes its exchanges. If it fails, cancels all messages; all fields are
  /// then lost.
  template <class F> void cancelled_on_failure(const F &sweep);
  void check_part(const hfft_part &part, std::span<const int> targets) const;
  void check_lines(std::span<const hfft_product> products) const;
  void lines_together(std::span<const hfft_product> products);

  std::array<std::ptrdiff_t, 3> extents_;
  std::unique_ptr<profile::Recorder> recorder_; ///< one stage for each operation
  std::shared_ptr<exchange::Communicator> comm_;
  exchange::Transposition cut_;
  std::unique_ptr<FieldProgram> program_;
  local::PlaneSweep<Real> *plane_sweep_ = nullptr; ///< passes of the program
  local::LineSweep<Real> *line_sweep_ = nullptr;
};

} // namespace hybridfft
