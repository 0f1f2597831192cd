/// Exceptions of the solver about its input; thrown on all ranks alike.
#pragma once

#include <stdexcept>

namespace hybridfft::kspace {

/// The input is wrong. The message names the file, the dataset or attribute, what was found there
/// and what was expected.
class InputError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// The input or the options are right, but need physics that this version does not have.
class Unsupported : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

} // namespace hybridfft::kspace
