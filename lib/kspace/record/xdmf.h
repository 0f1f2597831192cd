/// A description of an output file in XDMF, for ParaView and VisIt.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kspace/base/parameters.h"
#include "kspace/files/output_file.h"
#include "kspace/record/sensor.h"

namespace hybridfft::kspace {

/// Positions in m of the points along x, y, z; empty along an axis whose points are evenly spaced.
using GridPositions = std::array<std::vector<double>, 3>;

/// The positions of a non-uniform grid, whose first point is at 0: distances are the integral of
/// dx / dxudxn (the datasets of that name are the derivative of the uniform coordinate by the
/// non-uniform one), by Simpson's rule on dxudxn and dxudxn_sgx. Throws InputError when one of them
/// is not above 0. Collective.
template <class Real>
GridPositions grid_positions(const InputFile<Real> &file, const Parameters &parameters);

/// The fields to be described, and where they are in space and time.
struct XdmfScene {
  /// Without cuboids.
  XdmfScene(const Parameters &parameters, std::int64_t series_start, std::int64_t done,
            std::vector<OutputArray> created);

  std::array<double, 3> spacing{}; ///< in m; along z in two dimensions, as along x
  GridPositions positions;         ///< positions in a non-uniform grid
  double dt;                       ///< in s
  std::int64_t first_step;         ///< first time step of the series, from 0
  std::int64_t steps_done;         ///< time steps that the simulation has done
  std::vector<OutputArray> arrays;
  std::vector<Cuboid> cuboids; ///< cuboids of the sensor; none for a list of points
};

/// XML of version 3: the whole grid with its fields; each cuboid with its fields, and once more
/// over time with its series, up to the steps that are done. Positions are in m, the first point of
/// the grid is at 0; a non-uniform grid is rectilinear, its positions are listed along each axis;
/// times are those of the pressure. Values stay in the HDF5 file, which is named without its
/// folder: the two files can be moved together. Values at lists of points are left out.
std::string xdmf(const XdmfScene &scene, const std::string &output);

/// Writes it to its place. Throws io::IoError. On one rank.
void write_xdmf(const XdmfScene &scene, const std::string &output);

} // namespace hybridfft::kspace
