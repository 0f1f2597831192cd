#include "grid/message_requests.h"

#include <array>
#include <climits>
#include <span>
#include <thread>
#include <utility>

#include "base/mpi.h"
#include "exchange/datatype.h"

namespace hybridfft::grid {

namespace {

/// One of 64-bit length, however MPI counts. MPI keeps it as long as requests need it.
exchange::Datatype type_of(Index bytes) {
  return exchange::Datatype(std::array{exchange::ByteRange{0, bytes}}, INT_MAX);
}

/// Waits until all have ended, but not for ever: other ranks may never send or receive.
void await(std::span<MPI_Request> requests) noexcept {
  constexpr double patience = 1; // seconds
  const double deadline = MPI_Wtime() + patience;
  const auto count = static_cast<int>(requests.size());
  int done = requests.empty() ? 1 : 0;
  while (done == 0 && MPI_Wtime() < deadline &&
         MPI_Testall(count, requests.data(), &done, MPI_STATUSES_IGNORE) == MPI_SUCCESS)
    std::this_thread::yield();
}

/// True if the request, which may not have been started, has ended.
bool has_ended(MPI_Request &request) noexcept {
  int done = 0;
  return MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done != 0;
}

} // namespace

int next_neighbour_tag(exchange::Communicator &comm) {
  // Plain executions of plans have smaller ones, those in the background larger ones where MPI has
  // enough.
  constexpr int first = 2000, count = 30000;
  return first + comm.neighbour_exchanges++ % count;
}

MessageRequests::MessageRequests(std::shared_ptr<exchange::Communicator> comm, int tag)
    : comm_(std::move(comm)), tag_(tag) {}

void MessageRequests::receive(std::byte *to, Index bytes, int rank) {
  mpi::check(MPI_Recv_init(to, 1, type_of(bytes).get(), rank, tag_, comm_->get(),
                           &requests_.emplace_back(MPI_REQUEST_NULL)),
             "MPI_Recv_init");
  ++receives_;
}

void MessageRequests::send(const std::byte *from, Index bytes, int rank) {
  mpi::check(MPI_Send_init(from, 1, type_of(bytes).get(), rank, tag_, comm_->get(),
                           &requests_.emplace_back(MPI_REQUEST_NULL)),
             "MPI_Send_init");
}

void MessageRequests::start_receiving() {
  if (receives_ > 0)
    mpi::check(MPI_Startall(static_cast<int>(receives_), requests_.data()), "MPI_Startall");
}

void MessageRequests::start_sending(std::size_t n) {
  mpi::check(MPI_Start(&requests_[receives_ + n]), "MPI_Start");
}

bool MessageRequests::poll() {
  int done = 1;
  if (!requests_.empty())
    mpi::check(MPI_Testall(size(), requests_.data(), &done, MPI_STATUSES_IGNORE), "MPI_Testall");
  return done != 0;
}

void MessageRequests::finish() {
  if (!requests_.empty())
    mpi::check(MPI_Waitall(size(), requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
}

bool MessageRequests::cancel() noexcept {
  if (requests_.empty() || !mpi::running()) return true;
  await(requests_);
  bool all_sent = true;
  for (std::size_t n = 0; n < requests_.size(); ++n) {
    MPI_Request &request = requests_[n];
    if (request == MPI_REQUEST_NULL) continue;
    if (!has_ended(request)) {
      if (n < receives_) {
        MPI_Cancel(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      } else {
        all_sent = false;
      }
    }
    MPI_Request_free(&request);
  }
  requests_.clear();
  receives_ = 0;
  return all_sent;
}

} // namespace hybridfft::grid
