/// Table of the environment variables of the library, its drop-in and its programs.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace hybridfft {

/// Description of an environment variable of this library; all strings are static.
struct EnvironmentVariable {
  const char *name;
  const char *values; ///< possible values, in words
  const char *meaning;
};

/// Returns the environment variables of this library, in the order of docs/environment.md.
std::span<const EnvironmentVariable> environment_variables();

/// Returns the value of a variable; empty if it is ignored or not set.
std::string environment_value(const char *name);

/// Treats a variable as not set in this process, as long as it has its present value.
void ignore_environment(const std::string &name);

/// Returns the failure for a variable with a wrong value. The reason names the variable, the value
/// found and the values expected.
Failure wrong_variable(const std::string &name, const std::string &value,
                       const std::string &expected, hfft_error code = HFFT_ERROR_ENVIRONMENT);

/// Returns the name of the variable in a reason made by wrong_variable(); empty for other reasons.
std::string variable_of(std::string_view reason);

/// Returns environment_value() of a variable. It must be one of `words`, else it throws
/// wrong_variable(). `hint`, if any, becomes the last sentence of the message.
std::string word_of_environment(const char *name, const std::vector<std::string> &words,
                                const std::string &hint = {});

/// Returns the unknown names HFFT_* of this process's environment, ascending.
std::vector<std::string> unknown_environment_variables();

/// Returns a line for each unknown variable: "the environment variable HFFT_EXCHNGE is unknown;
/// known are ...".
std::string describe_unknown_environment_variables();

} // namespace hybridfft
