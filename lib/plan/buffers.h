/// Which array each step of a plan reads and writes.
#pragma once

#include <vector>

#include "plan/draft.h"

namespace hybridfft::plan {

enum class Place { in, out, work0, work1 };

struct Route {
  std::vector<Place> destinations; ///< of each step; its source is the destination before it
  int work_buffers = 0;
  Place source(std::size_t step) const { return step == 0 ? Place::in : destinations[step - 1]; }
};

/// The assignment with the fewest work buffers, the last step writing `out` and none `in`.
/// `in_place` means that in and out are one array.
Route assign_buffers(const std::vector<Draft> &steps, bool in_place);

} // namespace hybridfft::plan
