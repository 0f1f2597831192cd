/// Handles of MPI: committed datatypes of any size, lists of requests, and a deadline for messages
/// after a failure.
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "base/mpi.h"

namespace hybridfft::exchange {

/// Repeats the inner type `count` times, `stride` bytes apart.
struct Repeat {
  std::ptrdiff_t count;
  std::ptrdiff_t stride;
};

/// Bytes first .. first+count-1 of a buffer.
struct ByteRange {
  std::ptrdiff_t first;
  std::ptrdiff_t count;
};

/// A datatype with 64-bit sizes, committed. Counts above `largest_count`, MPI's limit, are built
/// from chunks of this size. It is an empty type for zero bytes.
class Datatype {
public:
  Datatype() = default;
  /// Owns a type that is only a part of other types and therefore not committed. MPI counts
  /// references, so this type may be freed before the others. MPI_BYTE is never freed.
  explicit Datatype(MPI_Datatype part) : type_(part) {}
  /// Makes a type of `run` contiguous bytes, repeated by nested loops, the outer loop first. The
  /// first byte is at `offset` in the buffer. Throws Failure(HFFT_ERROR_MPI).
  Datatype(std::ptrdiff_t offset, std::span<const Repeat> loops, std::ptrdiff_t run,
           std::ptrdiff_t largest_count);
  /// Makes a type of several byte ranges, one after another. Throws Failure(HFFT_ERROR_MPI).
  Datatype(std::span<const ByteRange> ranges, std::ptrdiff_t largest_count);
  ~Datatype();
  Datatype(Datatype &&other) noexcept : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}
  Datatype &operator=(Datatype &&other) noexcept {
    std::swap(type_, other.type_);
    return *this;
  }

  MPI_Datatype get() const { return type_; }

private:
  void commit(Datatype &of);

  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

// Operations on lists of requests. Requests of a list complete approximately in order, so tests
// start at the first incomplete one.

/// Deadline for draining messages after a failure, one second after its construction. All messages
/// of a plan share it. Other ranks usually complete their messages soon; stopped ranks never do.
class Patience {
public:
  bool is_over() const noexcept { return Clock::now() >= end_; }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point end_ = Clock::now() + std::chrono::seconds(1);
};

/// Returns true if all requests before `end` are complete. `done` counts the leading complete
/// requests and is updated. Sets `failure` to MPI's error code if a test fails.
inline bool test_in_order(std::vector<MPI_Request> &requests, std::size_t &done, std::size_t end,
                          int &failure) noexcept {
  const mpi::ReturnedErrors scope;
  for (; done < end; ++done) {
    int complete = 0;
    const int code = MPI_Test(&requests[done], &complete, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS) failure = code;
    if (complete == 0 || code != MPI_SUCCESS) return false;
  }
  return true;
}

/// Waits for all requests. Throws Failure(HFFT_ERROR_MPI).
inline void wait_for_all(MPI_Request *requests, std::size_t count) {
  const mpi::ReturnedErrors scope;
  mpi::check(MPI_Waitall(static_cast<int>(count), requests, MPI_STATUSES_IGNORE), "MPI_Waitall");
}

/// Ends all requests and frees persistent ones. Active requests may complete until the deadline.
/// Incomplete receives are then cancelled, or completed if they have begun, so nothing is written
/// later. Sends cannot be cancelled. All requests are null afterwards.
/// \return false if sends are incomplete, so that their memory must stay allocated
bool cancel(std::span<MPI_Request> receiving, std::span<MPI_Request> sending,
            const Patience &patience) noexcept;

} // namespace hybridfft::exchange
