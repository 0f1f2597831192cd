#include "plan/step.h"

#include <algorithm>
#include <utility>

#include "base/memory.h"
#include "layout/tiling.h"

namespace hybridfft::plan {

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
