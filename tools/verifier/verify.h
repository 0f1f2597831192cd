/// Verifies transforms of all kinds: runs the library on a problem and checks the documented
/// behaviour.
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

/// Plans and executes `problem` on pseudo-random data, equal for any number of ranks. Arrays have
/// the size requested by local_size_*. Checks
///  - layout: ranks' blocks follow the documented distribution, and LayoutView agrees with it for
///    every element;
///  - estimate: planning with Effort::estimate does not change the arrays;
///  - transform: the result equals the definition of the DFT (truth.h);
///  - new arrays: the same for a result in other arrays with other alignment;
///  - linearity, impulse, shift: properties of the DFT that a wrong layout would violate;
///  - input: an out-of-place transform changes no bit of the input;
///  - bits: deterministic problems have the same bits as on one rank with one thread;
///  - guards: no byte outside the arrays is written.
/// An access beyond the end of any array ends the program. So does a write to the input of an
/// out-of-place transform (see guarded.h). Collective; the report is equal on all ranks. A failing
/// library call is a failed check with the library's message.
Report verify(const Problem &problem, MPI_Comm comm, const VerifyOptions &options = {});

} // namespace hybridfft::verifier
