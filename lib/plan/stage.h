/// What a step of a plan is called, and what it has to do at least.
#pragma once

#include <string>
#include <vector>

#include "plan/step.h"

namespace hybridfft::plan {

/// Transforms of one length.
struct Lines {
  std::ptrdiff_t points = 0;
  std::ptrdiff_t count = 0;
};

struct Stage {
  std::string name; ///< the kind of step, numbered from the second of its kind on: "exchange 2"
  StepKind kind = StepKind::copy;
  int ordinal = 0;  ///< among the steps of its kind
  double bytes = 0; ///< of this rank, read once and written once
  double flops = 0; ///< of this rank, by the convention 5 n log2 n, half of that for real data
  std::vector<Lines> lines = {}; ///< that a stage of a pruned plan transforms
};

/// Appends a stage, with a name of its own.
void add_stage(std::vector<Stage> &stages, StepKind kind, double bytes, double flops);

/// Those of `batch` transforms of so many points.
double transform_flops(double points, double batch);

/// "18432 lines of 192, 6144 lines of 192, "; nothing where none are told.
std::string describe_lines(const Stage &stage);

/// Stages for the steps of one plan. In a pruned one planes of two axes are lines and columns, of
/// which the columns alone are fewer.
std::vector<Stage> stages_of(const Steps &steps, std::size_t real_bytes, bool pruned = false);

} // namespace hybridfft::plan
