/// A pass decorator: it sets elements that its pass does not write to zero. Choose it for pruned
/// spectra and padding with zeros.
#pragma once

#include <memory>
#include <vector>

#include "layout/split_rows.h"
#include "local/pass.h"

namespace hybridfft::local {

/// Makes a pass that runs `pass` and then clears the rows of `cleared`, elements of `element`
/// bytes, in the destination.
std::unique_ptr<Pass> make_clearing_pass(std::unique_ptr<Pass> pass, std::vector<SplitRows> cleared,
                                         std::size_t element, const PassOptions &options);

} // namespace hybridfft::local
