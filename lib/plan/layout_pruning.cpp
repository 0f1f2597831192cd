#include "plan/layout_pruning.h"

namespace hybridfft::plan {

PrunedSides with_all_bins(const PrunedAxis &axis, const SplitRows &source,
                          const SplitRows &destination) {
  PrunedSides sides{source, destination, {}};
  if (axis.spectrum_in) {
    sides.source = axis.modes.spread(source);
    return sides;
  }
  sides.destination = axis.modes.spread(destination);
  SplitRows hole = axis.modes.hole(destination);
  if (!hole.pieces.empty()) sides.cleared.push_back(std::move(hole));
  return sides;
}

} // namespace hybridfft::plan
