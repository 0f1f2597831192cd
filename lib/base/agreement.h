/// The agreement of all ranks on what they were called with and on what they have in common.
#pragma once

#include <mpi.h>

#include <array>
#include <bit>
#include <cstdint>
#include <initializer_list>

#include "base/fnv.h"
#include "base/mpi.h"

namespace hybridfft {

/// One argument of a collective call.
struct ConsistencyCheck {
  const char *name;
  std::int64_t value;
  bool number = false; ///< the value means something to the reader of an error
};

/// A number that stands for an argument of several numbers.
inline std::int64_t digest(const Fnv1a &hash) {
  return static_cast<std::int64_t>(hash.value() >> 1U);
}

/// A number for a factor of the results, by which ranks compare theirs.
inline std::int64_t digest_of_scale(double scale) {
  Fnv1a hash;
  hash.add(std::bit_cast<std::int64_t>(scale));
  return digest(hash);
}

/// Statements and numbers that all ranks bring into one reduction, together with whether a step has
/// failed on any of them. Takes no memory: a rank without any meets the others.
class Agreement {
public:
  explicit Agreement(MPI_Comm comm) : comm_(comm) {}

  /// Adds statements that have to be the same on all ranks. This and the next two are for the step
  /// of reach().
  void same(std::initializer_list<ConsistencyCheck> statements);
  /// Lets `value`, no less than -INT64_MAX, become the least of all ranks.
  void least(std::int64_t &value);
  /// Lets `value` become that of rank 0.
  void first(std::int64_t &value);

  /// Whether this is the rank that first() takes values of.
  bool on_first() const { return mpi::rank(comm_) == 0; }

  /// Runs `step` on every rank, then reduces. Fails as mpi::all_or_none does; and throws
  /// Failure(HFFT_ERROR_MISMATCH), naming the first statement whose value is not the same on all
  /// ranks. Collective. To be called once.
  template <class F> void reach(const F &step) {
    mpi::all_or_none(comm_, step, numbers_);
    settle();
  }

private:
  enum class Of { all, least, first };
  struct Entry {
    Of of = Of::all;
    ConsistencyCheck statement{};
    std::int64_t *value = nullptr;
    std::size_t number = 0; ///< place in the reduction
  };

  void add(Entry entry, std::initializer_list<std::int64_t> numbers);
  void settle() const;

  MPI_Comm comm_;
  std::array<std::int64_t, mpi::most_numbers> numbers_{};
  std::array<Entry, mpi::most_numbers> entries_{};
  std::size_t used_numbers_ = 0;
  std::size_t used_entries_ = 0;
};

/// The same of statements alone. Collective.
void require_agreement(std::initializer_list<ConsistencyCheck> statements, MPI_Comm comm);

} // namespace hybridfft
