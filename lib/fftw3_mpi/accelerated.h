/// Makes plans of HybridFFT with the data needed by FFTW's interface.
#pragma once

#include <functional>
#include <memory>

#include "plan/arguments.h"
#include "plan/create.h"

namespace hybridfft::fftw3_mpi {

/// Plan of HybridFFT behind an fftw_plan of the program.
struct Accelerated {
  explicit Accelerated(std::unique_ptr<plan::Plan> made);

  std::unique_ptr<plan::Plan> plan;
  double flops = 0;           ///< flops of one execution on this rank
  double bytes = 0;           ///< bytes read and written by one execution on this rank
  void *planned_in = nullptr; ///< arrays passed to the planner, used by fftw_execute()
  void *planned_out = nullptr;
  double seconds = 0; ///< seconds of one execution, measured during planning; 0: not measured
};

/// Makes the plan of a transform. Collective.
/// \param arguments returns the arguments; if it throws on any rank, all ranks throw Failure
std::unique_ptr<Accelerated> make_transform(MPI_Comm comm,
                                            const std::function<plan::Arguments()> &arguments);

/// Makes the plan of a transposition (fftw_mpi_plan_many_transpose). Collective.
/// \param arguments as for make_transform()
std::unique_ptr<Accelerated>
make_transposition(MPI_Comm comm, const std::function<plan::TranspositionArguments()> &arguments);

} // namespace hybridfft::fftw3_mpi
