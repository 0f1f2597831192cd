/// Lists of requests that complete about in their order.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

#include "base/mpi.h"
#include "exchange/patience.h"

namespace hybridfft::exchange {

/// True when all requests before `end` are complete; `done` counts those that are known to be. A
/// failure's code goes to `failure`.
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

/// Throws Failure(HFFT_ERROR_MPI).
inline void wait_for_all(MPI_Request *requests, std::size_t count) {
  const mpi::ReturnedErrors scope;
  mpi::check(MPI_Waitall(static_cast<int>(count), requests, MPI_STATUSES_IGNORE), "MPI_Waitall");
}

/// Ends requests, persistent ones for good. Those under way may complete as long as there is
/// patience. Then receives are cancelled, or completed if they have begun, so that nothing is
/// written any more; sends cannot be: false where some have not completed, and the memory that they
/// read has to stay in place. The requests are null then.
bool cancel(std::span<MPI_Request> receiving, std::span<MPI_Request> sending,
            const Patience &patience) noexcept;

} // namespace hybridfft::exchange
