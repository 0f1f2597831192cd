/// \file grid/choice.hpp
/// Which cuts of a grid are the cheapest on this machine and network.
#ifndef HYBRIDFFT_GRID_CHOICE_HPP
#define HYBRIDFFT_GRID_CHOICE_HPP

#include <functional>
#include <vector>

#include "hybridfft/export.h"
#include "hybridfft/grid/box.hpp"
#include "hybridfft/grid/communicator.hpp"

namespace hybridfft::grid {

/// What messages between the ranks of a communicator cost when all ranks send at once.
struct Network {
  double latency = 0;  ///< seconds for a message without bytes
  double per_byte = 0; ///< seconds for each byte that a rank sends
};

/// Measures them: every rank exchanges messages with a rank half of the ranks away, which is on
/// another node where there are several. The slowest rank counts, in the fastest of some rounds.
/// Collective; takes some milliseconds. One rank has a network without cost.
HFFT_EXPORT Network measure(const Communicator &comm);

/// Numbers of blocks along the axes: all ways to write `blocks` as a product of three factors, none
/// larger than its axis has points.
HFFT_EXPORT std::vector<Index3> possible_parts(Index blocks, const Index3 &extents);

/// The cheapest of them: `seconds(parts)` is asked on every rank, and the slowest rank counts. The
/// first one of equals, which is cut along axis 0 rather than along axis 2. Collective. Throws
/// Error(HFFT_ERROR_ARGUMENT) on all ranks where there is none, with the numbers.
HFFT_EXPORT Index3 cheapest_parts(const Communicator &comm, Index blocks, const Index3 &extents,
                                  const std::function<double(const Index3 &)> &seconds);

/// Seconds of one halo exchange of so many bytes per point, in which the largest block takes part,
/// in order of the axes: two messages for each axis that is cut.
HFFT_EXPORT double exchange_seconds(const Network &network, const Index3 &extents,
                                    const Index3 &parts, const Widths &widths,
                                    double bytes_per_point);

} // namespace hybridfft::grid

#endif
