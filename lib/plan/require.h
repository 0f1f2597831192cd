/// Conditions on what a plan call was given.
#pragma once

#include <string>

#include "base/error.h"

namespace hybridfft::plan {

/// Throws Failure(code) with this reason unless `ok`.
inline void require(bool ok, hfft_error code, const std::string &reason) {
  if (!ok) throw Failure(code, reason);
}

} // namespace hybridfft::plan
