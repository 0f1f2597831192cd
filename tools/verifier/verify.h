/// Verifies transforms of all kinds: runs the library on a problem and checks its contract.
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

/// Plans and executes `problem` on pseudo-random data, equal for any number of ranks, with
/// local_size_*'s amount of memory. It checks
///  - layout: ranks' blocks follow the documented distribution, and LayoutView agrees with it for
///    every element;
///  - estimate: planning with Effort::estimate does not change the arrays;
///  - transform: the result against the definition of the DFT (truth.h);
///  - new arrays: the same on other, differently aligned arrays of the plan's kind;
///  - linearity, impulse, shift: properties broken by a wrong layout;
///  - input: preserved out of place, in every bit;
///  - bits: deterministic problems repeat the bits of one rank and one thread;
///  - guards: no byte outside the arrays is written.
/// The program ends at an access beyond the end of any array, and at a write to the input out of
/// place; see guarded.h.
/// Collective; the report is equal on all ranks. A failing library call is a failed check with the
/// library's message.
Report verify(const Problem &problem, MPI_Comm comm, const VerifyOptions &options = {});

} // namespace hybridfft::verifier
