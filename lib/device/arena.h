/// Memory of an emulated device. Allocations lie in one reserved range of addresses, whose access
/// can be switched as a whole.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>

namespace hybridfft::device {

/// Allocations at multiples of 256 bytes, with red zones of at least 256 bytes between them. Writes
/// into a red zone are detected. Thread-safe.
class Arena {
public:
  enum class Access {
    always,   ///< the host may access allocated memory at any time
    when_open ///< the host may access it between open() and close(), else SIGSEGV
  };

  /// Reserves addresses for `capacity` bytes of allocations of any sizes.
  /// \throws Error(HFFT_ERROR_OUT_OF_MEMORY)
  Arena(std::size_t capacity, Access access);
  ~Arena();
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;

  /// Returns how many bytes of the capacity an allocation of `bytes` takes.
  static std::size_t taken(std::size_t bytes);

  /// Allocates memory filled with bytes 0xff, so all values are NaN.
  /// \return nullptr if no gap is large enough
  void *allocate(std::size_t bytes);
  /// Frees an allocation.
  /// \return the bytes it took from the capacity; 0 if the arena has no such allocation
  std::size_t deallocate(void *memory) noexcept;

  /// True if any of these bytes is in the arena.
  bool meets(const void *memory, std::size_t bytes) const;
  /// Checks bytes that begin or end in the arena: they must lie in one allocation.
  /// \return the location of the bytes for an error message; empty if the check succeeds
  std::string fault(const void *memory, std::size_t bytes) const;
  /// Describes a write into a red zone; empty if there was none.
  std::string damage();

  /// Permits access by the host until close(). Calls may be nested.
  /// \throws Error(HFFT_ERROR_OUT_OF_MEMORY)
  void open();
  void close() noexcept;

private:
  std::byte *gap_of(std::size_t wanted) const;
  void make_accessible();

  void *reserved_ = nullptr;
  std::size_t reserved_bytes_ = 0;
  std::byte *begin_ = nullptr; ///< start of the reserved memory, aligned to pages
  std::byte *end_ = nullptr;
  Access access_;

  mutable std::mutex mutex_;
  std::map<const std::byte *, std::size_t> allocations_; ///< address, requested bytes
  std::size_t used_ = 0; ///< bytes from begin_ ever used by allocations
  int openings_ = 0;
};

/// Keeps an arena open during its lifetime.
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
