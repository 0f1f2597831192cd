/// Operations on lists of MPI requests that complete approximately in the order of the list.
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

#include "base/mpi.h"

namespace hybridfft::exchange {

// Deadline for the completion of messages after a failure.

/// A deadline one second after its construction, common to all messages of a plan. After a failure
/// the other ranks usually complete their messages soon. Messages of ranks that have stopped never
/// complete.
class Patience {
public:
  bool is_over() const noexcept { return Clock::now() >= end_; }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point end_ = Clock::now() + std::chrono::seconds(1);
};

// Operations on lists of MPI requests that complete approximately in the order of the list.

/// Returns true if all requests before `end` are complete. `done` is the number of leading requests
/// known to be complete. Sets `failure` to MPI's code if a test fails.
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

/// Ends requests, and frees persistent ones. Active ones may complete until the deadline.
/// Afterwards incomplete receives are cancelled, or completed if they have begun, so nothing is
/// written later. Sends cannot be cancelled: false means that some are incomplete and that their
/// memory must stay allocated. All requests are null afterwards.
bool cancel(std::span<MPI_Request> receiving, std::span<MPI_Request> sending,
            const Patience &patience) noexcept;

} // namespace hybridfft::exchange
