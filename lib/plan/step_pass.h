/// The pass that does a step.
#pragma once

#include <memory>

#include "local/column_pass.h"
#include "plan/step.h"

namespace hybridfft::plan {

/// nullptr for an exchange. `real_bytes` is the size of a real number. `in_place`: between equal
/// arrays. `order` is that of FFTW's columns.
std::unique_ptr<local::Pass> make_pass(const Step &step, std::size_t real_bytes, bool in_place,
                                       local::TileOrder order, const local::PassOptions &options);

} // namespace hybridfft::plan
