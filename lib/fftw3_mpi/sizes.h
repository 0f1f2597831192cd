/// The memory that plans of ours need.
#pragma once

#include <mpi.h>

#include <cstddef>

namespace hybridfft::fftw3_mpi {

/// Complex elements of this rank, as local_size_many_transposed takes the arguments; 0 for problems
/// that have no plan of ours.
std::ptrdiff_t own_size(int rank, const std::ptrdiff_t *n, std::ptrdiff_t howmany,
                        std::ptrdiff_t block0, std::ptrdiff_t block1, MPI_Comm comm) noexcept;

} // namespace hybridfft::fftw3_mpi
