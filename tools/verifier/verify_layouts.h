/// The verifier of transforms between any two layouts.
#pragma once

#include <mpi.h>

#include "verifier/layout_problem.h"
#include "verifier/report.h"
#include "verifier/verify.h"

namespace hybridfft::verifier {

/// Plans and executes `problem` on pseudo-random data, and checks
///  - ranks: the layouts are for the present number of ranks;
///  - layout: the global index of each element, and back, against placement.h;
///  - estimate: planning with Effort::estimate does not change the arrays;
///  - transform, new arrays: the result against the definition of the DFT, on the planned arrays
///    (twice) and on others, differently aligned;
///  - input: preserved out of place, in every bit;
///  - bits: deterministic problems repeat the bits of one rank and one thread;
///  - guards: no byte outside the arrays is written.
/// The program ends at an access beyond the end of any array, and at a write to the input out of
/// place; see guarded.h.
/// Collective; the report is equal on all ranks. A failing library call is a failed check.
Report verify(const LayoutProblem &problem, MPI_Comm comm, const VerifyOptions &options = {});

} // namespace hybridfft::verifier
