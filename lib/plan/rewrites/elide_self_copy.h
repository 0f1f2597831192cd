/// A rewrite: what a rank would send to itself is written where it would arrive.
#pragma once

#include "plan/step.h"

namespace hybridfft::plan {

/// Lets the step before an exchange of blocks write the block that this rank keeps straight into
/// the receive buffer, which begins `distance` bytes behind the send buffer (or before it), and
/// takes it out of the exchange. The step must not read the receive buffer.
void elide_self_copy(Step &writer, Step &exchange, int rank, std::ptrdiff_t distance,
                     std::size_t real_bytes);

} // namespace hybridfft::plan
