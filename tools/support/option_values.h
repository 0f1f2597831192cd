/// Values of command line options, alike in all programs: names, bounded numbers, lists. An error
/// names the option, the value found and the values expected.
#pragma once

#include <charconv>
#include <cstdint>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <type_traits>
#include <vector>

#include <CLI/CLI.hpp>

namespace hybridfft::tools {

/// "found 'TEXT', expected EXPECTED": what validators return; CLI11 puts the option in front.
std::string found_expected(const std::string &text, const std::string &expected);

/// "a, b or c".
std::string alternatives(const std::vector<std::string> &names);

/// Accepts one of `names`, spelt as they are.
CLI::Validator one_of(const std::vector<std::string> &names);

/// An option that takes one of the names of a map from names to values (enumerators or bool).
template <class Value, class Names>
CLI::Option *add_choice(CLI::App &app, const std::string &option, Value &value, const Names &names,
                        const std::string &help) {
  std::vector<std::string> list;
  std::string braces;
  for (const auto &[name, which] : names) {
    list.push_back(name);
    braces += (braces.empty() ? "{" : ",") + name;
  }
  const auto number_of = [names, list](std::string &text) -> std::string {
    const auto found = names.find(text);
    if (found == names.end()) return found_expected(text, alternatives(list));
    text = std::to_string(static_cast<int>(found->second));
    return {};
  };
  return app.add_option(option, value, help)
      ->transform(CLI::Validator(number_of, "", ""))
      ->type_name(braces + "}");
}

namespace detail {

/// The whole text as a number that T can hold: CLI11's own conversion takes 99999999999999999999
/// for the largest integer that there is.
template <class T> bool parse_number(const std::string &text, T &value) {
  const char *end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return result.ec == std::errc() && result.ptr == end;
}

template <class T> const char *kind_of_number() {
  return std::is_integral_v<T> ? "an integer" : "a number";
}

template <class T>
CLI::Validator number(const std::string &range, const std::function<bool(T)> &accept) {
  const auto check = [range, accept](std::string &text) -> std::string {
    T value{};
    if (parse_number(text, value) && accept(value)) return {};
    return found_expected(text, kind_of_number<T>() + (range.empty() ? "" : " " + range));
  };
  return {check, range, ""};
}

template <class T> std::string text_of(T value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

} // namespace detail

/// Accepts numbers from `least` to `most`.
template <class T> CLI::Validator between(T least, T most) {
  return detail::number<T>("from " + detail::text_of(least) + " to " + detail::text_of(most),
                           [=](T value) { return value >= least && value <= most; });
}

/// Accepts numbers from `least` on.
template <class T> CLI::Validator at_least(T least) {
  return detail::number<T>("from " + detail::text_of(least) + " on",
                           [=](T value) { return value >= least; });
}

/// Gives every option that takes numbers, and has no validator, one that tells what it expects.
void check_numbers(CLI::App &app);

/// What a list option takes: so many numbers of at least `least_value`.
struct ListOf {
  int least = 1;
  int most = 1;
  std::optional<std::int64_t> least_value{};
  const char *example = ""; ///< "64x64x64"
};

/// The numbers of a list: in words of their own, or joined by commas or by an x: "64 64 64",
/// "64,64,64" and "64x64x64" are the same. Throws std::invalid_argument "found '...', expected
/// ...".
template <class T> std::vector<T> parse_list(const std::vector<std::string> &words, const ListOf &);
extern template std::vector<std::int64_t> parse_list(const std::vector<std::string> &,
                                                     const ListOf &);
extern template std::vector<double> parse_list(const std::vector<std::string> &, const ListOf &);

/// An option that takes such a list. `take` gets its numbers.
template <class T>
CLI::Option *add_list(CLI::App &app, const std::string &option, const ListOf &what,
                      const std::function<void(const std::vector<T> &)> &take,
                      const std::string &help) {
  const auto parse = [=](const std::vector<std::string> &words) {
    try {
      take(parse_list<T>(words, what));
    } catch (const std::invalid_argument &e) {
      throw CLI::ValidationError(option, e.what());
    }
  };
  return app.add_option_function<std::vector<std::string>>(option, parse, help)
      ->expected(1, what.most)
      ->type_name(what.example);
}

/// For words that look like files but follow no option: " (did you mean -i a.h5 -o b.h5?)" with
/// the options of `free`, those that take a file and have none yet; empty where there is no such
/// word or no such option.
std::string did_you_mean(const std::vector<std::string> &words,
                         const std::vector<std::string> &free);

} // namespace hybridfft::tools
