/// A rewrite: exchanges that are transpositions within rows or columns of the process grid are left
/// to an exchange algorithm, on a communicator of each row.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "plan/choice.h"
#include "plan/problem.h"
#include "plan/step.h"

namespace hybridfft::plan {

/// One dimension of the grid leaves one axis and cuts another instead.
struct GroupTransposition {
  int whole = 0; ///< the axis that was cut and becomes whole: the rows of the matrix
  int cut = 0;   ///< the axis that was whole and is cut: its columns
  GridDimension group;
  exchange::Transposition matrix; ///< the matrix that this rank's group transposes
};

/// Nothing where the exchange from `before` to the stage `after` is another one.
std::optional<GroupTransposition> group_transposition(const Problem &problem,
                                                      const Distribution &before,
                                                      const PathStage &after, int rank);

/// Lets `algorithm` do each exchange along the path that is such a transposition on all ranks,
/// where the FFTs on both sides can write and read its matrix. Returns how many it does; the others
/// are as they were. Collective. Throws Failure on all ranks alike.
int transpose_in_groups(Steps &steps, const Problem &problem, const OrderedPath &path,
                        const exchange::Algorithm &algorithm,
                        const std::shared_ptr<exchange::Communicator> &comm);

} // namespace hybridfft::plan
