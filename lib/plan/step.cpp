#include "plan/step.h"

#include <algorithm>
#include <utility>

#include "base/memory.h"
#include "layout/tiling.h"

namespace hybridfft::plan {

namespace {

/// Several axes merged into one, whose points have a constant stride.
struct Run {
  std::ptrdiff_t count = 1;
  std::ptrdiff_t stride = 0; ///< elements between points; 0 for one point
};

std::optional<Run> merged(const StoredBox &b, AxisOrder::const_iterator first,
                          AxisOrder::const_iterator last) {
  Run run;
  while (last != first) {
    const auto axis = static_cast<std::size_t>(*--last);
    const std::ptrdiff_t n = b.box.count[axis];
    if (n == 1) continue;
    if (run.count == 1)
      run.stride = b.stride[axis];
    else if (b.stride[axis] != run.count * run.stride)
      return std::nullopt;
    run.count *= n;
  }
  return run;
}

/// True if the part has all points of `whole` along all axes but `axis`.
bool spans_others(const IndexBox &part, const IndexBox &whole, std::size_t axis) {
  for (std::size_t a = 0; a < whole.count.size(); ++a)
    if (a != axis && (part.start[a] != whole.start[a] || part.count[a] != whole.count[a]))
      return false;
  return true;
}

/// Sets the strides of a box without gaps, except for the padding of one axis. Returns its number
/// of elements.
std::ptrdiff_t place(StoredBox &b, const AxisOrder &order, int padded, std::ptrdiff_t padding) {
  b.stride.assign(b.box.count.size(), 0);
  std::ptrdiff_t stride = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    const auto axis = static_cast<std::size_t>(order[i]);
    b.stride[axis] = stride;
    stride *= b.box.count[axis] + (order[i] == padded ? padding : 0);
  }
  return stride;
}

} // namespace

IndexBox with_fields(IndexBox box, std::ptrdiff_t howmany) {
  box.start.push_back(0);
  box.count.push_back(howmany);
  return box;
}

Storage stored(const Layout &layout, int rank, bool real) {
  const auto d = static_cast<std::size_t>(layout.dimensions());
  Storage s{with_fields(layout.box(rank), layout.howmany()), real, {}, layout.local_size(rank)};
  StoredBox b{s.box, std::vector<std::ptrdiff_t>(d + 1), 0};
  std::ptrdiff_t stride = layout.fields() == Fields::interleaved ? layout.howmany() : 1;
  for (std::size_t p = d; p-- > 0;) {
    const AxisLayout &a = layout.axes()[p];
    const auto axis = static_cast<std::size_t>(a.axis);
    b.stride[axis] = stride;
    stride *= s.box.count[axis] + a.padding;
  }
  b.stride[d] = layout.field_stride(rank);
  if (!s.empty()) s.boxes.push_back(std::move(b));
  return s;
}

Storage stored(const IndexBox &box, const AxisOrder &order, bool real, int padded,
               std::ptrdiff_t padding) {
  Storage s{box, real, {}, 0};
  StoredBox b{box, {}, 0};
  s.elements = place(b, order, padded, padding);
  if (!s.empty()) s.boxes.push_back(std::move(b));
  return s;
}

PlacedBoxes stored(const IndexBox &whole, const std::vector<IndexBox> &boxes,
                   const AxisOrder &order, bool real, std::size_t element) {
  PlacedBoxes p{{whole, real, {}, 0}, {}};
  const auto line = std::max<std::ptrdiff_t>(
      static_cast<std::ptrdiff_t>(alignment) / static_cast<std::ptrdiff_t>(element), 1);
  for (const IndexBox &box : boxes) {
    StoredBox b{box, {}, p.storage.elements};
    p.bases.push_back(b.base);
    if (box.points() == 0) continue;
    p.storage.elements += (place(b, order, -1, 0) + line - 1) / line * line;
    p.storage.boxes.push_back(std::move(b));
  }
  return p;
}

std::optional<SplitRows> as_columns(const Storage &s, const AxisOrder &order, int axis) {
  const auto at = std::find(order.begin(), order.end(), axis);
  const auto column = static_cast<std::size_t>(axis);
  SplitRows m{1, s.box.count[column], 1, {}};
  for (auto a = order.begin(); a != order.end(); ++a)
    if (a != at) (a < at ? m.rows : m.vec) *= s.box.count[static_cast<std::size_t>(*a)];
  for (const StoredBox &b : s.boxes) {
    const auto rows = merged(b, order.begin(), at);
    const auto vec = merged(b, at + 1, order.end());
    if (!spans_others(b.box, s.box, column) || !rows || !vec) return std::nullopt;
    if (vec->count > 1 && vec->stride != 1) return std::nullopt;
    Piece p{b.box.start[column] - s.box.start[column], b.box.count[column], b.base, rows->stride,
            b.stride[column]};
    // Dimensions of one element have no stride of their own; set the value of a matrix without
    // gaps.
    if (p.count == 1) p.column_stride = m.vec;
    if (rows->count == 1) p.row_stride = p.count * m.vec;
    m.pieces.push_back(p);
  }
  std::sort(m.pieces.begin(), m.pieces.end(),
            [](const Piece &a, const Piece &b) { return a.first < b.first; });
  return m;
}

std::vector<local::BoxCopy> copies(const Storage &from, const Storage &to) {
  std::vector<local::BoxCopy> list;
  for (const StoredBox &f : from.boxes)
    for (const StoredBox &t : to.boxes) {
      const IndexBox shared = intersection(f.box, t.box);
      if (shared.points() == 0) continue;
      local::BoxCopy c{{}, f.base, t.base};
      for (std::size_t a = 0; a < shared.count.size(); ++a) {
        c.dimensions.push_back({shared.count[a], f.stride[a], t.stride[a]});
        c.source += (shared.start[a] - f.box.start[a]) * f.stride[a];
        c.destination += (shared.start[a] - t.box.start[a]) * t.stride[a];
      }
      list.push_back(std::move(c));
    }
  return list;
}

namespace {

std::ptrdiff_t numbers(const Storage &s) { return s.box.points() * (s.real ? 1 : 2); }

using profile::Lines;
using profile::Stage;
using profile::transform_flops;

double product(const std::vector<std::ptrdiff_t> &n) {
  double p = 1;
  for (const std::ptrdiff_t i : n)
    p *= static_cast<double>(i);
  return p;
}

/// Returns the transformed lines of a step: first the lines of the last axis, then the columns.
std::vector<Lines> lines_of(const Step &s) {
  if (!s.is_fft() || s.kind == StepKind::whole) return {};
  const std::vector<std::ptrdiff_t> &n = s.transform.extents;
  const std::ptrdiff_t rows = s.source.rows;
  if (s.kind == StepKind::columns) return {{n[0], rows * s.source.vec}};
  if (n.size() == 1) return {{n[0], rows * s.transform.howmany}};
  const std::ptrdiff_t columns = std::min(s.source.vec, s.destination.vec);
  return {{n[1], rows * n[0]}, {n[0], rows * columns}};
}

/// Returns the flops of these lines. Real lines of the last axis count half.
double flops_of(const Step &s, const std::vector<Lines> &lines) {
  double flops = 0;
  for (const Lines &l : lines) {
    const double all = transform_flops(static_cast<double>(l.points), static_cast<double>(l.count));
    flops += flops == 0 && s.transform.kind != Kind::c2c ? all / 2 : all;
  }
  return flops;
}

double flops_of(const Step &s) {
  if (!s.is_fft()) return 0;
  const std::ptrdiff_t batch = s.kind == StepKind::columns ? s.source.vec : s.transform.howmany;
  const double all =
      transform_flops(product(s.transform.extents), static_cast<double>(s.source.rows * batch));
  return s.is_of_reals() ? all / 2 : all;
}

} // namespace

Step::Step(StepKind of_kind, Storage source_storage, Storage destination_storage)
    : kind(of_kind), from(std::move(source_storage)), to(std::move(destination_storage)),
      reads(numbers(from)), writes(numbers(to)) {}

bool Step::may_be_in_place() const {
  if (!cells.empty()) return false;
  switch (kind) {
  case StepKind::whole:
    return true;
  case StepKind::planes:
    // An unpadded real line is shorter than its spectrum, so the transform cannot write over its
    // input.
    return !pruned && source.is_tight() && destination.is_tight() &&
           source.vec == destination.vec && to.reals() <= from.reals();
  case StepKind::columns:
    return !pruned && source == destination && from.real == to.real;
  case StepKind::exchange:
    return uses_window() || (exchange != nullptr && exchange->in_place());
  case StepKind::copy:
  case StepKind::work:
    return false;
  }
  return false;
}

bool Step::may_be_lines() const {
  // A line of retained modes has gaps in the places of the removed bins.
  const bool reads_gaps = pruned && pruned->spectrum_in;
  const bool writes_gaps = pruned && !pruned->spectrum_in;
  if (source.vec != 1 || !cells.empty() || transform.kind != Kind::c2c) return false;
  if (!pruned) return has_runs(source) && has_runs(destination);
  return (source.is_tight() && !reads_gaps) || (destination.is_tight() && !writes_gaps);
}

void spread_modes(Step &step, const PrunedAxis &pruned) {
  SplitRows &spectral = pruned.spectrum_in ? step.source : step.destination;
  const SplitRows all = spectral;
  if (pruned.vec > 0) {
    spectral = within_vec(spectral, 0, pruned.vec);
    SplitRows &other = pruned.spectrum_in ? step.destination : step.source;
    if (step.kind == StepKind::columns) other = within_vec(other, 0, pruned.vec);
  }
  SplitRows hole = pruned.modes.hole(spectral);
  spectral = pruned.modes.spread(spectral);
  if (!hole.pieces.empty() && !pruned.spectrum_in) step.cleared.push_back(std::move(hole));
  const std::ptrdiff_t beyond = all.vec - spectral.vec;
  if (beyond > 0 && !pruned.spectrum_in)
    step.cleared.push_back(within_vec(all, spectral.vec, beyond));
}

Step copy_of(const Storage &s) { return {StepKind::copy, s, s}; }

std::size_t element_bytes(const Storage &s, std::size_t real_bytes) {
  return s.real ? real_bytes : 2 * real_bytes;
}

std::size_t buffer_bytes(const Storage &s, std::size_t real_bytes) {
  return static_cast<std::size_t>(s.elements) * element_bytes(s, real_bytes);
}

std::vector<Stage> stages_of(const Steps &steps, std::size_t real_bytes, bool pruned) {
  std::vector<Stage> stages;
  for (const Step &s : steps) {
    std::vector<Lines> lines;
    if (pruned) lines = lines_of(s);
    const double bytes = static_cast<double>(s.reads + s.writes) * static_cast<double>(real_bytes);
    profile::add_stage(stages, s.kind, bytes, pruned ? flops_of(s, lines) : flops_of(s));
    stages.back().lines = std::move(lines);
  }
  return stages;
}

} // namespace hybridfft::plan
