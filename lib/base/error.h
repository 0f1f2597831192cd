/// Exceptions of the library: failures with a code, failed allocations, and their conversion to
/// codes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>

#include "hybridfft/error.hpp"

namespace hybridfft {

// Exception of a failed allocation, with the number of requested bytes.

class OutOfMemory : public std::bad_alloc {
public:
  explicit OutOfMemory(std::size_t bytes) noexcept {
    std::snprintf(text_.data(), text_.size(),
                  "out of memory: %zu bytes (%.3g GB) cannot be allocated", bytes,
                  1e-9 * static_cast<double>(bytes));
  }
  const char *what() const noexcept override { return text_.data(); }

private:
  std::array<char, 96> text_{};
};

/// Returns the reason of a failed allocation: the sentence of an OutOfMemory, even if another
/// library threw it; "out of memory" for a std::bad_alloc, because its what() is the name of its
/// type.
inline const char *reason_of(const std::bad_alloc &e) noexcept {
  return std::strncmp(e.what(), "out of memory", 13) == 0 ? e.what() : "out of memory";
}

// Exception of the library's own failures, and the conversion of exceptions to codes.

using Failure = Error;

/// Throws Failure(code) with this reason unless `ok`.
inline void require(bool ok, hfft_error code, const std::string &reason) {
  if (!ok) throw Failure(code, reason);
}

/// Runs `body`, and calls report(code, reason) if it throws. All conversions of exceptions to error
/// codes use this function. It allocates nothing itself.
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
