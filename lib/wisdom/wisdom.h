/// What is known about fast plans: the store, and its text.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace hybridfft::wisdom {

/// The best choice found for a key.
struct Experience {
  unsigned effort = 0; ///< FFTW's planner flag
  double seconds = 0;  ///< time of one execution
  std::string choice;  ///< the text of choice.h
  bool operator==(const Experience &) const = default;
};

/// Experience by key. A key is a line of words: machine, version, ranks, threads and problem (see
/// wisdom_key.h). The text is a header, one line "KEY : EXPERIENCE" per entry, sorted, and a last
/// line with the number of entries and a checksum.
class Wisdom {
public:
  /// What a text of the former format says counts as nothing known. Throws
  /// Failure(HFFT_ERROR_WISDOM) "SOURCE, line N: NAME is 'x', expected y".
  static Wisdom parse(std::string_view text, const std::string &source);
  std::string text() const;

  /// Experience of `effort` or more; nullptr where there is none.
  const Experience *find(const std::string &key, unsigned effort) const;
  /// Keeps what took the greater effort or, at the same effort, the lesser time. Returns whether
  /// anything changed.
  bool add(const std::string &key, const Experience &experience);
  bool merge(const Wisdom &other);
  /// Forgets the experience of the keys that `which` picks.
  void erase(const std::function<bool(const std::string &key)> &which);

  std::size_t size() const { return entries_.size(); }
  bool operator==(const Wisdom &) const = default;

private:
  std::map<std::string, Experience> entries_;
};

} // namespace hybridfft::wisdom
