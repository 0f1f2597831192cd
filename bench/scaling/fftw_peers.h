/// FFTW itself as a peer: FFTW-MPI, and FFTW with threads.
#pragma once

#include "scaling/peer.h"

namespace hybridfft::bench {

/// Call it before any other function of FFTW: FFTW's threads must be initialised before FFTW-MPI.
void initialize_fftw();
/// Deletes FFTW's wisdom, so that planning one peer does not speed up planning another.
void forget_fftw_wisdom();

std::unique_ptr<Peer> make_fftw_mpi_peer(const Problem &problem, MPI_Comm comm);
/// Returns the reason why FFTW-MPI cannot compute a problem; empty if it can. FFTW 3.3.10 assumes
/// that a dimension in one block is present on every rank.
std::string refuses_fftw_mpi(const Problem &problem, int ranks);

/// FFTW-MPI at its best: in place, with a transposed spectrum, which needs half of the messages and
/// no copy.
std::unique_ptr<Peer> make_fftw_mpi_best_peer(const Problem &problem, MPI_Comm comm);
std::string refuses_fftw_mpi_best(const Problem &problem, int ranks);

/// FFTW with threads on one rank. The order of axes is normal on both sides, also for transposed
/// problems.
std::unique_ptr<Peer> make_fftw_threads_peer(const Problem &problem, MPI_Comm comm);
std::string refuses_fftw_threads(const Problem &problem, int ranks);

} // namespace hybridfft::bench
