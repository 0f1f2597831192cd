/// Wisdom: the fastest known choice for each planned problem, and its text format.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace hybridfft::wisdom {

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
