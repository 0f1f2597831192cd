/// FFTW's functions for a random case, in single or double precision. Only FFTW's headers are
/// included, since these programs must not know which library computes.
#pragma once

#include <fftw3-mpi.h>

#include "random_case.h"

// FFTW's entry points for Fortran, which no header declares.
extern "C" {
#define CALLS_F03(XM, X, R, C)                                                                     \
  X(plan)                                                                                          \
  XM(plan_many_dft_f03)                                                                            \
  (int, const ptrdiff_t *, ptrdiff_t, ptrdiff_t, ptrdiff_t, C *, C *, MPI_Fint, int, unsigned);    \
  X(plan)                                                                                          \
  XM(plan_many_dft_r2c_f03)                                                                        \
  (int, const ptrdiff_t *, ptrdiff_t, ptrdiff_t, ptrdiff_t, R *, C *, MPI_Fint, unsigned);         \
  X(plan)                                                                                          \
  XM(plan_many_dft_c2r_f03)                                                                        \
  (int, const ptrdiff_t *, ptrdiff_t, ptrdiff_t, ptrdiff_t, C *, R *, MPI_Fint, unsigned);         \
  X(plan)                                                                                          \
  XM(plan_many_transpose_f03)                                                                      \
  (ptrdiff_t, ptrdiff_t, ptrdiff_t, ptrdiff_t, ptrdiff_t, R *, R *, MPI_Fint, unsigned);
#define CALLS_DOUBLE(name) fftw_##name
#define CALLS_FLOAT(name) fftwf_##name
#define CALLS_MPI_DOUBLE(name) fftw_mpi_##name
#define CALLS_MPI_FLOAT(name) fftwf_mpi_##name
CALLS_F03(CALLS_MPI_DOUBLE, CALLS_DOUBLE, double, fftw_complex)
CALLS_F03(CALLS_MPI_FLOAT, CALLS_FLOAT, float, fftwf_complex)
}

namespace conformance {

template <class Real> struct Calls;

#define CALLS_OF(R, X, XM)                                                                         \
  template <> struct Calls<R> {                                                                    \
    using Plan = X(plan);                                                                          \
    using Complex = X(complex);                                                                    \
    static constexpr auto local_size_1d = XM(local_size_many_1d);                                  \
    static constexpr auto local_size = XM(local_size_many_transposed);                             \
    static constexpr auto destroy = X(destroy_plan);                                               \
    static constexpr auto execute = X(execute);                                                    \
    static constexpr auto execute_c2c = XM(execute_dft);                                           \
    static constexpr auto execute_r2c = XM(execute_dft_r2c);                                       \
    static constexpr auto execute_c2r = XM(execute_dft_c2r);                                       \
    static constexpr auto execute_r2r = XM(execute_r2r);                                           \
    static constexpr auto sprint = X(sprint_plan);                                                 \
    static constexpr auto serial_c2c = X(plan_many_dft);                                           \
    static constexpr auto serial_r2c = X(plan_many_dft_r2c);                                       \
    static constexpr auto serial_c2r = X(plan_many_dft_c2r);                                       \
                                                                                                   \
    static Plan plan(const Case &c, R *in, R *out, MPI_Comm comm) {                                \
      auto *cin = reinterpret_cast<Complex *>(in);                                                 \
      auto *cout = reinterpret_cast<Complex *>(out);                                               \
      const int d = static_cast<int>(c.n.size());                                                  \
      const MPI_Fint f = MPI_Comm_c2f(comm);                                                       \
      const ptrdiff_t *n = c.n.data();                                                             \
      switch (c.kind) {                                                                            \
      case Kind::c2c:                                                                              \
        return c.fortran ? XM(plan_many_dft_f03)(d, n, c.howmany, c.iblock, c.oblock, cin, cout,   \
                                                 f, c.sign, c.flags)                               \
                         : XM(plan_many_dft)(d, n, c.howmany, c.iblock, c.oblock, cin, cout, comm, \
                                             c.sign, c.flags);                                     \
      case Kind::r2c:                                                                              \
        return c.fortran ? XM(plan_many_dft_r2c_f03)(d, n, c.howmany, c.iblock, c.oblock, in,      \
                                                     cout, f, c.flags)                             \
                         : XM(plan_many_dft_r2c)(d, n, c.howmany, c.iblock, c.oblock, in, cout,    \
                                                 comm, c.flags);                                   \
      case Kind::c2r:                                                                              \
        return c.fortran ? XM(plan_many_dft_c2r_f03)(d, n, c.howmany, c.iblock, c.oblock, cin,     \
                                                     out, f, c.flags)                              \
                         : XM(plan_many_dft_c2r)(d, n, c.howmany, c.iblock, c.oblock, cin, out,    \
                                                 comm, c.flags);                                   \
      case Kind::transpose:                                                                        \
        return c.fortran ? XM(plan_many_transpose_f03)(n[0], n[1], c.howmany, c.iblock, c.oblock,  \
                                                       in, out, f, c.flags)                        \
                         : XM(plan_many_transpose)(n[0], n[1], c.howmany, c.iblock, c.oblock, in,  \
                                                   out, comm, c.flags);                            \
      case Kind::r2r:                                                                              \
        break;                                                                                     \
      }                                                                                            \
      std::vector<fftw_r2r_kind> kinds;                                                            \
      for (const int kind : c.kinds)                                                               \
        kinds.push_back(static_cast<fftw_r2r_kind>(kind));                                         \
      return XM(plan_many_r2r)(d, n, c.howmany, c.iblock, c.oblock, in, out, comm, kinds.data(),   \
                               c.flags);                                                           \
    }                                                                                              \
  };
CALLS_OF(double, CALLS_DOUBLE, CALLS_MPI_DOUBLE)
CALLS_OF(float, CALLS_FLOAT, CALLS_MPI_FLOAT)

} // namespace conformance
