/// Local ranges and LayoutViews against the documented distribution.
#pragma once

#include <mpi.h>

#include <string>

#include "verifier/box.h"

namespace hybridfft::verifier {

/// Empty when `range` is this rank's part of n points in blocks of `block` (0: ceil(n/P)): rank r
/// owns min(block, n - r block) points from r block on; empty ranks start at n. Else a text about
/// the difference.
std::string range_error(std::ptrdiff_t n, std::ptrdiff_t block, LocalRange range, MPI_Comm comm);

/// Empty when the LayoutViews that the C++ API gives for `problem` name the same global index for
/// each element as the two boxes, and need at least as much memory. Collective.
std::string view_error(const Problem &problem, const Box &in, const Box &out, MPI_Comm comm);

} // namespace hybridfft::verifier
