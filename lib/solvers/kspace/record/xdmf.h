/// Writes an XDMF description of an output file. ParaView and VisIt open it to show the fields.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "solvers/kspace/base/parameters.h"
#include "solvers/kspace/files/output_file.h"
#include "solvers/kspace/record/sensor.h"

namespace hybridfft::kspace {

/// Positions in m of the grid points along x, y, z; empty for a uniform axis.
using GridPositions = std::array<std::vector<double>, 3>;

/// Computes the positions of a non-uniform grid, whose first point is at 0. The distance of two
/// points is the integral of dx / dxudxn, by Simpson's rule on the datasets dxudxn and dxudxn_sgx.
/// These are derivatives of the uniform coordinate with respect to the non-uniform one. Collective.
/// Throws InputError for values that are not positive.
GridPositions grid_positions(const InputFile &file, const Parameters &parameters);

/// Data of an XDMF description: the datasets and their positions in space and time.
struct XdmfScene {
  /// Sets all members but the cuboids.
  XdmfScene(const Parameters &parameters, std::int64_t series_start, std::int64_t done,
            std::vector<OutputArray> created);

  std::array<double, 3> spacing{}; ///< in m; in two dimensions, the spacing along z is that along x
  GridPositions positions;         ///< positions of a non-uniform grid
  double dt;                       ///< in s
  std::int64_t first_step;         ///< first time step of the series, from 0
  std::int64_t steps_done;         ///< number of completed time steps
  std::vector<OutputArray> arrays;
  std::vector<Cuboid> cuboids; ///< cuboids of the sensor; empty for a list of points
};

/// Returns XDMF of version 3. It describes a grid with the fields of all points, and a grid with
/// the fields of each cuboid. A cuboid with time series has another grid for each completed step.
/// Positions are in m with the first point at 0; a non-uniform grid is rectilinear. Times are those
/// of the pressure. Values stay in the HDF5 file, which is named without its folder, so both files
/// can be moved together. Values at lists of points are omitted.
std::string xdmf(const XdmfScene &scene, const std::string &output);

/// Writes the description beside the output. Call it on one rank. Throws io::IoError.
void write_xdmf(const XdmfScene &scene, const std::string &output);

} // namespace hybridfft::kspace
