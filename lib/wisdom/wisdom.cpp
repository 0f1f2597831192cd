#include "wisdom/wisdom.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "base/error.h"
#include "base/text.h"
#include "hybridfft/hybridfft.h"
#include "wisdom/store.h"

namespace hybridfft::wisdom {

namespace {

bool is_printable(char c) { return c > ' ' && c < '\x7f'; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Removes the first value from a list such as "a, b or c" and returns it.
std::string_view next_of(std::string_view &list) {
  if (list.starts_with("or ")) list.remove_prefix(3);
  const std::size_t end = std::min(list.find(' '), list.size());
  std::string_view value = list.substr(0, end);
  list.remove_prefix(std::min(end + 1, list.size()));
  if (value.ends_with(',')) value.remove_suffix(1);
  return value;
}

} // namespace

std::string quoted(std::string_view value) {
  constexpr std::size_t most = 60;
  std::string text(value.substr(0, most));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return !is_printable(c) && c != ' '; }, '?');
  return "'" + text + (value.size() > most ? "..." : "") + "'";
}

std::string_view listed(std::string_view list, std::size_t number) {
  for (; number > 0; --number)
    next_of(list);
  return next_of(list);
}

std::optional<std::size_t> number_of(std::string_view value, std::string_view list) {
  for (std::size_t number = 0; !list.empty(); ++number)
    if (next_of(list) == value) return number;
  return std::nullopt;
}

std::string_view value_of(std::string_view word, const Field &field) {
  const std::string start = std::string(field.name) + "=";
  if (word.substr(0, start.size()) != start)
    throw Failure(HFFT_ERROR_WISDOM, "found " + quoted(word) + ", expected " + start + "...");
  word.remove_prefix(start.size());
  if (field.valid != nullptr ? !field.valid(word) : !number_of(word, field.expected))
    throw Failure(HFFT_ERROR_WISDOM,
                  std::string(field.name) + " is " + quoted(word) + ", expected " + field.expected);
  return word;
}

void require_end(const std::vector<std::string_view> &words, std::size_t known) {
  if (words.size() > known)
    throw Failure(HFFT_ERROR_WISDOM,
                  "found " + quoted(words[known]) + ", expected the end of the line");
}

bool is_text(std::string_view value) {
  return !value.empty() && std::all_of(value.begin(), value.end(), is_printable);
}

bool is_count(std::string_view value) {
  if (value.empty() || !std::all_of(value.begin(), value.end(), is_digit)) return false;
  if (value.size() > 1 && value.front() == '0') return false;
  return value.size() < 19; // below 10^18 < 2^62
}

bool is_positive(std::string_view value) { return is_count(value) && value != "0"; }

bool is_extents(std::string_view value) {
  const auto numbers = split(value, 'x');
  return numbers.size() > 1 && std::all_of(numbers.begin(), numbers.end(), is_positive);
}

bool is_seconds(std::string_view value) {
  double seconds = -1;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), seconds);
  return error == std::errc() && end == value.data() + value.size() && std::isfinite(seconds) &&
         seconds >= 0;
}

std::ptrdiff_t to_count(std::string_view value) {
  std::ptrdiff_t number = 0;
  std::from_chars(value.data(), value.data() + value.size(), number);
  return number;
}

double to_seconds(std::string_view value) {
  double seconds = 0;
  std::from_chars(value.data(), value.data() + value.size(), seconds);
  return seconds;
}

std::string from_seconds(double seconds) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), seconds).ptr};
}

namespace {

constexpr std::string_view header = "hybridfft-wisdom format=3";
/// Headers of earlier formats. Format 1 has other keys and other choices, format 2 has other
/// choices. Their entries cannot be used.
constexpr std::array<std::string_view, 2> former_headers{"hybridfft-wisdom format=1",
                                                         "hybridfft-wisdom format=2"};
constexpr std::string_view separator = " : ";

/// Efforts in ascending order.
struct Effort {
  const char *name;
  unsigned flag;
};
constexpr std::array<Effort, 4> efforts{{{"estimate", HFFT_ESTIMATE},
                                         {"measure", HFFT_MEASURE},
                                         {"patient", HFFT_PATIENT},
                                         {"exhaustive", HFFT_EXHAUSTIVE}}};

std::size_t level(unsigned effort) {
  std::size_t i = 0;
  while (i + 1 < efforts.size() && efforts[i].flag != effort)
    ++i;
  return i;
}

const Field effort_field{"effort", "estimate, measure, patient or exhaustive"};
const Field seconds_field{"seconds", "a number that is not negative", is_seconds};
const Field entries_field{"entries", "the number of lines above", is_count};
const Field checksum_field{"checksum", "16 hexadecimal digits", [](std::string_view v) {
                             return v.size() == 16 &&
                                    v.find_first_not_of("0123456789abcdef") == v.npos;
                           }};

std::string checksum(std::string_view text) {
  Fnv1a hash;
  hash.add(text);
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx",
                static_cast<unsigned long long>(hash.value()));
  return digits.data();
}

std::string last_line(std::size_t entries, std::string_view before) {
  return "end entries=" + std::to_string(entries) + " checksum=" + checksum(before) + "\n";
}

/// Reads a text line by line, and counts lines for error messages.
class Reader {
public:
  Reader(std::string_view text, const std::string &source) : text_(text), source_(source) {}

  Wisdom read() {
    try {
      expect_header();
      for (;;) {
        const std::size_t before = position_;
        const std::string_view line = next();
        if (line.substr(0, 4) == "end ") {
          finish(line, text_.substr(0, before));
          return wisdom_;
        }
        if (former_)
          ++forgotten_;
        else
          entry(line);
      }
    } catch (const Failure &e) {
      throw Failure(HFFT_ERROR_WISDOM,
                    printable(source_ + ", line " + std::to_string(line_) + ": " + e.what()));
    }
  }

private:
  [[noreturn]] static void fail(const std::string &reason) {
    throw Failure(HFFT_ERROR_WISDOM, reason);
  }

  std::string_view next() {
    ++line_;
    if (position_ == text_.size())
      fail("found the end of the text, expected a line that begins with 'end': it is truncated");
    const std::size_t end = text_.find('\n', position_);
    const std::string_view line = text_.substr(position_, end - position_);
    if (end == text_.npos)
      fail("found " + quoted(line) + " without an end of line: it is truncated");
    position_ = end + 1;
    return line;
  }

  void expect_header() {
    const std::string_view line = next();
    former_ = std::find(former_headers.begin(), former_headers.end(), line) != former_headers.end();
    if (line != header && !former_) fail("found " + quoted(line) + ", expected " + quoted(header));
  }

  void entry(std::string_view line) {
    const std::size_t at = line.find(separator);
    if (at == line.npos) fail("found " + quoted(line) + ", expected 'PROBLEM : CHOICE'");
    const std::string key(line.substr(0, at));
    const std::string_view value = line.substr(at + separator.size());
    const auto words = split(value);
    Experience e;
    const std::string_view effort = value_of(words[0], effort_field);
    for (const Effort &each : efforts)
      if (effort == each.name) e.effort = each.flag;
    const std::string_view seconds = value_of(words.size() > 1 ? words[1] : "", seconds_field);
    e.seconds = to_seconds(seconds);
    if (from_seconds(e.seconds) != seconds)
      fail("seconds is " + quoted(seconds) + ", expected " + from_seconds(e.seconds));
    if (words.size() < 3) fail("the line ends, expected a choice");
    e.choice = value.substr(static_cast<std::size_t>(words[2].data() - value.data()));
    check_entry(key, e.choice);
    for (const std::string_view word : words)
      if (!is_text(word)) fail("found " + quoted(word) + ", expected NAME=VALUE");
    const std::size_t before = wisdom_.size();
    wisdom_.add(key, e);
    if (wisdom_.size() == before) fail("found a problem again that is on a line above");
  }

  void finish(std::string_view line, std::string_view before) {
    const auto words = split(line);
    const auto entries = value_of(words.size() > 1 ? words[1] : "", entries_field);
    const std::size_t found_entries = former_ ? forgotten_ : wisdom_.size();
    if (to_count(entries) != static_cast<std::ptrdiff_t>(found_entries))
      fail("entries is " + quoted(entries) + ", expected " + std::to_string(found_entries));
    const auto found = value_of(words.size() > 2 ? words[2] : "", checksum_field);
    if (found != checksum(before))
      fail("checksum is " + quoted(found) + ", expected " + checksum(before) +
           ": a line above has been changed");
    if (position_ != text_.size() || last_line(found_entries, before) != std::string(line) + "\n")
      fail("found more behind the checksum, expected the end of the text");
  }

  std::string_view text_;
  const std::string &source_;
  std::size_t position_ = 0;
  int line_ = 0;
  bool former_ = false;       ///< true if the header is of an earlier format
  std::size_t forgotten_ = 0; ///< number of entries ignored because the format is an earlier one
  Wisdom wisdom_;
};

} // namespace

Wisdom Wisdom::parse(std::string_view text, const std::string &source) {
  return Reader(text, source).read();
}

std::string Wisdom::text() const {
  std::string text = std::string(header) + "\n";
  for (const auto &[key, e] : entries_)
    text += key + std::string(separator) + "effort=" + efforts[level(e.effort)].name +
            " seconds=" + from_seconds(e.seconds) + " " + e.choice + "\n";
  return text + last_line(entries_.size(), text);
}

const Experience *Wisdom::find(const std::string &key, unsigned effort) const {
  const auto found = entries_.find(key);
  if (found == entries_.end() || level(found->second.effort) < level(effort)) return nullptr;
  return &found->second;
}

bool Wisdom::add(const std::string &key, const Experience &experience) {
  const auto [found, added] = entries_.try_emplace(key, experience);
  if (added) return true;
  Experience &known = found->second;
  const std::size_t before = level(known.effort);
  const std::size_t now = level(experience.effort);
  if (now < before || (now == before && experience.seconds >= known.seconds)) return false;
  known = experience;
  return true;
}

bool Wisdom::merge(const Wisdom &other) {
  bool changed = false;
  for (const auto &[key, experience] : other.entries_)
    changed = add(key, experience) || changed;
  return changed;
}

void Wisdom::erase(const std::function<bool(const std::string &)> &which) {
  std::erase_if(entries_, [&](const auto &entry) { return which(entry.first); });
}

} // namespace hybridfft::wisdom
