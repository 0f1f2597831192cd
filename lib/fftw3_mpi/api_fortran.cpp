// FFTW's Fortran 2003 interface: the functions of FFTW-MPI with a Fortran communicator (suffix
// _f03).
//
// FFTW's legacy Fortran interface: functions on a plan stored as an integer. The drop-in defines
// them because FFTW's own functions of these names would read a plan of HybridFFT as a plan of
// FFTW.
#include <mpi.h>

#include <cstdio>
#include <type_traits>

#include "fftw3_mpi/callers.h"
#include "fftw3_mpi/original.h"

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

/// Defines a second name for a function. Fortran compilers append one underscore, or two if the
/// name contains one.
#define HFFT_LEGACY(name)                                                                          \
  extern "C" HFFT_EXPORT decltype(name##_) name##__ __attribute__((alias(#name "_")));

#define HFFT_IMPLEMENT(F, X, R, C)                                                                 \
  HFFT_EXPORT void F(execute_)(const X(plan) * plan) { HFFT_OURS(X(execute))(*plan); }             \
  HFFT_EXPORT void F(execute_dft_)(const X(plan) * plan, C * in, C * out) {                        \
    HFFT_OURS(X(execute_dft))(*plan, in, out);                                                     \
  }                                                                                                \
  HFFT_EXPORT void F(execute_dft_r2c_)(const X(plan) * plan, R * in, C * out) {                    \
    HFFT_OURS(X(execute_dft_r2c))(*plan, in, out);                                                 \
  }                                                                                                \
  HFFT_EXPORT void F(execute_dft_c2r_)(const X(plan) * plan, C * in, R * out) {                    \
    HFFT_OURS(X(execute_dft_c2r))(*plan, in, out);                                                 \
  }                                                                                                \
  HFFT_EXPORT void F(execute_r2r_)(const X(plan) * plan, R * in, R * out) {                        \
    HFFT_OURS(X(execute_r2r))(*plan, in, out);                                                     \
  }                                                                                                \
  HFFT_EXPORT void F(destroy_plan_)(X(plan) * plan) { HFFT_OURS(X(destroy_plan))(*plan); }         \
  HFFT_EXPORT void F(copy_plan_)(X(plan) * copy, X(plan) * plan) {                                 \
    *copy = HFFT_OURS(X(copy_plan))(*plan);                                                        \
  }                                                                                                \
  HFFT_EXPORT void F(print_plan_)(const X(plan) * plan) {                                          \
    HFFT_OURS(X(print_plan))(*plan);                                                               \
    std::fflush(stdout);                                                                           \
  }                                                                                                \
  HFFT_EXPORT void F(flops_)(X(plan) * plan, double *add, double *mul, double *fma) {              \
    HFFT_OURS(X(flops))(*plan, add, mul, fma);                                                     \
  }                                                                                                \
  HFFT_EXPORT void F(estimate_cost_)(double *cost, const X(plan) * plan) {                         \
    *cost = HFFT_OURS(X(estimate_cost))(*plan);                                                    \
  }                                                                                                \
  HFFT_EXPORT void F(cost_)(double *cost, const X(plan) * plan) {                                  \
    *cost = HFFT_OURS(X(cost))(*plan);                                                             \
  }

#define HFFT_LEGACY_DOUBLE(name) dfftw_##name
#define HFFT_LEGACY_FLOAT(name) sfftw_##name

extern "C" {
HFFT_IMPLEMENT(HFFT_LEGACY_DOUBLE, HFFT_DOUBLE, double, fftw_complex)
HFFT_IMPLEMENT(HFFT_LEGACY_FLOAT, HFFT_FLOAT, float, fftwf_complex)
#undef HFFT_IMPLEMENT
}

HFFT_LEGACY(dfftw_execute)
HFFT_LEGACY(dfftw_execute_dft)
HFFT_LEGACY(dfftw_execute_dft_r2c)
HFFT_LEGACY(dfftw_execute_dft_c2r)
HFFT_LEGACY(dfftw_execute_r2r)
HFFT_LEGACY(dfftw_destroy_plan)
HFFT_LEGACY(dfftw_copy_plan)
HFFT_LEGACY(dfftw_print_plan)
HFFT_LEGACY(dfftw_flops)
HFFT_LEGACY(dfftw_estimate_cost)
HFFT_LEGACY(dfftw_cost)
HFFT_LEGACY(sfftw_execute)
HFFT_LEGACY(sfftw_execute_dft)
HFFT_LEGACY(sfftw_execute_dft_r2c)
HFFT_LEGACY(sfftw_execute_dft_c2r)
HFFT_LEGACY(sfftw_execute_r2r)
HFFT_LEGACY(sfftw_destroy_plan)
HFFT_LEGACY(sfftw_copy_plan)
HFFT_LEGACY(sfftw_print_plan)
HFFT_LEGACY(sfftw_flops)
HFFT_LEGACY(sfftw_estimate_cost)
HFFT_LEGACY(sfftw_cost)
