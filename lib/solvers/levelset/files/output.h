/// Writes the datasets of a level-set output.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/checkpoint.h"
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
  std::vector<std::int8_t> signs; ///< for each tile: 0 near the front, else the sign of phi
  std::vector<Index3> active;     ///< places of the tiles near the front, in Morton order
};

/// Returns the table of the present front. Collective.
template <class Real> TileTable tile_table(const Solver<Real> &solver);

/// Writes the values of all points as a dataset of shape [Nz][Ny][Nx]. This function and the
/// following ones are collective and throw io::IoError.
template <class Real>
void write_points(io::File &file, const std::string &dataset, const Solver<Real> &solver,
                  const Array<Real> &values, io::WriteBy writer = io::WriteBy::together);
/// Writes the tiles of a table as the datasets tile/position, tile/phi and tile/sign of a group.
/// \param group prefix of the datasets' names: empty, or a name that ends with "/"
template <class Real>
void write_tiles(io::File &file, const std::string &group, const Solver<Real> &solver,
                 const Array<Real> &phi, const TileTable &table,
                 io::WriteBy writer = io::WriteBy::together);
/// Writes sound_speed and density of the media on both sides of the front.
template <class Real>
void write_medium(io::File &file, const Media &media, const Solver<Real> &solver,
                  const Array<Real> &phi);
void write_series(io::File &file, const FrontSeries &series);

// Checkpoints of level-set runs: the state between two steps in an HDF5 file. A later run on any
// number of ranks continues from it with the same bits.

/// Checkpoint file with phi at all points, the time, the series over steps and a checksum. All
/// members are collective. They throw io::IoError or Error(HFFT_ERROR_ARGUMENT) on all ranks.
/// Messages name the file, the dataset, the value found and the value expected.
class LevelSetCheckpoint {
public:
  /// Opens the checkpoint, or returns nothing if the file does not exist. Throws if the grid, the
  /// settings or the precision differ.
  template <class Real>
  static std::optional<LevelSetCheckpoint>
  find(const std::string &path, const FrontSettings &settings, const grid::Communicator &comm);
  /// Throws unless the output was marked by mark() in the same run.
  void require_own(const io::File &output, const FrontSettings &settings) const;
  /// Restores the solver and the series. Throws if values are damaged or the input has changed.
  /// \param fingerprint checksum of the input and the options
  template <class Real>
  void restore(std::int64_t fingerprint, Solver<Real> &solver, FrontSeries &series) const;

  /// Stores a digest of the run in an attribute of the output, for require_own() after a restart.
  static void mark(io::File &output, const FrontSettings &settings, std::int64_t fingerprint);
  template <class Real>
  static void write(io::File &file, std::int64_t fingerprint, const FrontSettings &settings,
                    const Solver<Real> &solver, const FrontSeries &series);

private:
  LevelSetCheckpoint(io::CheckpointFile file, const grid::Communicator &comm)
      : file_(std::move(file)), comm_(comm) {}

  io::CheckpointFile file_;
  grid::Communicator comm_;
};

} // namespace hybridfft::levelset
