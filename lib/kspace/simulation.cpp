#include "kspace/simulation.h"

#include "kspace/solver.h"

namespace hybridfft::kspace {

std::unique_ptr<Simulation> Simulation::open(const std::string &input, const std::string &output,
                                             const SimulationOptions &options, MPI_Comm comm) {
  return options.precision == Precision::single ? make_solver<float>(input, output, options, comm)
                                                : make_solver<double>(input, output, options, comm);
}

} // namespace hybridfft::kspace
