/// Text: its hash, printable characters, words, and lists of numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hybridfft {

/// The 64-bit FNV-1a hash of Fowler, Noll and Vo.
class Fnv1a {
public:
  /// Adds the bytes of a text, or the eight bytes of a value, lowest first.
  void add(std::string_view text) {
    for (const char c : text)
      add_byte(static_cast<unsigned char>(c));
  }
  void add(std::int64_t value) {
    for (unsigned shift = 0; shift < 64; shift += 8)
      add_byte(static_cast<std::uint64_t>(value) >> shift & 0xffU);
  }
  std::uint64_t value() const { return hash_; }

private:
  void add_byte(std::uint64_t byte) { hash_ = (hash_ ^ byte) * 1099511628211ULL; }

  std::uint64_t hash_ = 14695981039346656037ULL;
};

// Text of files and arguments, made safe for terminals and logs.

/// Returns the text with `\xHH` for each byte of a control character (C0, DEL, C1) or of invalid
/// UTF-8. A terminal would execute control characters, and a line feed could begin a false message.
/// All other characters are unchanged, escapes in printable form among them.
std::string printable(std::string_view text);

/// Applies printable() to each line; line feeds are kept.
std::string printable_lines(std::string_view text);

// Splits texts into words.

/// Splits at each separator; adjacent separators yield empty words.
inline std::vector<std::string_view> split(std::string_view text, char separator = ' ') {
  std::vector<std::string_view> words;
  for (;;) {
    const std::size_t end = text.find(separator);
    words.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return words;
    text.remove_prefix(end + 1);
  }
}

// Formats numbers in the notation of processor sets.

/// Returns "0-3,8" for the ascending numbers 0 1 2 3 8, and "none" for an empty list.
std::string compact_list(const std::vector<int> &numbers);

} // namespace hybridfft
