#include "capi/last_error.h"

#include <new>

#include "base/error.h"

namespace hybridfft::capi {

namespace {

struct LastError {
  int code = HFFT_SUCCESS;
  std::string message;
};

LastError &last() {
  thread_local LastError error;
  return error;
}

int remember(int code, const char *message) noexcept {
  last().code = code;
  try {
    last().message = message;
  } catch (const std::bad_alloc &) {
    last().message.clear();
  }
  return code;
}

} // namespace

int last_error() { return last().code; }
const char *last_error_message() { return last().message.c_str(); }

int guarded_call(const std::function<void()> &body) noexcept {
  int result = HFFT_SUCCESS;
  run_reporting(body,
                [&](hfft_error code, const char *reason) { result = remember(code, reason); });
  return result;
}

} // namespace hybridfft::capi
