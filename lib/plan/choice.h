/// A Choice in words, as wisdom keeps it.
#pragma once

#include <string>
#include <string_view>

#include "plan/draft.h"

namespace hybridfft::plan {

/// "form=planes_first planes=simd columns=simd store=cached order=interleaved tile=32768
/// threads=all exchange=alltoallv"; exchange=none on one rank.
std::string to_words(const Choice &choice);

/// Throws Failure(HFFT_ERROR_WISDOM) naming the word, the value found and the values expected.
Choice parse_choice(std::string_view text);

/// The same without asking whether this library has the algorithm.
void check_words(std::string_view text);

} // namespace hybridfft::plan
