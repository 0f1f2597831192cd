/// The exception of the library's own failures: a code of hybridfft.h and a reason in words.
#pragma once

#include <new>
#include <stdexcept>
#include <string>

#include "base/out_of_memory.h"
#include "hybridfft/hybridfft.h"

namespace hybridfft {

class Failure : public std::runtime_error {
public:
  Failure(hfft_error code, const std::string &reason) : std::runtime_error(reason), code_(code) {}
  hfft_error code() const { return code_; }

private:
  hfft_error code_;
};

/// Runs body; what it throws is told to report(code, reason): the one place where exceptions
/// become codes. Allocates nothing itself.
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
