#include "base/text.h"

#include <array>
#include <cstddef>

namespace hybridfft {

namespace {

/// The first character of a text in UTF-8; `bytes` is 0 if the character is invalid.
struct Character {
  char32_t code = 0;
  std::size_t bytes = 0;
};

Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t n) { return static_cast<unsigned char>(text[n]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead < 0xc0   ? 0
                            : lead < 0xe0 ? 2
                            : lead < 0xf0 ? 3
                            : lead < 0xf8 ? 4
                                          : 0;
  if (bytes == 0 || text.size() < bytes) return {};
  char32_t code = lead & (0x7fU >> bytes);
  for (std::size_t n = 1; n < bytes; ++n) {
    if ((byte(n) & 0xc0U) != 0x80) return {};
    code = code << 6U | (byte(n) & 0x3fU);
  }
  constexpr std::array<char32_t, 5> smallest{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return code < smallest[bytes] || code > 0x10ffff || surrogate ? Character{}
                                                                : Character{code, bytes};
}

bool is_control(char32_t code) { return code < 0x20 || (code >= 0x7f && code < 0xa0); }

std::string escaped(std::string_view text, bool keep_line_feeds) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string safe;
  while (!text.empty()) {
    const Character c = first_character(text);
    const std::size_t bytes = c.bytes == 0 ? 1 : c.bytes;
    const bool keep = c.bytes > 0 && (!is_control(c.code) || (keep_line_feeds && c.code == '\n'));
    for (const char part : text.substr(0, bytes)) {
      const auto value = static_cast<unsigned char>(part);
      if (keep)
        safe += part;
      else
        (safe += "\\x") += {digits[value >> 4U], digits[value & 15U]};
    }
    text.remove_prefix(bytes);
  }
  return safe;
}

} // namespace

std::string printable(std::string_view text) { return escaped(text, false); }
std::string printable_lines(std::string_view text) { return escaped(text, true); }

std::string compact_list(const std::vector<int> &numbers) {
  if (numbers.empty()) return "none";
  std::string text;
  for (std::size_t first = 0; first < numbers.size();) {
    std::size_t last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1)
      ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(numbers[first]);
    if (last > first) text += "-" + std::to_string(numbers[last]);
    first = last + 1;
  }
  return text;
}

} // namespace hybridfft
