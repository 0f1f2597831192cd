/// The passes of plans between layouts.
#pragma once

#include <memory>

#include "local/pass.h"
#include "plan/layout_steps.h"

namespace hybridfft::plan {

std::size_t element_bytes(const Storage &s, std::size_t real_bytes);
std::size_t buffer_bytes(const Storage &s, std::size_t real_bytes);

/// The pass of a step that is no exchange, else nullptr. `in_place`: between equal arrays.
template <class Real>
std::unique_ptr<local::Pass> make_layout_pass(const LayoutStep &step, bool in_place,
                                              local::TileOrder order,
                                              const local::PassOptions &options);

extern template std::unique_ptr<local::Pass>
make_layout_pass<float>(const LayoutStep &, bool, local::TileOrder, const local::PassOptions &);
extern template std::unique_ptr<local::Pass>
make_layout_pass<double>(const LayoutStep &, bool, local::TileOrder, const local::PassOptions &);

} // namespace hybridfft::plan
