/// The decomposition of the cells over ranks, and the choice of the method of exchange.
#pragma once

#include <string>

#include "elastic/solver.h"

namespace hybridfft::elastic {

/// Blocks of a problem's grid: those of `sizes` ("2x2x1", "40+56x96x1", in cells) or the cheapest
/// ones. If the grid has too few cells for all ranks, the last ones have none. Collective. Throws
/// Error(HFFT_ERROR_ARGUMENT) for cuts that do not fit the cells or the number of ranks.
grid::Cartesian decompose(const Problem &problem, const std::string &sizes,
                          const grid::Communicator &comm);

/// `method` with the fastest of the ways of exchange that are allowed, by some steps of each, and a
/// text about them. Collective.
template <class Real>
Method fastest_method(const grid::Cartesian &cartesian, const Problem &problem,
                      const std::optional<Exchange> &exchange,
                      const std::optional<grid::Schedule> &schedule, const Method &method,
                      std::string &report);

/// "least, all at once", or "least, all at once, fused" where stresses follow velocities in one
/// sweep although that exposes messages.
std::string name_of(const Method &method);

} // namespace hybridfft::elastic
