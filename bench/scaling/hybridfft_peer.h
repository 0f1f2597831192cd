/// This library as a peer.
#pragma once

#include <vector>

#include "scaling/peer.h"

namespace hybridfft::bench {

/// It also tells where its time goes, as hfft_plan_profile does.
class ProfiledPeer : public Peer {
public:
  using Peer::Peer;
  virtual void set_profiling(bool on) = 0;
  /// Collective.
  virtual std::vector<hfft_stage_profile> profile() const = 0;
};

std::unique_ptr<ProfiledPeer> make_profiled_peer(const Problem &problem, MPI_Comm comm);
std::unique_ptr<Peer> make_hybridfft_peer(const Problem &problem, MPI_Comm comm);

} // namespace hybridfft::bench
