#include "wisdom/key_value.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/error.h"
#include "base/text.h"

namespace hybridfft::wisdom {

namespace {

bool is_printable(char c) { return c > ' ' && c < '\x7f'; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

} // namespace

std::string quoted(std::string_view value) {
  constexpr std::size_t most = 60;
  std::string text(value.substr(0, most));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return !is_printable(c) && c != ' '; }, '?');
  return "'" + text + (value.size() > most ? "..." : "") + "'";
}

std::string_view value_of(std::string_view word, const Field &field) {
  const std::string start = std::string(field.name) + "=";
  if (word.substr(0, start.size()) != start)
    throw Failure(HFFT_ERROR_WISDOM, "found " + quoted(word) + ", expected " + start + "...");
  word.remove_prefix(start.size());
  if (!field.valid(word))
    throw Failure(HFFT_ERROR_WISDOM,
                  std::string(field.name) + " is " + quoted(word) + ", expected " + field.expected);
  return word;
}

void require_end(const std::vector<std::string_view> &words, std::size_t known) {
  if (words.size() > known)
    throw Failure(HFFT_ERROR_WISDOM,
                  "found " + quoted(words[known]) + ", expected the end of the line");
}

bool is_text(std::string_view value) {
  return !value.empty() && std::all_of(value.begin(), value.end(), is_printable);
}

bool is_count(std::string_view value) {
  if (value.empty() || !std::all_of(value.begin(), value.end(), is_digit)) return false;
  if (value.size() > 1 && value.front() == '0') return false;
  return value.size() < 19; // below 10^18 < 2^62
}

bool is_positive(std::string_view value) { return is_count(value) && value != "0"; }

bool is_sign(std::string_view value) { return value == "-1" || value == "1"; }

bool is_yes_or_no(std::string_view value) { return value == "yes" || value == "no"; }

bool is_extents(std::string_view value) {
  const auto numbers = split(value, 'x');
  return numbers.size() > 1 && std::all_of(numbers.begin(), numbers.end(), is_positive);
}

bool is_seconds(std::string_view value) {
  double seconds = -1;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), seconds);
  return error == std::errc() && end == value.data() + value.size() && std::isfinite(seconds) &&
         seconds >= 0;
}

std::ptrdiff_t to_count(std::string_view value) {
  std::ptrdiff_t number = 0;
  std::from_chars(value.data(), value.data() + value.size(), number);
  return number;
}

double to_seconds(std::string_view value) {
  double seconds = 0;
  std::from_chars(value.data(), value.data() + value.size(), seconds);
  return seconds;
}

std::string from_seconds(double seconds) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), seconds).ptr};
}

} // namespace hybridfft::wisdom
