/// Error codes in words.
#pragma once

namespace hybridfft::capi {

const char *error_string(int code);

} // namespace hybridfft::capi
