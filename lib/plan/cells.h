/// FFTs along one axis of data that are stored in several boxes, for example the messages of an
/// exchange. The boxes may divide the other axes too. A cell is a set of complete lines that no box
/// before or after the transform divides along another axis. The lines of each cell form one or
/// more matrices, and the matrices are transformed one after another. This saves a copy to a single
/// box. Plans use cells if there are at most max_matrices matrices.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "layout/split_rows.h"
#include "local/line_fft.h"
#include "local/simd_passes.h"
#include "plan/problem.h"
#include "plan/step.h"

namespace hybridfft::plan {

/// True if a plane of `points` complex points fits the cache, for fused transforms. Larger planes
/// leave the cache between the axes and are better split into lines and columns.
inline bool fits_cache(std::ptrdiff_t points, std::size_t real_bytes) {
  constexpr std::size_t max_bytes = std::size_t{1} << 20;
  return static_cast<std::size_t>(points) * 2 * real_bytes <= max_bytes;
}

/// True if the library's own kernels of an instruction set support lines of n points.
inline bool simd_applies(simd::Isa isa, std::size_t real_bytes, std::ptrdiff_t n,
                         local::LineKind kind = local::LineKind::fourier) {
  if (kind != local::LineKind::fourier)
    return real_bytes == sizeof(float) ? local::has_simd_reals<float>(isa, kind, n)
                                       : local::has_simd_reals<double>(isa, kind, n);
  return real_bytes == sizeof(float) ? local::LineFft<float>::applies(isa, n)
                                     : local::LineFft<double>::applies(isa, n);
}

/// Matrices of the same lines before and after their transform.
struct MatrixPair {
  SplitRows source, destination;

  /// True if the lines are contiguous before and after, at least in pieces of several points
  /// (runs).
  bool is_of_lines() const { return source.vec == 1 && has_runs(source) && has_runs(destination); }
};

/// Largest number of matrices of one transform. More of them cost more than a copy or a separate
/// pass.
constexpr std::size_t max_matrices = 64;

/// Returns matrices that together have all lines along `axis`, before the transform in `from` and
/// after it in `to`. The boxes of both storages may differ only in the extent along this axis.
/// Returns nothing for more than `most` matrices.
std::optional<std::vector<MatrixPair>> as_matrices(const Storage &from, const Storage &to,
                                                   const AxisOrder &order, int axis,
                                                   std::size_t most = max_matrices);

/// Returns boxes with `points` points along `axis`. Along the other axes they have the same
/// divisions as the boxes of the storage. Returns nothing for more than max_matrices boxes.
std::optional<std::vector<IndexBox>> merged_along(const Storage &s, int axis,
                                                  std::ptrdiff_t points);

/// Planes of two axes. The first transform takes the lines of a plane, along the first axis, and
/// writes a tile in cache. The second one takes the columns of the tile, along the second axis.
struct PlaneCells {
  Storage tile;
  std::vector<MatrixPair> lines, columns; ///< matrices of the first plane
  std::ptrdiff_t planes = 0;
  std::ptrdiff_t source_step = 0, destination_step = 0; ///< elements from one plane to the next
};

/// Returns the planes of a step with a loop axis. All boxes before the step must have the same
/// distance between planes, and so must the boxes after it. Both distances must be larger than one
/// element, otherwise vectors and cache lines would hold one element of each plane. Returns nothing
/// in other cases, or if a plane has more than max_matrices matrices before or after the step.
std::optional<PlaneCells> plane_cells(const Step &step, std::size_t real_bytes);

} // namespace hybridfft::plan
