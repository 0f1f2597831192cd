#include "exchange/requests.h"

#include <thread>

namespace hybridfft::exchange {

namespace {

/// Returns true if the request is complete, null, or persistent and not started.
bool has_ended(MPI_Request &request) noexcept {
  if (request == MPI_REQUEST_NULL) return true;
  int done = 0;
  return MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done != 0;
}

bool have_ended(std::span<MPI_Request> requests) noexcept {
  bool all = true;
  for (MPI_Request &request : requests)
    all = has_ended(request) && all;
  return all;
}

void cancel_receive(MPI_Request &receive) noexcept {
  if (has_ended(receive)) return;
  MPI_Cancel(&receive);
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
}

void release(MPI_Request &request) noexcept {
  if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  request = MPI_REQUEST_NULL;
}

} // namespace

bool cancel(std::span<MPI_Request> receiving, std::span<MPI_Request> sending,
            const Patience &patience) noexcept {
  const mpi::ReturnedErrors scope;
  while (!(have_ended(receiving) && have_ended(sending)) && !patience.is_over())
    std::this_thread::yield();
  for (MPI_Request &receive : receiving) {
    cancel_receive(receive);
    release(receive);
  }
  const bool all_sent = have_ended(sending);
  for (MPI_Request &send : sending)
    release(send);
  return all_sent;
}

} // namespace hybridfft::exchange
