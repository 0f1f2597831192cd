/// Memory of an emulated device.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>

namespace hybridfft::device {

/// Reserved address space in which allocations lie at boundaries of 256 bytes, with red zones of
/// 256 bytes or more between them. Threads may share it.
class Arena {
public:
  enum class Access {
    always,   ///< the host may touch allocated memory
    when_open ///< it may between open() and close() alone: else SIGSEGV
  };

  /// Reserves addresses for `capacity` bytes of allocations of any sizes. Throws
  /// Error(HFFT_ERROR_OUT_OF_MEMORY).
  Arena(std::size_t capacity, Access access);
  ~Arena();
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;

  /// Bytes that an allocation takes of the capacity.
  static std::size_t taken(std::size_t bytes);

  /// Filled with bytes 0xff, which are NaN. nullptr when there is no room.
  void *allocate(std::size_t bytes);
  /// Returns the bytes that it took of the capacity; 0 when it is no allocation of this arena.
  std::size_t deallocate(void *memory) noexcept;

  /// True if any of these bytes is in the arena.
  bool meets(const void *memory, std::size_t bytes) const;
  /// The place of these bytes, some of which are in the arena, for error messages if they are not
  /// in one allocation; empty if they are.
  std::string fault(const void *memory, std::size_t bytes) const;
  /// Describes bytes written just outside of an allocation; empty if there are none.
  std::string damage();

  /// May be open several times at once. Throws Error(HFFT_ERROR_OUT_OF_MEMORY).
  void open();
  void close() noexcept;

private:
  std::byte *gap_of(std::size_t wanted) const;
  void make_accessible();

  void *reserved_ = nullptr;
  std::size_t reserved_bytes_ = 0;
  std::byte *begin_ = nullptr; ///< start of the reserved memory, at a boundary of pages
  std::byte *end_ = nullptr;
  Access access_;

  mutable std::mutex mutex_;
  std::map<const std::byte *, std::size_t> allocations_; ///< address, requested bytes
  std::size_t used_ = 0; ///< bytes from begin_ in which there have been allocations
  int openings_ = 0;
};

/// Keeps an arena open.
class OpenArena {
public:
  explicit OpenArena(Arena &arena) : arena_(arena) { arena_.open(); }
  ~OpenArena() { arena_.close(); }
  OpenArena(const OpenArena &) = delete;
  OpenArena &operator=(const OpenArena &) = delete;

private:
  Arena &arena_;
};

} // namespace hybridfft::device
