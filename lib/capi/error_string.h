/// Descriptions of error codes.
#pragma once

namespace hybridfft::capi {

/// Returns a static sentence for each code of enum hfft_error, and a general one for other numbers.
const char *error_string(int code);

} // namespace hybridfft::capi
