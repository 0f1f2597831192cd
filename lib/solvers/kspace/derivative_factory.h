/// Creates the spectral derivatives of a simulation. The simulation's options select the basis,
/// processors or device, and the decomposition of the grid.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hybridfft/grid/communicator.hpp"
#include "solvers/kspace/base/exec.h"
#include "solvers/kspace/base/local_grid.h"
#include "solvers/kspace/base/parameters.h"
#include "solvers/kspace/files/input_file.h"
#include "solvers/kspace/operators/basis_choice.h"
#include "solvers/kspace/operators/decomposition.h"
#include "solvers/kspace/operators/derivative.h"
#include "solvers/kspace/simulation.h"

namespace hybridfft::kspace {

/// Returns the basis that the options set or, with automatic selection, the fastest one.
/// Collective. Throws as choose_basis() and choose_basis_on_devices().
BasisChoice chosen_basis(const SimulationOptions &options, const InputFile &file,
                         const Parameters &p, const grid::Communicator &comm);

/// Decomposes the grid into blocks for a local basis; returns nothing for the global basis.
/// \param input file name for error messages
/// \param seconds_per_point for each rank, from seconds_of_ranks(); determines the sizes of blocks
std::optional<Decomposition> decompose(const BasisOptions &options, const Parameters &p,
                                       const std::string &input, const grid::Communicator &comm,
                                       const std::vector<double> &seconds_per_point = {});

/// Measures the seconds of a time step per grid point on each rank by transforms of a small grid.
/// All GPUs are assigned the slowest GPU's time, and all other ranks the slowest of their times.
/// Returns an empty vector unless the simulation uses both GPUs and processors. Collective.
template <class Real>
std::vector<double> seconds_of_ranks(const SimulationOptions &options, device::Runtime *device,
                                     const grid::Communicator &comm);

/// Opens the device of the options; returns nullptr for processors. Collective. Throws Unsupported
/// for grids and InputError for options that devices do not support.
std::unique_ptr<device::Runtime> open_device(const SimulationOptions &options, const Parameters &p,
                                             const std::string &input,
                                             const grid::Communicator &comm);

/// Returns this rank's part of the grid in the layout of its derivative.
/// \param device may be nullptr
template <class Real>
LocalGrid part_of(const Parameters &p, const std::optional<Decomposition> &decomposition,
                  const device::Runtime *device, const grid::Communicator &comm);

/// Arguments of a derivative. It borrows all of them for its lifetime.
struct DerivativeUse {
  const SimulationOptions &options;
  const Parameters &parameters;
  const std::optional<Decomposition> &decomposition;
  const LocalGrid &local;
  const grid::Communicator &comm;
  const Exec &exec;
  bool at_once = true; ///< see DeviceUse
};

/// Plans a derivative. Collective.
/// \param scratch overwritten by planning, zero on return
/// \param device_text the report's text on the device; receives, at its end, the number of ranks
/// that share the device, and the transport
template <class Real>
std::unique_ptr<Derivative<Real>> make_derivative(const DerivativeUse &use, Field<Real> &scratch,
                                                  std::string &device_text);

} // namespace hybridfft::kspace
