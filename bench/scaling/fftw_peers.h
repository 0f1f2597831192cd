/// FFTW as a peer: FFTW-MPI with normal or transposed output, and FFTW with threads on one rank.
#pragma once

#include "scaling/peer.h"

namespace hybridfft::bench {

/// Initialises FFTW's threads and FFTW-MPI in the required order. Call it before all other
/// functions of FFTW.
void initialize_fftw();
/// Deletes FFTW's wisdom. Otherwise the planning of one peer would speed up the planning of the
/// next.
void forget_fftw_wisdom();

std::unique_ptr<Peer> make_fftw_mpi_peer(const Problem &problem, MPI_Comm comm);
/// Returns the reason why FFTW-MPI cannot compute a problem, or an empty text if it can. It cannot
/// if one rank holds the whole array: FFTW 3.3.10 then plans as if every rank had the whole
/// distributed axis.
std::string refuses_fftw_mpi(const Problem &problem, int ranks);

/// FFTW-MPI in its fastest mode: in place, with a transposed spectrum. This mode sends half of the
/// messages of a transform in normal order, and makes no copy.
std::unique_ptr<Peer> make_fftw_mpi_best_peer(const Problem &problem, MPI_Comm comm);
std::string refuses_fftw_mpi_best(const Problem &problem, int ranks);

/// FFTW with threads on one rank. Input and output have the normal order of axes, also for
/// transposed problems.
std::unique_ptr<Peer> make_fftw_threads_peer(const Problem &problem, MPI_Comm comm);
std::string refuses_fftw_threads(const Problem &problem, int ranks);

} // namespace hybridfft::bench
