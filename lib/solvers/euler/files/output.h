/// Writes the HDF5 datasets of an Euler output: leaves, fields per leaf and series over steps. Also
/// makes their XDMF description for ParaView.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "io/hdf5.h"
#include "solvers/euler/solver.h"

namespace hybridfft::euler {

/// Writes a dataset [leaves][shape] from the values of each rank's leaves. Collective.
/// \param shape shape of the values of a leaf
/// \param fill  function that sets the values of a leaf of this rank
/// \tparam Real type of the dataset's elements
template <class Real>
void write_leaves(io::File &file, const std::string &dataset, const grid::Forest &forest,
                  const io::Shape &shape,
                  const std::function<void(Index leaf, Real *values)> &fill);

/// Writes the dataset `prefix`leaf, a row for each leaf: level, then indices along x, y[, z].
/// Collective.
void write_leaf_list(io::File &file, const std::string &prefix, const grid::Forest &forest);

/// Reads the leaves written by write_leaf_list(). Collective.
std::vector<grid::Leaf> read_leaf_list(const io::File &file, const std::string &prefix,
                                       int dimensions);

/// Writes the current state as the datasets leaf, rho, u, v[, w] and p. Their names begin with
/// `prefix`. Collective.
template <class Real>
void write_state(io::File &file, const std::string &prefix, Solver<Real> &solver);

/// Writes the attributes of an output and copies those of the input. Collective.
void write_header(io::File &file, const Problem &problem,
                  const std::vector<std::pair<std::string, std::string>> &attributes,
                  const std::string &created_by);

/// Writes the datasets series/time and so on. Their names begin with `prefix`. Collective.
void write_series(io::File &file, const std::string &prefix, const Series &series, int dimensions);

/// State saved in an output, for its XDMF description.
struct SavedState {
  std::string prefix; ///< prefix of the datasets' names
  double time = 0;
  std::vector<grid::Leaf> leaves;
};

/// Returns the snapshots of an output in the order of their steps. Collective.
std::vector<SavedState> saved_states(const io::File &output, int dimensions);

/// Returns the XDMF text of a time series with one grid per leaf. Local.
std::string describe(const Problem &problem, const std::vector<SavedState> &frames,
                     std::size_t value_bytes, const std::string &output);

// Writes states as VTK XML files for ParaView: an image for each leaf, a list of the images, and a
// list of times. Suited to small meshes; XDMF describes any mesh without further files of values.

/// Largest number of leaves for which a state is written as VTK files. Each leaf is a file.
inline constexpr std::size_t max_vtk_leaves = 10000;

/// Writes the current state, described by the last frame: OUTPUT.vtk/000100.vtm with its images
/// (end.vtm at the end of the run), and the list of all frames, OUTPUT.pvd. Collective.
/// \throws io::IoError on all ranks
template <class Real>
void write_vtk(const std::string &output, const std::vector<SavedState> &frames,
               Solver<Real> &solver);

} // namespace hybridfft::euler
