/// Channels between two ranks of a node: messages in memory mapped by both.
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

/// Two buffers, used by messages in turns, and two counts: of messages written by the sender, and
/// of messages read by the receiver. Each count has one writer. It stores the count with release
/// after its work on a buffer; the other rank loads it with acquire before it accesses the buffer:
///
///     sender                                receiver
///     await_read(n - 2)                     await_written(n)      acquire, ends after A
///     write buffer n % 2                    read buffer n % 2
///     written(n)             release, A     read(n)               release, before its message n+1
///
/// A buffer is therefore never written while it is read, and is read only after it is written. The
/// storing thread has joined all threads writing or reading the buffer before. With two buffers
/// await_read waits only for a receiver two messages behind. With messages in both directions it
/// never waits: the sender has received the other rank's message n - 1 before it sends message n,
/// and this message follows read(n - 2).
class SharedChannel {
public:
  SharedChannel() = default;
  /// \param pages bytes_for(message_bytes) bytes, all zero before the first message
  SharedChannel(Mapping pages, Index message_bytes);

  /// True if the channel has pages.
  explicit operator bool() const { return pages_.data() != nullptr; }

  /// Bytes of a channel, in whole pages.
  static std::size_t bytes_for(Index message_bytes);

  /// All of the pages.
  std::span<std::byte> pages() const { return {pages_.data(), pages_.bytes()}; }

  /// The buffer of messages with odd numbers (1) or even numbers (0), aligned to 64 bytes.
  std::byte *buffer(int turn) const;

  /// Records that the sender has written `message`. Messages are counted from 1.
  void written(std::uint64_t message) const { store(counts().written, message); }
  /// True if the sender has written `message`.
  bool is_written(std::uint64_t message) const {
    return std::atomic_ref(counts().written).load(std::memory_order_acquire) >= message;
  }
  /// Records that the receiver has read `message`.
  void read(std::uint64_t message) const { store(counts().read, message); }
  /// Waits until the sender has written `message`. It advances other messages of this rank in MPI
  /// by `comm`, since the other rank may need them first. Throws Error.
  void await_written(std::uint64_t message, MPI_Comm comm) const {
    await(counts().written, message, comm);
  }
  void await_read(std::uint64_t message, MPI_Comm comm) const {
    await(counts().read, message, comm);
  }

private:
  using Count = std::uint64_t;
  static_assert(std::atomic_ref<Count>::is_always_lock_free, "other processes see the counts too");
  /// Each count has its own cache line, since each has its own writer.
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

/// A direction between this rank and another one of its node.
struct WantedChannel {
  int rank = 0;
  Index bytes = 0; ///< bytes of a message
};

/// The channels in the order of the requests. A channel has no buffers, on both ranks, if either
/// rank could not get the memory.
struct Channels {
  std::vector<SharedChannel> sent, received;
};

/// Makes channels between ranks of a node. Collective over `comm`. For each channel to send, the
/// other rank must request one to receive, with the same size and in the same order for each pair
/// of ranks. A lack of shared memory or of address space is no failure. Throws Error on all ranks.
/// \param tag a tag without other messages at this time
/// \param threads number of threads that touch the memory first, each its part of every message
Channels connect(std::span<const WantedChannel> sent, std::span<const WantedChannel> received,
                 MPI_Comm comm, int tag, int threads);

} // namespace hybridfft::grid
