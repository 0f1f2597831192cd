/// Rows moved from one storage in pieces to another, without a transform.
#pragma once

#include <memory>

#include "layout/split_rows.h"
#include "local/pass.h"

namespace hybridfft::local {

/// Both describe the same rows, columns and vec of elements of `element` bytes (8 or 16).
std::unique_ptr<Pass> make_copy_pass(const SplitRows &source, const SplitRows &destination,
                                     std::size_t element, const PassOptions &options);

} // namespace hybridfft::local
