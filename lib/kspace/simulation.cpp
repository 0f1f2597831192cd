#include "kspace/simulation.h"

#include "base/error.h"
#include "kspace/solver.h"

namespace hybridfft::kspace {

std::unique_ptr<Simulation> Simulation::open(const std::string &input, const std::string &output,
                                             const SimulationOptions &options, MPI_Comm comm) {
  if (options.precision == Precision::single)
    return make_solver<float>(input, output, options, comm);
#ifdef HFFT_SOLVER_DOUBLE
  return make_solver<double>(input, output, options, comm);
#else
  throw Error(HFFT_ERROR_UNSUPPORTED, "--precision is double, but this program was built with "
                                      "-DHFFT_SOLVER_DOUBLE=OFF, for single precision alone");
#endif
}

} // namespace hybridfft::kspace
