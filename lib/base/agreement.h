/// Agreement of ranks: checks that arguments are equal on all ranks, computes minima over the
/// ranks, and measures times common to all ranks.
#pragma once

#include <mpi.h>

#include <array>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <limits>

#include "base/mpi.h"
#include "base/text.h"

namespace hybridfft {

/// One argument of a collective call, to be compared between the ranks.
struct ConsistencyCheck {
  const char *name;
  std::int64_t value;
  bool number = false; ///< true if an error message should contain the value
};

/// Returns a hash of several numbers as the value of a ConsistencyCheck.
inline std::int64_t digest(const Fnv1a &hash) {
  return static_cast<std::int64_t>(hash.value() >> 1U);
}

/// Returns a hash of `scale`, the factor of the results, for comparison between ranks.
inline std::int64_t digest_of_scale(double scale) {
  Fnv1a hash;
  hash.add(std::bit_cast<std::int64_t>(scale));
  return digest(hash);
}

/// Compares values and combines numbers of all ranks in one reduction, together with the failure of
/// a step on any rank. It allocates nothing, so a rank without memory still joins the others.
class Agreement {
public:
  explicit Agreement(MPI_Comm comm) : comm_(comm) {}

  /// Adds values that must be equal on all ranks. Call this function and the next two in the step
  /// passed to reach().
  void same(std::initializer_list<ConsistencyCheck> statements);
  /// Replaces `value` by its minimum over all ranks. Requires value >= -INT64_MAX.
  void least(std::int64_t &value);
  /// Replaces `value` by the value of rank 0.
  void first(std::int64_t &value);

  /// Returns true on rank 0, the source of the values of first().
  bool on_first() const { return mpi::rank(comm_) == 0; }

  /// Runs `step` on every rank, then compares and combines all numbers in one reduction. Call it
  /// once. If `step` fails, it throws like mpi::all_or_none. It throws Failure(HFFT_ERROR_MISMATCH)
  /// with the name of the first argument whose values differ between ranks. Collective.
  template <class F> void reach(const F &step) {
    mpi::all_or_none(comm_, step, numbers_);
    settle();
  }

private:
  enum class Of { all, least, first };
  struct AgreedNumber {
    Of of = Of::all;
    ConsistencyCheck statement{};
    std::int64_t *value = nullptr;
    std::size_t number = 0; ///< index of this entry's first number in numbers_
  };

  void add(AgreedNumber entry, std::initializer_list<std::int64_t> numbers);
  void settle() const;

  MPI_Comm comm_;
  std::array<std::int64_t, mpi::max_numbers> numbers_{};
  std::array<AgreedNumber, mpi::max_numbers> entries_{};
  std::size_t used_numbers_ = 0;
  std::size_t used_entries_ = 0;
};

// Timing of collective work, and the time limit of planning.

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// Time left for planning by the clock of rank 0, so that all ranks make the same decision.
class Deadline {
public:
  /// Sets the limit `seconds` from now; negative means no limit.
  Deadline(MPI_Comm comm, double seconds) : comm_(comm), limit_(seconds < 0 ? infinity : seconds) {}

  bool limited() const { return limit_ != infinity; }
  /// Returns the seconds left. Collective if there is a limit.
  double seconds_left() const {
    if (!limited()) return infinity;
    double left = limit_ - (MPI_Wtime() - start_);
    mpi::check(MPI_Bcast(&left, 1, MPI_DOUBLE, 0, comm_), "MPI_Bcast");
    return left;
  }

private:
  MPI_Comm comm_;
  double limit_;
  double start_ = MPI_Wtime();
};

/// Times one call of f() with a common start, and returns the seconds of the slowest rank.
/// Collective. Throws Failure on all ranks alike.
template <class F> double time_once(MPI_Comm comm, const F &f) {
  mpi::check(MPI_Barrier(comm), "MPI_Barrier");
  double seconds = -MPI_Wtime();
  mpi::all_or_none(comm, f);
  seconds += MPI_Wtime();
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm), "MPI_Allreduce");
  return seconds;
}

} // namespace hybridfft
