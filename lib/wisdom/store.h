/// Files of wisdom, and the wisdom of this process with the file named by HFFT_WISDOM.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "exchange/communicator.h"
#include "wisdom/wisdom.h"

namespace hybridfft::wisdom {

// The planner's check of a wisdom entry.

/// Checks that this library could have written a key and its choice. Choices of other versions are
/// not checked. The definition is in plan/wisdom_text.cpp, since it needs the planner's problems
/// and choices. \throws Failure(HFFT_ERROR_WISDOM) with the first unexpected word
void check_entry(const std::string &key, std::string_view choice);

// Wisdom files, safe for concurrent readers and writers.

/// Reads a file. Throws Failure(HFFT_ERROR_WISDOM) with its name.
Wisdom read_wisdom(const std::string &path);

/// Replaces the file atomically. Throws Failure(HFFT_ERROR_WISDOM) with its name.
void write_wisdom(const std::string &path, const Wisdom &wisdom);

/// A wisdom file that several processes may read and save at the same time; it may be missing. A
/// read-only file is never saved. All functions throw Failure(HFFT_ERROR_WISDOM).
class SharedWisdomFile {
public:
  explicit SharedWisdomFile(std::string path) : path_(std::move(path)) {}

  /// Reads the file. If the file is missing but its folder exists, the result is empty.
  Wisdom load() const;
  struct Saved {
    Wisdom all;          ///< wisdom of the file together with the added wisdom
    bool locked = false; ///< true if another process held the lock during the whole wait: the file
                         ///< is unchanged
  };
  /// Adds `wisdom` to the present contents of the file. Waits at most `patience` for each process
  /// that holds the lock. A damaged file stays unchanged.
  Saved save(const Wisdom &wisdom,
             std::chrono::milliseconds patience = std::chrono::seconds(1)) const;

private:
  std::string path_;
};

/// Returns a copy of all wisdom in memory.
Wisdom known_wisdom();
void learn(const Wisdom &wisdom);
/// Clears wisdom in memory. The file of HFFT_WISDOM is not read again.
void forget_wisdom();

/// Returns true for the selected keys, such as those of one precision.
using Keys = std::function<bool(const std::string &key)>;
/// Removes the entries of selected keys from memory. The file of HFFT_WISDOM is read first, so that
/// its entries do not return later; the file itself is unchanged. Throws Failure(HFFT_ERROR_WISDOM)
/// if it cannot be read.
void forget_entries(const Keys &keys);
/// Removes the entries of selected keys from memory. The file of HFFT_WISDOM is read again at the
/// next use.
void unload_entries(const Keys &keys);

/// Returns the stored result for a problem, if its planning effort is at least `effort`. Reads the
/// file of HFFT_WISDOM on first use. Throws Failure(HFFT_ERROR_WISDOM).
std::optional<Experience> recall(const std::string &key, unsigned effort);
/// Returns rank 0's choice for the key returned by `key()` on rank 0; empty if there is none. All
/// ranks call `key`, which may fail on some of them. Collective. Throws Failure on all ranks alike.
std::string recall_choice(const exchange::Communicator &comm,
                          const std::function<std::string()> &key, unsigned effort);
/// Adds a result to memory and to the file of HFFT_WISDOM. If another process holds the lock for
/// a second, the file stays unchanged. Throws Failure(HFFT_ERROR_WISDOM).
void remember(const std::string &key, const Experience &experience);
/// Returns a line with the reason if this process could not save its last wisdom; else an empty
/// string.
std::string describe_unsaved();

/// broadcast_wisdom() adds rank 0's wisdom to the other ranks' stores. gather_wisdom() adds the
/// other ranks' wisdom to rank 0's store. Collective. Throw Failure on all ranks alike.
void broadcast_wisdom(const exchange::Communicator &comm);
void gather_wisdom(const exchange::Communicator &comm);

} // namespace hybridfft::wisdom
