/// \file grid/choice.hpp
/// Chooses the cheapest cuts of a grid on this machine and network, and the owners of its blocks.
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

/// The cost of messages between the ranks of a communicator when all ranks send at once.
struct Network {
  double latency = 0;  ///< seconds for a message without bytes
  double per_byte = 0; ///< seconds for each byte sent by a rank
};

/// Measures the network. Every rank exchanges messages with a rank half of the ranks away, on
/// another node if there are several. The result is from the slowest rank, in the fastest of
/// several rounds, and equal on all ranks. Collective; takes some milliseconds. One rank has a
/// network without cost.
/// \throws Error(HFFT_ERROR_MPI) if MPI fails
HFFT_EXPORT Network measure(const Communicator &comm);

/// Numbers of blocks along the axes: all factorisations of `blocks` with at most the number of
/// points along each axis. The fewest blocks along axis 2, then axis 1, come first. Empty for less
/// than one block. \param extents points of the grid along the axes
HFFT_EXPORT std::vector<Index3> possible_parts(Index blocks, const Index3 &extents);

/// Chooses the numbers of blocks with minimum cost. This example uses measured costs, for fields of
/// 4 bytes per point with one ghost at each face, and exchanges three of them:
///
///     const Network network = measure(comm);
///     const Index3 parts = cheapest_parts(comm, comm.size(), n, [&](const Index3 &p) {
///       return exchange_seconds(network, n, p, Widths::all(1), 3 * 4);
///     });
///     const Cartesian cartesian(comm, even_cuts(n, parts), {true, true, true});
///
/// \param seconds  returns the time of a division into blocks, called once per division on every
///                 rank; the slowest rank counts. It may include other costs, such as the time of
///                 computing the largest block, or the measured time of a step. Return infinity for
///                 a forbidden division, on any rank. An exception of any rank is thrown on all.
/// \returns the first one among equals, cut along axis 0 rather than along axis 2; equal on all
/// ranks.
/// Collective. Throws Error(HFFT_ERROR_ARGUMENT) on all ranks, with the numbers, if no division is
/// possible or allowed.
HFFT_EXPORT Index3 cheapest_parts(const Communicator &comm, Index blocks, const Index3 &extents,
                                  const std::function<double(const Index3 &)> &seconds);

/// Seconds of one halo exchange of the largest block with Schedule::in_order: two messages for each
/// distributed axis, corners included. For ranks of one node it is an upper bound, since they share
/// memory. Not collective. Throws Error(HFFT_ERROR_ARGUMENT), with the numbers, unless 1 <= parts
/// <= extents along each axis.
/// \param extents         points of the grid along the axes
/// \param parts           blocks along the axes
/// \param widths          ghosts to fill; axes in one block cost nothing
/// \param bytes_per_point bytes of all fields of a point
HFFT_EXPORT double exchange_seconds(const Network &network, const Index3 &extents,
                                    const Index3 &parts, const Widths &widths,
                                    double bytes_per_point);

/// Assigns the blocks of `cuts`, row-major, to ranks so that neighbours are on one node. Each rank
/// owns a box of blocks. The ranks of a node own a box with as few points as possible in the faces
/// to other nodes. The grid counts as periodic.
/// \param nodes number of the node of each rank
/// \throws Error(HFFT_ERROR_ARGUMENT) unless the number of blocks is a multiple of the number of
/// ranks
HFFT_EXPORT std::vector<int> owners_by_node(const Cuts &cuts, std::span<const int> nodes);
/// Assigns the blocks of `cuts` to the ranks of a communicator in the same way, and finds their
/// nodes. If there are fewer blocks than ranks, only the first ranks own blocks. Collective. Throws
/// on all ranks.
HFFT_EXPORT std::vector<int> owners_by_node(const Cuts &cuts, const Communicator &comm);

/// A grid's blocks for ranks of unequal speed, one block for each rank.
struct Shares {
  Cuts cuts;               ///< points of the blocks along each axis
  std::vector<int> owners; ///< ranks of the blocks, row-major
  double seconds = 0;      ///< estimated seconds of the slowest rank
};

/// Divides a grid between ranks of different speed so that they need similar times. The ranks of a
/// layer of blocks along one axis have similar speed, and the thickness of the layer suits its
/// slowest rank. The axis with the shortest time is chosen.
/// \param parts             numbers of blocks along the axes: as many blocks as ranks
/// \param seconds_per_point for each rank
/// \param least             smallest number of points of a block along each axis
/// \param gap               points computed by each rank beyond its block along a distributed axis
/// \throws Error(HFFT_ERROR_ARGUMENT) if a block would be thinner, or if there are not as many
/// ranks as blocks
HFFT_EXPORT Shares shares_by_speed(const Index3 &extents, const Index3 &parts,
                                   std::span<const double> seconds_per_point, const Index3 &least,
                                   Index gap);

} // namespace hybridfft::grid

#endif
