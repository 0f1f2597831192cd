/// A pass that leaves zeros in places that it does not write.
#pragma once

#include <memory>
#include <vector>

#include "layout/split_rows.h"
#include "local/pass.h"

namespace hybridfft::local {

/// `pass`, and then zeros of `element` bytes in the destination, in its own rows of `cleared`.
std::unique_ptr<Pass> make_clearing_pass(std::unique_ptr<Pass> pass, std::vector<SplitRows> cleared,
                                         std::size_t element, const PassOptions &options);

} // namespace hybridfft::local
