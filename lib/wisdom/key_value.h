/// Lines of words "name=value" with fixed names and order.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hybridfft::wisdom {

/// Valid values of a word.
struct Field {
  const char *name;
  const char *expected; ///< description of the valid values
  bool (*valid)(std::string_view value);
};

/// Returns "'value'", shortened, without control characters of terminals.
std::string quoted(std::string_view value);

/// Returns the value of a word. The word must be field.name=value with a valid value; else throws
/// Failure(HFFT_ERROR_WISDOM) with the value found and the value expected.
std::string_view value_of(std::string_view word, const Field &field);

/// Throws the same Failure if there are more than `known` words.
void require_end(const std::vector<std::string_view> &words, std::size_t known);

bool is_text(std::string_view value);     ///< one or more printable characters, no blanks
bool is_count(std::string_view value);    ///< 0 .. 2^62 in decimal, without sign and leading zeros
bool is_positive(std::string_view value); ///< a count above 0
bool is_sign(std::string_view value);     ///< -1 or 1
bool is_yes_or_no(std::string_view value);
bool is_extents(std::string_view value); ///< positive numbers joined by x, two or more
bool is_seconds(std::string_view value); ///< a finite, nonnegative number

/// Return the number of a valid count, or of valid seconds.
std::ptrdiff_t to_count(std::string_view value);
double to_seconds(std::string_view value);
std::string from_seconds(double seconds); ///< returns the shortest text of exactly this number

} // namespace hybridfft::wisdom
