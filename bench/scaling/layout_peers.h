/// This library between layouts other than slabs.
#pragma once

#include "scaling/peer.h"

namespace hybridfft::bench {

/// Pencils along the last axis to pencils along the first, the other way round for c2r; the process
/// grid is chosen while planning.
std::unique_ptr<Peer> make_pencil_peer(const Problem &problem, MPI_Comm comm);
std::string refuses_pencils(const Problem &problem, int ranks);

/// Bricks on both sides, as near to cubes of ranks as their number allows.
std::unique_ptr<Peer> make_brick_peer(const Problem &problem, MPI_Comm comm);
std::string refuses_bricks(const Problem &problem, int ranks);

} // namespace hybridfft::bench
