/// Error codes in words.
#pragma once

namespace hybridfft::capi {

/// A static sentence for each of enum hfft_error, and one for other numbers.
const char *error_string(int code);

} // namespace hybridfft::capi
