// Parses lists of numbers such as "64x64x64", and formats the errors of options.
#include "support/option_values.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

namespace hybridfft::tools {

std::string found_expected(const std::string &text, const std::string &expected) {
  return "found '" + text + "', expected " + expected;
}

std::string alternatives(const std::vector<std::string> &names) {
  std::string text;
  for (std::size_t n = 0; n < names.size(); ++n)
    text += (n == 0 ? "" : n + 1 < names.size() ? ", " : " or ") + names[n];
  return text;
}

namespace {

std::vector<std::string> split(const std::vector<std::string> &words) {
  std::vector<std::string> parts;
  for (const std::string &word : words)
    for (std::size_t begin = 0; begin <= word.size();) {
      const std::size_t end = std::min(word.find_first_of("xX,", begin), word.size());
      parts.push_back(word.substr(begin, end - begin));
      begin = end + 1;
    }
  return parts;
}

template <class T> std::string expected(const ListOf &what) {
  std::string text = std::to_string(what.least);
  if (what.most > what.least) text += " to " + std::to_string(what.most);
  const bool one = what.most == 1;
  text += std::is_integral_v<T> ? (one ? " integer" : " integers") : (one ? " number" : " numbers");
  if (what.min_value) text += " from " + std::to_string(*what.min_value) + " on";
  std::string spaced = what.example;
  std::replace_if(
      spaced.begin(), spaced.end(), [](char c) { return c == 'x' || c == ','; }, ' ');
  return text + ", such as " + what.example + " or " + spaced;
}

} // namespace

template <class T>
std::vector<T> parse_list(const std::vector<std::string> &words, const ListOf &what) {
  const std::vector<std::string> parts = split(words);
  std::vector<T> values(parts.size());
  bool good =
      static_cast<int>(parts.size()) >= what.least && static_cast<int>(parts.size()) <= what.most;
  for (std::size_t n = 0; n < parts.size(); ++n)
    good = good && detail::parse_number(parts[n], values[n]) &&
           !(what.min_value && values[n] < static_cast<T>(*what.min_value));
  if (good) return values;
  std::string found;
  for (const std::string &word : words)
    found += (found.empty() ? "" : " ") + word;
  throw std::invalid_argument(found_expected(found, expected<T>(what)));
}

template std::vector<std::int64_t> parse_list(const std::vector<std::string> &, const ListOf &);
template std::vector<double> parse_list(const std::vector<std::string> &, const ListOf &);

std::string did_you_mean(const std::vector<std::string> &words,
                         const std::vector<std::string> &free) {
  const auto looks_like_file = [](const std::string &word) {
    std::error_code none;
    const std::filesystem::path path(word);
    return !word.empty() && word.front() != '-' &&
           (path.has_extension() || path.has_parent_path() || std::filesystem::exists(path, none));
  };
  std::string text;
  auto option = free.begin();
  for (const std::string &word : words)
    if (looks_like_file(word) && option != free.end()) text += " " + *option++ + " " + word;
  return text.empty() ? "" : " (did you mean" + text + "?)";
}

} // namespace hybridfft::tools
