/// Global transpositions without a transform: fftw_mpi_plan_many_transpose.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "exchange/communicator.h"
#include "fftw3_mpi/accelerated.h"

namespace hybridfft::fftw3_mpi {

/// The matrix n0 x n1 of tuples of `howmany` real numbers, cut along n0 in blocks of block0, which
/// becomes n1 x n0, cut along n1 in blocks of block1; 0 is the default block.
struct TranspositionArguments {
  std::ptrdiff_t n0 = 0, n1 = 0;
  std::ptrdiff_t howmany = 1;
  std::ptrdiff_t block0 = 0, block1 = 0;
  std::size_t real_bytes = 8;
  void *in = nullptr;
  void *out = nullptr;
  bool measure = false; ///< time all exchanges, overwriting the arrays
  std::string way{};    ///< the result of an earlier measurement: nothing is timed then
  int threads = 1;
};

/// Collective. `arguments` may throw, on any rank. Throws Failure on all ranks alike.
std::unique_ptr<Accelerated>
make_transposition(MPI_Comm comm, const std::function<TranspositionArguments()> &arguments);

} // namespace hybridfft::fftw3_mpi
