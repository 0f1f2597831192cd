/// This library with layouts other than slabs, as further peers.
#pragma once

#include "scaling/peer.h"

namespace hybridfft::bench {

/// Transforms pencils along the last axis to pencils along the first, or the reverse for c2r. The
/// process grid is chosen when planning.
std::unique_ptr<Peer> make_pencil_peer(const Problem &problem, MPI_Comm comm);
std::string refuses_pencils(const Problem &problem, int ranks);

/// Transforms bricks to bricks, on a process grid that is as cubic as possible.
std::unique_ptr<Peer> make_brick_peer(const Problem &problem, MPI_Comm comm);
std::string refuses_bricks(const Problem &problem, int ranks);

} // namespace hybridfft::bench
