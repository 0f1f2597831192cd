/// Persistent requests of MPI for messages of any size, and pauses while a rank waits for others.
#pragma once

#include <cstddef>
#include <memory>
#include <mpi.h>
#include <vector>

#include "exchange/communicator.h"
#include "exchange/requests.h"
#include "hybridfft/grid/box.hpp"

namespace hybridfft::grid {

/// A unique tag for an exchange between neighbours on a communicator. It is equal on all ranks if
/// all make their exchanges in the same order.
int next_neighbour_tag(exchange::Communicator &comm);

/// Messages between this rank and others, exchanged repeatedly. There is at most one message per
/// rank and direction. The order of calls is start_receiving(), all start_sending(), finish(). The
/// destructor calls cancel() during an exchange, with its own patience.
/// \throws Error(HFFT_ERROR_MPI)
class MessageRequests {
public:
  MessageRequests(std::shared_ptr<exchange::Communicator> comm, int tag);
  ~MessageRequests() { cancel({}); }
  MessageRequests(MessageRequests &&) noexcept = default;
  MessageRequests &operator=(MessageRequests &&) = delete;

  /// Add a message of more than 0 bytes. All calls of receive() must precede send(). The caller's
  /// memory must stay in place.
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
  /// Ends the messages permanently, like exchange::cancel().
  /// \return false if some sends have not ended, and their memory must stay in place
  bool cancel(const exchange::Patience &patience) noexcept;

private:
  /// Like mpi::check(). After a failure others' messages may remain unreceived.
  void check(int code, const char *call);
  int size() const { return static_cast<int>(requests_.size()); }

  std::shared_ptr<exchange::Communicator> comm_;
  int tag_;
  std::vector<MPI_Request> requests_; ///< receives first
  std::size_t receives_ = 0;
};

/// Pauses between tests for an event. It spins for some microseconds first; later it calls MPI and
/// yields the core to other ranks.
class Idle {
public:
  /// \param comm communicator for calls of MPI. These calls advance this rank's messages; other
  /// ranks may wait for them
  explicit Idle(MPI_Comm comm) : comm_(comm) {}

  /// Pauses between two tests.
  /// \throws Error(HFFT_ERROR_MPI)
  void pause();

private:
  MPI_Comm comm_;
  int pauses_ = 0;
};

} // namespace hybridfft::grid
