/// PFFT, where it was found.
#pragma once

#include "scaling/peer.h"

namespace hybridfft::bench {

/// Pencils along the last axis, on the grid that is the fastest; the problem's transposition leaves
/// the spectrum as pencils along the first one.
std::unique_ptr<Peer> make_pfft_peer(const Problem &problem, MPI_Comm comm);
std::string refuses_pfft(const Problem &problem, int ranks);

} // namespace hybridfft::bench
