/// This library between layouts other than slabs.
#pragma once

#include "scaling/peer.h"

namespace hybridfft::bench {

/// Transforms pencils along the last axis to pencils along the first, or the reverse for c2r.
/// Planning chooses the process grid.
std::unique_ptr<Peer> make_pencil_peer(const Problem &problem, MPI_Comm comm);
std::string refuses_pencils(const Problem &problem, int ranks);

/// Bricks on both sides, with a process grid as cubic as possible.
std::unique_ptr<Peer> make_brick_peer(const Problem &problem, MPI_Comm comm);
std::string refuses_bricks(const Problem &problem, int ranks);

} // namespace hybridfft::bench
