#include "capi/last_error.h"

#include <array>
#include <string_view>

#include "base/error.h"

namespace hybridfft::capi {

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
