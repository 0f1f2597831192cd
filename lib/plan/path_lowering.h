/// Lowers a path to the steps of a rank: FFTs along lines and columns, copies, messages. Every plan
/// begins with these steps, and the cost model estimates them. Not collective.
#pragma once

#include <cstddef>
#include <vector>

#include "local/pass.h"
#include "plan/choice.h"
#include "plan/problem.h"
#include "plan/step.h"

namespace hybridfft::plan {

/// Returns the memory orders of the axes between steps: the order of the input, and of the output.
/// A halved axis is the last one, followed only by interleaved fields. Deterministic real
/// transforms store fields separately.
std::vector<AxisOrder> working_orders(const Problem &problem);

/// Returns the steps along a path. An FFT writes or reads messages directly if they are cut along
/// its axis; otherwise a copy does. Between slabs (see planes_of()) each exchange swaps the first
/// two axes, so matrices suffice. `passes` is the form of passes over planes. FFTW's kernels take
/// real lines only if they are padded to the length of their spectra.
Steps lower_path(const Problem &problem, const OrderedPath &path, int rank,
                 local::Kernel planes = local::Kernel::simd, Passes passes = Passes::fused);

/// Returns the steps of a choice before its exchanges are planned; for transforms field by field
/// the steps of one field.
Steps lower_path(const Problem &problem, const Choice &choice, int rank);

} // namespace hybridfft::plan
