/// The verifier of transforms between any two layouts.
#pragma once

#include <mpi.h>

#include "verifier/layout_problem.h"
#include "verifier/report.h"
#include "verifier/verify.h"

namespace hybridfft::verifier {

/// Plans and executes `problem` on pseudo-random data, and checks
///  - ranks: the layouts are for as many as there are;
///  - layout: which global index each element is, and back, against placement.h;
///  - estimate: planning with Effort::estimate leaves the arrays alone;
///  - transform, new arrays: the result against the definition of the DFT, on the planned arrays
///    (twice) and on others, differently aligned;
///  - input: preserved out of place, in every bit;
///  - bits: of deterministic problems those of one rank and one thread;
///  - guards: no byte outside the arrays is written.
/// An access beyond the end of an array, on the planned arrays or on the others, and a write to the
/// input out of place end the program; see guarded.h.
/// Collective; the report is the same on all ranks. A failing library call is a failed check.
Report verify(const LayoutProblem &problem, MPI_Comm comm, const VerifyOptions &options = {});

} // namespace hybridfft::verifier
