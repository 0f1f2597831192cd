/// Files of wisdom, and their entries.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "wisdom/wisdom.h"

namespace hybridfft::wisdom {

// The planner's check of a wisdom entry.

/// Checks that this library could have written a key and its choice. Choices of other versions are
/// not checked. The definition is in plan/wisdom_key.cpp, since it needs the planner's problems and
/// choices.
/// \throws Failure(HFFT_ERROR_WISDOM) with the first unexpected word
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

} // namespace hybridfft::wisdom
