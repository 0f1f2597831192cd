/// \file grid/choice.hpp
/// Chooses the partition of a grid and the owners of its blocks by measured or estimated time, on a
/// given machine and network.
#ifndef HYBRIDFFT_GRID_CHOICE_HPP
#define HYBRIDFFT_GRID_CHOICE_HPP

#include <functional>
#include <span>
#include <vector>

#include "hybridfft/export.h"
#include "hybridfft/grid/box.hpp"
#include "hybridfft/grid/cartesian.hpp"
#include "hybridfft/grid/communicator.hpp"

namespace hybridfft::grid {

/// Cost model of messages when all ranks send at once.
struct Network {
  double latency = 0;  ///< seconds for an empty message
  double per_byte = 0; ///< seconds for each byte sent by a rank
};

/// Measures the network. Of P ranks, each rank r sends messages to rank r + P/2 (modulo P), which
/// is usually on another node. The times are those of the slowest rank in the fastest of several
/// rounds, equal on all ranks. They are 0 for a single rank. Collective; takes some milliseconds.
/// \throws Error(HFFT_ERROR_MPI) if MPI fails
HFFT_EXPORT Network measure(const Communicator &comm);

/// Returns all factorisations of `blocks` into numbers of blocks along three axes, at most one
/// block per point. They are ordered by the number along axis 2, then axis 1, ascending. The result
/// is empty for fewer than one block.
/// \param extents points of the grid along the axes
HFFT_EXPORT std::vector<Index3> possible_parts(Index blocks, const Index3 &extents);

/// Chooses the partition into `blocks` blocks with the lowest cost. Collective. In this example,
/// the cost is the estimated time to exchange three fields of 4 bytes per point with one ghost at
/// each face:
///
///     const Network network = measure(comm);
///     const Index3 parts = cheapest_parts(comm, comm.size(), n, [&](const Index3 &p) {
///       return exchange_seconds(network, n, p, Widths::all(1), 3 * 4);
///     });
///     const Cartesian cartesian(comm, even_cuts(n, parts), {true, true, true});
///
/// \param seconds cost of a partition, called once for each partition on every rank; the largest
/// value of all ranks is used. The cost may be estimated or measured. A partition is forbidden if
/// any rank returns infinity. An exception on any rank is thrown on all.
/// \returns the partition with the lowest cost, equal on all ranks; among equal costs, the first
/// partition of possible_parts()
/// \throws Error(HFFT_ERROR_ARGUMENT) on all ranks, with `blocks` and `extents`, if no partition is
/// possible or allowed
HFFT_EXPORT Index3 cheapest_parts(const Communicator &comm, Index blocks, const Index3 &extents,
                                  const std::function<double(const Index3 &)> &seconds);

/// Estimates the seconds of one halo exchange of the largest block with Schedule::in_order: two
/// messages for each distributed axis, corners included. It is an upper bound for ranks of one
/// node, which share memory. Not collective. Throws Error(HFFT_ERROR_ARGUMENT), with `parts` and
/// `extents`, unless 1 <= parts <= extents along each axis.
/// \param extents         points of the grid along the axes
/// \param parts           blocks along the axes
/// \param widths ghosts to fill; axes that are not distributed cost nothing
/// \param bytes_per_point bytes of all fields of a point
HFFT_EXPORT double exchange_seconds(const Network &network, const Index3 &extents,
                                    const Index3 &parts, const Widths &widths,
                                    double bytes_per_point);

/// Maps blocks to ranks so that most neighbouring blocks are on the same node. Each rank owns a box
/// of blocks, and the ranks of a node own a box with few points on its faces to other nodes. The
/// function takes the grid as periodic along all axes. It returns the owner of each block of
/// `cuts`, row-major.
/// \param nodes number of the node of each rank
/// \throws Error(HFFT_ERROR_ARGUMENT) unless the number of blocks is a multiple of the number of
/// ranks
HFFT_EXPORT std::vector<int> owners_by_node(const Cuts &cuts, std::span<const int> nodes);
/// Maps blocks to the ranks of a communicator. The function finds the node of each rank itself. If
/// there are fewer blocks than ranks, only the first ranks own blocks. Collective. Throws on all
/// ranks.
HFFT_EXPORT std::vector<int> owners_by_node(const Cuts &cuts, const Communicator &comm);

/// Partition of a grid for ranks of unequal speed, with one block for each rank.
struct Shares {
  Cuts cuts;               ///< points of the blocks along each axis
  std::vector<int> owners; ///< ranks of the blocks, row-major
  double seconds = 0;      ///< estimated seconds of the slowest rank
};

/// Balances the load of ranks with different speeds. Along one axis, blocks are thinner on slow
/// ranks: ranks of similar speed share a layer of blocks, and the slowest of them determines the
/// layer's thickness. The function chooses the axis with the shortest estimated time.
/// \param parts             numbers of blocks along the axes: as many blocks as ranks
/// \param seconds_per_point time of each rank to compute a point
/// \param least smallest allowed number of points of a block along each axis
/// \param gap points computed by each rank beyond its block along a distributed axis
/// \throws Error(HFFT_ERROR_ARGUMENT) if a block would be too thin, or unless there is one block
/// for each rank
HFFT_EXPORT Shares shares_by_speed(const Index3 &extents, const Index3 &parts,
                                   std::span<const double> seconds_per_point, const Index3 &least,
                                   Index gap);

} // namespace hybridfft::grid

#endif
