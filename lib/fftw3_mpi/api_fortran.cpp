// FFTW's Fortran 2003 interface: the functions of FFTW-MPI with a Fortran communicator (suffix
// _f03).
#include <mpi.h>

#include <type_traits>

#include "fftw3_mpi/callers.h"
#include "fftw3_mpi/names.h"

namespace {

using hybridfft::fftw3_mpi::Entry;

/// Type of a C function with each MPI_Comm replaced by MPI_Fint.
template <class Function> struct WithFint;
template <class Result, class... A> struct WithFint<Result(A...)> {
  using type = Result(std::conditional_t<std::is_same_v<A, MPI_Comm>, MPI_Fint, A>...);
};

} // namespace

// Declares a Fortran function, since FFTW's header does not, and exports it under FFTW's name.
#define HFFT_DROP_IN_F03(c_name, f_name)                                                           \
  extern "C" HFFT_EXPORT WithFint<decltype(c_name)>::type HFFT_OURS(f_name);                       \
  extern "C" HFFT_EXPORT WithFint<decltype(c_name)>::type f_name                                   \
      __attribute__((alias(HFFT_TEXT(HFFT_OURS(f_name)))));

#define HFFT_SIZES(X, XM, R, C)                                                                    \
  HFFT_DROP_IN_F03(XM(local_size_many_transposed), XM(local_size_many_transposed_f03))             \
  ptrdiff_t HFFT_OURS(XM(local_size_many_transposed_f03))(                                         \
      int rnk, const ptrdiff_t *n, ptrdiff_t howmany, ptrdiff_t block0, ptrdiff_t block1,          \
      MPI_Fint comm, ptrdiff_t *local_n0, ptrdiff_t *local_0_start, ptrdiff_t *local_n1,           \
      ptrdiff_t *local_1_start) {                                                                  \
    return HFFT_OURS(XM(local_size_many_transposed))(rnk, n, howmany, block0, block1,              \
                                                     MPI_Comm_f2c(comm), local_n0, local_0_start,  \
                                                     local_n1, local_1_start);                     \
  }                                                                                                \
  HFFT_DROP_IN_F03(XM(local_size_many), XM(local_size_many_f03))                                   \
  ptrdiff_t HFFT_OURS(XM(local_size_many_f03))(int rnk, const ptrdiff_t *n, ptrdiff_t howmany,     \
                                               ptrdiff_t block0, MPI_Fint comm,                    \
                                               ptrdiff_t *local_n0, ptrdiff_t *local_0_start) {    \
    return HFFT_OURS(XM(local_size_many))(rnk, n, howmany, block0, MPI_Comm_f2c(comm), local_n0,   \
                                          local_0_start);                                          \
  }                                                                                                \
  HFFT_DROP_IN_F03(XM(local_size_transposed), XM(local_size_transposed_f03))                       \
  ptrdiff_t HFFT_OURS(XM(local_size_transposed_f03))(                                              \
      int rnk, const ptrdiff_t *n, MPI_Fint comm, ptrdiff_t *local_n0, ptrdiff_t *local_0_start,   \
      ptrdiff_t *local_n1, ptrdiff_t *local_1_start) {                                             \
    return HFFT_OURS(XM(local_size_transposed))(rnk, n, MPI_Comm_f2c(comm), local_n0,              \
                                                local_0_start, local_n1, local_1_start);           \
  }                                                                                                \
  HFFT_DROP_IN_F03(XM(local_size), XM(local_size_f03))                                             \
  ptrdiff_t HFFT_OURS(XM(local_size_f03))(int rnk, const ptrdiff_t *n, MPI_Fint comm,              \
                                          ptrdiff_t *local_n0, ptrdiff_t *local_0_start) {         \
    return HFFT_OURS(XM(local_size))(rnk, n, MPI_Comm_f2c(comm), local_n0, local_0_start);         \
  }                                                                                                \
  HFFT_DROP_IN_F03(XM(local_size_many_1d), XM(local_size_many_1d_f03))                             \
  ptrdiff_t HFFT_OURS(XM(local_size_many_1d_f03))(ptrdiff_t n0, ptrdiff_t howmany, MPI_Fint comm,  \
                                                  int sign, unsigned flags, ptrdiff_t *local_ni,   \
                                                  ptrdiff_t *local_i_start, ptrdiff_t *local_no,   \
                                                  ptrdiff_t *local_o_start) {                      \
    return HFFT_OURS(XM(local_size_many_1d))(n0, howmany, MPI_Comm_f2c(comm), sign, flags,         \
                                             local_ni, local_i_start, local_no, local_o_start);    \
  }                                                                                                \
  HFFT_DROP_IN_F03(XM(local_size_1d), XM(local_size_1d_f03))                                       \
  ptrdiff_t HFFT_OURS(XM(local_size_1d_f03))(                                                      \
      ptrdiff_t n0, MPI_Fint comm, int sign, unsigned flags, ptrdiff_t *local_ni,                  \
      ptrdiff_t *local_i_start, ptrdiff_t *local_no, ptrdiff_t *local_o_start) {                   \
    return HFFT_OURS(XM(local_size_1d))(n0, MPI_Comm_f2c(comm), sign, flags, local_ni,             \
                                        local_i_start, local_no, local_o_start);                   \
  }                                                                                                \
  HFFT_DROP_IN_F03(XM(local_size_2d), XM(local_size_2d_f03))                                       \
  ptrdiff_t HFFT_OURS(XM(local_size_2d_f03))(ptrdiff_t n0, ptrdiff_t n1, MPI_Fint comm,            \
                                             ptrdiff_t * local_n0, ptrdiff_t * local_0_start) {    \
    return HFFT_OURS(XM(local_size_2d))(n0, n1, MPI_Comm_f2c(comm), local_n0, local_0_start);      \
  }                                                                                                \
  HFFT_DROP_IN_F03(XM(local_size_2d_transposed), XM(local_size_2d_transposed_f03))                 \
  ptrdiff_t HFFT_OURS(XM(local_size_2d_transposed_f03))(                                           \
      ptrdiff_t n0, ptrdiff_t n1, MPI_Fint comm, ptrdiff_t * local_n0, ptrdiff_t * local_0_start,  \
      ptrdiff_t * local_n1, ptrdiff_t * local_1_start) {                                           \
    return HFFT_OURS(XM(local_size_2d_transposed))(n0, n1, MPI_Comm_f2c(comm), local_n0,           \
                                                   local_0_start, local_n1, local_1_start);        \
  }                                                                                                \
  HFFT_DROP_IN_F03(XM(local_size_3d), XM(local_size_3d_f03))                                       \
  ptrdiff_t HFFT_OURS(XM(local_size_3d_f03))(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2,             \
                                             MPI_Fint comm, ptrdiff_t * local_n0,                  \
                                             ptrdiff_t * local_0_start) {                          \
    return HFFT_OURS(XM(local_size_3d))(n0, n1, n2, MPI_Comm_f2c(comm), local_n0, local_0_start);  \
  }                                                                                                \
  HFFT_DROP_IN_F03(XM(local_size_3d_transposed), XM(local_size_3d_transposed_f03))                 \
  ptrdiff_t HFFT_OURS(XM(local_size_3d_transposed_f03))(                                           \
      ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, MPI_Fint comm, ptrdiff_t * local_n0,               \
      ptrdiff_t * local_0_start, ptrdiff_t * local_n1, ptrdiff_t * local_1_start) {                \
    return HFFT_OURS(XM(local_size_3d_transposed))(n0, n1, n2, MPI_Comm_f2c(comm), local_n0,       \
                                                   local_0_start, local_n1, local_1_start);        \
  }

#define HFFT_PLANS(X, XM, R, C)                                                                    \
  HFFT_DROP_IN_F03(XM(plan_many_transpose), XM(plan_many_transpose_f03))                           \
  X(plan)                                                                                          \
  HFFT_OURS(XM(plan_many_transpose_f03))                                                           \
  (ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t howmany, ptrdiff_t block0, ptrdiff_t block1, R * in,      \
   R * out, MPI_Fint comm, unsigned flags) {                                                       \
    const Entry entry(__builtin_return_address(0));                                                \
    return HFFT_OURS(XM(plan_many_transpose))(n0, n1, howmany, block0, block1, in, out,            \
                                              MPI_Comm_f2c(comm), flags);                          \
  }                                                                                                \
  HFFT_DROP_IN_F03(XM(plan_transpose), XM(plan_transpose_f03))                                     \
  X(plan)                                                                                          \
  HFFT_OURS(XM(plan_transpose_f03))                                                                \
  (ptrdiff_t n0, ptrdiff_t n1, R * in, R * out, MPI_Fint comm, unsigned flags) {                   \
    const Entry entry(__builtin_return_address(0));                                                \
    return HFFT_OURS(XM(plan_transpose))(n0, n1, in, out, MPI_Comm_f2c(comm), flags);              \
  }                                                                                                \
  HFFT_DROP_IN_F03(XM(plan_many_dft), XM(plan_many_dft_f03))                                       \
  X(plan)                                                                                          \
  HFFT_OURS(XM(plan_many_dft_f03))                                                                 \
  (int rnk, const ptrdiff_t *n, ptrdiff_t howmany, ptrdiff_t block, ptrdiff_t tblock, C *in,       \
   C *out, MPI_Fint comm, int sign, unsigned flags) {                                              \
    const Entry entry(__builtin_return_address(0));                                                \
    return HFFT_OURS(XM(plan_many_dft))(rnk, n, howmany, block, tblock, in, out,                   \
                                        MPI_Comm_f2c(comm), sign, flags);                          \
  }                                                                                                \
  HFFT_DROP_IN_F03(XM(plan_dft), XM(plan_dft_f03))                                                 \
  X(plan)                                                                                          \
  HFFT_OURS(XM(plan_dft_f03))                                                                      \
  (int rnk, const ptrdiff_t *n, C *in, C *out, MPI_Fint comm, int sign, unsigned flags) {          \
    const Entry entry(__builtin_return_address(0));                                                \
    return HFFT_OURS(XM(plan_dft))(rnk, n, in, out, MPI_Comm_f2c(comm), sign, flags);              \
  }                                                                                                \
  HFFT_DROP_IN_F03(XM(plan_dft_1d), XM(plan_dft_1d_f03))                                           \
  X(plan)                                                                                          \
  HFFT_OURS(XM(plan_dft_1d_f03))                                                                   \
  (ptrdiff_t n0, C * in, C * out, MPI_Fint comm, int sign, unsigned flags) {                       \
    const Entry entry(__builtin_return_address(0));                                                \
    return HFFT_OURS(XM(plan_dft_1d))(n0, in, out, MPI_Comm_f2c(comm), sign, flags);               \
  }                                                                                                \
  HFFT_DROP_IN_F03(XM(plan_dft_2d), XM(plan_dft_2d_f03))                                           \
  X(plan)                                                                                          \
  HFFT_OURS(XM(plan_dft_2d_f03))                                                                   \
  (ptrdiff_t n0, ptrdiff_t n1, C * in, C * out, MPI_Fint comm, int sign, unsigned flags) {         \
    const Entry entry(__builtin_return_address(0));                                                \
    return HFFT_OURS(XM(plan_dft_2d))(n0, n1, in, out, MPI_Comm_f2c(comm), sign, flags);           \
  }                                                                                                \
  HFFT_DROP_IN_F03(XM(plan_dft_3d), XM(plan_dft_3d_f03))                                           \
  X(plan)                                                                                          \
  HFFT_OURS(XM(plan_dft_3d_f03))                                                                   \
  (ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, C * in, C * out, MPI_Fint comm, int sign,             \
   unsigned flags) {                                                                               \
    const Entry entry(__builtin_return_address(0));                                                \
    return HFFT_OURS(XM(plan_dft_3d))(n0, n1, n2, in, out, MPI_Comm_f2c(comm), sign, flags);       \
  }                                                                                                \
  HFFT_DROP_IN_F03(XM(plan_many_dft_r2c), XM(plan_many_dft_r2c_f03))                               \
  X(plan)                                                                                          \
  HFFT_OURS(XM(plan_many_dft_r2c_f03))                                                             \
  (int rnk, const ptrdiff_t *n, ptrdiff_t howmany, ptrdiff_t iblock, ptrdiff_t oblock, R *in,      \
   C *out, MPI_Fint comm, unsigned flags) {                                                        \
    const Entry entry(__builtin_return_address(0));                                                \
    return HFFT_OURS(XM(plan_many_dft_r2c))(rnk, n, howmany, iblock, oblock, in, out,              \
                                            MPI_Comm_f2c(comm), flags);                            \
  }                                                                                                \
  HFFT_DROP_IN_F03(XM(plan_dft_r2c), XM(plan_dft_r2c_f03))                                         \
  X(plan)                                                                                          \
  HFFT_OURS(XM(plan_dft_r2c_f03))                                                                  \
  (int rnk, const ptrdiff_t *n, R *in, C *out, MPI_Fint comm, unsigned flags) {                    \
    const Entry entry(__builtin_return_address(0));                                                \
    return HFFT_OURS(XM(plan_dft_r2c))(rnk, n, in, out, MPI_Comm_f2c(comm), flags);                \
  }                                                                                                \
  HFFT_DROP_IN_F03(XM(plan_dft_r2c_2d), XM(plan_dft_r2c_2d_f03))                                   \
  X(plan)                                                                                          \
  HFFT_OURS(XM(plan_dft_r2c_2d_f03))                                                               \
  (ptrdiff_t n0, ptrdiff_t n1, R * in, C * out, MPI_Fint comm, unsigned flags) {                   \
    const Entry entry(__builtin_return_address(0));                                                \
    return HFFT_OURS(XM(plan_dft_r2c_2d))(n0, n1, in, out, MPI_Comm_f2c(comm), flags);             \
  }                                                                                                \
  HFFT_DROP_IN_F03(XM(plan_dft_r2c_3d), XM(plan_dft_r2c_3d_f03))                                   \
  X(plan)                                                                                          \
  HFFT_OURS(XM(plan_dft_r2c_3d_f03))                                                               \
  (ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, R * in, C * out, MPI_Fint comm, unsigned flags) {     \
    const Entry entry(__builtin_return_address(0));                                                \
    return HFFT_OURS(XM(plan_dft_r2c_3d))(n0, n1, n2, in, out, MPI_Comm_f2c(comm), flags);         \
  }                                                                                                \
  HFFT_DROP_IN_F03(XM(plan_many_dft_c2r), XM(plan_many_dft_c2r_f03))                               \
  X(plan)                                                                                          \
  HFFT_OURS(XM(plan_many_dft_c2r_f03))                                                             \
  (int rnk, const ptrdiff_t *n, ptrdiff_t howmany, ptrdiff_t iblock, ptrdiff_t oblock, C *in,      \
   R *out, MPI_Fint comm, unsigned flags) {                                                        \
    const Entry entry(__builtin_return_address(0));                                                \
    return HFFT_OURS(XM(plan_many_dft_c2r))(rnk, n, howmany, iblock, oblock, in, out,              \
                                            MPI_Comm_f2c(comm), flags);                            \
  }                                                                                                \
  HFFT_DROP_IN_F03(XM(plan_dft_c2r), XM(plan_dft_c2r_f03))                                         \
  X(plan)                                                                                          \
  HFFT_OURS(XM(plan_dft_c2r_f03))                                                                  \
  (int rnk, const ptrdiff_t *n, C *in, R *out, MPI_Fint comm, unsigned flags) {                    \
    const Entry entry(__builtin_return_address(0));                                                \
    return HFFT_OURS(XM(plan_dft_c2r))(rnk, n, in, out, MPI_Comm_f2c(comm), flags);                \
  }                                                                                                \
  HFFT_DROP_IN_F03(XM(plan_dft_c2r_2d), XM(plan_dft_c2r_2d_f03))                                   \
  X(plan)                                                                                          \
  HFFT_OURS(XM(plan_dft_c2r_2d_f03))                                                               \
  (ptrdiff_t n0, ptrdiff_t n1, C * in, R * out, MPI_Fint comm, unsigned flags) {                   \
    const Entry entry(__builtin_return_address(0));                                                \
    return HFFT_OURS(XM(plan_dft_c2r_2d))(n0, n1, in, out, MPI_Comm_f2c(comm), flags);             \
  }                                                                                                \
  HFFT_DROP_IN_F03(XM(plan_dft_c2r_3d), XM(plan_dft_c2r_3d_f03))                                   \
  X(plan)                                                                                          \
  HFFT_OURS(XM(plan_dft_c2r_3d_f03))                                                               \
  (ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, C * in, R * out, MPI_Fint comm, unsigned flags) {     \
    const Entry entry(__builtin_return_address(0));                                                \
    return HFFT_OURS(XM(plan_dft_c2r_3d))(n0, n1, n2, in, out, MPI_Comm_f2c(comm), flags);         \
  }

#define HFFT_R2R_AND_WISDOM(X, XM, R, C)                                                           \
  HFFT_DROP_IN_F03(XM(plan_many_r2r), XM(plan_many_r2r_f03))                                       \
  X(plan)                                                                                          \
  HFFT_OURS(XM(plan_many_r2r_f03))                                                                 \
  (int rnk, const ptrdiff_t *n, ptrdiff_t howmany, ptrdiff_t iblock, ptrdiff_t oblock, R *in,      \
   R *out, MPI_Fint comm, const X(r2r_kind) * kind, unsigned flags) {                              \
    return HFFT_OURS(XM(plan_many_r2r))(rnk, n, howmany, iblock, oblock, in, out,                  \
                                        MPI_Comm_f2c(comm), kind, flags);                          \
  }                                                                                                \
  HFFT_DROP_IN_F03(XM(plan_r2r), XM(plan_r2r_f03))                                                 \
  X(plan)                                                                                          \
  HFFT_OURS(XM(plan_r2r_f03))                                                                      \
  (int rnk, const ptrdiff_t *n, R *in, R *out, MPI_Fint comm, const X(r2r_kind) * kind,            \
   unsigned flags) {                                                                               \
    return HFFT_OURS(XM(plan_r2r))(rnk, n, in, out, MPI_Comm_f2c(comm), kind, flags);              \
  }                                                                                                \
  HFFT_DROP_IN_F03(XM(plan_r2r_2d), XM(plan_r2r_2d_f03))                                           \
  X(plan)                                                                                          \
  HFFT_OURS(XM(plan_r2r_2d_f03))                                                                   \
  (ptrdiff_t n0, ptrdiff_t n1, R * in, R * out, MPI_Fint comm, X(r2r_kind) kind0,                  \
   X(r2r_kind) kind1, unsigned flags) {                                                            \
    return HFFT_OURS(XM(plan_r2r_2d))(n0, n1, in, out, MPI_Comm_f2c(comm), kind0, kind1, flags);   \
  }                                                                                                \
  HFFT_DROP_IN_F03(XM(plan_r2r_3d), XM(plan_r2r_3d_f03))                                           \
  X(plan)                                                                                          \
  HFFT_OURS(XM(plan_r2r_3d_f03))                                                                   \
  (ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, R * in, R * out, MPI_Fint comm, X(r2r_kind) kind0,    \
   X(r2r_kind) kind1, X(r2r_kind) kind2, unsigned flags) {                                         \
    return HFFT_OURS(XM(plan_r2r_3d))(n0, n1, n2, in, out, MPI_Comm_f2c(comm), kind0, kind1,       \
                                      kind2, flags);                                               \
  }                                                                                                \
  HFFT_DROP_IN_F03(XM(gather_wisdom), XM(gather_wisdom_f03))                                       \
  void HFFT_OURS(XM(gather_wisdom_f03))(MPI_Fint comm_) {                                          \
    HFFT_OURS(XM(gather_wisdom))(MPI_Comm_f2c(comm_));                                             \
  }                                                                                                \
  HFFT_DROP_IN_F03(XM(broadcast_wisdom), XM(broadcast_wisdom_f03))                                 \
  void HFFT_OURS(XM(broadcast_wisdom_f03))(MPI_Fint comm_) {                                       \
    HFFT_OURS(XM(broadcast_wisdom))(MPI_Comm_f2c(comm_));                                          \
  }

extern "C" {
HFFT_SIZES(HFFT_DOUBLE, HFFT_MPI_DOUBLE, double, fftw_complex)
HFFT_SIZES(HFFT_FLOAT, HFFT_MPI_FLOAT, float, fftwf_complex)
HFFT_PLANS(HFFT_DOUBLE, HFFT_MPI_DOUBLE, double, fftw_complex)
HFFT_PLANS(HFFT_FLOAT, HFFT_MPI_FLOAT, float, fftwf_complex)
HFFT_R2R_AND_WISDOM(HFFT_DOUBLE, HFFT_MPI_DOUBLE, double, fftw_complex)
HFFT_R2R_AND_WISDOM(HFFT_FLOAT, HFFT_MPI_FLOAT, float, fftwf_complex)
}
