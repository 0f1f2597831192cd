#include "plan/choice.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "plan/arguments.h"
#include "plan/lowering.h"
#include "wisdom/wisdom.h"

namespace hybridfft::plan {

using wisdom::Field;
using wisdom::is_count;
using wisdom::is_positive;
using wisdom::is_text;
using wisdom::quoted;
using wisdom::require_end;
using wisdom::to_count;
using wisdom::value_of;

namespace {

/// A property of a choice: its name and the functions that write and read its value.
struct Property {
  Field field;
  std::string (*get)(const Choice &);
  void (*set)(Choice &, std::string_view);
};

using local::Kernel;
using local::TileOrder;
using simd::Store;

/// A value of a property and its word in the text.
template <class T> struct Word {
  std::string_view name;
  T value;
};
constexpr std::array<Word<Kernel>, 2> kernels{{{"simd", Kernel::simd}, {"fftw", Kernel::fftw}}};
constexpr std::array<Word<Store>, 2> stores{
    {{"cached", Store::cached}, {"streamed", Store::streamed}}};
constexpr std::array<Word<TileOrder>, 2> orders{
    {{"interleaved", TileOrder::interleaved}, {"lines", TileOrder::lines}}};
constexpr std::array<Word<Passes>, 3> forms{
    {{"fused", Passes::fused}, {"split", Passes::split}, {"whole", Passes::whole}}};
constexpr std::array<Word<bool>, 2> schedules{{{"together", false}, {"apart", true}}};
constexpr std::array<Word<MessageForm>, 3> message_words{{{"whole", MessageForm::whole},
                                                          {"chunks", MessageForm::chunks},
                                                          {"none", MessageForm::shared}}};

/// Returns the property for a member of Choice. A table of words lists its values.
template <const auto &words, auto member>
constexpr Property in_words(const char *name, const char *expected) {
  return {{name, expected,
           [](std::string_view v) {
             return std::any_of(words.begin(), words.end(),
                                [=](const auto &word) { return word.name == v; });
           }},
          [](const Choice &c) {
            return std::string(std::find_if(words.begin(), words.end(), [&](const auto &word) {
                                 return word.value == c.*member;
                               })->name);
          },
          [](Choice &c, std::string_view v) {
            for (const auto &word : words)
              if (word.name == v) c.*member = word.value;
          }};
}

bool is_axes(std::string_view value) {
  const auto numbers = split(value, ',');
  return std::all_of(numbers.begin(), numbers.end(), is_count);
}

std::string text_of(const Path &path) {
  std::string text = describe(path);
  std::replace(text.begin(), text.end(), ' ', '_');
  return text;
}

/// All properties, in their order in the text. parse_choice() sets the path, because paths depend
/// on the problem.
constexpr std::array<Property, 12> properties{{
    in_words<forms, &Choice::passes>("form", "fused, split or whole"),
    in_words<kernels, &Choice::plane_kernel>("planes", "simd or fftw"),
    in_words<kernels, &Choice::column_kernel>("columns", "simd or fftw"),
    in_words<stores, &Choice::store>("store", "cached or streamed"),
    in_words<orders, &Choice::order>("order", "interleaved or lines"),
    {{"tile", "a positive number of bytes", is_positive},
     [](const Choice &c) { return std::to_string(c.tile_bytes); },
     [](Choice &c, std::string_view v) { c.tile_bytes = to_count(v); }},
    {{"threads", "all or a positive number",
      [](std::string_view v) { return v == "all" || (is_positive(v) && v.size() < 10); }},
     [](const Choice &c) {
       return c.threads == 0 ? std::string("all") : std::to_string(c.threads);
     },
     [](Choice &c, std::string_view v) {
       c.threads = v == "all" ? 0 : static_cast<int>(to_count(v));
     }},
    {{"exchange", "none or the name of an algorithm", is_text},
     [](const Choice &c) {
       return std::string(c.algorithm != nullptr ? c.algorithm->name : "none");
     },
     [](Choice &c, std::string_view v) { c.algorithm = exchange::find_algorithm(v); }},
    {{"path", "a text without blanks", is_text},
     [](const Choice &c) { return text_of(c.path->path); },
     [](Choice &, std::string_view) {}},
    {{"axes", "axes joined by commas", is_axes},
     [](const Choice &c) { return joined(c.path->order, ","); },
     [](Choice &, std::string_view) {}},
    in_words<schedules, &Choice::by_field>("fields", "together or apart"),
    in_words<message_words, &Choice::messages>("messages", "whole, chunks or none"),
}};

/// Parses a text without its path. An unknown algorithm becomes nullptr.
Choice parse(std::string_view text) {
  const auto words = split(text);
  Choice choice;
  std::size_t known = 0;
  for (const Property &p : properties) {
    p.set(choice, value_of(known < words.size() ? words[known] : std::string_view(), p.field));
    ++known;
  }
  require_end(words, known);
  return choice;
}

/// Returns the paths of all candidates of a problem.
std::vector<OrderedPath> paths_of(const Problem &problem) {
  std::vector<OrderedPath> list = slab_paths(problem);
  if (!list.empty()) return list;
  for (const Path &path : find_paths(problem))
    for (const AxisOrder &order : working_orders(problem))
      list.push_back({path, order});
  return list;
}

constexpr Field grid_field{
    "grid", "two numbers of ranks, as in 4x2", [](std::string_view value) {
      const auto numbers = split(value, 'x');
      return numbers.size() == 2 &&
             std::all_of(numbers.begin(), numbers.end(),
                         [](std::string_view v) { return is_positive(v) && v.size() < 10; });
    }};

} // namespace

std::string serialize(const Choice &choice) {
  std::string text;
  for (const Property &p : properties)
    text += (text.empty() ? "" : " ") + std::string(p.field.name) + "=" + p.get(choice);
  return text;
}

void check_choice(std::string_view text) { parse(text); }

Choice parse_choice(std::string_view text, const Problem &problem) {
  Choice choice = parse(text);
  for (OrderedPath &path : paths_of(problem)) {
    choice.path = std::make_shared<const OrderedPath>(std::move(path));
    if (serialize(choice) == text) return choice;
  }
  throw Failure(HFFT_ERROR_WISDOM, "no such path or algorithm: " + quoted(text));
}

std::string serialize(const std::array<int, 2> &grid) {
  return std::string(grid_field.name) + "=" + std::to_string(grid[0]) + "x" +
         std::to_string(grid[1]);
}

std::array<int, 2> parse_grid(std::string_view text) {
  const auto words = split(text);
  const auto numbers = split(value_of(words.front(), grid_field), 'x');
  require_end(words, 1);
  return {static_cast<int>(to_count(numbers[0])), static_cast<int>(to_count(numbers[1]))};
}

} // namespace hybridfft::plan
