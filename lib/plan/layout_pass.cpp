#include "plan/layout_pass.h"

#include "local/box_copy.h"
#include "local/clearing_pass.h"
#include "local/column_pass.h"

namespace hybridfft::plan {

namespace {

template <class Real>
std::unique_ptr<local::Pass> make_fft(const LayoutStep &s, const PrunedSides &sides, bool in_place,
                                      local::TileOrder order, const local::PassOptions &options) {
  if (s.kind == StepKind::planes)
    return local::make_plane_pass<Real>(s.lines, sides.source, sides.destination, in_place,
                                        options);
  return local::make_column_pass<Real>(sides.source, sides.destination, s.sign, order, options);
}

template <class Real>
std::unique_ptr<local::Pass> make_fft(const LayoutStep &s, bool in_place, local::TileOrder order,
                                      const local::PassOptions &options) {
  const PrunedSides sides = s.pruned ? with_all_bins(*s.pruned, s.source, s.destination)
                                     : PrunedSides{s.source, s.destination, {}};
  auto pass = make_fft<Real>(s, sides, in_place, order, options);
  if (sides.cleared.empty()) return pass;
  return local::make_clearing_pass(std::move(pass), sides.cleared, 2 * sizeof(Real), options);
}

} // namespace

std::size_t element_bytes(const Storage &s, std::size_t real_bytes) {
  return s.real ? real_bytes : 2 * real_bytes;
}

std::size_t buffer_bytes(const Storage &s, std::size_t real_bytes) {
  return static_cast<std::size_t>(s.elements) * element_bytes(s, real_bytes);
}

template <class Real>
std::unique_ptr<local::Pass> make_layout_pass(const LayoutStep &s, bool in_place,
                                              local::TileOrder order,
                                              const local::PassOptions &options) {
  switch (s.kind) {
  case StepKind::planes:
  case StepKind::columns:
    return make_fft<Real>(s, in_place, order, options);
  case StepKind::copy:
    return local::make_box_copy_pass(copies(s.from, s.to), element_bytes(s.from, sizeof(Real)),
                                     options);
  case StepKind::exchange:
  case StepKind::whole:
    break;
  }
  return nullptr;
}

template std::unique_ptr<local::Pass>
make_layout_pass<float>(const LayoutStep &, bool, local::TileOrder, const local::PassOptions &);
template std::unique_ptr<local::Pass>
make_layout_pass<double>(const LayoutStep &, bool, local::TileOrder, const local::PassOptions &);

} // namespace hybridfft::plan
