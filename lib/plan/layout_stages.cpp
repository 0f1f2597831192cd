// What the steps between layouts have to do: bytes, flops, lines.
#include <algorithm>

#include "plan/layout_steps.h"

namespace hybridfft::plan {

namespace {

double bytes_of(const Storage &s, std::size_t real_bytes) {
  return static_cast<double>(s.box.points()) * static_cast<double>(s.real ? 1 : 2) *
         static_cast<double>(real_bytes);
}

double flops_of(const LayoutStep &s) {
  if (s.kind == StepKind::columns)
    return transform_flops(static_cast<double>(s.lines.extents.front()),
                           static_cast<double>(s.source.rows * s.source.vec));
  if (s.kind != StepKind::planes) return 0;
  double points = 1;
  for (const std::ptrdiff_t n : s.lines.extents)
    points *= static_cast<double>(n);
  const double all = transform_flops(points, static_cast<double>(s.source.rows * s.lines.howmany));
  return s.lines.kind == Kind::c2c ? all : all / 2;
}

/// Lines that a step transforms; planes of two axes have those of the last one first.
std::vector<Lines> lines_of(const LayoutStep &s) {
  if (s.lines.extents.empty()) return {};
  const Extents &n = s.lines.extents;
  const std::ptrdiff_t rows = s.source.rows * s.source.vec;
  if (n.size() == 1) return {{n[0], rows}};
  const std::ptrdiff_t columns = s.lines.kind == Kind::c2c ? n[1] : n[1] / 2 + 1;
  return {{n[1], s.source.rows * n[0]}, {n[0], s.source.rows * columns}};
}

} // namespace

std::vector<Stage> stages_of(const std::vector<LayoutStep> &steps, std::size_t real_bytes) {
  const bool pruned =
      std::any_of(steps.begin(), steps.end(), [](const LayoutStep &s) { return s.pruned; });
  std::vector<Stage> stages;
  for (const LayoutStep &s : steps) {
    add_stage(stages, s.kind, bytes_of(s.from, real_bytes) + bytes_of(s.to, real_bytes),
              flops_of(s));
    if (pruned) stages.back().lines = lines_of(s);
  }
  return stages;
}

} // namespace hybridfft::plan
