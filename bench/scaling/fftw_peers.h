/// FFTW itself as a peer: its MPI interface and its threads.
#pragma once

#include "scaling/peer.h"

namespace hybridfft::bench {

/// Call it before any other function of FFTW, since FFTW's threads must be initialized before its
/// MPI part.
void initialize_fftw();
/// Deletes FFTW's wisdom: one peer's planning must not help another's.
void forget_fftw_wisdom();

std::unique_ptr<Peer> make_fftw_mpi_peer(const Problem &problem, MPI_Comm comm);
/// Reason why FFTW-MPI cannot compute a problem. FFTW 3.3.10 treats a dimension in one block as
/// present on every rank.
std::string refuses_fftw_mpi(const Problem &problem, int ranks);

/// FFTW-MPI in place, with a transposed spectrum: half of the messages, and no copy.
std::unique_ptr<Peer> make_fftw_mpi_best_peer(const Problem &problem, MPI_Comm comm);
std::string refuses_fftw_mpi_best(const Problem &problem, int ranks);

/// FFTW's threads on one rank, in normal order on either side, also for transposed problems.
std::unique_ptr<Peer> make_fftw_threads_peer(const Problem &problem, MPI_Comm comm);
std::string refuses_fftw_threads(const Problem &problem, int ranks);

} // namespace hybridfft::bench
