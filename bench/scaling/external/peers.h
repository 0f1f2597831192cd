/// Peers that exist if CMake has found their libraries.
#pragma once

#include <memory>
#include <string>

#include "scaling/peer.h"

namespace hybridfft::bench {

#define HFFT_BENCH_PEER(name)                                                                      \
  std::unique_ptr<Peer> make_##name##_peer(const Problem &problem, MPI_Comm comm);                 \
  std::string refuses_##name(const Problem &problem, int ranks);
HFFT_BENCH_PEER(accfft)
HFFT_BENCH_PEER(decomp2d)
HFFT_BENCH_PEER(dtfft)
HFFT_BENCH_PEER(heffte)
HFFT_BENCH_PEER(p3dfft)
HFFT_BENCH_PEER(p3dfft2)
HFFT_BENCH_PEER(pfft)
HFFT_BENCH_PEER(spfft)
#undef HFFT_BENCH_PEER

} // namespace hybridfft::bench
