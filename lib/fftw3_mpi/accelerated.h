/// A plan of ours, as the program's fftw_plan leads to it, and how it is made.
#pragma once

#include <functional>
#include <memory>

#include "plan/create.h"
#include "plan/slab_problem.h"

namespace hybridfft::fftw3_mpi {

struct Accelerated {
  explicit Accelerated(std::unique_ptr<plan::Plan> made);

  std::unique_ptr<plan::Plan> plan;
  double flops = 0;           ///< flops of one execution on this rank,
  double bytes = 0;           ///< and the bytes that it reads and writes
  void *planned_in = nullptr; ///< the arrays that fftw_execute() means
  void *planned_out = nullptr;
  double seconds = 0; ///< time of one execution, as measured while planning; 0: not measured
};

/// A transform. Collective; `arguments` may throw, on any rank. Throws Failure on all ranks alike.
std::unique_ptr<Accelerated> make_transform(MPI_Comm comm,
                                            const std::function<plan::Arguments()> &arguments);

/// The matrix n0 x n1 of tuples of `howmany` real numbers, cut along n0 in blocks of block0, which
/// becomes n1 x n0, cut along n1 in blocks of block1; 0 is the default block. Each rank's part of
/// the input or of the output may be stored in the order of the other one.
struct TranspositionArguments {
  std::ptrdiff_t n0 = 0, n1 = 0;
  std::ptrdiff_t howmany = 1;
  std::ptrdiff_t block0 = 0, block1 = 0;
  std::size_t real_bytes = 8;
  void *in = nullptr;
  void *out = nullptr;
  bool transposed_in = false, transposed_out = false; ///< the local parts
};

/// The same of a transposition (fftw_mpi_plan_many_transpose): `prepare` is called where ranks
/// agree on failures, with the problem, whose flags, threads and time limit it sets.
std::unique_ptr<Accelerated>
make_transposition(MPI_Comm comm, const TranspositionArguments &a,
                   const std::function<void(plan::Problem &)> &prepare);

} // namespace hybridfft::fftw3_mpi
