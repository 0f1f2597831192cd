/// Lines of words "name=value" whose names and order are fixed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hybridfft::wisdom {

/// Values a word may have.
struct Field {
  const char *name;
  const char *expected; ///< the values that are valid, for people
  bool (*valid)(std::string_view value);
};

/// "'value'", shortened, without characters that a terminal would obey.
std::string quoted(std::string_view value);

/// The value of a word that must be field.name=value with a valid value. Throws Failure
/// (HFFT_ERROR_WISDOM), saying what was found and what was expected.
std::string_view value_of(std::string_view word, const Field &field);

/// Throws the same if there are more than `known` words.
void require_end(const std::vector<std::string_view> &words, std::size_t known);

bool is_text(std::string_view value);     ///< one or more printable characters, no blanks
bool is_count(std::string_view value);    ///< 0 .. 2^62 in decimal, without sign and leading zeros
bool is_positive(std::string_view value); ///< a count above 0
bool is_sign(std::string_view value);     ///< -1 or 1
bool is_yes_or_no(std::string_view value);
bool is_extents(std::string_view value); ///< positive numbers joined by x, two or more
bool is_seconds(std::string_view value); ///< a finite number, not negative

/// The number that a valid count, or valid seconds, stand for.
std::ptrdiff_t to_count(std::string_view value);
double to_seconds(std::string_view value);
std::string from_seconds(double seconds); ///< the shortest text that reads back as the same number

} // namespace hybridfft::wisdom
