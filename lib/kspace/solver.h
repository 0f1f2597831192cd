/// Simulations by precision.
#pragma once

#include "kspace/simulation.h"

namespace hybridfft::kspace {

/// Reads and checks the scalars of the input, and creates the output. \tparam Real float or double.
/// Throws as Simulation does. Collective.
template <class Real>
std::unique_ptr<Simulation> make_solver(const std::string &input, const std::string &output,
                                        const SimulationOptions &options, MPI_Comm comm);
template <>
std::unique_ptr<Simulation> make_solver<float>(const std::string &input, const std::string &output,
                                               const SimulationOptions &options, MPI_Comm comm);
template <>
std::unique_ptr<Simulation> make_solver<double>(const std::string &input, const std::string &output,
                                                const SimulationOptions &options, MPI_Comm comm);

} // namespace hybridfft::kspace
