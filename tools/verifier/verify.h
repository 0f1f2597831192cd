/// One verifier for every kind of transform: runs the library on a problem and checks its promises.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "verifier/problem.h"
#include "verifier/report.h"

namespace hybridfft::verifier {

struct VerifyOptions {
  Effort effort = Effort::estimate;
  std::uint64_t seed = 1; ///< seed of the data
};

/// Plans and executes `problem` on pseudo-random data, the same for any number of ranks, with as
/// much memory as local_size_* returns, and checks
///  - layout: ranks' blocks follow the documented distribution, and LayoutView agrees with it for
///    every element;
///  - estimate: planning with Effort::estimate leaves the arrays alone;
///  - transform: the result against the definition of the DFT (truth.h);
///  - new arrays: the same on other, differently aligned arrays of the plan's kind;
///  - linearity, impulse, shift: properties that a wrong layout breaks;
///  - input: preserved out of place, in every bit;
///  - bits: of deterministic problems those of one rank and one thread;
///  - guards: no byte outside the arrays is written.
/// An access beyond the end of an array, on the planned arrays or on the others, and a write to the
/// input out of place end the program; see guarded.h.
/// Collective; the report is the same on all ranks. Throws nothing of its own: a failing library
/// call is a failed check with the library's message.
Report verify(const Problem &problem, MPI_Comm comm, const VerifyOptions &options = {});

} // namespace hybridfft::verifier
