/// Which array each step of a plan between layouts writes; each reads where the one before it
/// wrote.
#pragma once

#include <vector>

#include "plan/buffers.h"
#include "plan/layout_steps.h"

namespace hybridfft::plan {

/// An exchange through memory of its own: it works there, and the step before it writes there.
bool has_window(const LayoutStep &step);

/// With two work buffers at most.
std::vector<Place> few_places(const std::vector<LayoutStep> &steps, Place input);

/// Enough places for passes to work beside the exchanges on both sides: no step writes what the
/// exchange before still sends, or what the pass before still reads. `bytes` is what the steps
/// write, `out_bytes` what fits into the user's output. Empty where places do not suffice, or where
/// exchanges have windows.
std::vector<Place> many_places(const std::vector<LayoutStep> &steps, Place input,
                               const std::vector<std::size_t> &bytes, std::size_t out_bytes);

} // namespace hybridfft::plan
