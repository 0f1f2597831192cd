/// FFTs along an axis of boxes that are cut along other axes, too: one after another, each of what
/// lies in one box on either side.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "layout/split_rows.h"
#include "local/line_fft.h"
#include "local/simd_cosines.h"
#include "plan/problem.h"
#include "plan/step.h"
#include "plan/storage.h"

namespace hybridfft::plan {

/// Larger planes leave the cache on the way: they are lines and columns.
constexpr std::size_t most_plane_bytes = std::size_t{1} << 20;

/// A plane of so many complex points.
inline bool fits_cache(std::ptrdiff_t points, std::size_t real_bytes) {
  return static_cast<std::size_t>(points) * 2 * real_bytes <= most_plane_bytes;
}

/// Whether the library's own kernels of an instruction set fit lines of n points.
inline bool simd_applies(simd::Isa isa, std::size_t real_bytes, std::ptrdiff_t n,
                         local::LineKind kind = local::LineKind::fourier) {
  if (kind != local::LineKind::fourier)
    return real_bytes == sizeof(float) ? local::has_simd_cosines<float>(isa, kind, n)
                                       : local::has_simd_cosines<double>(isa, kind, n);
  return real_bytes == sizeof(float) ? local::LineFft<float>::applies(isa, n)
                                     : local::LineFft<double>::applies(isa, n);
}

/// Whether the kernels that planes are to have are the library's own, and fit lines of n points.
inline bool has_plane_kernels(const Problem &p, local::Kernel kernel, std::ptrdiff_t n) {
  return kernel != local::Kernel::fftw && simd_applies(p.isa, p.real_bytes, n);
}

/// The same lines before and after their transform.
struct MatrixPair {
  SplitRows source, destination;

  /// The lines are contiguous on both sides, at least in runs.
  bool is_of_lines() const { return source.vec == 1 && has_runs(source) && has_runs(destination); }
};

/// More matrices of a transform cost more than a copy does, or a pass of its own.
constexpr std::size_t most_matrices = 64;

/// All lines along `axis` of two storages whose boxes differ along that axis in their extents only.
/// Nothing where these would be more than `most` matrices.
std::optional<std::vector<MatrixPair>> as_matrices(const Storage &from, const Storage &to,
                                                   const AxisOrder &order, int axis,
                                                   std::size_t most);

/// Boxes with all of `axis`, `points` of it, that are cut along the others wherever boxes of a
/// storage are. Nothing where these would be more than `most`.
std::optional<std::vector<IndexBox>> merged_along(const Storage &s, int axis, std::ptrdiff_t points,
                                                  std::size_t most);

/// Planes of two axes that are transformed one after another, each in a tile in cache between its
/// lines along the first axis and its columns along the second.
struct PlaneCells {
  Storage tile;
  std::vector<MatrixPair> lines, columns; ///< matrices of the first plane
  std::ptrdiff_t planes = 0;
  std::ptrdiff_t source_step = 0, destination_step = 0; ///< elements, from one plane to the next
};

/// The planes of a step that has a loop axis. Nothing where the next plane is not as far in all
/// boxes of a side, where it is the next element, so that vectors and cache lines would hold one
/// element of a plane each, or where a side of a plane were more than `most` matrices.
std::optional<PlaneCells> plane_cells(const Step &step, std::size_t real_bytes, std::size_t most);

} // namespace hybridfft::plan
