/// \file error.hpp
/// The exception of the C++ interfaces.
#ifndef HYBRIDFFT_ERROR_HPP
#define HYBRIDFFT_ERROR_HPP

#include "hybridfft/require_cxx20.h"

#include <stdexcept>
#include <string>

#include "hybridfft/error.h"
#include "hybridfft/export.h"

namespace hybridfft {

/// An error code of error.h and a reason in words. Collective calls throw it on all ranks alike.
class HFFT_EXPORT Error : public std::runtime_error {
public:
  /// Stores a code, and a reason returned by what().
  Error(hfft_error code, const std::string &message) : std::runtime_error(message), code_(code) {}
  /// Returns the code, never HFFT_SUCCESS.
  hfft_error code() const { return code_; }

private:
  hfft_error code_;
};

} // namespace hybridfft

#endif
