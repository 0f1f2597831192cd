#include "plan/wisdom_key.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "plan/text.h"
#include "plan/words.h"
#include "simd/transpose.h"

namespace hybridfft::plan {

namespace {

bool is_kind(std::string_view v) { return v == "c2c" || v == "r2c" || v == "c2r"; }
bool is_precision(std::string_view v) { return v == "single" || v == "double"; }

constexpr const char *text = "a text without blanks";
constexpr const char *positive = "a positive number";
constexpr const char *yes_or_no = "yes or no";

constexpr std::array<Field, 19> fields{{
    {"version", text, is_text},
    {"cpu", text, is_text},
    {"cores", positive, is_positive},
    {"simd", text, is_text},
    {"ranks", positive, is_positive},
    {"per_node", positive, is_positive},
    {"threads", positive, is_positive},
    {"kind", "c2c, r2c or c2r", is_kind},
    {"sign", "-1 or 1", is_sign},
    {"precision", "single or double", is_precision},
    {"n", "two or more extents, as in 8x6x4", is_extents},
    {"howmany", positive, is_positive},
    {"iblock", positive, is_positive},
    {"oblock", positive, is_positive},
    {"transposed_in", yes_or_no, is_yes_or_no},
    {"transposed_out", yes_or_no, is_yes_or_no},
    {"in_place", yes_or_no, is_yes_or_no},
    {"destroy_input", yes_or_no, is_yes_or_no},
    {"deterministic", yes_or_no, is_yes_or_no},
}};

/// Only of problems that have it, so that what is known of the others stays known.
bool is_narrow_wire(std::string_view v) { return v == "single" || v == "bfloat16" || v == "half"; }
bool is_yes(std::string_view v) { return v == "yes"; }
constexpr std::array<Field, 3> rare_fields{{
    {"modes", "two or more extents, as in 8x6x4", is_extents},
    {"nonblocking", "yes", is_yes},
    {"wire", "single, bfloat16 or half", is_narrow_wire},
}};

std::string said(bool yes) { return yes ? "yes" : "no"; }

std::string kind_name(Kind kind) {
  return kind == Kind::c2c ? "c2c" : kind == Kind::r2c ? "r2c" : "c2r";
}

std::string without_blanks(std::string value) {
  std::replace_if(
      value.begin(), value.end(), [](char c) { return c <= ' ' || c >= '\x7f'; }, '_');
  return value.empty() ? "unknown" : value;
}

} // namespace

std::string wisdom_key(const Problem &p, std::size_t real_bytes, const Machine &machine,
                       int ranks) {
  // A block that is given and the default of the same size are one problem.
  const auto block = [&](const auto &n, bool transposed, std::ptrdiff_t given) {
    return std::to_string(BlockDistribution(n[transposed ? 1 : 0], ranks, given).block());
  };
  const std::array<std::string, fields.size()> values{
      HFFT_VERSION,
      without_blanks(cpu_model()),
      std::to_string(machine.cores),
      simd::name(simd::active()),
      std::to_string(ranks),
      std::to_string(machine.ranks_per_node),
      std::to_string(machine.threads),
      kind_name(p.kind),
      std::to_string(p.sign),
      real_bytes == sizeof(float) ? "single" : "double",
      joined(p.extents),
      std::to_string(p.howmany),
      block(p.input_extents(), p.transposed_in, p.iblock),
      block(p.output_extents(), p.transposed_out, p.oblock),
      said(p.transposed_in),
      said(p.transposed_out),
      said(p.in_place),
      said(p.may_destroy_input),
      said(p.deterministic),
  };
  std::string key;
  for (std::size_t i = 0; i < fields.size(); ++i)
    key += (i == 0 ? "" : " ") + std::string(fields[i].name) + "=" + values[i];
  const std::array<std::string, rare_fields.size()> rare{
      p.pruned() ? joined(p.modes) : "", p.nonblocking ? "yes" : "",
      p.wire != exchange::Wire::full ? exchange::name(p.wire) : ""};
  for (std::size_t i = 0; i < rare.size(); ++i)
    if (!rare[i].empty()) key += " " + std::string(rare_fields[i].name) + "=" + rare[i];
  return key;
}

bool check_key(const std::string &key) {
  const auto words = split(key);
  for (std::size_t i = 0; i < fields.size(); ++i)
    value_of(i < words.size() ? words[i] : std::string_view(), fields[i]);
  std::size_t known = fields.size();
  for (const Field &f : rare_fields)
    if (known < words.size() && words[known].starts_with(std::string(f.name) + "="))
      value_of(words[known++], f);
  if (words.size() > known)
    throw Failure(HFFT_ERROR_WISDOM,
                  "found " + quoted(words[known]) + ", expected ':' and a choice");
  return value_of(words[0], fields[0]) == HFFT_VERSION;
}

} // namespace hybridfft::plan
