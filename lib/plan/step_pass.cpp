#include "plan/step_pass.h"

#include <limits>
#include <utility>
#include <vector>

#include "local/box_copy.h"
#include "local/clearing_pass.h"
#include "local/column_pass.h"
#include "local/copy_pass.h"
#include "plan/cells.h"
#include "plan/pass_list.h"

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

/// The passes of a transform along one axis, between the matrices of each pair.
template <class Real>
std::vector<std::unique_ptr<local::Pass>> make_each(Step one, std::vector<MatrixPair> matrices,
                                                    local::TileOrder order,
                                                    const local::PassOptions &options) {
  const bool of_planes = one.loop_axis >= 0; // whose lines and columns each matrix decides on
  one.loop_axis = -1;
  one.cells.clear();
  std::vector<std::unique_ptr<local::Pass>> passes;
  for (MatrixPair &m : matrices) {
    if (of_planes) one.kind = m.is_of_lines() ? StepKind::planes : StepKind::columns;
    one.source = std::move(m.source);
    one.destination = std::move(m.destination);
    passes.push_back(make_pass<Real>(one, false, order, options));
  }
  return passes;
}

template <class Real>
std::unique_ptr<local::Pass> make_plane_list(const Step &s, local::TileOrder order,
                                             local::PassOptions options) {
  const auto cells = plane_cells(s, sizeof(Real), std::numeric_limits<std::size_t>::max());
  Step columns = s;
  Step lines = s;
  columns.transform.extents = {s.transform.extents[0]};
  lines.transform.extents = {s.transform.extents[1]};
  std::vector<PlaneWorker> workers(static_cast<std::size_t>(options.threads));
  options.threads = 1;
  local::PassOptions cached = options;
  cached.store = simd::Store::cached;
  cached.scale = 1;
  for (PlaneWorker &w : workers) {
    w.tile = Memory(buffer_bytes(cells->tile, sizeof(Real)), 1);
    w.lines = make_each<Real>(lines, cells->lines, order, cached);
    w.columns = make_each<Real>(columns, cells->columns, order, options);
  }
  const auto element = static_cast<std::ptrdiff_t>(2 * sizeof(Real));
  return make_plane_list_pass(std::move(workers), cells->planes, cells->source_step * element,
                              cells->destination_step * element);
}

} // namespace

template <class Real>
std::unique_ptr<local::Pass> make_pass(const Step &step, bool in_place, local::TileOrder order,
                                       const local::PassOptions &options) {
  if (step.loop_axis >= 0) return make_plane_list<Real>(step, order, options);
  if (!step.cells.empty()) {
    auto matrices = as_matrices(step.from, step.to, step.cells, step.axis,
                                std::numeric_limits<std::size_t>::max());
    return make_pass_list(make_each<Real>(step, std::move(*matrices), order, options));
  }
  const Step s = step.pruned ? with_all_bins(step) : step;
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
