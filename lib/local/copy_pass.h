/// Copies rows from one piecewise storage to another, without a transform. Choose it for a change
/// of memory order.
#pragma once

#include <memory>

#include "layout/split_rows.h"
#include "local/pass.h"

namespace hybridfft::local {

/// Makes a copy pass. Both sides have the same rows, columns and vec of elements of `element` bytes
/// (8 or 16).
std::unique_ptr<Pass> make_copy_pass(const SplitRows &source, const SplitRows &destination,
                                     std::size_t element, const PassOptions &options);

} // namespace hybridfft::local
