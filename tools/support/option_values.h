/// Parses values of command line options in all programs: numbers and lists. Errors name the values
/// found and expected. cli_options.h uses these functions for options of CLI11.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace hybridfft::tools {

/// Formats "found 'TEXT', expected EXPECTED" for validators; CLI11 adds the option before it.
std::string found_expected(const std::string &text, const std::string &expected);

/// Formats "a, b or c".
std::string alternatives(const std::vector<std::string> &names);

namespace detail {

/// Parses the whole text as a number in the range of T. CLI11's own conversion would silently clip
/// 99999999999999999999 to the largest integer.
template <class T> bool parse_number(const std::string &text, T &value) {
  const char *end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return result.ec == std::errc() && result.ptr == end;
}

} // namespace detail

/// Format of a list option: `least` to `most` numbers, each at least `min_value`.
struct ListOf {
  int least = 1;
  int most = 1;
  std::optional<std::int64_t> min_value{};
  const char *example = ""; ///< "64x64x64"
};

/// Parses a list of numbers, in separate words or joined by commas or an x: "64 64 64", "64,64,64"
/// and "64x64x64" mean the same.
/// \throws std::invalid_argument "found '...', expected ..."
template <class T> std::vector<T> parse_list(const std::vector<std::string> &words, const ListOf &);
extern template std::vector<std::int64_t> parse_list(const std::vector<std::string> &,
                                                     const ListOf &);
extern template std::vector<double> parse_list(const std::vector<std::string> &, const ListOf &);

/// Returns a hint for words like file names without an option: " (did you mean -i a.h5 -o b.h5?)".
/// \param free file options without a value
/// \return empty if there are no such words or options
std::string did_you_mean(const std::vector<std::string> &words,
                         const std::vector<std::string> &free);

} // namespace hybridfft::tools
