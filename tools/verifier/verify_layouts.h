/// Verifies transforms between any two layouts.
#pragma once

#include <mpi.h>

#include "verifier/layout_problem.h"
#include "verifier/report.h"
#include "verifier/verify.h"

namespace hybridfft::verifier {

/// Plans and executes `problem` on pseudo-random data. Checks
///  - ranks: the layouts are for the number of ranks of comm;
///  - layout: the conversions between local elements and global indices agree with placement.h;
///  - estimate: planning with Effort::estimate does not change the arrays;
///  - transform, new arrays: the result equals the definition of the DFT, twice with the planned
///    arrays and once with other arrays of other alignment;
///  - input: an out-of-place transform changes no bit of the input;
///  - bits: deterministic problems have the same bits as on one rank with one thread;
///  - guards: no byte outside the arrays is written.
/// An access beyond the end of any array ends the program. So does a write to the input of an
/// out-of-place transform (see guarded.h). Collective; the report is equal on all ranks. A failing
/// library call is a failed check.
Report verify(const LayoutProblem &problem, MPI_Comm comm, const VerifyOptions &options = {});

} // namespace hybridfft::verifier
