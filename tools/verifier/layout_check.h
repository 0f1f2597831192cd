/// Checks local ranges and LayoutViews against the documented distribution.
#pragma once

#include <mpi.h>

#include <string>

#include "verifier/box.h"

namespace hybridfft::verifier {

/// Checks this rank's part of n points in blocks of `block` (0: ceil(n/P)). Rank r has min(block, n
/// - r block) points from r block on; empty ranks start at n.
/// \return a text about the difference; empty if there is none
std::string range_error(std::ptrdiff_t n, std::ptrdiff_t block, LocalRange range, MPI_Comm comm);

/// Checks the C++ API's LayoutViews for `problem`: the global index of each element must agree with
/// the two boxes, and the views must need at least as much memory. Collective.
/// \return a text about the difference; empty if there is none
std::string view_error(const Problem &problem, const DataBox &in, const DataBox &out,
                       MPI_Comm comm);

} // namespace hybridfft::verifier
