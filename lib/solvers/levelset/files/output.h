/// Writes the datasets of a level-set output.
#pragma once

#include <string>
#include <vector>

#include "io/hdf5.h"
#include "solvers/levelset/files/input_file.h"

namespace hybridfft::levelset {

/// Records of a run: one value for each step.
struct FrontSeries {
  std::vector<double> time, dt, volume, area;
  std::vector<std::int64_t> points;
};

/// The tiles of the whole grid, the same on all ranks.
struct TileTable {
  Index3 extent;                  ///< number of tiles along z, y, x
  std::vector<std::int8_t> signs; ///< for each tile: 0 in the band, else the sign of phi
  std::vector<Index3> active;     ///< places of the tiles in the band, in Morton order
};

/// Returns the table of the present front. Collective.
template <class Real> TileTable tile_table(const Solver<Real> &solver);

/// Writes the values of all points as a dataset of shape [Nz][Ny][Nx]. This function and the
/// following ones are collective and throw io::IoError.
template <class Real>
void write_points(io::File &file, const std::string &dataset, const Solver<Real> &solver,
                  const Array<Real> &values, io::WriteBy writer = io::WriteBy::together);
/// Writes the tiles of a table as the datasets GROUPtile/position, GROUPtile/phi and
/// GROUPtile/sign. \param group empty, or a name that ends with "/"
template <class Real>
void write_tiles(io::File &file, const std::string &group, const Solver<Real> &solver,
                 const Array<Real> &phi, const TileTable &table,
                 io::WriteBy writer = io::WriteBy::together);
/// Writes sound_speed and density of the media on both sides of the front.
template <class Real>
void write_medium(io::File &file, const Media &media, const Solver<Real> &solver,
                  const Array<Real> &phi);
void write_series(io::File &file, const FrontSeries &series);

} // namespace hybridfft::levelset
