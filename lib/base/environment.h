/// The environment variables of this library, its drop-in and its programs, in one table.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace hybridfft {

/// A row of the table; all strings are static.
struct EnvironmentVariable {
  const char *name;
  const char *values; ///< its possible values, in words
  const char *meaning;
};

/// All that are read, in the order in which docs/environment.md lists them.
std::span<const EnvironmentVariable> environment_variables();

/// The value of a variable whose values are `words`, empty where it is not set. Throws
/// Failure(HFFT_ERROR_ENVIRONMENT) naming the variable, the value found and the words; `hint`, if
/// any, is its last sentence.
std::string word_of_environment(const char *name, const std::vector<std::string> &words,
                                const std::string &hint = {});

/// Names HFFT_* of this process's environment that nothing reads, ascending.
std::vector<std::string> unknown_environment_variables();

/// A line for each of them, "the environment variable HFFT_EXCHNGE is unknown; known are ...".
std::string describe_unknown_environment_variables();

} // namespace hybridfft
