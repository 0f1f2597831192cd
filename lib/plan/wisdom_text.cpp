// Texts of wisdom. A choice is a line of words, one for each of its properties. A key consists of
// pairs NAME=VALUE of machine, version, ranks, threads and problem. Both are checked when they are
// read.
#include "plan/choice.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>

#include "base/error.h"
#include "base/text.h"
#include "hybridfft/version.h"
#include "plan/arguments.h"
#include "plan/create.h"
#include "plan/lowering.h"
#include "plan/problem.h"
#include "wisdom/store.h"
#include "wisdom/wisdom.h"

namespace hybridfft::plan {

using wisdom::Field;
using wisdom::is_count;
using wisdom::is_extents;
using wisdom::is_positive;
using wisdom::is_text;
using wisdom::listed;
using wisdom::number_of;
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

/// Values of properties in the order of their enumerators.
constexpr char forms[] = "fused, split or whole";
constexpr char kernels[] = "fftw or simd";
constexpr char stores[] = "cached or streamed";
constexpr char orders[] = "interleaved or lines";
constexpr char schedules[] = "together or apart";
constexpr char message_forms[] = "whole, chunks or none";

/// Returns the property for a member of Choice with listed values.
template <const auto &list, auto member> constexpr Property in_words(const char *name) {
  return {{name, list},
          [](const Choice &c) {
            return std::string(listed(list, static_cast<std::size_t>(c.*member)));
          },
          [](Choice &c, std::string_view v) {
            using Value = std::remove_reference_t<decltype(c.*member)>;
            c.*member = static_cast<Value>(*number_of(v, list));
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
    in_words<forms, &Choice::passes>("form"),
    in_words<kernels, &Choice::plane_kernel>("planes"),
    in_words<kernels, &Choice::column_kernel>("columns"),
    in_words<stores, &Choice::store>("store"),
    in_words<orders, &Choice::order>("order"),
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
    in_words<schedules, &Choice::by_field>("fields"),
    in_words<message_forms, &Choice::messages>("messages"),
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

// Keys.

namespace {

constexpr const char *kinds = "c2c, r2c, c2r or r2r"; // in the order of Kind
constexpr const char *text = "a text without blanks";
constexpr const char *positive = "a positive number";
constexpr const char *yes_or_no = "yes or no";

constexpr std::array<Field, 7> machine_fields{{
    {"version", text, is_text},
    {"cpu", text, is_text},
    {"cores", positive, is_positive},
    {"simd", text, is_text},
    {"ranks", positive, is_positive},
    {"per_node", positive, is_positive},
    {"threads", positive, is_positive},
}};

bool is_lengths(std::string_view v) {
  const auto numbers = split(v, 'x');
  return std::all_of(numbers.begin(), numbers.end(), is_positive);
}
constexpr const char *lengths = "extents joined by x, as in 8x6x4";

/// Present only with HFFT_THREADS=all and several threads.
constexpr Field all_threads_field{"all_threads", "yes"};

// Fields of keys. The first ones are required. Each later field appears only for problems with the
// property that it names, so older keys remain valid.

constexpr std::array<Field, 17> transform_fields{{
    {"kind", kinds},
    {"sign", "-1 or 1"},
    {"precision", "half, single or double"},
    {"n", lengths, is_lengths},
    {"howmany", positive, is_positive},
    {"axes", text, is_text},
    {"in", text, is_text},
    {"out", text, is_text},
    {"in_place", yes_or_no},
    {"destroy_input", yes_or_no},
    {"deterministic", yes_or_no},
    {"modes", lengths, is_lengths},
    {"nonblocking", "yes"},
    {"wire", "single, bfloat16 or half"},
    all_threads_field,
    {"scaled", "yes"},
    {"lines", text, is_text},
}};

constexpr std::array<Field, 7> grid_fields{{
    {"plan", "grid"},
    {"kind", kinds},
    {"precision", "single or double"},
    {"n", "two or more extents, as in 8x6x4", is_extents},
    {"howmany", positive, is_positive},
    {"fields", "interleaved or separate"},
    all_threads_field,
}};

constexpr std::array<Field, 3> library_fields{{
    {"plan", "library"},
    {"problem", text, is_text},
    all_threads_field,
}};

/// Last field of any key, present only with HFFT_EXCHANGE. Other builds may have other exchanges.
constexpr Field exchange_field{"exchange", text, is_text};

std::string text_of(bool yes) { return yes ? "yes" : "no"; }

std::string kind_name(Kind kind) {
  return std::string(listed(kinds, static_cast<std::size_t>(kind)));
}

/// Returns a text such as "redft10,rodft00"; empty if all transforms are Fourier transforms.
std::string names_of(const std::vector<local::LineKind> &kinds) {
  std::string names;
  for (const local::LineKind kind : kinds)
    names += (names.empty() ? "" : ",") + std::string(local::name(kind));
  return names;
}

std::string without_blanks(std::string value) {
  std::replace_if(
      value.begin(), value.end(), [](char c) { return c <= ' ' || c >= '\x7f'; }, '_');
  return value.empty() ? "unknown" : value;
}

/// Returns "name=value name=value" for all fields with a value.
template <std::size_t N>
std::string key_values(const std::array<Field, N> &fields,
                       const std::array<std::string, N> &values) {
  std::string key;
  for (std::size_t i = 0; i < N; ++i)
    if (!values[i].empty())
      key += (key.empty() ? "" : " ") + std::string(fields[i].name) + "=" + values[i];
  return key;
}

std::string machine_pairs(const Machine &machine, int ranks) {
  return key_values(machine_fields,
                    {HFFT_VERSION, without_blanks(processor_name(machine)),
                     std::to_string(machine.cores), simd::name(machine.isa), std::to_string(ranks),
                     std::to_string(machine.ranks_per_node), std::to_string(machine.threads)}) +
         " ";
}

/// Value of the field all_threads; empty for one thread, because HFFT_THREADS=all has no effect
/// then.
std::string all_threads(const Machine &machine) {
  return machine.overrides.all_threads && machine.threads > 1 ? "yes" : "";
}

/// Returns " exchange=NAME" with the algorithm of HFFT_EXCHANGE. Returns an empty text if the
/// variable is not set, or if there is one rank, which exchanges nothing.
std::string exchange_pair(const Machine &machine, int ranks) {
  const exchange::Algorithm *algorithm = machine.overrides.algorithm;
  if (algorithm == nullptr || ranks == 1) return "";
  return " " + std::string(exchange_field.name) + "=" + algorithm->name;
}

std::string precision_name(std::size_t real_bytes) {
  return real_bytes == sizeof(double) ? "double" : real_bytes == sizeof(float) ? "single" : "half";
}

/// Returns the description of a layout with a hash over the boxes of all ranks.
std::string text_of(const Layout &l) {
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx",
                static_cast<unsigned long long>(hash_of(l)));
  return without_blanks(l.describe()) + "#" + digits.data();
}

std::string transform_pairs(const Problem &p, const Machine &machine) {
  return key_values(transform_fields,
                    {kind_name(p.kind), std::to_string(p.sign), precision_name(p.real_bytes),
                     joined(p.extents()), std::to_string(p.howmany()),
                     p.axes.empty() ? "none"
                     : p.four_step  ? joined(p.axes, ",twiddles,")
                                    : joined(p.axes, ","),
                     text_of(p.in), text_of(p.out), text_of(p.in_place),
                     text_of(p.may_destroy_input), text_of(p.deterministic), joined(p.modes),
                     p.nonblocking ? "yes" : "",
                     p.wire != exchange::WireFormat::full ? exchange::name(p.wire) : "",
                     all_threads(machine), p.scale != 1 ? "yes" : "", names_of(p.kinds)});
}

/// Fields of a kind of keys. The first word distinguishes this kind from the others.
struct KeyFormat {
  std::string_view first_word; ///< first word after the fields of the machine; empty: any word
  std::span<const Field> fields;
  std::size_t required; ///< number of fields that must be present
  KeyOf of;
};
constexpr std::array<KeyFormat, 3> formats{{
    {"plan=grid", grid_fields, 6, KeyOf::grid},
    {"plan=library", library_fields, 2, KeyOf::library},
    {"", transform_fields, 11, KeyOf::transform},
}};

/// Checks consecutive words against fields; the first `required` fields must be present. Returns
/// the index of the first word after them.
std::size_t check_fields(const std::vector<std::string_view> &found, std::size_t first,
                         std::span<const Field> fields, std::size_t required) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string_view word = first < found.size() ? found[first] : std::string_view();
    if (i >= required && !word.starts_with(std::string(fields[i].name) + "=")) continue;
    value_of(word, fields[i]);
    ++first;
  }
  return first;
}

/// Throws unless all words of another version are pairs NAME=VALUE.
void require_pairs(const std::vector<std::string_view> &words) {
  for (const std::string_view word : words) {
    const std::size_t name = word.find('=');
    if (!is_text(word) || name == 0 || name >= word.size() - 1)
      throw Failure(HFFT_ERROR_WISDOM, "found " + quoted(word) + ", expected NAME=VALUE");
  }
}

constexpr Field library_field{"by", "hybridfft or fftw"};

} // namespace

std::string wisdom_key(const Problem &p, const Machine &machine) {
  return machine_pairs(machine, p.in.ranks()) + transform_pairs(p, machine) +
         exchange_pair(machine, p.in.ranks());
}

std::string wisdom_key(const PencilProblem &p, const Machine &machine, int ranks) {
  return machine_pairs(machine, ranks) +
         key_values(grid_fields, {"grid", kind_name(p.kind), precision_name(p.real_bytes),
                                  joined(p.extents), std::to_string(p.howmany),
                                  p.fields == Fields::separate ? "separate" : "interleaved",
                                  all_threads(machine)}) +
         exchange_pair(machine, ranks);
}

std::string library_key(const std::string &problem, const Machine &machine, int ranks) {
  return machine_pairs(machine, ranks) +
         key_values(library_fields, {"library", without_blanks(problem), all_threads(machine)}) +
         exchange_pair(machine, ranks);
}

std::optional<KeyOf> check_key(const std::string &key) {
  const auto found = split(key);
  if (value_of(found[0], machine_fields[0]) != HFFT_VERSION) {
    require_pairs(found);
    return std::nullopt;
  }
  std::size_t known = check_fields(found, 0, machine_fields, machine_fields.size());
  const std::string_view next = known < found.size() ? found[known] : std::string_view();
  const KeyFormat &format = *std::ranges::find_if(
      formats, [next](const KeyFormat &f) { return f.first_word.empty() || f.first_word == next; });
  known = check_fields(found, known, format.fields, format.required);
  known = check_fields(found, known, std::array{exchange_field}, 0);
  if (found.size() > known)
    throw Failure(HFFT_ERROR_WISDOM,
                  "found " + quoted(found[known]) + ", expected ':' and a choice");
  return format.of;
}

} // namespace hybridfft::plan

void hybridfft::wisdom::check_entry(const std::string &key, std::string_view choice) {
  using plan::KeyOf;
  const std::optional<KeyOf> of = plan::check_key(key);
  if (of == KeyOf::transform) plan::check_choice(choice);
  if (of == KeyOf::grid) plan::parse_grid(choice);
  if (of == KeyOf::library) value_of(split(choice)[0], plan::library_field);
}
