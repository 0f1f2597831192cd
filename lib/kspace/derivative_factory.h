/// The factory of derivatives: basis, processor or device, and decomposition of the grid.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hybridfft/grid/communicator.hpp"
#include "kspace/base/exec.h"
#include "kspace/base/local_grid.h"
#include "kspace/base/parameters.h"
#include "kspace/files/input_file.h"
#include "kspace/operators/basis_choice.h"
#include "kspace/operators/decomposition.h"
#include "kspace/operators/derivative.h"
#include "kspace/simulation.h"

namespace hybridfft::kspace {

/// The basis to use. Collective. Throws as choose_basis() and choose_basis_on_devices().
template <class Real>
BasisChoice chosen_basis(const SimulationOptions &options, const InputFile<Real> &file,
                         const Parameters &p, const grid::Communicator &comm);

/// The blocks of a local basis; nothing for the global one. \param input names the file in errors
/// \param seconds_per_point of each rank, see seconds_of_ranks()
std::optional<Decomposition> decompose(const BasisOptions &options, const Parameters &p,
                                       const std::string &input, const grid::Communicator &comm,
                                       const std::vector<double> &seconds_per_point = {});

/// Seconds of a step for each point of each rank, as measured with transforms of a small grid:
/// those of the slowest GPU, or of the slowest rank on processors. Empty unless there are both.
/// Collective.
template <class Real>
std::vector<double> seconds_of_ranks(const SimulationOptions &options, device::Runtime *device,
                                     const grid::Communicator &comm);

/// The device of the options, or nullptr for processors. Throws Unsupported for grids, InputError
/// for options that devices do not have. Collective.
std::unique_ptr<device::Runtime> open_device(const SimulationOptions &options, const Parameters &p,
                                             const std::string &input,
                                             const grid::Communicator &comm);

/// This rank's part of the grid, laid out as its derivative wants it. \param device may be nullptr
template <class Real>
LocalGrid part_of(const Parameters &p, const std::optional<Decomposition> &decomposition,
                  const device::Runtime *device, const grid::Communicator &comm);

/// Arguments of a derivative. All are borrowed as long as it lives.
struct DerivativeUse {
  const SimulationOptions &options;
  const Parameters &parameters;
  const std::optional<Decomposition> &decomposition;
  const LocalGrid &local;
  const grid::Communicator &comm;
  const Exec &exec;
  bool at_once = true; ///< see DeviceUse
};

/// Plans the derivatives. `scratch` is used while planning and is zero afterwards; a text about the
/// device and its transport is appended to `device_text`. Collective.
template <class Real>
std::unique_ptr<Derivative<Real>> make_derivative(const DerivativeUse &use, Field<Real> &scratch,
                                                  std::string &device_text);

} // namespace hybridfft::kspace
