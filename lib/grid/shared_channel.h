/// One direction between two ranks of a node: messages in memory that both of them map.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/memory.h"
#include "base/shared_memory.h"
#include "hybridfft/grid/box.hpp"

namespace hybridfft::grid {

/// Two buffers, which messages use in turns, and two counts: of messages that the sender has
/// written, and of those that the receiver has read. Each count has one writer, which stores it
/// with release after its work on a buffer; the other rank loads with acquire before it touches
/// that buffer:
///
///     sender                                receiver
///     await_read(n - 2)                     await_written(n)      acquire, ends after A
///     write buffer n % 2                    read buffer n % 2
///     written(n)             release, A     read(n)               release, before its message n+1
///
/// So a buffer is never written while it is read, and is read after it is written; threads that
/// write or read have been joined by the thread that stores. With two buffers await_read waits for
/// a receiver that is two messages behind only: where messages go both ways, it never waits, as the
/// receiver's message n - 1, which the sender has seen before it sends message n, comes after
/// read(n - 2).
class SharedChannel {
public:
  SharedChannel() = default;
  /// Pages of bytes_for(message_bytes) bytes, of which all are zero before the first message.
  SharedChannel(Mapping pages, Index message_bytes);

  /// True if the channel has pages.
  explicit operator bool() const { return pages_.data() != nullptr; }

  /// Bytes that a channel takes, in whole pages.
  static std::size_t bytes_for(Index message_bytes);

  /// All of the pages.
  std::span<std::byte> pages() const { return {pages_.data(), pages_.bytes()}; }

  /// The buffer of messages with odd numbers (1), or even ones (0), aligned to 64 bytes.
  std::byte *buffer(int turn) const;

  /// Stores that the sender has written `message`; messages are counted from 1.
  void written(std::uint64_t message) const { store(counts().written, message); }
  /// True if the sender has written `message`.
  bool is_written(std::uint64_t message) const {
    return std::atomic_ref(counts().written).load(std::memory_order_acquire) >= message;
  }
  /// Stores that the receiver has read `message`.
  void read(std::uint64_t message) const { store(counts().read, message); }
  /// Waits until the sender has written `message`. `comm`: lets MPI progress the other messages of
  /// this rank meanwhile, as the other rank may wait for them first. Throws Error.
  void await_written(std::uint64_t message, MPI_Comm comm) const {
    await(counts().written, message, comm);
  }
  void await_read(std::uint64_t message, MPI_Comm comm) const {
    await(counts().read, message, comm);
  }

private:
  using Count = std::uint64_t;
  static_assert(std::atomic_ref<Count>::is_always_lock_free, "other processes see the counts too");
  /// Each on a cache line of its own, as each has one writer.
  struct Counts {
    alignas(alignment) Count written = 0;
    alignas(alignment) Count read = 0;
  };
  Counts &counts() const { return *reinterpret_cast<Counts *>(pages_.data()); }
  static void store(Count &count, Count message) {
    std::atomic_ref(count).store(message, std::memory_order_release);
  }
  static void await(Count &count, Count message, MPI_Comm comm);

  Mapping pages_;
  Index stride_ = 0; ///< bytes from one buffer to the other
};

} // namespace hybridfft::grid
