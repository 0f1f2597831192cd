#include "plan/layout_choice.h"

#include <algorithm>

#include "plan/words.h"

namespace hybridfft::plan {

namespace {

using simd::Store;

bool is_order(std::string_view value) {
  const auto numbers = split(value, ',');
  return std::all_of(numbers.begin(), numbers.end(), is_count);
}
bool is_fields(std::string_view v) { return v == "together" || v == "apart"; }
bool is_messages(std::string_view v) { return v == "whole" || v == "chunks"; }
bool is_store(std::string_view v) { return v == "cached" || v == "streamed"; }
bool is_grid(std::string_view value) {
  const auto numbers = split(value, 'x');
  return numbers.size() == 2 && std::all_of(numbers.begin(), numbers.end(), [](std::string_view v) {
           return is_positive(v) && v.size() < 10;
         });
}

enum Place : std::size_t {
  path_word,
  order_word,
  fields_word,
  exchange_word,
  messages_word,
  store_word
};
constexpr std::array<Field, 6> fields{{
    {"path", "a text without blanks", is_text},
    {"order", "axes joined by commas", is_order},
    {"fields", "together or apart", is_fields},
    {"exchange", "blocks or the name of an algorithm", is_text},
    {"messages", "whole or chunks", is_messages},
    {"store", "cached or streamed", is_store},
}};
constexpr Field grid_field{"grid", "two numbers of ranks, as in 4x2", is_grid};

using Values = std::array<std::string_view, fields.size()>;

Values values_of(std::string_view text) {
  const auto words = split(text);
  Values values;
  for (std::size_t i = 0; i < fields.size(); ++i)
    values[i] = value_of(i < words.size() ? words[i] : std::string_view(), fields[i]);
  require_end(words, fields.size());
  return values;
}

std::string path_name(const Path &path) {
  std::string name = describe(path);
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

std::string order_name(const AxisOrder &order) {
  std::string name;
  for (const int axis : order)
    name += (name.empty() ? "" : ",") + std::to_string(axis);
  return name;
}

} // namespace

std::string to_words(const LayoutChoice &c) {
  const std::array<std::string, fields.size()> values{
      path_name(c.path),
      order_name(c.order),
      c.by_field ? "apart" : "together",
      c.algorithm != nullptr ? c.algorithm->name : "blocks",
      c.chunked ? "chunks" : "whole",
      c.store == Store::cached ? "cached" : "streamed"};
  std::string text;
  for (std::size_t i = 0; i < fields.size(); ++i)
    text += (i == 0 ? "" : " ") + std::string(fields[i].name) + "=" + values[i];
  return text;
}

void check_layout_words(std::string_view text) { values_of(text); }

std::optional<LayoutChoice> parse_layout_choice(std::string_view text,
                                                const LayoutProblem &problem) {
  const Values values = values_of(text);
  LayoutChoice c;
  c.by_field = values[fields_word] == "apart";
  c.chunked = values[messages_word] == "chunks";
  c.store = values[store_word] == "cached" ? Store::cached : Store::streamed;
  c.algorithm = exchange::find_algorithm(values[exchange_word]);
  for (Path &path : find_paths(problem))
    if (path_name(path) == values[path_word]) c.path = std::move(path);
  for (AxisOrder &order : working_orders(problem))
    if (order_name(order) == values[order_word]) c.order = std::move(order);
  if (c.by_field && !admits_fields(problem)) return std::nullopt;
  if (c.path.empty() || c.order.empty() || to_words(c) != text) return std::nullopt;
  return c;
}

std::string to_words(const std::array<int, 2> &grid) {
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
