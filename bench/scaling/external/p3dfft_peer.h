/// P3DFFT++ (version 3), where it was found.
#pragma once

#include "scaling/peer.h"

namespace hybridfft::bench {

/// Pencils along the last axis to pencils along the first, whose points are contiguous; the
/// other way round for backward transforms.
std::unique_ptr<Peer> make_p3dfft_peer(const Problem &problem, MPI_Comm comm);
std::string refuses_p3dfft(const Problem &problem, int ranks);

} // namespace hybridfft::bench
