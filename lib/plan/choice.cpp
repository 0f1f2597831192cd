#include "plan/choice.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "plan/words.h"

namespace hybridfft::plan {

namespace {

/// A property of a choice: its name, and how its values are said.
struct Property {
  Field field;
  std::string (*get)(const Choice &);
  void (*set)(Choice &, std::string_view);
};

using local::Kernel;
using local::TileOrder;
using simd::Store;

struct Form {
  const char *name;
  bool whole, last, split;
};
constexpr std::array<Form, 5> forms{{{"planes_first", false, false, false},
                                     {"planes_last", false, true, false},
                                     {"split_first", false, false, true},
                                     {"split_last", false, true, true},
                                     {"whole", true, false, false}}};

std::string form_of(const Choice &c) {
  if (c.whole) return "whole";
  for (const Form &f : forms)
    if (!f.whole && f.last == c.planes_last && f.split == c.split_planes) return f.name;
  return "";
}
void set_form(Choice &c, std::string_view value) {
  for (const Form &f : forms)
    if (value == f.name) {
      c.whole = f.whole;
      c.planes_last = f.last;
      c.split_planes = f.split;
    }
}
bool is_form(std::string_view value) {
  return std::any_of(forms.begin(), forms.end(), [=](const Form &f) { return value == f.name; });
}

bool is_kernel(std::string_view v) { return v == "simd" || v == "fftw"; }
std::string said(Kernel k) { return k == Kernel::simd ? "simd" : "fftw"; }
Kernel kernel(std::string_view v) { return v == "simd" ? Kernel::simd : Kernel::fftw; }

constexpr std::array<Property, 8> properties{{
    {{"form", "planes_first, planes_last, split_first, split_last or whole", is_form},
     form_of,
     set_form},
    {{"planes", "simd or fftw", is_kernel},
     [](const Choice &c) { return said(c.plane_kernel); },
     [](Choice &c, std::string_view v) { c.plane_kernel = kernel(v); }},
    {{"columns", "simd or fftw", is_kernel},
     [](const Choice &c) { return said(c.column_kernel); },
     [](Choice &c, std::string_view v) { c.column_kernel = kernel(v); }},
    {{"store", "cached or streamed",
      [](std::string_view v) { return v == "cached" || v == "streamed"; }},
     [](const Choice &c) { return std::string(c.store == Store::cached ? "cached" : "streamed"); },
     [](Choice &c, std::string_view v) {
       c.store = v == "cached" ? Store::cached : Store::streamed;
     }},
    {{"order", "interleaved or lines",
      [](std::string_view v) { return v == "interleaved" || v == "lines"; }},
     [](const Choice &c) {
       return std::string(c.order == TileOrder::lines ? "lines" : "interleaved");
     },
     [](Choice &c, std::string_view v) {
       c.order = v == "lines" ? TileOrder::lines : TileOrder::interleaved;
     }},
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
}};

/// An unknown algorithm is none.
Choice parse(std::string_view text) {
  const auto words = split(text);
  Choice choice;
  for (std::size_t i = 0; i < properties.size(); ++i)
    properties[i].set(
        choice, value_of(i < words.size() ? words[i] : std::string_view(), properties[i].field));
  require_end(words, properties.size());
  return choice;
}

} // namespace

std::string to_words(const Choice &choice) {
  std::string text;
  for (const Property &p : properties)
    text += (text.empty() ? "" : " ") + std::string(p.field.name) + "=" + p.get(choice);
  return text;
}

void check_words(std::string_view text) { parse(text); }

Choice parse_choice(std::string_view text) {
  const Choice choice = parse(text);
  if (to_words(choice) != text)
    throw Failure(HFFT_ERROR_WISDOM, "no such algorithm: " + quoted(text));
  return choice;
}

} // namespace hybridfft::plan
