/// Distributes the cells over ranks, and chooses the method of exchange.
#pragma once

#include <string>

#include "solvers/elastic/solver.h"

namespace hybridfft::elastic {

/// Blocks of a problem's grid: the blocks of `sizes` ("2x2x1", "40+56x96x1", in cells) or the
/// cheapest ones. If the grid has too few cells for all ranks, the last ones have none. Collective.
/// \throws Error(HFFT_ERROR_ARGUMENT) for cuts that do not fit the cells or the number of ranks
grid::Cartesian decompose(const Problem &problem, const std::string &sizes,
                          const grid::Communicator &comm);

/// Returns `method` with the fastest allowed method of exchange, and a text about the measurements.
/// Some steps of each method are timed. Collective.
template <class Real>
Method fastest_method(const grid::Cartesian &cartesian, const Problem &problem,
                      const std::optional<GhostExchange> &exchange,
                      const std::optional<grid::Schedule> &schedule, const Method &method,
                      std::string &report);

/// Formats "least, all at once", or "least, all at once, fused" if stresses follow velocities in
/// one sweep at the cost of exposed messages.
std::string name_of(const Method &method);

} // namespace hybridfft::elastic
