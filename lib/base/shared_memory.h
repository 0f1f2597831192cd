/// Memory that processes of one machine map at the same time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hybridfft {

/// Pages in this process's address space, unmapped by the destructor. Other processes keep theirs.
class Mapping {
public:
  Mapping() = default;
  Mapping(std::byte *data, std::size_t bytes) : data_(data), bytes_(bytes) {}
  ~Mapping();
  Mapping(Mapping &&other) noexcept;
  Mapping &operator=(Mapping &&other) noexcept;

  /// nullptr where nothing is mapped.
  std::byte *data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

private:
  std::byte *data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// A file in memory without a name (memfd_create), so that nothing is left behind, and no limit of
/// /dev/shm counts. It goes with its last mapping.
class SharedFile {
public:
  /// The name by which another process finds the file. Trivially copyable: it travels in messages.
  struct Address {
    std::int64_t process = 0;
    std::int64_t descriptor = -1; ///< descriptor in that process; -1: there is no file
    std::uint64_t key = 0;        ///< drawn at random
  };

  SharedFile() = default;
  /// A file of zeros. No file if the system has no such files or the process may not have so large
  /// ones.
  explicit SharedFile(std::size_t bytes);
  /// The file of another process. No file unless exactly that file is found there: a process that
  /// runs in another container has other process numbers, and is no process of this machine then.
  explicit SharedFile(const Address &address);
  ~SharedFile();
  SharedFile(SharedFile &&other) noexcept;
  SharedFile &operator=(SharedFile &&other) noexcept;

  explicit operator bool() const { return descriptor_ >= 0; }
  /// Valid as long as this object is there.
  Address address() const;
  /// Bytes of the file from `offset` on, which is a multiple of page_bytes(); an empty mapping
  /// where there is no file or no address space for them. \param there the pages are in memory
  /// already, and are made accessible without delay
  Mapping map(std::size_t offset, std::size_t bytes, bool there) const;

private:
  int descriptor_ = -1;
  std::uint64_t key_ = 0;
};

/// Bytes of a page of this system.
std::size_t page_bytes();
/// The least multiple of page_bytes() that is not less.
std::size_t whole_pages(std::size_t bytes);

/// Can this process map so many bytes, and has MPI some room then? Not so under a limit of the
/// address space (ulimit -v).
bool can_map(std::size_t bytes);

/// Can this process make a file of so many bytes, and open some more? Not so under limits of files
/// (ulimit -f and -n).
bool can_share(std::size_t bytes);

/// Takes the memory of bytes populated .. bytes-1 behind the beginning of a shared page from the
/// system, zeros. Returns whether there is as much: otherwise the first access to a missing page
/// would end the process.
bool populate(std::byte *first, std::size_t populated, std::size_t bytes);

} // namespace hybridfft
