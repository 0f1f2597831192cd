/// What the steps of a plan have to do.
#pragma once

#include <cstddef>
#include <vector>

#include "plan/step.h"
#include "profile/stage.h"

namespace hybridfft::plan {

/// Stages for the steps of one plan. In a pruned one planes of two axes are lines and columns, of
/// which the columns alone are fewer.
std::vector<profile::Stage> stages_of(const Steps &steps, std::size_t real_bytes,
                                      bool pruned = false);

} // namespace hybridfft::plan
