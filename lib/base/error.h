/// Exception of the library's own failures, and the conversion of exceptions to codes.
#pragma once

#include <new>
#include <string>

#include "base/out_of_memory.h"
#include "hybridfft/error.hpp"

namespace hybridfft {

using Failure = Error;

/// Throws Failure(code) with this reason unless `ok`.
inline void require(bool ok, hfft_error code, const std::string &reason) {
  if (!ok) throw Failure(code, reason);
}

/// Runs `body`, and calls report(code, reason) if it throws. All conversions of exceptions to codes
/// use this function. It allocates nothing itself.
template <class Body, class Report> void run_reporting(const Body &body, const Report &report) {
  try {
    body();
  } catch (const Failure &e) {
    report(e.code(), e.what());
  } catch (const std::bad_alloc &e) {
    report(HFFT_ERROR_OUT_OF_MEMORY, reason_of(e));
  } catch (const std::exception &e) {
    report(HFFT_ERROR_INTERNAL, e.what());
  }
}

} // namespace hybridfft
