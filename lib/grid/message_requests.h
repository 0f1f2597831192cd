/// Persistent MPI requests for messages of any size, and pauses in loops that wait for other ranks.
#pragma once

#include <cstddef>
#include <memory>
#include <mpi.h>
#include <vector>

#include "exchange/communicator.h"
#include "exchange/mpi_handles.h"
#include "hybridfft/grid/box.hpp"

namespace hybridfft::grid {

/// Returns a tag for a new exchange between neighbours. All ranks get the same tag if they create
/// their exchanges in the same order.
int next_neighbour_tag(exchange::Communicator &comm);

/// Messages between this rank and others, exchanged repeatedly, at most one per rank and direction.
/// An exchange calls start_receiving(), start_sending() for each message, then finish(). The
/// destructor cancels an exchange in flight after at most one second (see exchange::Patience).
/// \throws Error(HFFT_ERROR_MPI)
class MessageRequests {
public:
  MessageRequests(std::shared_ptr<exchange::Communicator> comm, int tag);
  ~MessageRequests() { cancel({}); }
  MessageRequests(MessageRequests &&) noexcept = default;
  MessageRequests &operator=(MessageRequests &&) = delete;

  /// receive() adds a message to receive, send() a message to send, of more than 0 bytes. All calls
  /// of receive() must precede all calls of send(). The memory is borrowed and must stay in place.
  void receive(std::byte *to, Index bytes, int rank);
  void send(const std::byte *from, Index bytes, int rank);

  /// Number of messages to send.
  std::size_t sends() const { return requests_.size() - receives_; }

  /// Starts all receives.
  void start_receiving();
  /// Starts message n, counted from 0 in the order of the calls of send().
  void start_sending(std::size_t n);
  /// True if all started messages have been received and sent.
  bool poll();
  /// Waits for all messages.
  void finish();
  /// Cancels the messages for good, like exchange::cancel().
  /// \return false if some sends are still in flight, so their memory must not be freed
  bool cancel(const exchange::Patience &patience) noexcept;

private:
  /// Checks an MPI return code like mpi::check(). After a failure it keeps the communicator, on
  /// which messages of other ranks may be pending.
  void check(int code, const char *call);
  int size() const { return static_cast<int>(requests_.size()); }

  std::shared_ptr<exchange::Communicator> comm_;
  int tag_;
  std::vector<MPI_Request> requests_; ///< requests of all receives, then of all sends
  std::size_t receives_ = 0;
};

/// Pauses inside a polling loop. It spins for the first microseconds; later it calls MPI and yields
/// the core to other ranks.
class Idle {
public:
  /// \param comm communicator whose messages MPI advances in pause(), because other ranks may wait
  /// for them
  explicit Idle(MPI_Comm comm) : comm_(comm) {}

  /// Pauses once, between two tests of the awaited condition.
  /// \throws Error(HFFT_ERROR_MPI)
  void pause();

private:
  MPI_Comm comm_;
  int pauses_ = 0;
};

} // namespace hybridfft::grid
