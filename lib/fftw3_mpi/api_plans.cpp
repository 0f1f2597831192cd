// The planning functions fftw_mpi_plan_*. Each function converts its arguments to plan::Arguments;
// planner.h chooses the library.
//
// The functions fftw_mpi_local_size_*. They return FFTW's distribution, and a size large enough for
// plans of both libraries. FFTW-MPI's own functions call each other by these names, and pass the
// extent instead of a missing second block. Such internal calls get FFTW's own size.
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/mpi.h"
#include "fftw3_mpi/callers.h"
#include "fftw3_mpi/original.h"
#include "fftw3_mpi/planner.h"
#include "plan/arguments.h"

namespace {

using hybridfft::fftw3_mpi::Entry;
using hybridfft::fftw3_mpi::plan_transform;
using hybridfft::fftw3_mpi::plan_transposition;
using hybridfft::fftw3_mpi::set_line_blocks;
using hybridfft::fftw3_mpi::set_real_line_blocks;
using hybridfft::plan::Arguments;
using hybridfft::plan::Kind;

Arguments arguments(Kind kind, int sign, int rank, const ptrdiff_t *n, ptrdiff_t howmany,
                    ptrdiff_t iblock, ptrdiff_t oblock, void *in, void *out, unsigned flags) {
  return {kind, sign, rank, n, howmany, iblock, oblock, in, out, flags};
}

/// Converts `rank` kinds to numbers. FFTW and HybridFFT use the same numbers.
template <class R2rKind> std::vector<int> numbers(const R2rKind *kinds, int rank) {
  return kinds != nullptr && rank > 0 ? std::vector<int>(kinds, kinds + rank) : std::vector<int>();
}

} // namespace

#define HFFT_TRANSPOSES(X, XM, R)                                                                  \
  HFFT_DROP_IN(XM(plan_many_transpose))                                                            \
  HFFT_DROP_IN(XM(plan_transpose))                                                                 \
  X(plan)                                                                                          \
  HFFT_OURS(XM(plan_many_transpose))                                                               \
  (ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t howmany, ptrdiff_t block0, ptrdiff_t block1, R * in,      \
   R * out, MPI_Comm comm, unsigned flags) {                                                       \
    const Entry entry(__builtin_return_address(0));                                                \
    return plan_transposition<R>({n0, n1, howmany, block0, block1, sizeof(R), in, out}, flags,     \
                                 comm, [=](unsigned own) {                                         \
                                   return HFFT_ORIGINAL(XM(plan_many_transpose))(                  \
                                       n0, n1, howmany, block0, block1, in, out, comm, own);       \
                                 });                                                               \
  }                                                                                                \
  X(plan)                                                                                          \
  HFFT_OURS(XM(plan_transpose))                                                                    \
  (ptrdiff_t n0, ptrdiff_t n1, R * in, R * out, MPI_Comm comm, unsigned flags) {                   \
    const Entry entry(__builtin_return_address(0));                                                \
    return HFFT_OURS(XM(plan_many_transpose))(n0, n1, 1, 0, 0, in, out, comm, flags);              \
  }

#define HFFT_COMPLEX(X, XM, R, C)                                                                  \
  HFFT_DROP_IN(XM(plan_many_dft))                                                                  \
  HFFT_DROP_IN(XM(plan_dft))                                                                       \
  HFFT_DROP_IN(XM(plan_dft_1d))                                                                    \
  HFFT_DROP_IN(XM(plan_dft_2d))                                                                    \
  HFFT_DROP_IN(XM(plan_dft_3d))                                                                    \
  X(plan)                                                                                          \
  HFFT_OURS(XM(plan_many_dft))                                                                     \
  (int rnk, const ptrdiff_t *n, ptrdiff_t howmany, ptrdiff_t block, ptrdiff_t tblock, C *in,       \
   C *out, MPI_Comm comm, int sign, unsigned flags) {                                              \
    const Entry entry(__builtin_return_address(0));                                                \
    auto a = arguments(Kind::c2c, sign, rnk, n, howmany, block, tblock, in, out, flags);           \
    std::string reason;                                                                            \
    if (rnk == 1)                                                                                  \
      reason = set_line_blocks(a, comm,                                                            \
                               [=](ptrdiff_t *ni, ptrdiff_t *i0, ptrdiff_t *no, ptrdiff_t *o0) {   \
                                 HFFT_ORIGINAL(XM(local_size_many_1d))                             \
                                 (n[0], howmany, comm, sign, flags, ni, i0, no, o0);               \
                               });                                                                 \
    return plan_transform<R>(                                                                      \
        a, comm,                                                                                   \
        [=](unsigned own) {                                                                        \
          return HFFT_ORIGINAL(XM(plan_many_dft))(rnk, n, howmany, block, tblock, in, out, comm,   \
                                                  sign, own);                                      \
        },                                                                                         \
        std::move(reason));                                                                        \
  }                                                                                                \
  X(plan)                                                                                          \
  HFFT_OURS(XM(plan_dft))                                                                          \
  (int rnk, const ptrdiff_t *n, C *in, C *out, MPI_Comm comm, int sign, unsigned flags) {          \
    const Entry entry(__builtin_return_address(0));                                                \
    return HFFT_OURS(XM(plan_many_dft))(rnk, n, 1, 0, 0, in, out, comm, sign, flags);              \
  }                                                                                                \
  X(plan)                                                                                          \
  HFFT_OURS(XM(plan_dft_1d))                                                                       \
  (ptrdiff_t n0, C * in, C * out, MPI_Comm comm, int sign, unsigned flags) {                       \
    const Entry entry(__builtin_return_address(0));                                                \
    return HFFT_OURS(XM(plan_dft))(1, &n0, in, out, comm, sign, flags);                            \
  }                                                                                                \
  X(plan)                                                                                          \
  HFFT_OURS(XM(plan_dft_2d))                                                                       \
  (ptrdiff_t n0, ptrdiff_t n1, C * in, C * out, MPI_Comm comm, int sign, unsigned flags) {         \
    const Entry entry(__builtin_return_address(0));                                                \
    const std::array<ptrdiff_t, 2> n{n0, n1};                                                      \
    return HFFT_OURS(XM(plan_dft))(2, n.data(), in, out, comm, sign, flags);                       \
  }                                                                                                \
  X(plan)                                                                                          \
  HFFT_OURS(XM(plan_dft_3d))                                                                       \
  (ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, C * in, C * out, MPI_Comm comm, int sign,             \
   unsigned flags) {                                                                               \
    const Entry entry(__builtin_return_address(0));                                                \
    const std::array<ptrdiff_t, 3> n{n0, n1, n2};                                                  \
    return HFFT_OURS(XM(plan_dft))(3, n.data(), in, out, comm, sign, flags);                       \
  }

/// Defines the functions for r2c or c2r. `kind` is HybridFFT's kind; A and B are the types of input
/// and output.
#define HFFT_REAL(X, XM, R, kind, direction, A, B)                                                 \
  HFFT_DROP_IN(XM(plan_many_dft_##kind))                                                           \
  HFFT_DROP_IN(XM(plan_dft_##kind))                                                                \
  HFFT_DROP_IN(XM(plan_dft_##kind##_2d))                                                           \
  HFFT_DROP_IN(XM(plan_dft_##kind##_3d))                                                           \
  X(plan)                                                                                          \
  HFFT_OURS(XM(plan_many_dft_##kind))                                                              \
  (int rnk, const ptrdiff_t *n, ptrdiff_t howmany, ptrdiff_t iblock, ptrdiff_t oblock, A *in,      \
   B *out, MPI_Comm comm, unsigned flags) {                                                        \
    const Entry entry(__builtin_return_address(0));                                                \
    return plan_transform<R>(                                                                      \
        arguments(Kind::kind, direction, rnk, n, howmany, iblock, oblock, in, out, flags), comm,   \
        [=](unsigned own) {                                                                        \
          return HFFT_ORIGINAL(XM(plan_many_dft_##kind))(rnk, n, howmany, iblock, oblock, in, out, \
                                                         comm, own);                               \
        });                                                                                        \
  }                                                                                                \
  X(plan)                                                                                          \
  HFFT_OURS(XM(plan_dft_##kind))                                                                   \
  (int rnk, const ptrdiff_t *n, A *in, B *out, MPI_Comm comm, unsigned flags) {                    \
    const Entry entry(__builtin_return_address(0));                                                \
    return HFFT_OURS(XM(plan_many_dft_##kind))(rnk, n, 1, 0, 0, in, out, comm, flags);             \
  }                                                                                                \
  X(plan)                                                                                          \
  HFFT_OURS(XM(plan_dft_##kind##_2d))                                                              \
  (ptrdiff_t n0, ptrdiff_t n1, A * in, B * out, MPI_Comm comm, unsigned flags) {                   \
    const Entry entry(__builtin_return_address(0));                                                \
    const std::array<ptrdiff_t, 2> n{n0, n1};                                                      \
    return HFFT_OURS(XM(plan_dft_##kind))(2, n.data(), in, out, comm, flags);                      \
  }                                                                                                \
  X(plan)                                                                                          \
  HFFT_OURS(XM(plan_dft_##kind##_3d))                                                              \
  (ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, A * in, B * out, MPI_Comm comm, unsigned flags) {     \
    const Entry entry(__builtin_return_address(0));                                                \
    const std::array<ptrdiff_t, 3> n{n0, n1, n2};                                                  \
    return HFFT_OURS(XM(plan_dft_##kind))(3, n.data(), in, out, comm, flags);                      \
  }

#define HFFT_R2R(X, XM, R)                                                                         \
  HFFT_DROP_IN(XM(plan_many_r2r))                                                                  \
  HFFT_DROP_IN(XM(plan_r2r))                                                                       \
  HFFT_DROP_IN(XM(plan_r2r_2d))                                                                    \
  HFFT_DROP_IN(XM(plan_r2r_3d))                                                                    \
  X(plan)                                                                                          \
  HFFT_OURS(XM(plan_many_r2r))                                                                     \
  (int rnk, const ptrdiff_t *n, ptrdiff_t howmany, ptrdiff_t iblock, ptrdiff_t oblock, R *in,      \
   R *out, MPI_Comm comm, const X(r2r_kind) * kind, unsigned flags) {                              \
    const Entry entry(__builtin_return_address(0));                                                \
    const std::vector<int> kinds = numbers(kind, rnk);                                             \
    Arguments a =                                                                                  \
        arguments(Kind::r2r, FFTW_FORWARD, rnk, n, howmany, iblock, oblock, in, out, flags);       \
    a.kinds = kinds.data();                                                                        \
    if (rnk == 1) set_real_line_blocks(a, comm);                                                   \
    return plan_transform<R>(a, comm, [=](unsigned own) {                                          \
      return HFFT_ORIGINAL(XM(plan_many_r2r))(rnk, n, howmany, iblock, oblock, in, out, comm,      \
                                              kind, own);                                          \
    });                                                                                            \
  }                                                                                                \
  X(plan)                                                                                          \
  HFFT_OURS(XM(plan_r2r))                                                                          \
  (int rnk, const ptrdiff_t *n, R *in, R *out, MPI_Comm comm, const X(r2r_kind) * kind,            \
   unsigned flags) {                                                                               \
    const Entry entry(__builtin_return_address(0));                                                \
    return HFFT_OURS(XM(plan_many_r2r))(rnk, n, 1, 0, 0, in, out, comm, kind, flags);              \
  }                                                                                                \
  X(plan)                                                                                          \
  HFFT_OURS(XM(plan_r2r_2d))                                                                       \
  (ptrdiff_t n0, ptrdiff_t n1, R * in, R * out, MPI_Comm comm, X(r2r_kind) kind0,                  \
   X(r2r_kind) kind1, unsigned flags) {                                                            \
    const std::array<ptrdiff_t, 2> n{n0, n1};                                                      \
    const Entry entry(__builtin_return_address(0));                                                \
    const std::array<X(r2r_kind), 2> kind{kind0, kind1};                                           \
    return HFFT_OURS(XM(plan_r2r))(2, n.data(), in, out, comm, kind.data(), flags);                \
  }                                                                                                \
  X(plan)                                                                                          \
  HFFT_OURS(XM(plan_r2r_3d))                                                                       \
  (ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, R * in, R * out, MPI_Comm comm, X(r2r_kind) kind0,    \
   X(r2r_kind) kind1, X(r2r_kind) kind2, unsigned flags) {                                         \
    const std::array<ptrdiff_t, 3> n{n0, n1, n2};                                                  \
    const Entry entry(__builtin_return_address(0));                                                \
    const std::array<X(r2r_kind), 3> kind{kind0, kind1, kind2};                                    \
    return HFFT_OURS(XM(plan_r2r))(3, n.data(), in, out, comm, kind.data(), flags);                \
  }

#define HFFT_IMPLEMENT(X, XM, R, C)                                                                \
  HFFT_TRANSPOSES(X, XM, R)                                                                        \
  HFFT_COMPLEX(X, XM, R, C)                                                                        \
  HFFT_REAL(X, XM, R, r2c, FFTW_FORWARD, R, C)                                                     \
  HFFT_REAL(X, XM, R, c2r, FFTW_BACKWARD, C, R)                                                    \
  HFFT_R2R(X, XM, R)

extern "C" {
HFFT_IMPLEMENT(HFFT_DOUBLE, HFFT_MPI_DOUBLE, double, fftw_complex)
HFFT_IMPLEMENT(HFFT_FLOAT, HFFT_MPI_FLOAT, float, fftwf_complex)
#undef HFFT_IMPLEMENT
}

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
