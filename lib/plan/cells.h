/// FFTs along an axis of boxes that are cut along other axes, too: one after another, each of what
/// lies in one box on either side.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "layout/split_rows.h"
#include "plan/storage.h"

namespace hybridfft::plan {

/// The same lines before and after their transform.
struct MatrixPair {
  SplitRows source, destination;
};

/// All lines along `axis` of two storages whose boxes differ along that axis in their extents only.
/// Nothing where these would be more than `most` matrices.
std::optional<std::vector<MatrixPair>> as_matrices(const Storage &from, const Storage &to,
                                                   const AxisOrder &order, int axis,
                                                   std::size_t most);

/// Boxes with all of `axis`, `points` of it, that are cut along the others wherever boxes of a
/// storage are. Nothing where these would be more than `most`.
std::optional<std::vector<IndexBox>> merged_along(const Storage &s, int axis, std::ptrdiff_t points,
                                                  std::size_t most);

} // namespace hybridfft::plan
