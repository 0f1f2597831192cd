/// Splits texts into words.
#pragma once

#include <string_view>
#include <vector>

namespace hybridfft {

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

} // namespace hybridfft
