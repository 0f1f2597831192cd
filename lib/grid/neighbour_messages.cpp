#include "grid/neighbour_messages.h"

#include <array>
#include <climits>

#include "base/mpi.h"

namespace hybridfft::grid {

namespace {

/// Buffers begin at cache lines, so that threads do not share one.
Index padded(Index bytes) {
  constexpr auto line = static_cast<Index>(alignment);
  return (bytes + line - 1) / line * line;
}

} // namespace

int next_tag(exchange::Communicator &comm) {
  // Other messages on these communicators have smaller ones.
  constexpr int first = 2000, count = 30000;
  return first + comm.neighbour_exchanges++ % count;
}

NeighbourMessages::NeighbourMessages(std::span<const Traffic> traffic, MPI_Comm comm, int tag,
                                     int threads) {
  Offsets end;
  for (const Traffic &t : traffic) {
    offsets_.push_back(end);
    end.sent += padded(t.sent);
    end.received += padded(t.received);
  }
  sent_ = Memory(static_cast<std::size_t>(end.sent), threads);
  received_ = Memory(static_cast<std::size_t>(end.received), threads);
  types_.reserve(2 * traffic.size());
  requests_.reserve(2 * traffic.size());
  // One of 64-bit length, however MPI counts.
  const auto type = [&](Index bytes) {
    types_.emplace_back(std::array{exchange::ByteRange{0, bytes}}, INT_MAX);
    return types_.back().get();
  };
  const auto add = [&] { return &requests_.emplace_back(MPI_REQUEST_NULL); };
  for (std::size_t n = 0; n < traffic.size(); ++n)
    if (traffic[n].received > 0)
      mpi::check(MPI_Recv_init(incoming(n), 1, type(traffic[n].received), traffic[n].rank, tag,
                               comm, add()),
                 "MPI_Recv_init");
  for (std::size_t n = 0; n < traffic.size(); ++n)
    if (traffic[n].sent > 0)
      mpi::check(
          MPI_Send_init(outgoing(n), 1, type(traffic[n].sent), traffic[n].rank, tag, comm, add()),
          "MPI_Send_init");
}

NeighbourMessages::~NeighbourMessages() {
  if (!mpi::running()) return;
  for (MPI_Request &request : requests_)
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
}

void NeighbourMessages::start() {
  if (!requests_.empty())
    mpi::check(MPI_Startall(static_cast<int>(requests_.size()), requests_.data()), "MPI_Startall");
}

void NeighbourMessages::finish() {
  if (!requests_.empty())
    mpi::check(
        MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
        "MPI_Waitall");
}

} // namespace hybridfft::grid
