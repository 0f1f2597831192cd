/// Fuses two transforms along different axes into one step over planes in cache. This saves one
/// pass over memory. It is applied if a plane of both axes fits the cache.
#include "plan/lowering.h"

#include <algorithm>
#include <optional>

#include "base/memory.h"
#include "local/simd_passes.h"

namespace hybridfft::plan {

namespace {

/// True for a transform along one axis whose source and destination are matrices of complex lines,
/// or of reals without padding.
bool is_of_lines(const Step &s) {
  return s.is_fft() && s.twiddled_line == 0 && s.kind != StepKind::whole && !s.pruned &&
         s.cleared.empty() && s.parts.empty() && s.transform.extents.size() == 1 &&
         s.transform.howmany == 1 &&
         (s.kind == StepKind::columns || s.transform.kind == Kind::c2c) && !s.from.boxes.empty() &&
         !s.to.boxes.empty();
}

/// True if the library's own kernels transform the lines.
bool has_kernels(const Step &s, const Problem &p) {
  return local::has_simd_lines(p.isa, p.real_bytes, s.transform.extents[0], s.transform.line);
}

/// Returns the only axis other than a and b with more than one point in a box; -1 if there is none
/// or several.
int loop_axis(const IndexBox &box, int a, int b) {
  int loop = -1;
  for (std::size_t axis = 0; axis < box.count.size(); ++axis) {
    if (static_cast<int>(axis) == a || static_cast<int>(axis) == b || box.count[axis] == 1)
      continue;
    if (loop >= 0) return -1;
    loop = static_cast<int>(axis);
  }
  return loop;
}

/// True if the pass at k or k+1 overlaps with chunks of a neighbouring exchange.
bool overlaps(const Steps &steps, std::size_t k) {
  const bool receives =
      k > 0 && steps[k - 1].is_exchange() && receive_ends(steps, k - 1).size() > 1;
  const bool sends =
      k + 2 < steps.size() && steps[k + 2].is_exchange() && send_ends(steps, k + 2).size() > 1;
  return receives || sends;
}

/// Returns the step that fuses steps k and k+1; nothing if they cannot be fused.
std::optional<Step> fused(const Steps &steps, std::size_t k, const Problem &p,
                          const Choice &choice) {
  const Step &lines = steps[k];
  const Step &columns = steps[k + 1];
  if (!is_of_lines(lines) || !is_of_lines(columns) || lines.axis == columns.axis ||
      overlaps(steps, k))
    return std::nullopt;
  const int loop = loop_axis(lines.from.box, lines.axis, columns.axis);
  if (loop < 0) return std::nullopt;
  const std::ptrdiff_t n0 = columns.transform.extents[0];
  const std::ptrdiff_t n1 = lines.transform.extents[0];
  const std::ptrdiff_t planes = lines.from.box.count[static_cast<std::size_t>(loop)];
  const std::ptrdiff_t points = n0 * n1 / (lines.to.real ? 2 : 1);
  if (planes < p.threads || choice.plane_kernel == local::Kernel::fftw ||
      !local::fits_cache(points, p.real_bytes) || !has_kernels(lines, p) ||
      !has_kernels(columns, p))
    return std::nullopt;
  Step step(StepKind::planes, lines.from, columns.to);
  step.source = {planes, n0, n1, {}};
  step.destination = step.source;
  step.transform = columns.transform;
  step.transform.extents.push_back(n1);
  step.makes_result = columns.makes_result;
  step.axis = columns.axis;
  step.parts = {lines, columns};
  step.loop_axis = loop;
  step.cells = choice.path->order;
  if (!plane_cells(step, p.real_bytes)) return std::nullopt;
  return step;
}

/// Returns the number of elements between neighbouring points of an axis, if every box has all
/// points of the axis and all strides are equal.
std::optional<std::ptrdiff_t> distance_along(const Storage &s, std::size_t axis) {
  for (const StoredBox &b : s.boxes)
    if (b.box.start[axis] != s.box.start[axis] || b.box.count[axis] != s.box.count[axis] ||
        b.stride[axis] != s.boxes.front().stride[axis])
      return std::nullopt;
  return s.boxes.empty() ? std::nullopt : std::optional(s.boxes.front().stride[axis]);
}

/// Returns the storage of one plane in cache (a tile). Each line is padded by a cache line, so that
/// lines use different sets of the caches.
Storage tile_of(const Storage &plane, const AxisOrder &order, std::size_t real_bytes) {
  const auto fastest = std::find_if(order.rbegin(), order.rend(), [&](int axis) {
    return plane.box.count[static_cast<std::size_t>(axis)] > 1;
  });
  return stored(plane.box, order, plane.real, fastest == order.rend() ? -1 : *fastest,
                static_cast<std::ptrdiff_t>(alignment / element_bytes(plane, real_bytes)));
}

/// Returns the part of a storage with the first point of an axis.
Storage first_along(Storage s, std::size_t axis) {
  s.box.count[axis] = 1;
  for (StoredBox &b : s.boxes)
    b.box.count[axis] = 1;
  return s;
}

} // namespace

std::optional<PlaneCells> plane_cells(const Step &step, std::size_t real_bytes) {
  const auto loop = static_cast<std::size_t>(step.loop_axis);
  const auto from_step = distance_along(step.from, loop);
  const auto to_step = distance_along(step.to, loop);
  if (!from_step || !to_step || std::min(*from_step, *to_step) == 1) return std::nullopt;
  const Storage source = first_along(step.from, loop);
  const Storage destination = first_along(step.to, loop);
  PlaneCells cells{tile_of(first_along(step.parts[0].to, loop), step.cells, real_bytes),
                   {},
                   {},
                   step.from.box.count[loop],
                   *from_step,
                   *to_step};
  auto lines = as_matrices(source, cells.tile, step.cells, step.parts[0].axis);
  auto columns = as_matrices(cells.tile, destination, step.cells, step.axis);
  if (!lines || !columns) return std::nullopt;
  cells.lines = std::move(*lines);
  cells.columns = std::move(*columns);
  return cells;
}

void fuse_planes(Steps &steps, const Problem &problem, const Choice &choice) {
  for (std::size_t k = 0; k + 1 < steps.size(); ++k)
    if (auto step = fused(steps, k, problem, choice)) {
      steps[k] = std::move(*step);
      steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(k) + 1);
    }
}

} // namespace hybridfft::plan
