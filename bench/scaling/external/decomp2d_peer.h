/// 2DECOMP&FFT, where it was found.
#pragma once

#include "scaling/peer.h"

namespace hybridfft::bench {

/// Pencils along the last axis to pencils along the first, all in the same order in memory; the
/// other way round for backward transforms. In the precision that the library was built for.
std::unique_ptr<Peer> make_decomp2d_peer(const Problem &problem, MPI_Comm comm);
std::string refuses_decomp2d(const Problem &problem, int ranks);

} // namespace hybridfft::bench
