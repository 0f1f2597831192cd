#include "exchange/requests.h"

namespace hybridfft::exchange {

namespace {

/// Sends whose receivers have given up too never complete.
constexpr double patience = 1; // seconds

void cancel_receive(MPI_Request &receive) noexcept {
  if (receive == MPI_REQUEST_NULL) return;
  MPI_Cancel(&receive);
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
  receive = MPI_REQUEST_NULL;
}

/// Releases the request where it does not complete.
bool complete(MPI_Request &send, double deadline) noexcept {
  int done = send == MPI_REQUEST_NULL ? 1 : 0;
  do {
    if (done == 0 && MPI_Test(&send, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) break;
  } while (done == 0 && MPI_Wtime() < deadline);
  if (done == 0 && send != MPI_REQUEST_NULL) MPI_Request_free(&send);
  send = MPI_REQUEST_NULL;
  return done != 0;
}

} // namespace

bool cancel(std::span<MPI_Request> receiving, std::span<MPI_Request> sending) noexcept {
  for (MPI_Request &receive : receiving)
    cancel_receive(receive);
  const double deadline = MPI_Wtime() + patience;
  bool all = true;
  for (MPI_Request &send : sending)
    all = complete(send, deadline) && all;
  return all;
}

} // namespace hybridfft::exchange
