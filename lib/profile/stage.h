/// A stage of a plan's profile: its name, bytes and floating-point operations.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace hybridfft::profile {

enum class StageKind {
  whole,   ///< transforms of all axes by FFTW's own threaded plan
  planes,  ///< FFTs of one or several axes, row by row
  columns, ///< FFTs along the columns of a matrix
  copy,
  work, ///< the user's work of an operator, together with transforms fused into the same pass
  exchange
};
constexpr std::size_t stage_kinds = static_cast<std::size_t>(StageKind::exchange) + 1;

/// A number of transforms of one length.
struct Lines {
  std::ptrdiff_t points = 0;
  std::ptrdiff_t count = 0;
};

struct Stage {
  std::string name; ///< kind of step, numbered from the second of its kind on: "exchange 2"
  StageKind kind = StageKind::copy;
  int ordinal = 0;  ///< number of earlier steps of the same kind
  double bytes = 0; ///< bytes that this rank reads once and writes once
  double flops =
      0; ///< floating-point operations of this rank: 5 n log2 n, half of it for real data
  std::vector<Lines> lines = {}; ///< lines transformed by a stage of a pruned plan
};

/// Appends a stage with a unique name.
void add_stage(std::vector<Stage> &stages, StageKind kind, double bytes, double flops);

/// Returns the floating-point operations of `batch` transforms of `points` points.
double transform_flops(double points, double batch);

/// Returns "18432 lines of 192, 6144 lines of 192, "; empty for a stage without lines.
std::string describe_lines(const Stage &stage);

} // namespace hybridfft::profile
