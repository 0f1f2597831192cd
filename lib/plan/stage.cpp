#include "plan/stage.h"

#include <algorithm>
#include <cmath>

namespace hybridfft::plan {

namespace {

const char *name_of(StepKind kind) {
  switch (kind) {
  case StepKind::whole:
    return "whole";
  case StepKind::planes:
    return "planes";
  case StepKind::columns:
    return "columns";
  case StepKind::copy:
    return "copy";
  case StepKind::exchange:
    return "exchange";
  }
  return "";
}

double product(const std::vector<std::ptrdiff_t> &n) {
  double p = 1;
  for (const std::ptrdiff_t i : n)
    p *= static_cast<double>(i);
  return p;
}

bool has_planes(const Draft &d) { return d.kind == StepKind::planes || d.kind == StepKind::whole; }

/// Bytes of one side; real data count without their padding.
double side_bytes(const Draft &d, const SplitRows &side, bool real, std::size_t real_bytes) {
  const auto bytes = static_cast<double>(real_bytes);
  if (has_planes(d) && real)
    return bytes * product(d.planes.extents) *
           static_cast<double>(d.source.rows * d.planes.howmany);
  return 2 * bytes * static_cast<double>(side.stored_elements());
}

/// Lines of the last axis first, columns behind them.
std::vector<Lines> lines_of(const Draft &d) {
  const std::ptrdiff_t rows = d.source.rows;
  if (d.kind == StepKind::columns) return {{d.source.columns, rows * d.source.vec}};
  if (d.kind != StepKind::planes) return {};
  const std::vector<std::ptrdiff_t> &n = d.planes.extents;
  if (n.size() == 1) return {{n[0], rows * d.planes.howmany}};
  const std::ptrdiff_t columns = std::min(d.source.vec, d.destination.vec);
  return {{n[1], rows * n[0]}, {n[0], rows * columns}};
}

/// The lines of the last axis of real data count half.
double flops_of(const Draft &d, const std::vector<Lines> &lines) {
  double flops = 0;
  for (const Lines &l : lines) {
    const double all = transform_flops(static_cast<double>(l.points), static_cast<double>(l.count));
    const bool real = flops == 0 && has_planes(d) && d.planes.kind != Kind::c2c;
    flops += real ? all / 2 : all;
  }
  return flops;
}

double flops_of(const Draft &d) {
  if (has_planes(d)) {
    const double all = transform_flops(product(d.planes.extents),
                                       static_cast<double>(d.source.rows * d.planes.howmany));
    return d.planes.kind == Kind::c2c ? all : all / 2;
  }
  if (d.kind != StepKind::columns) return 0;
  return transform_flops(static_cast<double>(d.source.columns),
                         static_cast<double>(d.source.rows * d.source.vec));
}

} // namespace

double transform_flops(double points, double batch) {
  return points > 1 ? 5 * points * std::log2(points) * batch : 0;
}

void add_stage(std::vector<Stage> &stages, StepKind kind, double bytes, double flops) {
  const auto same = [kind](const Stage &other) { return other.kind == kind; };
  Stage s{name_of(kind), kind, static_cast<int>(std::count_if(stages.begin(), stages.end(), same)),
          bytes, flops};
  if (s.ordinal > 0) s.name += " " + std::to_string(s.ordinal + 1);
  stages.push_back(std::move(s));
}

std::string describe_lines(const Stage &stage) {
  std::string text;
  for (const Lines &l : stage.lines)
    text += std::to_string(l.count) + " lines of " + std::to_string(l.points) + ", ";
  return text;
}

std::vector<Stage> stages_of(const std::vector<Draft> &steps, std::size_t real_bytes, bool pruned) {
  std::vector<Stage> stages;
  for (const Draft &d : steps) {
    std::vector<Lines> lines;
    if (pruned) lines = lines_of(d);
    add_stage(stages, d.kind,
              side_bytes(d, d.source, d.planes.kind == Kind::r2c, real_bytes) +
                  side_bytes(d, d.destination, d.planes.kind == Kind::c2r, real_bytes),
              pruned ? flops_of(d, lines) : flops_of(d));
    stages.back().lines = std::move(lines);
  }
  return stages;
}

} // namespace hybridfft::plan
