/// Memory that could not be allocated, with the number of bytes requested.
#pragma once

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <new>

namespace hybridfft {

class OutOfMemory : public std::bad_alloc {
public:
  /// \param bytes that were requested
  explicit OutOfMemory(std::size_t bytes) noexcept {
    std::snprintf(text_.data(), text_.size(),
                  "out of memory: %zu bytes (%.3g GB) cannot be allocated", bytes,
                  1e-9 * static_cast<double>(bytes));
  }
  const char *what() const noexcept override { return text_.data(); }

private:
  std::array<char, 96> text_{};
};

/// The sentence of an OutOfMemory, also of one that comes from another library, and "out of
/// memory" for a std::bad_alloc, whose what() is the name of its type.
inline const char *reason_of(const std::bad_alloc &e) noexcept {
  return std::strncmp(e.what(), "out of memory", 13) == 0 ? e.what() : "out of memory";
}

} // namespace hybridfft
