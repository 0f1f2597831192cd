#include "capi/errors.h"

#include <array>
#include <string_view>

#include "base/error.h"
#include "hybridfft/hybridfft.h"

namespace hybridfft::capi {

const char *error_string(int code) {
  switch (code) {
  case HFFT_SUCCESS:
    return "success";
  case HFFT_ERROR_MPI_NOT_RUNNING:
    return "MPI is not running";
  case HFFT_ERROR_THREAD_LEVEL:
    return "the MPI thread level is too low";
  case HFFT_ERROR_NULL_POINTER:
    return "a null pointer or communicator was given";
  case HFFT_ERROR_EXTENTS:
    return "an extent, howmany or the number of dimensions is too small";
  case HFFT_ERROR_BLOCK:
    return "a block size is negative or too small";
  case HFFT_ERROR_OVERFLOW:
    return "the sizes overflow 64 bits";
  case HFFT_ERROR_FLAGS:
    return "unknown or contradicting flags, or a wrong sign";
  case HFFT_ERROR_MISMATCH:
    return "the ranks passed different arguments";
  case HFFT_ERROR_UNSUPPORTED:
    return "this combination is not supported";
  case HFFT_ERROR_ARGUMENT:
    return "an argument is wrong";
  case HFFT_ERROR_ENVIRONMENT:
    return "an HFFT_* environment variable has an unknown value";
  case HFFT_ERROR_OUT_OF_MEMORY:
    return "out of memory";
  case HFFT_ERROR_MPI:
    return "an MPI call failed";
  case HFFT_ERROR_FFTW:
    return "FFTW could not plan";
  case HFFT_ERROR_INTERNAL:
    return "internal error";
  case HFFT_ERROR_NO_WISDOM:
    return "wisdom has no plan for this problem";
  case HFFT_ERROR_WISDOM:
    return "wisdom is damaged, or its file cannot be read or written";
  case HFFT_ERROR_LAYOUT:
    return "a layout does not tile its array, or is not the one of the transform";
  default:
    return "unknown error code";
  }
}

namespace {

/// The last error of a thread. The type has no destructor, because destructors of global objects
/// may call the library after thread-local objects are destroyed. Longer messages are truncated.
struct LastError {
  int code;
  std::array<char, 4096> message;
};

thread_local LastError last{};

int remember(int code, std::string_view message) noexcept {
  last.code = code;
  const std::size_t length = message.copy(last.message.data(), last.message.size() - 1);
  last.message[length] = '\0';
  return code;
}

} // namespace

int last_error() { return last.code; }
const char *last_error_message() { return last.message.data(); }

int guarded_call(const std::function<void()> &body) noexcept {
  int result = HFFT_SUCCESS;
  run_reporting(body,
                [&](hfft_error code, const char *reason) { result = remember(code, reason); });
  return result;
}

} // namespace hybridfft::capi
