/// A LayoutChoice and a process grid in words, as wisdom keeps them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "plan/layout_plan.h"

namespace hybridfft::plan {

/// "path=n0(8/4)_n1(8):_n1,_2x2_over_n1_n2:_n0 order=0,1,2,3 fields=together exchange=pipelined
/// messages=whole store=cached"; exchange=blocks where no algorithm is named.
std::string to_words(const LayoutChoice &choice);

/// The choice for this problem; nothing where this library has no such path or algorithm. Throws
/// Failure(HFFT_ERROR_WISDOM) as check_layout_words().
std::optional<LayoutChoice> parse_layout_choice(std::string_view text,
                                                const LayoutProblem &problem);

/// Throws Failure(HFFT_ERROR_WISDOM) naming the word, the value found and the values expected.
void check_layout_words(std::string_view text);

/// "grid=4x2".
std::string to_words(const std::array<int, 2> &grid);
/// Throws Failure(HFFT_ERROR_WISDOM).
std::array<int, 2> parse_grid(std::string_view text);

} // namespace hybridfft::plan
