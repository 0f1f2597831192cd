/// The code and the reason of a thread's last failed call.
#pragma once

#include <functional>
#include <string>

#include "hybridfft/hybridfft.h"

namespace hybridfft::capi {

/// Those of the calling thread; the message is valid until its next call fails.
int last_error();
const char *last_error_message();

/// Runs body; a failure is remembered and its code returned, HFFT_SUCCESS otherwise.
int guarded_call(const std::function<void()> &body) noexcept;

/// By reference, because std::function would allocate memory for the captures of body.
template <class F> int guarded(F body) noexcept { return guarded_call(std::ref(body)); }

} // namespace hybridfft::capi
