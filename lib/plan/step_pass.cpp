#include "plan/step_pass.h"

#include "local/box_copy.h"
#include "local/clearing_pass.h"
#include "local/column_pass.h"
#include "local/copy_pass.h"

namespace hybridfft::plan {

namespace {

/// Arrays have the modes that are kept, passes all bins of the FFT.
Step with_all_bins(const Step &step) {
  Step s = step;
  SplitRows &spectral = s.pruned->spectrum_in ? s.source : s.destination;
  SplitRows hole = s.pruned->modes.hole(spectral);
  spectral = s.pruned->modes.spread(spectral);
  if (!hole.pieces.empty() && !s.pruned->spectrum_in) s.cleared.push_back(std::move(hole));
  return s;
}

template <class Real>
std::unique_ptr<local::Pass> make_fft(const Step &s, bool in_place, local::TileOrder order,
                                      const local::PassOptions &options) {
  if (s.kind == StepKind::whole)
    return local::make_whole_pass<Real>(s.transform, in_place, options);
  if (s.kind == StepKind::planes)
    return local::make_plane_pass<Real>(s.transform, s.source, s.destination, in_place, options);
  return local::make_column_pass<Real>(s.source, s.destination, s.transform.sign, order, options);
}

} // namespace

template <class Real>
std::unique_ptr<local::Pass> make_pass(const Step &given, bool in_place, local::TileOrder order,
                                       const local::PassOptions &options) {
  const Step s = given.pruned ? with_all_bins(given) : given;
  if (s.is_exchange()) return nullptr;
  if (!s.is_fft()) {
    const std::size_t element = element_bytes(s.from, sizeof(Real));
    return s.source.pieces.empty()
               ? local::make_box_copy_pass(copies(s.from, s.to), element, options)
               : local::make_copy_pass(s.source, s.destination, element, options);
  }
  auto pass = make_fft<Real>(s, in_place, order, options);
  if (s.cleared.empty()) return pass;
  return local::make_clearing_pass(std::move(pass), s.cleared, 2 * sizeof(Real), options);
}

template std::unique_ptr<local::Pass> make_pass<float>(const Step &, bool, local::TileOrder,
                                                       const local::PassOptions &);
template std::unique_ptr<local::Pass> make_pass<double>(const Step &, bool, local::TileOrder,
                                                        const local::PassOptions &);

} // namespace hybridfft::plan
