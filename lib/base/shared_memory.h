/// Memory mapped by several processes of one machine at the same time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hybridfft {

/// Pages in this process's address space, unmapped by the destructor. Other processes keep their
/// mappings.
class Mapping {
public:
  Mapping() = default;
  Mapping(std::byte *data, std::size_t bytes) : data_(data), bytes_(bytes) {}
  ~Mapping();
  Mapping(Mapping &&other) noexcept;
  Mapping &operator=(Mapping &&other) noexcept;

  /// Returns the start of the pages; nullptr if nothing is mapped.
  std::byte *data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

private:
  std::byte *data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// An anonymous file in memory (memfd_create). It has no name in a file system, and the limit of
/// /dev/shm does not apply. The system frees it after the last mapping ends.
class SharedFile {
public:
  /// Address by which other processes open the file. It is trivially copyable, for messages.
  struct Address {
    std::int64_t process = 0;
    std::int64_t descriptor = -1; ///< descriptor in the process; -1: there is no file
    std::uint64_t key = 0;        ///< random number that identifies the file
  };

  SharedFile() = default;
  /// Creates a file of zeros. The object has no file if the system lacks such files or the process
  /// may not have one of this size.
  explicit SharedFile(std::size_t bytes);
  /// Opens the file of another process. The object has no file if this file is not found, for
  /// example because the other process is in another container with other process numbers.
  explicit SharedFile(const Address &address);
  ~SharedFile();
  SharedFile(SharedFile &&other) noexcept;
  SharedFile &operator=(SharedFile &&other) noexcept;

  explicit operator bool() const { return descriptor_ >= 0; }
  /// Returns the address, valid during the lifetime of this object.
  Address address() const;
  /// Maps `bytes` of the file, from `offset` on, a multiple of page_bytes(). The mapping is empty
  /// if there is no file or no address space.
  /// \param there true if the pages are already in memory; they are then mapped at once, without
  ///   page faults
  Mapping map(std::size_t offset, std::size_t bytes, bool there) const;

private:
  int descriptor_ = -1;
  std::uint64_t key_ = 0;
};

/// Returns the bytes of a page of this system.
std::size_t page_bytes();
/// Returns the smallest multiple of page_bytes() at or above `bytes`.
std::size_t whole_pages(std::size_t bytes);

/// Returns true if this process can map this many bytes, with some room left for MPI. A limit of
/// the address space (ulimit -v) may prevent it.
bool can_map(std::size_t bytes);

/// Returns true if this process can create a file of this many bytes, and open a few more files.
/// Limits of files (ulimit -f and -n) may prevent it.
bool can_share(std::size_t bytes);

/// Allocates zeroed memory for the bytes from number `populated` to number `bytes` - 1, counted
/// from `first`, the start of a shared page. Returns false if memory is short; without the check
/// the first access to a missing page would end the process.
bool populate(std::byte *first, std::size_t populated, std::size_t bytes);

} // namespace hybridfft
