/// Wisdom in files.
#pragma once

#include <chrono>
#include <string>

#include "wisdom/wisdom.h"

namespace hybridfft::wisdom {

/// Throws Failure(HFFT_ERROR_WISDOM) naming the file.
Wisdom read_wisdom(const std::string &path);

/// Replaces the file in one step. Throws Failure(HFFT_ERROR_WISDOM) naming the file.
void write_wisdom(const std::string &path, const Wisdom &wisdom);

/// A file that may not exist yet, and that several processes may read and save at the same time.
/// One that is there but may only be read is only read. All throw Failure(HFFT_ERROR_WISDOM).
class SharedWisdomFile {
public:
  explicit SharedWisdomFile(std::string path) : path_(std::move(path)) {}

  /// Empty where there is no file yet, but a place for it.
  Wisdom load() const;
  struct Saved {
    Wisdom all;          ///< the file's wisdom and the added one
    bool locked = false; ///< another process held the file all the time: it is as it was
  };
  /// Adds `wisdom` to what the file holds by now. Waits for others that save, as long as `patience`
  /// for each. A damaged file stays as it is.
  Saved save(const Wisdom &wisdom,
             std::chrono::milliseconds patience = std::chrono::seconds(1)) const;

private:
  std::string path_;
};

} // namespace hybridfft::wisdom
