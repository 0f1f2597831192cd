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
  try {
    body();
    return HFFT_SUCCESS;
  } catch (const Failure &e) {
    return remember(e.code(), e.what());
  } catch (const std::bad_alloc &) {
    return remember(HFFT_ERROR_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception &e) {
    return remember(HFFT_ERROR_INTERNAL, e.what());
  }
}

} // namespace hybridfft::capi
