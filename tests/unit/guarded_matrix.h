/// Matrices between guard bytes, for tests of transposes. Guards detect stray writes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace hybridfft {

/// rows x cols elements with a leading dimension, starting `shift` elements after a 64-byte
/// boundary. Every byte of an element is a hash of its row and column. Gaps between rows, and bytes
/// before and after the matrix, have a guard value.
class GuardedMatrix {
public:
  GuardedMatrix(std::size_t element, std::size_t rows, std::size_t cols, std::size_t ld,
                std::size_t shift)
      : element_(element), rows_(rows), cols_(cols), ld_(ld),
        offset_(guard_lines * sizeof(Line) + shift * element),
        lines_(2 * guard_lines +
               ((rows * ld + shift) * element + sizeof(Line) - 1) / sizeof(Line)) {
    std::memset(lines_.data(), guard, size());
  }

  void *data() { return bytes() + offset_; }
  void fill() {
    for (std::size_t i = 0; i < rows_; ++i)
      for (std::size_t j = 0; j < cols_; ++j)
        write(i, j, i, j);
  }
  /// Fills this matrix with the transpose of the matrix that fill() makes, by definition.
  void fill_transposed() {
    for (std::size_t i = 0; i < rows_; ++i)
      for (std::size_t j = 0; j < cols_; ++j)
        write(i, j, j, i);
  }
  /// Returns true if all bytes are equal, including the guards: a stray write makes a difference.
  bool same_bytes(const GuardedMatrix &other) const {
    return size() == other.size() && std::memcmp(lines_.data(), other.lines_.data(), size()) == 0;
  }

private:
  struct alignas(64) Line {
    unsigned char bytes[64];
  };
  static constexpr std::size_t guard_lines = 4;
  static constexpr unsigned char guard = 0xa5;

  unsigned char *bytes() { return lines_.data()->bytes; }
  std::size_t size() const { return lines_.size() * sizeof(Line); }
  void write(std::size_t i, std::size_t j, std::size_t hashed_i, std::size_t hashed_j) {
    unsigned char *at = bytes() + offset_ + (i * ld_ + j) * element_;
    std::uint64_t word = hashed_i * 0x9e3779b97f4a7c15U + hashed_j * 0xc2b2ae3d27d4eb4fU + 1;
    for (std::size_t k = 0; k < element_; k += sizeof(word)) {
      word ^= word >> 29;
      word *= 0xbf58476d1ce4e5b9U;
      word ^= word >> 32;
      std::memcpy(at + k, &word, std::min(sizeof(word), element_ - k));
    }
  }

  std::size_t element_, rows_, cols_, ld_, offset_;
  std::vector<Line> lines_;
};

} // namespace hybridfft
