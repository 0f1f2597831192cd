/// The XDMF description of an output file. ParaView and VisIt open it to show the fields.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "solvers/kspace/base/parameters.h"
#include "solvers/kspace/files/output_file.h"
#include "solvers/kspace/record/sensor.h"

namespace hybridfft::kspace {

/// Positions in m of the points along x, y, z; empty along a uniform axis.
using GridPositions = std::array<std::vector<double>, 3>;

/// Computes the positions of a non-uniform grid with the first point at 0. A distance is the
/// integral of dx / dxudxn by Simpson's rule on dxudxn and dxudxn_sgx. These datasets are the
/// derivative of the uniform coordinate by the non-uniform coordinate. Collective. Throws
/// InputError if one of the values is not positive.
template <class Real>
GridPositions grid_positions(const InputFile<Real> &file, const Parameters &parameters);

/// The described fields and their positions in space and time.
struct XdmfScene {
  /// Leaves the cuboids empty.
  XdmfScene(const Parameters &parameters, std::int64_t series_start, std::int64_t done,
            std::vector<OutputArray> created);

  std::array<double, 3> spacing{}; ///< in m; along z of a plane as along x
  GridPositions positions;         ///< positions of a non-uniform grid
  double dt;                       ///< in s
  std::int64_t first_step;         ///< first time step of the series, from 0
  std::int64_t steps_done;         ///< number of completed time steps
  std::vector<OutputArray> arrays;
  std::vector<Cuboid> cuboids; ///< cuboids of the sensor; empty for a list of points
};

/// Returns XDMF of version 3. It contains the whole grid with its fields and each cuboid with its
/// fields. Each cuboid with series appears again over time, up to the completed steps. Positions
/// are in m with the first point at 0; a non-uniform grid is rectilinear. Times are the times of
/// the pressure. Values remain in the HDF5 file, named without its folder, so both files can move
/// together. Values at lists of points are omitted.
std::string xdmf(const XdmfScene &scene, const std::string &output);

/// Writes the description beside the output. Call it on one rank. Throws io::IoError.
void write_xdmf(const XdmfScene &scene, const std::string &output);

} // namespace hybridfft::kspace
