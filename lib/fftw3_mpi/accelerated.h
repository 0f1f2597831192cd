/// Plans of HybridFFT behind a program's fftw_plan, and their creation.
#pragma once

#include <functional>
#include <memory>

#include "plan/create.h"
#include "plan/slab_problem.h"

namespace hybridfft::fftw3_mpi {

struct Accelerated {
  explicit Accelerated(std::unique_ptr<plan::Plan> made);

  std::unique_ptr<plan::Plan> plan;
  double flops = 0;           ///< flops of one execution on this rank
  double bytes = 0;           ///< bytes read and written by one execution on this rank
  void *planned_in = nullptr; ///< arrays of fftw_execute()
  void *planned_out = nullptr;
  double seconds = 0; ///< time of one execution measured during planning; 0: not measured
};

/// Makes the plan of a transform. Collective; `arguments` may throw, on any rank. Throws Failure on
/// all ranks alike.
std::unique_ptr<Accelerated> make_transform(MPI_Comm comm,
                                            const std::function<plan::Arguments()> &arguments);

/// Transposition of the matrix n0 x n1 of tuples of `howmany` real numbers. It is distributed along
/// n0 in blocks of block0, and becomes n1 x n0, distributed along n1 in blocks of block1; 0 is the
/// default block. Each rank's part of the input or of the output may have the memory order of the
/// other side.
struct TranspositionArguments {
  std::ptrdiff_t n0 = 0, n1 = 0;
  std::ptrdiff_t howmany = 1;
  std::ptrdiff_t block0 = 0, block1 = 0;
  std::size_t real_bytes = 8;
  void *in = nullptr;
  void *out = nullptr;
  bool transposed_in = false, transposed_out = false; ///< memory order of the local parts
};

/// Makes the plan of a transposition (fftw_mpi_plan_many_transpose). `prepare` runs inside an
/// agreement on failures, and sets flags, threads and time limit of the problem.
std::unique_ptr<Accelerated>
make_transposition(MPI_Comm comm, const TranspositionArguments &a,
                   const std::function<void(plan::Problem &)> &prepare);

} // namespace hybridfft::fftw3_mpi
