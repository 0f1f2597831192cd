/// What a rank would send to itself, written where it would arrive.
#pragma once

#include "plan/layout_steps.h"

namespace hybridfft::plan {

/// Lets the step before an exchange of blocks write this rank's own block straight into the receive
/// buffer, which begins `distance` bytes behind the send buffer (or before it), and takes it out of
/// the exchange. The step must not read the receive buffer.
void write_own_block(LayoutStep &writer, LayoutStep &exchange, int rank, std::ptrdiff_t distance,
                     std::size_t real_bytes);

} // namespace hybridfft::plan
