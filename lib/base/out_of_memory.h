/// Exception of a failed allocation, with the number of requested bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <new>

namespace hybridfft {

class OutOfMemory : public std::bad_alloc {
public:
  /// \param bytes requested bytes
  explicit OutOfMemory(std::size_t bytes) noexcept {
    std::snprintf(text_.data(), text_.size(),
                  "out of memory: %zu bytes (%.3g GB) cannot be allocated", bytes,
                  1e-9 * static_cast<double>(bytes));
  }
  const char *what() const noexcept override { return text_.data(); }

private:
  std::array<char, 96> text_{};
};

/// Returns the sentence of an OutOfMemory, even if another library threw it. Returns "out of
/// memory" for a std::bad_alloc, because its what() is the name of its type.
inline const char *reason_of(const std::bad_alloc &e) noexcept {
  return std::strncmp(e.what(), "out of memory", 13) == 0 ? e.what() : "out of memory";
}

} // namespace hybridfft
