/// Errors of the C interface: the texts of codes, and the last message of each thread.
#pragma once

#include <functional>
#include <string>

#include "hybridfft/hybridfft.h"

namespace hybridfft::capi {

// Descriptions of error codes.

/// Returns a static sentence for each code of enum hfft_error, and a general one for other numbers.
const char *error_string(int code);

// Code and reason of a thread's last failed call.

/// last_error() returns the code of the calling thread's last failed call, last_error_message() its
/// message. The message is valid until another call of this thread fails.
int last_error();
const char *last_error_message();

/// Runs body. Returns HFFT_SUCCESS; or, if it throws, stores the failure and returns its code.
int guarded_call(const std::function<void()> &body) noexcept;

/// Runs any callable like guarded_call(). It passes a reference, because std::function would
/// allocate memory for a copy of the captures.
template <class F> int guarded(F body) noexcept { return guarded_call(std::ref(body)); }

} // namespace hybridfft::capi
