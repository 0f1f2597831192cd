/// Options of CLI11 common to all programs: named values, bounded numbers, lists. Errors name the
/// option, the value found and the value expected. CLI11 takes seconds to compile, so only files
/// with option declarations include this header.
#pragma once

#include <cstdint>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <CLI/CLI.hpp>

#include "support/option_values.h"

namespace hybridfft::tools {

/// Adds an option with named values. `names` maps each name to an enumerator or bool.
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

/// Accepts numbers of at least `least`.
template <class T> CLI::Validator at_least(T least) {
  return detail::number<T>("from " + detail::text_of(least) + " on",
                           [=](T value) { return value >= least; });
}

/// Adds a validator to every numeric option without one. Its errors name the expected numbers.
void check_numbers(CLI::App &app);

/// Adds an option with a list of numbers and passes the numbers to `take`.
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

} // namespace hybridfft::tools
