/// Descriptions of error codes.
#pragma once

namespace hybridfft::capi {

/// Returns a static sentence for each of enum hfft_error, and one for other numbers.
const char *error_string(int code);

} // namespace hybridfft::capi
