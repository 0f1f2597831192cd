/// Exchanges of a path that are transpositions within rows or columns of the process grid: there
/// the algorithms of exchange/ apply, on a communicator of each row.
#pragma once

#include <optional>

#include "plan/layout_steps.h"

namespace hybridfft::plan {

/// One dimension of the grid leaves one axis and cuts another instead.
struct GroupTransposition {
  int whole = 0; ///< the axis that was cut and becomes whole: the rows of the matrix
  int cut = 0;   ///< the axis that was whole and is cut: its columns
  GridDimension group;
  exchange::Transposition matrix; ///< that this rank's group transposes
};

/// Nothing where the exchange from `before` to the leg `after` is another one.
std::optional<GroupTransposition> group_transposition(std::ptrdiff_t howmany,
                                                      const Distribution &before, const Leg &after,
                                                      int rank, std::size_t real_bytes);

/// Whether the FFTs on both sides of the exchange at `k` can write and read the matrix.
bool admits_transposition(const std::vector<LayoutStep> &steps, std::size_t k,
                          const AxisOrder &order, const GroupTransposition &g);

/// Lets them do so, and the exchange be this one.
void use_transposition(std::vector<LayoutStep> &steps, std::size_t k, const AxisOrder &order,
                       const GroupTransposition &g,
                       std::shared_ptr<exchange::Exchange> transposition);

} // namespace hybridfft::plan
