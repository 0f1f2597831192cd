// The functions fftw_mpi_local_size_*. They return FFTW's distribution, and enough memory for plans
// of both libraries. FFTW-MPI's own functions call each other by these names. They pass a block
// equal to the extent for a missing second block. Such internal calls get FFTW's own answer.
#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/mpi.h"
#include "fftw3_mpi/callers.h"
#include "fftw3_mpi/original.h"
#include "plan/arguments.h"

using hybridfft::fftw3_mpi::is_fftws;

namespace {

/// Returns the number of complex elements needed by plans of HybridFFT on this rank, or 0 if
/// HybridFFT has no plan. The arguments are those of local_size_many_transposed.
std::ptrdiff_t own_size(int rank, const std::ptrdiff_t *n, std::ptrdiff_t howmany,
                        std::ptrdiff_t block0, std::ptrdiff_t block1, MPI_Comm comm) noexcept {
  namespace mpi = hybridfft::mpi;
  std::ptrdiff_t size = 0;
  const auto compute = [&] {
    if (mpi::running())
      size = hybridfft::plan::slab_size(rank, n, howmany, block0, block1, mpi::size(comm),
                                        mpi::rank(comm), sizeof(double));
  };
  // FFTW itself reports invalid arguments, so errors are ignored here.
  hybridfft::run_reporting(compute, [](hfft_error, const char *) {});
  return size;
}
} // namespace

#define HFFT_IMPLEMENT(XM, R)                                                                      \
  HFFT_DROP_IN(XM(local_size_many_transposed))                                                     \
  HFFT_DROP_IN(XM(local_size_many))                                                                \
  HFFT_DROP_IN(XM(local_size_transposed))                                                          \
  HFFT_DROP_IN(XM(local_size))                                                                     \
  HFFT_DROP_IN(XM(local_size_many_1d))                                                             \
  HFFT_DROP_IN(XM(local_size_1d))                                                                  \
  HFFT_DROP_IN(XM(local_size_2d))                                                                  \
  HFFT_DROP_IN(XM(local_size_2d_transposed))                                                       \
  HFFT_DROP_IN(XM(local_size_3d))                                                                  \
  HFFT_DROP_IN(XM(local_size_3d_transposed))                                                       \
                                                                                                   \
  ptrdiff_t HFFT_OURS(XM(local_size_many_transposed))(                                             \
      int rnk, const ptrdiff_t *n, ptrdiff_t howmany, ptrdiff_t block0, ptrdiff_t block1,          \
      MPI_Comm comm, ptrdiff_t *local_n0, ptrdiff_t *local_0_start, ptrdiff_t *local_n1,           \
      ptrdiff_t *local_1_start) {                                                                  \
    const ptrdiff_t theirs = HFFT_ORIGINAL(XM(local_size_many_transposed))(                        \
        rnk, n, howmany, block0, block1, comm, local_n0, local_0_start, local_n1, local_1_start);  \
    if (is_fftws<R>(__builtin_return_address(0))) return theirs;                                   \
    return std::max(theirs, own_size(rnk, n, howmany, block0, block1, comm));                      \
  }                                                                                                \
  ptrdiff_t HFFT_OURS(XM(local_size_many))(int rnk, const ptrdiff_t *n, ptrdiff_t howmany,         \
                                           ptrdiff_t block0, MPI_Comm comm, ptrdiff_t *local_n0,   \
                                           ptrdiff_t *local_0_start) {                             \
    const ptrdiff_t theirs = HFFT_ORIGINAL(XM(local_size_many))(rnk, n, howmany, block0, comm,     \
                                                                local_n0, local_0_start);          \
    if (is_fftws<R>(__builtin_return_address(0))) return theirs;                                   \
    return std::max(theirs, own_size(rnk, n, howmany, block0, 0, comm));                           \
  }                                                                                                \
  ptrdiff_t HFFT_OURS(XM(local_size_transposed))(int rnk, const ptrdiff_t *n, MPI_Comm comm,       \
                                                 ptrdiff_t *local_n0, ptrdiff_t *local_0_start,    \
                                                 ptrdiff_t *local_n1, ptrdiff_t *local_1_start) {  \
    return HFFT_OURS(XM(local_size_many_transposed))(rnk, n, 1, 0, 0, comm, local_n0,              \
                                                     local_0_start, local_n1, local_1_start);      \
  }                                                                                                \
  ptrdiff_t HFFT_OURS(XM(local_size))(int rnk, const ptrdiff_t *n, MPI_Comm comm,                  \
                                      ptrdiff_t *local_n0, ptrdiff_t *local_0_start) {             \
    return HFFT_OURS(XM(local_size_many))(rnk, n, 1, 0, comm, local_n0, local_0_start);            \
  }                                                                                                \
  ptrdiff_t HFFT_OURS(XM(local_size_many_1d))(ptrdiff_t n0, ptrdiff_t howmany, MPI_Comm comm,      \
                                              int sign, unsigned flags, ptrdiff_t *local_ni,       \
                                              ptrdiff_t *local_i_start, ptrdiff_t *local_no,       \
                                              ptrdiff_t *local_o_start) {                          \
    return HFFT_ORIGINAL(XM(local_size_many_1d))(n0, howmany, comm, sign, flags, local_ni,         \
                                                 local_i_start, local_no, local_o_start);          \
  }                                                                                                \
  ptrdiff_t HFFT_OURS(XM(local_size_1d))(ptrdiff_t n0, MPI_Comm comm, int sign, unsigned flags,    \
                                         ptrdiff_t *local_ni, ptrdiff_t *local_i_start,            \
                                         ptrdiff_t *local_no, ptrdiff_t *local_o_start) {          \
    return HFFT_ORIGINAL(XM(local_size_1d))(n0, comm, sign, flags, local_ni, local_i_start,        \
                                            local_no, local_o_start);                              \
  }                                                                                                \
  ptrdiff_t HFFT_OURS(XM(local_size_2d))(ptrdiff_t n0, ptrdiff_t n1, MPI_Comm comm,                \
                                         ptrdiff_t * local_n0, ptrdiff_t * local_0_start) {        \
    const std::array<ptrdiff_t, 2> n{n0, n1};                                                      \
    return HFFT_OURS(XM(local_size))(2, n.data(), comm, local_n0, local_0_start);                  \
  }                                                                                                \
  ptrdiff_t HFFT_OURS(XM(local_size_2d_transposed))(                                               \
      ptrdiff_t n0, ptrdiff_t n1, MPI_Comm comm, ptrdiff_t * local_n0, ptrdiff_t * local_0_start,  \
      ptrdiff_t * local_n1, ptrdiff_t * local_1_start) {                                           \
    const std::array<ptrdiff_t, 2> n{n0, n1};                                                      \
    return HFFT_OURS(XM(local_size_transposed))(2, n.data(), comm, local_n0, local_0_start,        \
                                                local_n1, local_1_start);                          \
  }                                                                                                \
  ptrdiff_t HFFT_OURS(XM(local_size_3d))(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, MPI_Comm comm,  \
                                         ptrdiff_t * local_n0, ptrdiff_t * local_0_start) {        \
    const std::array<ptrdiff_t, 3> n{n0, n1, n2};                                                  \
    return HFFT_OURS(XM(local_size))(3, n.data(), comm, local_n0, local_0_start);                  \
  }                                                                                                \
  ptrdiff_t HFFT_OURS(XM(local_size_3d_transposed))(                                               \
      ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, MPI_Comm comm, ptrdiff_t * local_n0,               \
      ptrdiff_t * local_0_start, ptrdiff_t * local_n1, ptrdiff_t * local_1_start) {                \
    const std::array<ptrdiff_t, 3> n{n0, n1, n2};                                                  \
    return HFFT_OURS(XM(local_size_transposed))(3, n.data(), comm, local_n0, local_0_start,        \
                                                local_n1, local_1_start);                          \
  }

extern "C" {
HFFT_IMPLEMENT(HFFT_MPI_DOUBLE, double)
HFFT_IMPLEMENT(HFFT_MPI_FLOAT, float)
#undef HFFT_IMPLEMENT
}
