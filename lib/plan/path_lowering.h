/// The steps of a rank along a path: FFTs along lines and columns, copies, messages.
#pragma once

#include <cstddef>
#include <vector>

#include "local/pass.h"
#include "plan/choice.h"
#include "plan/problem.h"
#include "plan/step.h"

namespace hybridfft::plan {

/// The orders in which the axes may lie in memory between the steps: as in the input, and as in the
/// output. A halved axis is the last but for interleaved fields, which deterministic transforms of
/// real data take apart.
std::vector<AxisOrder> working_orders(const Problem &problem);

/// FFTs write messages, and read them, wherever these are cut along the axis that they transform;
/// elsewhere copies do. Between slabs (see planes_of()) the axes change places with each exchange,
/// so that matrices are enough; `passes` says how planes are transformed there. FFTW's kernels take
/// lines of reals only where these have the room of their spectra. No communication.
Steps lower_path(const Problem &problem, const OrderedPath &path, int rank,
                 local::Kernel planes = local::Kernel::simd, Passes passes = Passes::fused);

/// The steps of a choice before the exchanges are planned; of fields apart those of one field.
Steps lower_path(const Problem &problem, const Choice &choice, int rank);

} // namespace hybridfft::plan
