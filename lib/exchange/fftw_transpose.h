/// The global transposition that FFTW-MPI plans (fftw_mpi_plan_many_transpose).
#pragma once

#include "exchange/exchange.h"

namespace hybridfft::exchange {

/// Not offered (nullptr) where rows or columns are on one rank only, where threads may plan at the
/// same time (MPI_THREAD_MULTIPLE), nor once FFTW holds many
/// duplicates of the communicator, unless forced: each of its plans takes one and MPI libraries
/// have few.
std::unique_ptr<Exchange> make_fftw_transpose(const Transposition &t,
                                              const std::shared_ptr<Communicator> &comm,
                                              const ExchangeOptions &options);

} // namespace hybridfft::exchange
