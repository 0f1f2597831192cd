#include "grid/message_requests.h"

#include <array>
#include <climits>
#include <span>
#include <thread>
#include <utility>

#include "base/mpi.h"
#include "exchange/mpi_handles.h"

namespace hybridfft::grid {

namespace {

/// Returns a datatype of `bytes` bytes, for messages longer than MPI's 32-bit counts allow. MPI
/// keeps the datatype as long as requests use it.
exchange::Datatype type_of(Index bytes) {
  return exchange::Datatype(std::array{exchange::ByteRange{0, bytes}}, INT_MAX);
}

} // namespace

int next_neighbour_tag(exchange::Communicator &comm) {
  // Smaller tags are used by executions of plans; larger ones by executions in the background, if
  // MPI has enough tags.
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
    check(MPI_Startall(static_cast<int>(receives_), requests_.data()), "MPI_Startall");
}

void MessageRequests::start_sending(std::size_t n) {
  check(MPI_Start(&requests_[receives_ + n]), "MPI_Start");
}

bool MessageRequests::poll() {
  const mpi::ReturnedErrors scope;
  int done = 1;
  if (!requests_.empty())
    check(MPI_Testall(size(), requests_.data(), &done, MPI_STATUSES_IGNORE), "MPI_Testall");
  return done != 0;
}

void MessageRequests::finish() {
  const mpi::ReturnedErrors scope;
  if (!requests_.empty())
    check(MPI_Waitall(size(), requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
}

void MessageRequests::check(int code, const char *call) {
  if (code != MPI_SUCCESS) comm_->keep();
  mpi::check(code, call);
}

bool MessageRequests::cancel(const exchange::Patience &patience) noexcept {
  if (requests_.empty() || !mpi::running()) return true;
  const std::span<MPI_Request> requests(requests_);
  const bool all_sent =
      exchange::cancel(requests.first(receives_), requests.subspan(receives_), patience);
  requests_.clear();
  receives_ = 0;
  return all_sent;
}

namespace {

/// A tag used by no message; tags of neighbour exchanges are smaller.
constexpr int unused_tag = 32000;

/// Gives the core's resources to its other hardware thread, on CPUs with such an instruction.
void pause_core() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

} // namespace

void Idle::pause() {
  // Spins for some microseconds, the usual delay with one rank per core. Afterwards it yields the
  // core, because there may be more ranks than cores.
  constexpr int spins = 200;
  if (pauses_ < spins) {
    ++pauses_;
    return pause_core();
  }
  int found = 0;
  mpi::check(MPI_Iprobe(MPI_ANY_SOURCE, unused_tag, comm_, &found, MPI_STATUS_IGNORE),
             "MPI_Iprobe");
  std::this_thread::yield();
}

} // namespace hybridfft::grid
