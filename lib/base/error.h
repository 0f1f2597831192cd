/// The exception of the library's own failures: a code of hybridfft.h and a reason in words.
#pragma once

#include <stdexcept>
#include <string>

#include "hybridfft/hybridfft.h"

namespace hybridfft {

class Failure : public std::runtime_error {
public:
  Failure(hfft_error code, const std::string &reason) : std::runtime_error(reason), code_(code) {}
  hfft_error code() const { return code_; }

private:
  hfft_error code_;
};

} // namespace hybridfft
