/// What a step of a plan is called, and what it has to do at least.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace hybridfft::profile {

enum class StageKind {
  whole,   ///< all axes at once, by FFTW's own threaded plan
  planes,  ///< FFTs of one axis or of several, row by row
  columns, ///< FFTs along the columns of a matrix
  copy,
  exchange
};

/// Transforms of one length.
struct Lines {
  std::ptrdiff_t points = 0;
  std::ptrdiff_t count = 0;
};

struct Stage {
  std::string name; ///< the kind of step, numbered from the second of its kind on: "exchange 2"
  StageKind kind = StageKind::copy;
  int ordinal = 0;  ///< among the steps of its kind
  double bytes = 0; ///< bytes that this rank reads once and writes once
  double flops = 0; ///< this rank's, by the convention 5 n log2 n, half of that for real data
  std::vector<Lines> lines = {}; ///< lines that a stage of a pruned plan transforms
};

/// Appends a stage, with a name of its own.
void add_stage(std::vector<Stage> &stages, StageKind kind, double bytes, double flops);

/// Floating-point operations of `batch` transforms of so many points.
double transform_flops(double points, double batch);

/// "18432 lines of 192, 6144 lines of 192, "; empty where a stage has none.
std::string describe_lines(const Stage &stage);

} // namespace hybridfft::profile
