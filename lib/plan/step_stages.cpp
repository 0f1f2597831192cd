#include "plan/step_stages.h"

#include <algorithm>
#include <utility>

namespace hybridfft::plan {

namespace {

using profile::Lines;
using profile::Stage;
using profile::transform_flops;

double product(const std::vector<std::ptrdiff_t> &n) {
  double p = 1;
  for (const std::ptrdiff_t i : n)
    p *= static_cast<double>(i);
  return p;
}

/// Lines of the last axis first, columns behind them.
std::vector<Lines> lines_of(const Step &s) {
  if (!s.is_fft() || s.kind == StepKind::whole) return {};
  const std::vector<std::ptrdiff_t> &n = s.transform.extents;
  const std::ptrdiff_t rows = s.source.rows;
  if (s.kind == StepKind::columns) return {{n[0], rows * s.source.vec}};
  if (n.size() == 1) return {{n[0], rows * s.transform.howmany}};
  const std::ptrdiff_t columns = std::min(s.source.vec, s.destination.vec);
  return {{n[1], rows * n[0]}, {n[0], rows * columns}};
}

/// The lines of the last axis of real data count half.
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
  return s.transform.kind == Kind::c2c ? all : all / 2;
}

} // namespace

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
