/// Leaves, fields and series in files, and their description for ParaView.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "io/hdf5.h"
#include "solvers/euler/solver.h"

namespace hybridfft::euler {

/// Writes a dataset [leaves][..] of values of own leaves. Collective.
/// \param shape  shape of a leaf's values
/// \param fill   fill(leaf, values) sets the values of an own leaf
/// \tparam Real type of the dataset's elements
template <class Real>
void write_leaves(io::File &file, const std::string &dataset, const grid::Forest &forest,
                  const io::Shape &shape,
                  const std::function<void(Index leaf, Real *values)> &fill);

/// Writes the list of leaves as the dataset `leaf` with this prefix. Collective.
void write_leaf_list(io::File &file, const std::string &prefix, const grid::Forest &forest);

/// The leaves that write_leaf_list() has written. Collective.
std::vector<grid::Leaf> read_leaf_list(const io::File &file, const std::string &prefix,
                                       int dimensions);

/// Writes leaf, rho, u, v[, w] and p with names that begin with `prefix`. Collective.
template <class Real>
void write_state(io::File &file, const std::string &prefix, Solver<Real> &solver);

/// Writes the attributes of an output.
void write_header(io::File &file, const Problem &problem,
                  const std::vector<std::pair<std::string, std::string>> &attributes,
                  const std::string &created_by);

/// Writes series/time and the other series with this prefix.
void write_series(io::File &file, const std::string &prefix, const Series &series, int dimensions);

/// A state saved in an output, to be described in XDMF.
struct SavedState {
  std::string prefix; ///< prefix of the datasets' names
  double time = 0;
  std::vector<grid::Leaf> leaves;
};

/// The snapshots in an output, in the order of their steps. Collective.
std::vector<SavedState> saved_states(const io::File &output, int dimensions);

/// Text in XDMF: a grid for each leaf and a time series of the frames.
std::string describe(const Problem &problem, const std::vector<SavedState> &frames,
                     std::size_t value_bytes, const std::string &output);

} // namespace hybridfft::euler
