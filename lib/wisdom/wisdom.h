/// Wisdom: the fastest known choice for each planned problem, and its text format.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hybridfft::wisdom {

// Lines of words "name=value" with fixed names and order.

/// Name and valid values of a word "name=value".
struct Field {
  const char *name;
  const char *expected; ///< description of the valid values
  /// Returns true for a valid value; nullptr: `expected` lists the values, as in "a, b or c".
  bool (*valid)(std::string_view value) = nullptr;
};

/// listed() returns value `number`, counted from 0, of a list such as "a, b or c". number_of()
/// returns the number of a value in the list; no number if it is absent.
std::string_view listed(std::string_view list, std::size_t number);
std::optional<std::size_t> number_of(std::string_view value, std::string_view list);

/// Returns "'value'", shortened, without control characters of terminals.
std::string quoted(std::string_view value);

/// Returns the value of a word. The word must be field.name=value with a valid value; else throws
/// Failure(HFFT_ERROR_WISDOM) with the value found and the value expected.
std::string_view value_of(std::string_view word, const Field &field);

/// Throws Failure(HFFT_ERROR_WISDOM) with the first surplus word if there are more than `known`.
void require_end(const std::vector<std::string_view> &words, std::size_t known);

bool is_text(std::string_view value);     ///< one or more printable characters, no blanks
bool is_count(std::string_view value);    ///< decimal number below 10^18, no sign or leading zeros
bool is_positive(std::string_view value); ///< a count above 0
bool is_extents(std::string_view value);  ///< positive numbers joined by x, two or more
bool is_seconds(std::string_view value);  ///< a finite, nonnegative number

/// to_count() and to_seconds() convert a text to a number. The text must be valid for is_count() or
/// is_seconds().
std::ptrdiff_t to_count(std::string_view value);
double to_seconds(std::string_view value);
std::string from_seconds(double seconds); ///< returns the shortest text of exactly this number

/// Best choice found for a key.
struct Experience {
  unsigned effort = 0; ///< FFTW's planner flag
  double seconds = 0;  ///< time of one execution
  std::string choice;  ///< text of a Choice, see plan/choice.h
  bool operator==(const Experience &) const = default;
};

/// Experience by key. A key is a line of words: machine, version, ranks, threads and problem (see
/// plan/create.h). The text form has a header, one line "KEY : EXPERIENCE" per entry, sorted, and a
/// last line with the number of entries and a checksum.
class Wisdom {
public:
  /// Parses a text. A text of an earlier format counts as empty. Throws Failure(HFFT_ERROR_WISDOM)
  /// with the reason "SOURCE, line N: NAME is 'x', expected y".
  static Wisdom parse(std::string_view text, const std::string &source);
  std::string text() const;

  /// Returns experience of `effort` or more; nullptr if there is none.
  const Experience *find(const std::string &key, unsigned effort) const;
  /// Adds experience. The greater effort wins; at equal effort the shorter time wins. Returns true
  /// if something changed.
  bool add(const std::string &key, const Experience &experience);
  bool merge(const Wisdom &other);
  /// Removes the experience of the keys selected by `which`.
  void erase(const std::function<bool(const std::string &key)> &which);

  std::size_t size() const { return entries_.size(); }
  bool operator==(const Wisdom &) const = default;

private:
  std::map<std::string, Experience> entries_;
};

} // namespace hybridfft::wisdom
