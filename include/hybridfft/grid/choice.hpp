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
  double per_byte = 0; ///< seconds for each byte that a rank sends
};

/// Measures them: every rank exchanges messages with a rank half of the ranks away, which is on
/// another node where there are several. The slowest rank counts, in the fastest of some rounds.
/// Collective; takes some milliseconds; the same on all ranks. One rank has a network without cost.
/// Throws Error(HFFT_ERROR_MPI) when MPI fails.
HFFT_EXPORT Network measure(const Communicator &comm);

/// Numbers of blocks along the axes: all ways to write `blocks` as a product of three factors, none
/// larger than its axis has points. Those that are cut least along axis 2, then axis 1, come first.
/// None for less than one block.
/// \param extents points of the grid along the axes
HFFT_EXPORT std::vector<Index3> possible_parts(Index blocks, const Index3 &extents);

/// The cheapest of them. Cuts chosen by measured cost, for fields of 4 bytes per point with one
/// ghost at each face, of which three are exchanged:
///
///     const Network network = measure(comm);
///     const Index3 parts = cheapest_parts(comm, comm.size(), n, [&](const Index3 &p) {
///       return exchange_seconds(network, n, p, Widths::all(1), 3 * 4);
///     });
///     const Cartesian cartesian(comm, even_cuts(n, parts), {true, true, true});
///
/// \param seconds  returns the time of one way; called once for each way on every rank, the slowest
///                 rank counts. It may include anything that adds to that time, such as the time of
///                 computing the largest block, or the measured time of a step. Infinite for a way
///                 that is not allowed, on any rank. An exception of any rank is thrown on all.
/// \returns the first one of equals, which is cut along axis 0 rather than along axis 2; the same
/// on
///          all ranks. Collective. Throws Error(HFFT_ERROR_ARGUMENT) on all ranks, with the
///          numbers, where there is none, or none that is allowed.
HFFT_EXPORT Index3 cheapest_parts(const Communicator &comm, Index blocks, const Index3 &extents,
                                  const std::function<double(const Index3 &)> &seconds);

/// Seconds of one halo exchange in which the largest block takes part, in order of the axes: two
/// messages for each axis that is cut, corners included. An upper bound for ranks of one node,
/// which share memory. Not collective. Throws Error(HFFT_ERROR_ARGUMENT), with the numbers, unless
/// 1 <= parts <= extents along each axis. \param extents         points of the grid along the axes
/// \param parts           blocks along the axes
/// \param widths          ghosts that are filled; those along axes that are not cut cost nothing
/// \param bytes_per_point of all fields together
HFFT_EXPORT double exchange_seconds(const Network &network, const Index3 &extents,
                                    const Index3 &parts, const Widths &widths,
                                    double bytes_per_point);

/// Owners of the blocks of `cuts`, row-major, that keep neighbours on one node: each rank owns a
/// box of blocks, and the ranks of a node own a box with as few points as possible in the faces
/// towards other nodes. The grid counts as periodic. \param nodes number of the node of each rank
/// \throws Error(HFFT_ERROR_ARGUMENT) unless the number of blocks is a multiple of that of ranks
HFFT_EXPORT std::vector<int> owners_by_node(const Cuts &cuts, std::span<const int> nodes);
/// The same for the ranks of a communicator, or as many of the first ones as there are blocks.
/// Collective. Throws on all ranks.
HFFT_EXPORT std::vector<int> owners_by_node(const Cuts &cuts, const Communicator &comm);

/// A grid's blocks for ranks of unequal speed, one block for each rank.
struct Shares {
  Cuts cuts;               ///< points of the blocks along each axis
  std::vector<int> owners; ///< ranks of the blocks, row-major
  double seconds = 0;      ///< of the slowest rank
};

/// Cuts a grid so that ranks of unequal speed take as equal times as possible. The ranks of a layer
/// of blocks along one axis are about as fast as each other, and layers are as thick as their
/// slowest rank is fast. The axis is the one with the least time.
/// \param parts             numbers of blocks along the axes: as many blocks as ranks
/// \param seconds_per_point of each rank
/// \param least             the fewest points of a block along each axis
/// \param gap               points that each rank computes beyond those of its block along an axis
///                          that is cut
/// \throws Error(HFFT_ERROR_ARGUMENT) for blocks that would be thinner, or another number of ranks
HFFT_EXPORT Shares shares_by_speed(const Index3 &extents, const Index3 &parts,
                                   std::span<const double> seconds_per_point, const Index3 &least,
                                   Index gap);

} // namespace hybridfft::grid

#endif
