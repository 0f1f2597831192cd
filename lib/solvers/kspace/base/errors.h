/// Exceptions of the solver about its input, thrown on all ranks alike. Messages are printable().
#pragma once

#include <stdexcept>
#include <string>

#include "base/text.h"

namespace hybridfft::kspace {

/// The input is wrong. The message names the file, the dataset or attribute, the value found and
/// the value expected.
class InputError : public std::runtime_error {
public:
  explicit InputError(const std::string &message) : std::runtime_error(printable(message)) {}
};

/// The input and the options are valid but need physics that this version does not have.
class Unsupported : public std::runtime_error {
public:
  explicit Unsupported(const std::string &message) : std::runtime_error(printable(message)) {}
};

} // namespace hybridfft::kspace
