/// Checks local ranges and LayoutViews of the library against the documented distribution.
#pragma once

#include <mpi.h>

#include <string>

#include "verifier/box.h"

namespace hybridfft::verifier {

/// Checks this rank's range of n points in blocks of `block` points (0: ceil(n/P)). Rank r must
/// have min(block, n - r * block) points that begin at r * block. The range of an empty rank begins
/// at n. \return a description of the difference; empty if there is none
std::string range_error(std::ptrdiff_t n, std::ptrdiff_t block, LocalRange range, MPI_Comm comm);

/// Checks the LayoutViews of the C++ API for `problem`: the global index of each element must agree
/// with the two boxes, and the views must request at least as much memory. Collective.
/// \return a description of the difference; empty if there is none
std::string view_error(const Problem &problem, const DataBox &in, const DataBox &out,
                       MPI_Comm comm);

} // namespace hybridfft::verifier
