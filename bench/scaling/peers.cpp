#include <array>

#include "scaling/external/decomp2d_peer.h"
#include "scaling/external/p3dfft_peer.h"
#include "scaling/external/pfft_peer.h"
#include "scaling/fftw_peers.h"
#include "scaling/hybridfft_peer.h"
#include "scaling/layout_peers.h"
#include "scaling/peer.h"

namespace hybridfft::bench {

namespace {

std::string refuses_nothing(const Problem &, int) { return {}; }

constexpr std::array table{
    PeerType{"hybridfft", "this library", refuses_nothing, make_hybridfft_peer},
    PeerType{"hybridfft-pencil", "this library between pencils, on the grid that it chooses",
             refuses_pencils, make_pencil_peer},
    PeerType{"hybridfft-brick", "this library from bricks to bricks, on a grid of three dimensions",
             refuses_bricks, make_brick_peer},
    PeerType{"fftw-mpi", "FFTW-MPI, the problem as it was asked for", refuses_fftw_mpi,
             make_fftw_mpi_peer},
    PeerType{"fftw-mpi-best",
             "FFTW-MPI where it is fastest: in place, the spectrum left transposed",
             refuses_fftw_mpi_best, make_fftw_mpi_best_peer},
    PeerType{"fftw-threads", "FFTW's own threads, on one rank", refuses_fftw_threads,
             make_fftw_threads_peer},
#ifdef HFFT_BENCH_PFFT
    PeerType{"pfft", "PFFT on the process grid where it is fastest, one thread per rank",
             refuses_pfft, make_pfft_peer},
#endif
#ifdef HFFT_BENCH_P3DFFT
    PeerType{"p3dfft", "P3DFFT++ between pencils, likewise", refuses_p3dfft, make_p3dfft_peer},
#endif
#ifdef HFFT_BENCH_DECOMP2D
    PeerType{"2decomp", "2DECOMP&FFT between pencils, likewise", refuses_decomp2d,
             make_decomp2d_peer},
#endif
};

} // namespace

std::span<const PeerType> peer_types() { return table; }

} // namespace hybridfft::bench
