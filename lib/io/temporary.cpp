#include "io/temporary.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <random>
#include <string_view>
#include <utility>

#include "base/files.h"
#include "io/hdf5.h"

namespace hybridfft::io {

namespace {

namespace fs = std::filesystem;

std::string because() { return std::string(": ") + std::strerror(errno); }

constexpr std::string_view ending = ".tmp";
constexpr std::size_t digits = 16;

std::string random_digits() {
  std::random_device random;
  char text[digits + 1];
  std::snprintf(text, sizeof text, "%08x%08x", random(), random());
  return text;
}

/// Returns the beginning of the names of all temporary files of a target.
std::string stem_of(const fs::path &target) { return "." + target.filename().string() + "."; }

bool is_temporary_of(const std::string &stem, const std::string &name) {
  if (!name.starts_with(stem) || !name.ends_with(ending) ||
      name.size() != stem.size() + digits + ending.size())
    return false;
  return name.find_first_not_of("0123456789abcdef", stem.size()) == stem.size() + digits;
}

/// True if locks on this file are visible to all processes that may write it. On file systems
/// shared by several machines, locks may be invisible, or MPI-IO may wait for them.
bool has_local_locks(int file) {
  constexpr std::uint32_t xfs = 0x58465342;
  constexpr std::uint32_t zfs = 0x2fc12fc1;
  struct statfs info {};
  if (::fstatfs(file, &info) != 0) return false;
  constexpr std::uint32_t known[]{EXT4_SUPER_MAGIC,      xfs,         BTRFS_SUPER_MAGIC, zfs,
                                  OVERLAYFS_SUPER_MAGIC, TMPFS_MAGIC, F2FS_SUPER_MAGIC};
  return std::find(std::begin(known), std::end(known), static_cast<std::uint32_t>(info.f_type)) !=
         std::end(known);
}

/// Locks that this process holds on its temporary files, by name.
struct Locks {
  std::mutex mutex;
  std::map<std::string, Descriptor> held;
};
Locks &locks() {
  static Locks all;
  return all;
}

/// Locks a temporary file, so that no other run removes it as abandoned. The lock is shared, so
/// that readers can also lock the file as soon as it has its final name.
/// \return false if another process has just removed the file
bool hold(const std::string &name, Descriptor file) {
  if (has_local_locks(file.get()))
    while (::flock(file.get(), LOCK_SH) != 0 && errno == EINTR) {
    }
  struct stat status {};
  if (::fstat(file.get(), &status) == 0 && status.st_nlink == 0) return false;
  const std::lock_guard guard(locks().mutex);
  locks().held.insert_or_assign(name, std::move(file));
  return true;
}

void let_go(const std::string &name) {
  const std::lock_guard guard(locks().mutex);
  locks().held.erase(name);
}

/// Removes a temporary file unless a run may still use it.
/// \param now present time by the clock of the file system
void remove_if_left(const std::string &name, std::time_t now) {
  constexpr std::time_t day = 86400;
  struct stat status {};
  // Only regular files are opened; opening a pipe would block.
  if (::lstat(name.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  const Descriptor file(name, O_RDWR | O_NOFOLLOW);
  if (!file) return;
  const bool left = has_local_locks(file.get()) ? ::flock(file.get(), LOCK_EX | LOCK_NB) == 0
                                                : now - status.st_mtime > day;
  if (left) ::unlink(name.c_str());
}

void remove_left(const fs::path &target, const std::string &own) {
  struct stat status {};
  if (::stat(own.c_str(), &status) != 0) return;
  const std::string stem = stem_of(target);
  const fs::path folder = fs::path(own).parent_path();
  std::error_code error;
  fs::directory_iterator entry(folder.empty() ? fs::path(".") : folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (is_temporary_of(stem, name) && name != fs::path(own).filename())
      remove_if_left((folder / name).string(), status.st_mtime);
  }
}

/// Creates a file with a new temporary name and locks it.
/// \return its name; empty if another process has removed it
std::string try_to_create(const fs::path &target, const std::string &path) {
  const std::string name =
      (target.parent_path() / (stem_of(target) + random_digits() + std::string(ending))).string();
  remember_unpublished(name);
  // The owner may always write the new file, even if the replaced file is read-only. HDF5 could not
  // open the new file for writing otherwise.
  const mode_t mode = permissions_of(target.string()).value_or(0666) | S_IRUSR | S_IWUSR;
  Descriptor file(name, O_CREAT | O_EXCL | O_RDWR, mode);
  if (!file) {
    const std::string reason = because();
    forget_unpublished(name);
    throw IoError("cannot create '" + path + "'" + reason);
  }
  if (hold(name, std::move(file))) return name;
  forget_unpublished(name);
  return "";
}

} // namespace

std::string resolve_target(const std::string &path) {
  if (path.empty()) throw IoError("cannot create a file with an empty name");
  try {
    return replaceable_file(path);
  } catch (const FileError &e) {
    throw IoError("cannot create '" + path + "': " + e.what());
  }
}

bool same_file(const std::string &a, const std::string &b) {
  std::error_code none;
  const auto resolved = [&](const std::string &name) {
    return fs::weakly_canonical(fs::absolute(name, none), none);
  };
  return fs::equivalent(a, b, none) || resolved(a) == resolved(b);
}

std::string create_temporary(const std::string &target, const std::string &path) {
  const fs::path base(target);
  const fs::path folder = base.parent_path();
  if (!folder.empty() && !fs::is_directory(folder))
    throw IoError("cannot create '" + path + "': there is no folder '" + folder.string() + "'");
  std::string name;
  while (name.empty())
    name = try_to_create(base, path);
  remove_left(base, name);
  return name;
}

void keep_alive(const std::string &temporary) noexcept {
  ::utimensat(AT_FDCWD, temporary.c_str(), nullptr, 0);
}

void require_writable(const std::string &path) {
  remove_temporary(create_temporary(resolve_target(path), path));
}

void publish(const std::string &temporary, const std::string &target, const std::string &path) {
  const Descriptor file(temporary, O_RDWR);
  const auto permissions = permissions_of(target);
  struct stat status {};
  // Releases disk space reserved beyond the end of the file.
  if (file && ::fstat(file.get(), &status) == 0) [[maybe_unused]]
    const int kept_anyway = ::ftruncate(file.get(), status.st_size);
  if (!file || (permissions && ::fchmod(file.get(), *permissions) != 0) ||
      ::fsync(file.get()) != 0 || std::rename(temporary.c_str(), target.c_str()) != 0)
    throw IoError("cannot complete '" + path + "'" + because());
  forget_unpublished(temporary);
  let_go(temporary);
}

void write_file(const std::string &path, const std::string &text) {
  const std::string target = resolve_target(path);
  const std::string temporary = create_temporary(target, path);
  try {
    errno = 0;
    std::ofstream stream(temporary, std::ios::binary);
    stream << text;
    stream.close();
    if (!stream) throw IoError("cannot write '" + path + "': " + std::strerror(errno));
    publish(temporary, target, path);
  } catch (...) {
    remove_temporary(temporary);
    throw;
  }
}

void remove_temporary(const std::string &temporary) {
  ::unlink(temporary.c_str());
  forget_unpublished(temporary);
  let_go(temporary);
}

void copy_into(const std::string &temporary, const std::string &source, const std::string &path) {
  const std::string failed = "cannot copy '" + path + "'";
  {
    const Descriptor from(source, O_RDONLY);
    const Descriptor to(temporary, O_WRONLY);
    if (!from || !to) throw IoError(failed + because());
    if (::ioctl(to.get(), FICLONE, from.get()) == 0) return;
  }
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(source, error);
  if (!error)
    reserve(temporary, static_cast<std::size_t>(bytes), 0,
            failed + ", which is kept as it is till its copy is complete and needs " +
                std::to_string(bytes) + " bytes beside it");
  if (!error) fs::copy_file(source, temporary, fs::copy_options::overwrite_existing, error);
  if (error) throw IoError(failed + ": " + error.message());
}

void reserve(const std::string &path, std::size_t data, std::size_t metadata,
             const std::string &context) {
  const Descriptor file(path, O_WRONLY);
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0) throw IoError(context + because());
  const std::size_t bytes = data + metadata;
  int failed = 0;
  do
    failed = ::fallocate(file.get(), FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes));
  while (failed != 0 && errno == EINTR);
  if (failed == 0) return;
  const bool unable = errno == EOPNOTSUPP || errno == ENOSYS;
  const std::string reason = because();
  const auto allocated = static_cast<std::size_t>(status.st_blocks) * 512;
  const std::string full = full_disk(path, bytes > allocated ? bytes - allocated : 0);
  if (!full.empty()) throw IoError(context + ": " + full);
  if (!unable) throw IoError(context + reason);
}

std::string full_disk(const std::string &path, std::size_t bytes) {
  std::error_code error;
  const fs::path folder = fs::absolute(path, error).parent_path();
  const std::uintmax_t free = fs::space(folder, error).available;
  if (error || free >= bytes) return "";
  return std::string(std::strerror(ENOSPC)) + " (" + std::to_string(free) + " bytes are free)";
}

namespace {

/// Fixed-size entry of the register of unpublished files. A signal handler may read it at any time
/// and cannot wait for locks.
struct Slot {
  enum State { free, changing, used };
  std::atomic<int> state{free};
  std::array<char, 4096> path{};
};
static_assert(std::atomic<int>::is_always_lock_free);
std::array<Slot, 8> slots;

bool take(Slot &slot, Slot::State from) {
  int expected = from;
  return slot.state.compare_exchange_strong(expected, Slot::changing);
}

} // namespace

void remember_unpublished(const std::string &path) noexcept {
  for (Slot &slot : slots) {
    if (path.size() >= slot.path.size() || !take(slot, Slot::free)) continue;
    path.copy(slot.path.data(), path.size());
    slot.path[path.size()] = '\0';
    slot.state = Slot::used;
    return;
  }
}

void forget_unpublished(const std::string &path) noexcept {
  for (Slot &slot : slots) {
    if (!take(slot, Slot::used)) continue;
    const bool found = path == slot.path.data();
    slot.state = found ? Slot::free : Slot::used;
    if (found) return;
  }
}

void remove_unpublished() noexcept {
  for (const Slot &slot : slots)
    if (slot.state == Slot::used) ::unlink(slot.path.data());
}

} // namespace hybridfft::io
