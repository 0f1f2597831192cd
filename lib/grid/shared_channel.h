/// Message channels between two ranks of a node, in memory mapped by both.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mpi.h>
#include <span>
#include <vector>

#include "base/memory.h"
#include "base/shared_memory.h"
#include "hybridfft/grid/box.hpp"

namespace hybridfft::grid {

/// A one-way channel: two buffers used alternately, and two counters. The sender counts the
/// messages it has written, the receiver the messages it has read. Each side stores its counter
/// with release order after its work on a buffer. The other side loads the counter with acquire
/// order before it accesses the buffer:
///
///     sender                                receiver
///     await_read(n - 2)                     await_written(n)      acquire, ends after A
///     write buffer n % 2                    read buffer n % 2
///     written(n)             release, A     read(n)               release, before its message n+1
///
/// A buffer is therefore never written while it is read, and only read after it is written. If
/// several threads access a buffer, they are joined before the counter is stored. With two buffers,
/// await_read waits only if the receiver is two messages behind. If messages go in both directions
/// it never waits: the sender has received the other rank's message n - 1 before it sends message
/// n, and the other rank stored read(n - 2) before sending message n - 1.
class SharedChannel {
public:
  SharedChannel() = default;
  /// \param pages bytes_for(message_bytes) bytes, zeroed
  SharedChannel(Mapping pages, Index message_bytes);

  /// True if the channel has memory.
  explicit operator bool() const { return pages_.data() != nullptr; }

  /// Size of a channel in bytes, rounded up to whole pages.
  static std::size_t bytes_for(Index message_bytes);

  /// All memory of the channel.
  std::span<std::byte> pages() const { return {pages_.data(), pages_.bytes()}; }

  /// Buffer of messages with even (turn 0) or odd (turn 1) numbers, aligned to 64 bytes.
  std::byte *buffer(int turn) const;

  /// Records that the sender has written `message`. Messages are counted from 1.
  void written(std::uint64_t message) const { store(counts().written, message); }
  /// True if the sender has written `message`.
  bool is_written(std::uint64_t message) const {
    return std::atomic_ref(counts().written).load(std::memory_order_acquire) >= message;
  }
  /// Records that the receiver has read `message`.
  void read(std::uint64_t message) const { store(counts().read, message); }
  /// Waits until the sender has written `message`. Meanwhile it calls MPI with `comm` to advance
  /// other messages of this rank, because the sender may wait for them. Throws Error.
  void await_written(std::uint64_t message, MPI_Comm comm) const {
    await(counts().written, message, comm);
  }
  void await_read(std::uint64_t message, MPI_Comm comm) const {
    await(counts().read, message, comm);
  }

private:
  using Count = std::uint64_t;
  static_assert(std::atomic_ref<Count>::is_always_lock_free, "other processes see the counts too");
  /// The two counters, on separate cache lines because different ranks write them.
  struct ChannelCounts {
    alignas(alignment) Count written = 0;
    alignas(alignment) Count read = 0;
  };
  ChannelCounts &counts() const { return *reinterpret_cast<ChannelCounts *>(pages_.data()); }
  static void store(Count &count, Count message) {
    std::atomic_ref(count).store(message, std::memory_order_release);
  }
  static void await(Count &count, Count message, MPI_Comm comm);

  Mapping pages_;
  Index stride_ = 0; ///< distance of the buffers in bytes
};

/// Request for a channel to or from another rank of the node.
struct WantedChannel {
  int rank = 0;
  Index bytes = 0; ///< bytes of a message
};

/// Channels in the order of the requests. If either rank could not allocate memory, the channel is
/// empty on both.
struct Channels {
  std::vector<SharedChannel> sent, received;
};

/// Creates channels between ranks of a node. Collective over `comm`. Each request to send must
/// match a request to receive on the other rank, of the same size and in the same order for each
/// pair. Lack of shared memory or address space is not an error. Throws Error on all ranks.
/// \param tag MPI tag with no other messages in flight
/// \param threads number of threads that first touch the memory; each touches its part of every
/// message
Channels connect(std::span<const WantedChannel> sent, std::span<const WantedChannel> received,
                 MPI_Comm comm, int tag, int threads);

} // namespace hybridfft::grid
