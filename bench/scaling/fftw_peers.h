/// FFTW as it is distributed: its MPI interface and its threads.
#pragma once

#include "scaling/peer.h"

namespace hybridfft::bench {

/// To be called before all other functions of FFTW: its threads must be initialized before its MPI
/// part.
void initialize_fftw();
/// Forgets FFTW's wisdom, so that one peer's planning does not help another's.
void forget_fftw_wisdom();

std::unique_ptr<Peer> make_fftw_mpi_peer(const Problem &problem, MPI_Comm comm);
/// FFTW 3.3.10 takes a dimension in one block for one that every rank holds.
std::string refuses_fftw_mpi(const Problem &problem, int ranks);

/// FFTW-MPI in place, and transposed on the side of the spectrum: half of the messages, and no
/// copy.
std::unique_ptr<Peer> make_fftw_mpi_best_peer(const Problem &problem, MPI_Comm comm);
std::string refuses_fftw_mpi_best(const Problem &problem, int ranks);

/// FFTW's threads on one rank, in normal order on either side, also for transposed problems.
std::unique_ptr<Peer> make_fftw_threads_peer(const Problem &problem, MPI_Comm comm);
std::string refuses_fftw_threads(const Problem &problem, int ranks);

} // namespace hybridfft::bench
