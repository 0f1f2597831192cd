/// Makes the passes of steps, the last stage of a build. A step's kind, kernels and matrices select
/// the pass.
#pragma once

#include <memory>

#include "local/column_pass.h"
#include "plan/step.h"

namespace hybridfft::plan {

/// Returns the pass of a step; nullptr for an exchange.
/// \param real_bytes size of a real number
/// \param in_place source and destination are one array
/// \param order order in the tiles of FFTW's columns
std::unique_ptr<local::Pass> make_pass(const Step &step, std::size_t real_bytes, bool in_place,
                                       local::TileOrder order, const local::PassOptions &options);

} // namespace hybridfft::plan
