/// The C API of both precisions under common names, for templates.
#pragma once

#include <mpi.h>

#include <string>

#include "hybridfft/hybridfft.h"
#include "verifier/box.h"
#include "verifier/problem.h"

namespace hybridfft::verifier {

template <class Real> struct Library;

#define HFFT_DEFINE_VERIFIED_LIBRARY(X, R, C)                                                      \
  template <> struct Library<R> {                                                                  \
    using Handle = X(plan);                                                                        \
    static std::ptrdiff_t local_size(const Problem &p, std::ptrdiff_t block0,                      \
                                     std::ptrdiff_t block1, MPI_Comm comm, LocalRange &range0,     \
                                     LocalRange &range1) {                                         \
      const auto n = complex_extents(p);                                                           \
      return X(local_size_many_transposed)(static_cast<int>(n.size()), n.data(), p.howmany,        \
                                           block0, block1, comm, &range0.count, &range0.start,     \
                                           &range1.count, &range1.start);                          \
    }                                                                                              \
    static Handle plan(const Problem &p, R *in, R *out, MPI_Comm comm, unsigned flags) {           \
      const int d = static_cast<int>(p.extents.size());                                            \
      const std::ptrdiff_t *n = p.extents.data();                                                  \
      if (p.kind == Kind::r2c)                                                                     \
        return X(plan_many_dft_r2c)(d, n, p.howmany, p.block_in, p.block_out, in, complex(out),    \
                                    comm, flags);                                                  \
      if (p.kind == Kind::c2r)                                                                     \
        return X(plan_many_dft_c2r)(d, n, p.howmany, p.block_in, p.block_out, complex(in), out,    \
                                    comm, flags);                                                  \
      return X(plan_many_dft)(d, n, p.howmany, p.block_in, p.block_out, complex(in), complex(out), \
                              comm, static_cast<int>(p.direction), flags);                         \
    }                                                                                              \
    static int execute(Handle plan) { return X(execute)(plan); }                                   \
    static int execute(Handle plan, Kind kind, R *in, R *out) {                                    \
      if (kind == Kind::r2c) return X(execute_dft_r2c)(plan, in, complex(out));                    \
      if (kind == Kind::c2r) return X(execute_dft_c2r)(plan, complex(in), out);                    \
      return X(execute_dft)(plan, complex(in), complex(out));                                      \
    }                                                                                              \
    static void destroy(Handle plan) { X(destroy_plan)(plan); }                                    \
    static int threads() { return X(planner_nthreads)(); }                                         \
    static int set_threads(int n) { return X(plan_with_nthreads)(n); }                             \
    static std::string last_error() {                                                              \
      return "error " + std::to_string(X(last_error)()) + ", " + X(last_error_message)();          \
    }                                                                                              \
    static C *complex(R *p) { return reinterpret_cast<C *>(p); }                                   \
  };
HFFT_DEFINE_VERIFIED_LIBRARY(HFFT_MANGLE_DOUBLE, double, hfft_complex)
HFFT_DEFINE_VERIFIED_LIBRARY(HFFT_MANGLE_FLOAT, float, hfftf_complex)
#undef HFFT_DEFINE_VERIFIED_LIBRARY

} // namespace hybridfft::verifier
