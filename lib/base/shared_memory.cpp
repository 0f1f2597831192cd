#include "base/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/files.h"

namespace hybridfft {

namespace {

using Name = std::array<char, 80>;

/// Returns the name of a file. It contains the key, because the system accepts the same name for
/// several such files.
Name name_of(std::uint64_t key) {
  Name name{};
  std::snprintf(name.data(), name.size(), "hybridfft-%016" PRIx64, key);
  return name;
}

/// Returns true if the limits allow a file of this size. A file above the limit would end the
/// process by a signal.
bool may_have(std::size_t bytes) {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
         (limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur);
}

/// Returns true if the link refers to the file with this key.
bool leads_to(const char *link, std::uint64_t key) {
  Name expected{}, found{};
  std::snprintf(expected.data(), expected.size(), "/memfd:%.40s (deleted)", name_of(key).data());
  const ssize_t length = readlink(link, found.data(), found.size());
  return length > 0 && std::string_view(found.data(), static_cast<std::size_t>(length)) ==
                           std::string_view(expected.data());
}

} // namespace

Mapping::~Mapping() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

Mapping::Mapping(Mapping &&other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}

Mapping &Mapping::operator=(Mapping &&other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

SharedFile::SharedFile(std::size_t bytes) {
  if (!may_have(bytes) || getrandom(&key_, sizeof(key_), GRND_NONBLOCK) != sizeof(key_)) return;
  descriptor_ = memfd_create(name_of(key_).data(), MFD_CLOEXEC);
  if (descriptor_ < 0) return;
  if (ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) close(std::exchange(descriptor_, -1));
}

SharedFile::SharedFile(const Address &address) : key_(address.key) {
  if (address.descriptor < 0) return;
  Name link{};
  std::snprintf(link.data(), link.size(), "/proc/%" PRId64 "/fd/%" PRId64, address.process,
                address.descriptor);
  if (leads_to(link.data(), key_)) descriptor_ = open(link.data(), O_RDWR | O_CLOEXEC);
}

SharedFile::~SharedFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

SharedFile::SharedFile(SharedFile &&other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), key_(other.key_) {}

SharedFile &SharedFile::operator=(SharedFile &&other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(key_, other.key_);
  return *this;
}

SharedFile::Address SharedFile::address() const { return {getpid(), descriptor_, key_}; }

Mapping SharedFile::map(std::size_t offset, std::size_t bytes, bool there) const {
  if (descriptor_ < 0) return {};
  void *data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | (there ? MAP_POPULATE : 0),
                    descriptor_, static_cast<off_t>(offset));
  if (data == MAP_FAILED) return {};
  return {static_cast<std::byte *>(data), bytes};
}

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + page_bytes() - 1) / page_bytes() * page_bytes();
}

bool can_map(std::size_t bytes) {
  constexpr std::size_t of_mpi = 32 << 20;
  if (bytes > SIZE_MAX - of_mpi) return false;
  void *room = mmap(nullptr, bytes + of_mpi, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return false;
  munmap(room, bytes + of_mpi);
  return true;
}

bool can_share(std::size_t bytes) {
  constexpr std::size_t of_mpi = 1 << 20;
  if (bytes > SIZE_MAX - of_mpi || !may_have(bytes + of_mpi)) return false;
  // Opens four more descriptors as a trial: one for the file, the others for MPI.
  const std::array<Descriptor, 4> more{Descriptor("/", O_PATH), Descriptor("/", O_PATH),
                                       Descriptor("/", O_PATH), Descriptor("/", O_PATH)};
  return std::all_of(more.begin(), more.end(), [](const Descriptor &d) { return bool(d); });
}

bool populate(std::byte *first, std::size_t populated, std::size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  if (madvise(first, bytes, MADV_POPULATE_WRITE) == 0) return true;
  if (errno != EINVAL) return false;
#endif
  // Kernels before 5.14 lack the call. Clear only the new bytes, because populated pages may be in
  // use.
  std::memset(first + populated, 0, bytes - populated);
  return true;
}

} // namespace hybridfft
