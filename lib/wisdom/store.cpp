#include "wisdom/store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <climits>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <thread>
#include <utility>

#include "base/environment.h"
#include "base/error.h"
#include "base/files.h"
#include "base/mpi.h"
#include "base/text.h"

namespace hybridfft::wisdom {

namespace {

namespace fs = std::filesystem;

/// Maximum bytes of a file: more than any wisdom needs, and small enough for memory.
constexpr std::size_t max_bytes = std::size_t{1} << 28;

[[noreturn]] void fail(const std::string &doing, const std::string &path,
                       const std::string &reason) {
  throw Failure(HFFT_ERROR_WISDOM,
                "cannot " + doing + " the wisdom file '" + printable(path) + "': " + reason);
}

std::string contents(const std::string &path) {
  try {
    return read_text(path, max_bytes);
  } catch (const FileError &e) {
    fail("read", path, e.what());
  }
}

/// Runs f, and converts a FileError to a Failure.
template <class F> auto writing(const std::string &path, const F &f) {
  try {
    return f();
  } catch (const FileError &e) {
    fail("write", path, e.what());
  }
}

void replace(const std::string &path, const std::string &text) {
  writing(path, [&] {
    AtomicFile file(path);
    file.append(text);
    file.commit();
  });
}

bool same_file(int file, const std::string &path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(file, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

/// Locks the file for this process. Returns false if another process holds the lock during the
/// whole time `patience`.
bool lock(int file, std::chrono::milliseconds patience) {
  constexpr std::chrono::milliseconds pause{1};
  const auto end = std::chrono::steady_clock::now() + patience;
  while (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    // Some network file systems have no locks. Continue without one, because replacing the file is
    // safe.
    if (errno != EWOULDBLOCK && errno != EINTR) return true;
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(pause);
  }
  return true;
}

/// A file opened for saving, and its lock.
struct Locked {
  Descriptor file;       ///< holds the lock while open; empty if the file is read-only
  bool by_other = false; ///< true if another process holds the lock
};

/// Opens and locks the file. If another process replaces the file meanwhile, locks the new file.
Locked locked(const std::string &path, std::chrono::milliseconds patience) {
  for (;;) {
    Descriptor file(path, O_RDWR | O_CREAT | O_NONBLOCK);
    if (!file && (errno == EACCES || errno == EROFS) && ::access(path.c_str(), R_OK) == 0)
      return {std::move(file)};
    if (!file) fail("write", path, std::strerror(errno));
    const bool held = lock(file.get(), patience);
    if (same_file(file.get(), path)) return {std::move(file), !held};
  }
}

/// Parses a file. An empty file has just been created, and has no wisdom.
Wisdom parse_if_any(const std::string &path) {
  const std::string text = contents(path);
  return text.empty() ? Wisdom() : Wisdom::parse(text, "the wisdom file '" + path + "'");
}

} // namespace

Wisdom read_wisdom(const std::string &path) {
  return Wisdom::parse(contents(path), "the wisdom file '" + path + "'");
}

void write_wisdom(const std::string &path, const Wisdom &wisdom) { replace(path, wisdom.text()); }

Wisdom SharedWisdomFile::load() const {
  std::error_code error;
  if (fs::exists(path_, error)) return parse_if_any(path_);
  const fs::path folder = fs::path(path_).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, error))
    fail("create", path_, "there is no folder '" + folder.string() + "'");
  if (::access(folder.empty() ? "." : folder.c_str(), W_OK) != 0)
    fail("create", path_, std::strerror(errno));
  return {};
}

SharedWisdomFile::Saved SharedWisdomFile::save(const Wisdom &wisdom,
                                               std::chrono::milliseconds patience) const {
  const std::string path = writing(path_, [&] { return replaceable_file(path_); });
  const Locked target = locked(path, patience);
  Saved saved{parse_if_any(path_), target.by_other};
  if (saved.all.merge(wisdom) && target.file && !saved.locked) replace(path, saved.all.text());
  return saved;
}

namespace {

struct Store {
  std::mutex mutex;
  Wisdom wisdom;
  std::string read;   ///< name of the file that has been read
  std::string locked; ///< file not saved, as another process held its lock during the whole wait

  /// Reads the file of HFFT_WISDOM unless it has been read already.
  void read_file();
};

/// Returns the store of the process. It is never destroyed, because destructors of global objects
/// may make plans.
Store &store() {
  static Store &instance = *new Store;
  return instance;
}

/// Returns the file named by HFFT_WISDOM; empty if the variable is not set.
std::string named_file() { return environment_value("HFFT_WISDOM"); }

/// Calls f with the wisdom file at `path` and returns its result. Messages of failures also name
/// the variable HFFT_WISDOM.
template <class F> auto of_named_file(const std::string &path, const F &f) {
  try {
    return f(SharedWisdomFile(path));
  } catch (const Failure &e) {
    throw wrong_variable("HFFT_WISDOM", path, std::string("a file for wisdom: ") + e.what(),
                         e.code());
  }
}

void Store::read_file() {
  const std::string path = named_file();
  if (path == read) return;
  if (!path.empty())
    wisdom.merge(of_named_file(path, [](const SharedWisdomFile &file) { return file.load(); }));
  read = path;
}

/// Returns the length of a text as int, MPI's type of counts.
int length_of(const std::string &text) {
  if (text.size() > INT_MAX)
    throw Failure(HFFT_ERROR_OVERFLOW, "wisdom of more than 2 GiB cannot be sent");
  return static_cast<int>(text.size());
}

constexpr int tag = 1;

void send(const std::string &text, int to, MPI_Comm comm) {
  mpi::check(MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, to, tag, comm),
             "MPI_Send");
}

void receive(std::string &text, int from, MPI_Comm comm) {
  mpi::check(MPI_Recv(text.data(), static_cast<int>(text.size()), MPI_CHAR, from, tag, comm,
                      MPI_STATUS_IGNORE),
             "MPI_Recv");
}

} // namespace

Wisdom known_wisdom() {
  const std::lock_guard lock(store().mutex);
  return store().wisdom;
}

void learn(const Wisdom &wisdom) {
  const std::lock_guard lock(store().mutex);
  store().wisdom.merge(wisdom);
}

void forget_wisdom() {
  const std::lock_guard lock(store().mutex);
  store().wisdom = {};
  store().read = named_file();
}

void forget_entries(const Keys &keys) {
  const std::lock_guard lock(store().mutex);
  store().wisdom.erase(keys);
  store().read_file();
  store().wisdom.erase(keys);
}

void unload_entries(const Keys &keys) {
  const std::lock_guard lock(store().mutex);
  store().wisdom.erase(keys);
  store().read.clear();
}

std::optional<Experience> recall(const std::string &key, unsigned effort) {
  const std::lock_guard lock(store().mutex);
  Store &s = store();
  s.read_file();
  const Experience *found = s.wisdom.find(key, effort);
  return found != nullptr ? std::optional(*found) : std::nullopt;
}

/// Calls `make` on rank 0 and returns its result on all ranks. Collective.
template <class F> std::string of_first_rank(const exchange::Communicator &comm, const F &make) {
  std::string text;
  std::int64_t length = 0; // length of rank 0's text; the reduction passes it to all ranks
  mpi::all_or_none(comm.get(),
                   [&] {
                     text = make();
                     length = comm.rank() == 0 ? length_of(text) : 0;
                   },
                   {&length, 1});
  if (length == 0) return {};
  mpi::all_or_none(comm.get(), [&] { text.resize(static_cast<std::size_t>(length)); });
  mpi::check(MPI_Bcast(text.data(), static_cast<int>(length), MPI_CHAR, 0, comm.get()),
             "MPI_Bcast");
  return text;
}

std::string recall_choice(const exchange::Communicator &comm,
                          const std::function<std::string()> &key, unsigned effort) {
  return of_first_rank(comm, [&]() -> std::string {
    const std::string mine = key();
    if (comm.rank() != 0) return {};
    const auto known = recall(mine, effort);
    return known ? known->choice : std::string();
  });
}

void remember(const std::string &key, const Experience &experience) {
  const std::lock_guard lock(store().mutex);
  Store &s = store();
  s.wisdom.add(key, experience);
  const std::string path = named_file();
  if (path.empty()) return;
  // Wait only once for a file: the other process may hold its lock forever.
  const auto patience = path == s.locked ? std::chrono::seconds(0) : std::chrono::seconds(1);
  const SharedWisdomFile::Saved saved = of_named_file(
      path, [&](const SharedWisdomFile &file) { return file.save(s.wisdom, patience); });
  s.wisdom.merge(saved.all);
  s.locked = saved.locked ? path : "";
}

std::string describe_unsaved() {
  const std::lock_guard lock(store().mutex);
  const std::string &path = store().locked;
  return path.empty() ? ""
                      : "wisdom is not saved: another process has locked the file '" + path +
                            "' of HFFT_WISDOM\n";
}

void broadcast_wisdom(const exchange::Communicator &comm) {
  const std::string text =
      of_first_rank(comm, [&] { return comm.rank() == 0 ? known_wisdom().text() : std::string(); });
  mpi::all_or_none(comm.get(), [&] { learn(Wisdom::parse(text, "the wisdom of rank 0")); });
}

/// Gathers along a binomial tree: in each round half of the remaining ranks send their wisdom.
void gather_wisdom(const exchange::Communicator &comm) {
  for (int step = 1; step < comm.size(); step *= 2) {
    std::string text;
    const bool sends = comm.rank() % (2 * step) == step;
    const bool receives = comm.rank() % (2 * step) == 0 && comm.rank() + step < comm.size();
    std::int64_t longest = 0;
    mpi::all_or_none(comm.get(),
                     [&] {
                       if (sends) text = known_wisdom().text();
                       longest = length_of(text);
                     },
                     {&longest, 1});
    // Texts contain no NUL except padding to equal length.
    mpi::all_or_none(comm.get(), [&] {
      if (sends || receives) text.resize(static_cast<std::size_t>(longest), '\0');
    });
    if (sends) send(text, comm.rank() - step, comm.get());
    if (receives) receive(text, comm.rank() + step, comm.get());
    mpi::all_or_none(comm.get(), [&] {
      text.resize(text.find_last_not_of('\0') + 1);
      if (receives)
        learn(Wisdom::parse(text, "the wisdom of rank " + std::to_string(comm.rank() + step)));
    });
  }
}

} // namespace hybridfft::wisdom
