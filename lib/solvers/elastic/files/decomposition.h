/// Divides the cells among ranks, and finds the fastest ghost exchange by measurement.
#pragma once

#include <string>

#include "solvers/elastic/solver.h"

namespace hybridfft::elastic {

/// Divides the problem's grid into blocks. The text `sizes` has the numbers of blocks ("2x2x1") or
/// their extents in cells ("40+56x96x1"). If it is empty, the division has the lowest estimated
/// cost, and the last ranks have no block if there are too few cells. Collective.
/// \throws Error(HFFT_ERROR_ARGUMENT) for cuts that do not fit the cells or the number of ranks
grid::Cartesian decompose(const Problem &problem, const std::string &sizes,
                          const grid::Communicator &comm);

/// Measures some time steps with each permitted ghost exchange, and returns `method` with the
/// fastest one. Appends the measured times to `report`. Collective.
/// \param exchange,schedule choices of the user; none: all exchanges are permitted, and all
/// schedules unless the exchange is chosen
template <class Real>
Method fastest_method(const grid::Cartesian &cartesian, const Problem &problem,
                      const std::optional<GhostExchange> &exchange,
                      const std::optional<grid::Schedule> &schedule, const Method &method,
                      std::string &report);

/// Returns the names of exchange and schedule, such as "least, all at once". Appends ", fused" if
/// the method requires Sweeps::fused.
std::string name_of(const Method &method);

} // namespace hybridfft::elastic
