/// Persistent requests of MPI for messages of any size.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "exchange/communicator.h"
#include "exchange/patience.h"
#include "hybridfft/grid/box.hpp"

namespace hybridfft::grid {

/// A tag for an exchange between neighbours of its own on a communicator: the same on all ranks, if
/// all make their exchanges in the same order.
int next_neighbour_tag(exchange::Communicator &comm);

/// Messages between this rank and others, at most one each way with each of them, exchanged again
/// and again: start_receiving() and all start_sending(), then finish(). Destroying it between these
/// is cancel(), with patience of its own. Throws Error(HFFT_ERROR_MPI).
class MessageRequests {
public:
  MessageRequests(std::shared_ptr<exchange::Communicator> comm, int tag);
  ~MessageRequests() { cancel({}); }
  MessageRequests(MessageRequests &&) noexcept = default;
  MessageRequests &operator=(MessageRequests &&) = delete;

  /// Adds a message of more than 0 bytes. Calls of receive() come before those of send(). The
  /// memory is the caller's, and stays in place.
  void receive(std::byte *to, Index bytes, int rank);
  void send(const std::byte *from, Index bytes, int rank);

  /// Number of messages that are sent.
  std::size_t sends() const { return requests_.size() - receives_; }

  /// Starts all receives.
  void start_receiving();
  /// Starts message n, counted from 0 in the order of the calls of send().
  void start_sending(std::size_t n);
  /// True if all messages that have been started have been received and sent.
  bool poll();
  /// Waits for all messages.
  void finish();
  /// Ends the messages for good, as exchange::cancel() does: false where some sends have not ended,
  /// and the memory that they read has to stay in place.
  bool cancel(const exchange::Patience &patience) noexcept;

private:
  /// As mpi::check(). Others may have sent what is not received any more.
  void check(int code, const char *call);
  int size() const { return static_cast<int>(requests_.size()); }

  std::shared_ptr<exchange::Communicator> comm_;
  int tag_;
  std::vector<MPI_Request> requests_; ///< receives first
  std::size_t receives_ = 0;
};

} // namespace hybridfft::grid
