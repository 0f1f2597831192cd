/// The pass that does a step.
#pragma once

#include <memory>

#include "local/column_pass.h"
#include "plan/step.h"

namespace hybridfft::plan {

/// nullptr for an exchange. `in_place`: between equal arrays. `order` is that of FFTW's columns.
template <class Real>
std::unique_ptr<local::Pass> make_pass(const Step &step, bool in_place, local::TileOrder order,
                                       const local::PassOptions &options);

extern template std::unique_ptr<local::Pass> make_pass<float>(const Step &, bool, local::TileOrder,
                                                              const local::PassOptions &);
extern template std::unique_ptr<local::Pass> make_pass<double>(const Step &, bool, local::TileOrder,
                                                               const local::PassOptions &);

} // namespace hybridfft::plan
