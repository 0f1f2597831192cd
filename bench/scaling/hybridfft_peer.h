/// This library as a peer.
#pragma once

#include "scaling/peer.h"

namespace hybridfft::bench {

std::unique_ptr<Peer> make_hybridfft_peer(const Problem &problem, MPI_Comm comm);

} // namespace hybridfft::bench
