/// The environment variables of this library, its drop-in and its programs, in one table.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace hybridfft {

/// A row of the table; all strings are static.
struct EnvironmentVariable {
  const char *name;
  const char *values; ///< its possible values, in words
  const char *meaning;
};

/// All that are read, in the order in which docs/environment.md lists them.
std::span<const EnvironmentVariable> environment_variables();

/// The value of a variable; empty if it is not set, or if its value is ignored.
std::string environment_value(const char *name);

/// Lets the present value of a variable count as not set in this process.
void ignore_environment(const std::string &name);

/// The failure of a variable with a wrong value. Its reason names the variable, the value, and the
/// expected values, `expected`.
Failure wrong_variable(const std::string &name, const std::string &value,
                       const std::string &expected, hfft_error code = HFFT_ERROR_ENVIRONMENT);

/// The variable that the reason of such a failure is about; empty for other reasons.
std::string variable_of(std::string_view reason);

/// environment_value() of a variable whose values are `words`. Throws wrong_variable(); `hint`, if
/// any, is its last sentence.
std::string word_of_environment(const char *name, const std::vector<std::string> &words,
                                const std::string &hint = {});

/// Names HFFT_* of this process's environment that nothing reads, ascending.
std::vector<std::string> unknown_environment_variables();

/// A line for each of them, "the environment variable HFFT_EXCHNGE is unknown; known are ...".
std::string describe_unknown_environment_variables();

} // namespace hybridfft
