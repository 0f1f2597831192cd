/// Memory of an emulated device.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>

namespace hybridfft::device {

/// Reserved address space in which allocations lie at boundaries of 256 bytes, with red zones of
/// 256 bytes or more between them. May be used by several threads.
class Arena {
public:
  enum class Access {
    always,   ///< by everyone
    when_open ///< between open() and close() only, else SIGSEGV
  };

  /// Has room for `capacity` bytes of allocations, however they are cut. Throws
  /// Error(HFFT_ERROR_OUT_OF_MEMORY).
  Arena(std::size_t capacity, Access access);
  ~Arena();
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;

  /// Bytes that an allocation takes of the capacity.
  static std::size_t taken(std::size_t bytes);

  /// Filled with bytes 0xff, which are NaN. nullptr when there is no room.
  void *allocate(std::size_t bytes);
  /// What it took of the capacity; 0 when it is no allocation of this arena.
  std::size_t deallocate(void *memory) noexcept;

  /// Whether any of these bytes is in the arena.
  bool meets(const void *memory, std::size_t bytes) const;
  /// Why these bytes, which meet the arena, are not all in one allocation; empty when they are.
  std::string fault(const void *memory, std::size_t bytes) const;
  /// What was written just outside of an allocation; empty if nothing was.
  std::string damage();

  /// Open as often as not yet closed.
  void open();
  void close() noexcept;

private:
  std::size_t offset_of(const void *memory) const;
  std::byte *gap_of(std::size_t wanted) const;
  void protect(bool opened);

  std::byte *base_ = nullptr;
  std::size_t bytes_ = 0; ///< of address space
  Access access_;

  mutable std::mutex mutex_;
  std::map<std::byte *, std::size_t> allocations_; ///< address and bytes that were asked for
  std::size_t used_ = 0;                           ///< bytes of address space ever allocated from
  int openings_ = 0;
};

/// The arena is open while this object is there.
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
