/// Exceptions for bad input of the solver, thrown on all ranks alike. Control characters in
/// messages are escaped by printable().
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

/// The input is valid, but this version lacks physics that the input or the options need.
class Unsupported : public std::runtime_error {
public:
  explicit Unsupported(const std::string &message) : std::runtime_error(printable(message)) {}
};

} // namespace hybridfft::kspace
