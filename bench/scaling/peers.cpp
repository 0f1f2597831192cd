// The table of peers: one line for each library and mode.
#include <array>

#include "scaling/external/peers.h"
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
#ifdef HFFT_BENCH_P3DFFT2
    PeerType{"p3dfft2", "P3DFFT 2.7 between pencils, likewise", refuses_p3dfft2, make_p3dfft2_peer},
#endif
#ifdef HFFT_BENCH_DECOMP2D
    PeerType{"2decomp", "2DECOMP&FFT between pencils, likewise", refuses_decomp2d,
             make_decomp2d_peer},
#endif
#ifdef HFFT_BENCH_HEFFTE
    PeerType{"heffte", "heFFTe between pencils, with the options that are fastest, likewise",
             refuses_heffte, make_heffte_peer},
#endif
#ifdef HFFT_BENCH_DTFFT
    PeerType{"dtfft", "dtFFT between pencils or slabs, with what it chooses itself, likewise",
             refuses_dtfft, make_dtfft_peer},
#endif
#ifdef HFFT_BENCH_ACCFFT
    PeerType{"accfft", "AccFFT between pencils on the grid where it is fastest, with threads",
             refuses_accfft, make_accfft_peer},
#endif
#ifdef HFFT_BENCH_SPFFT
    PeerType{"spfft", "SpFFT from slabs to lines, with the exchange that is fastest, with threads",
             refuses_spfft, make_spfft_peer},
#endif
};

} // namespace

std::span<const PeerType> peer_types() { return table; }

} // namespace hybridfft::bench
