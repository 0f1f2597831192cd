/// Values of command line options, alike in all programs: numbers and lists. An error names the
/// value found and the values expected. cli_options.h makes options of CLI11 from them.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace hybridfft::tools {

/// "found 'TEXT', expected EXPECTED": results of validators; CLI11 puts the option in front.
std::string found_expected(const std::string &text, const std::string &expected);

/// "a, b or c".
std::string alternatives(const std::vector<std::string> &names);

namespace detail {

/// The whole text as a number that T can hold: CLI11's own conversion takes 99999999999999999999
/// for the largest integer that there is.
template <class T> bool parse_number(const std::string &text, T &value) {
  const char *end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return result.ec == std::errc() && result.ptr == end;
}

} // namespace detail

/// The values of a list option: `least` to `most` numbers of at least `min_value`.
struct ListOf {
  int least = 1;
  int most = 1;
  std::optional<std::int64_t> min_value{};
  const char *example = ""; ///< "64x64x64"
};

/// The numbers of a list: in words of their own, or joined by commas or by an x: "64 64 64",
/// "64,64,64" and "64x64x64" are the same. Throws std::invalid_argument "found '...', expected
/// ...".
template <class T> std::vector<T> parse_list(const std::vector<std::string> &words, const ListOf &);
extern template std::vector<std::int64_t> parse_list(const std::vector<std::string> &,
                                                     const ListOf &);
extern template std::vector<double> parse_list(const std::vector<std::string> &, const ListOf &);

/// A hint for arguments that look like files but follow no option: " (did you mean -i a.h5 -o
/// b.h5?)" with the options of `free`, those that take a file and have none yet; empty where there
/// is no such word or no such option.
std::string did_you_mean(const std::vector<std::string> &words,
                         const std::vector<std::string> &free);

} // namespace hybridfft::tools
