/// \file levelset/tiles.hpp
/// Loops over tiles, small cubes of points. A level-set step visits only the tiles near the front.
#ifndef HYBRIDFFT_LEVELSET_TILES_HPP
#define HYBRIDFFT_LEVELSET_TILES_HPP

#include <algorithm>
#include <optional>
#include <vector>

#include "hybridfft/grid/all_vectors.hpp"
#include "hybridfft/grid/device.hpp"
#include "hybridfft/grid/parallel_for.hpp"
#include "hybridfft/levelset/kernels.hpp"

/// Tells the compiler to vectorise the next loop, whose iterations are independent. The CMake
/// target hybridfft::levelset sets the compiler option for this pragma, and defines
/// HFFT_OPENMP_SIMD.
#if defined(_OPENMP) || defined(HFFT_OPENMP_SIMD)
#define HFFT_LEVELSET_VECTORS _Pragma("omp simd")
#else
#define HFFT_LEVELSET_VECTORS
#endif

namespace hybridfft::levelset {

using grid::Array;
using grid::Box;
using grid::Index3;
using grid::View;

/// Place of execution: host threads, or a device. All fields are in the memory of the host or of
/// this device.
struct Executor {
  grid::Host host;
  std::optional<grid::Device> device;
};

namespace detail {

/// Returns a new array in the executor's memory.
template <class T>
Array<T> make_array(const Executor &exec, const Box &box, const grid::Widths &ghosts) {
  if (exec.device) return Array<T>(*exec.device, box, ghosts);
  return Array<T>(grid::Place::host, box, ghosts, exec.host.threads);
}

/// A copy of a list in the executor's memory.
template <class T> class List {
public:
  List() = default;
  List(const Executor &exec, const std::vector<T> &values)
      : count_(static_cast<Index>(values.size())) {
    array_ = Array<T>(grid::Place::host, Box(1, 1, count_));
    std::copy(values.begin(), values.end(), data());
    if (exec.device && count_ > 0) array_ = array_.copy_to(*exec.device);
  }
  T *data() const { return const_cast<T *>(array_.view().origin() + array_.view().offset()); }
  Index size() const { return count_; }

private:
  Array<T> array_;
  Index count_ = 0;
};

/// Calls f for all points of a box on the host. The inner loop vectorises.
template <class F> void for_box(const Box &box, const F f) {
  for (Index i = box.lo[0]; i < box.hi[0]; ++i)
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
      HFFT_LEVELSET_VECTORS
      for (Index k = box.lo[2]; k < box.hi[2]; ++k)
        f(i, j, k);
    }
}

/// A list of tiles, both on the host and in the executor's memory.
struct TileList {
  TileList() = default;
  TileList(const Executor &exec, std::vector<Box> tiles, const Index3 &tile_edge)
      : boxes(std::move(tiles)), edge(tile_edge) {
    if (exec.device) there = List<Box>(exec, boxes);
  }
  Index size() const { return static_cast<Index>(boxes.size()); }
  std::vector<Box> boxes;
  List<Box> there;
  Index3 edge;
};

/// Calls f(i, j, k) once for every point of the tiles.
template <class F> void for_points(const Executor &exec, const TileList &tiles, const F &f) {
  if (tiles.size() == 0) return;
  if (exec.device)
    return grid::parallel_for(*exec.device,
                              Box(tiles.size() * tiles.edge[0], tiles.edge[1], tiles.edge[2]),
                              TileWalk<F>{f, tiles.there.data(), tiles.edge});
  const Box *const boxes = tiles.boxes.data();
  grid::detail::for_rows(exec.host, Box(tiles.size(), 1, 1),
                         [&](Index t, Index) { for_box(boxes[t], f); });
}

/// Consecutive points lo <= k < hi of row (i, j).
struct Segment {
  Index i, j, lo, hi;
};

/// Number of values in the widest vector register. Segments consist of whole vectors where rows
/// permit.
template <class Real> inline constexpr Index lanes = 64 / static_cast<Index>(sizeof(Real));

/// Points to compute: segments of rows on the host, tiles on a device.
struct WorkList {
  TileList tiles;
  std::vector<Segment> segments;
};

/// Calls f(i, j, k) for all points of the segments, `width` points at a time.
template <Index width, class F>
HFFT_ALL_VECTORS void for_segments(const Segment *segments, Index count, const F f) {
  for (Index n = 0; n < count; ++n) {
    const Segment s = segments[n];
    Index k = s.lo;
    for (; k + width <= s.hi; k += width) {
      HFFT_LEVELSET_VECTORS
      for (Index l = 0; l < width; ++l)
        f(s.i, s.j, k + l);
    }
    for (; k < s.hi; ++k)
      f(s.i, s.j, k);
  }
}

/// Calls f(i, j, k) once for every point of a work list. On the host it may also call f for other
/// points of the block.
template <class Real, class F>
void for_points(const Executor &exec, const WorkList &work, const F &f) {
  if (exec.device) return for_points(exec, work.tiles, f);
  const auto range = [&work, &f](Index first, Index last) {
    for_segments<lanes<Real>>(work.segments.data() + first, last - first, f);
  };
  grid::detail::for_ranges(
      static_cast<Index>(work.segments.size()), exec.host.threads,
      [](const void *object, Index first, Index last) {
        (*static_cast<const decltype(range) *>(object))(first, last);
      },
      &range);
}

/// Calls f(i, j, k) once for every point of a box.
template <class F> void for_points(const Executor &exec, const Box &box, const F &f) {
  if (exec.device) return grid::parallel_for(*exec.device, box, f);
  grid::detail::for_rows(exec.host, box, [&](Index i, Index j) {
    for_box(Box({{i, j, box.lo[2]}}, {{i + 1, j + 1, box.hi[2]}}), f);
  });
}

/// Accumulates counts over tiles by count_row(f, ...), and returns one Counts per tile.
template <class F>
std::vector<kernels::Counts> count(const Executor &exec, const TileList &tiles, const F &f) {
  std::vector<kernels::Counts> counts(tiles.boxes.size());
  if (tiles.size() == 0) return counts;
  if (!exec.device) {
    const Box *const boxes = tiles.boxes.data();
    kernels::Counts *const to = counts.data();
    grid::detail::for_rows(exec.host, Box(tiles.size(), 1, 1), [&](Index t, Index) {
      kernels::Counts c;
      const Box &tile = boxes[t];
      for (Index i = tile.lo[0]; i < tile.hi[0]; ++i)
        for (Index j = tile.lo[1]; j < tile.hi[1]; ++j)
          kernels::count_row(f, i, j, tile.lo[2], tile.hi[2], c);
      to[t] = c;
    });
    return counts;
  }
  const Index rows = tiles.edge[0] * tiles.edge[1];
  std::vector<kernels::Counts> of_rows(static_cast<std::size_t>(tiles.size() * rows));
  const List<kernels::Counts> there(exec, of_rows);
  grid::parallel_for(*exec.device, Box(1, tiles.size(), rows),
                     RowWalk<F>{f, tiles.there.data(), tiles.edge, there.data()});
  exec.device->copy(of_rows.data(), there.data(), of_rows.size() * sizeof(kernels::Counts));
  for (std::size_t n = 0; n < of_rows.size(); ++n)
    counts[n / static_cast<std::size_t>(rows)].add(of_rows[n]);
  return counts;
}

/// Accumulates counts over a work list by count_row(f, ...), and returns one Counts per group of
/// segments (on a device, one per tile).
template <class F>
std::vector<kernels::Counts> count(const Executor &exec, const WorkList &work, const F &f) {
  if (exec.device) return count(exec, work.tiles, f);
  constexpr Index part = 64; // segments of a group
  const auto all = static_cast<Index>(work.segments.size());
  std::vector<kernels::Counts> counts(static_cast<std::size_t>((all + part - 1) / part));
  const Segment *const segments = work.segments.data();
  kernels::Counts *const to = counts.data();
  grid::detail::for_rows(exec.host, Box((all + part - 1) / part, 1, 1), [&](Index p, Index) {
    kernels::Counts c;
    for (Index n = p * part; n < std::min(all, (p + 1) * part); ++n)
      kernels::count_row(f, segments[n].i, segments[n].j, segments[n].lo, segments[n].hi, c);
    to[p] = c;
  });
  return counts;
}

/// Appends the segment lo <= k < hi of row (i, j), extended to whole vectors within the points
/// begin <= k < end of the row. It is merged with the last segment of the row if both would share a
/// vector. Calls must come in ascending order.
template <class Real>
void append_segment(std::vector<Segment> &list, Segment s, Index begin, Index end) {
  constexpr Index width = lanes<Real>;
  if (!list.empty() && list.back().i == s.i && list.back().j == s.j && list.back().hi > s.lo) {
    if (list.back().hi >= s.hi) return;
    s.lo = list.back().lo;
    list.pop_back();
  }
  while (true) {
    s.hi = s.lo + (s.hi - s.lo + width - 1) / width * width;
    if (s.hi > end) {
      s.lo = std::max(begin, s.lo - (s.hi - end));
      s.hi = end;
    }
    const bool joins =
        !list.empty() && list.back().i == s.i && list.back().j == s.j && list.back().hi > s.lo;
    if (!joins) break;
    s.lo = list.back().lo;
    list.pop_back();
  }
  list.push_back(s);
}

/// Builds the row segments of tiles, in ascending order. Calls append(list, i, j, tile) for each
/// row (i, j) and each tile crossed by the row.
template <class Append>
std::vector<Segment> segments_of(const Executor &exec, const std::vector<Box> &tiles,
                                 const Append &append) {
  std::vector<std::size_t> groups; // first tile of each group of tiles with the same rows
  for (std::size_t t = 0; t < tiles.size(); ++t)
    if (t == 0 || tiles[t].lo[0] != tiles[t - 1].lo[0] || tiles[t].lo[1] != tiles[t - 1].lo[1])
      groups.push_back(t);
  std::vector<std::vector<Segment>> parts(groups.size());
  groups.push_back(tiles.size());
  grid::detail::for_rows(exec.host, Box(static_cast<Index>(parts.size()), 1, 1),
                         [&](Index group, Index) {
                           const auto g = static_cast<std::size_t>(group);
                           const Box &first = tiles[groups[g]];
                           for (Index i = first.lo[0]; i < first.hi[0]; ++i)
                             for (Index j = first.lo[1]; j < first.hi[1]; ++j)
                               for (std::size_t t = groups[g]; t < groups[g + 1]; ++t)
                                 append(parts[g], i, j, tiles[t]);
                         });
  std::vector<Segment> all;
  for (const auto &part : parts)
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// Returns the rows of tiles as segments. Adjacent tiles give one segment.
inline std::vector<Segment> rows_of(const Executor &exec, const std::vector<Box> &tiles) {
  return segments_of(exec, tiles,
                     [](std::vector<Segment> &list, Index i, Index j, const Box &tile) {
                       if (!list.empty() && list.back().i == i && list.back().j == j &&
                           list.back().hi == tile.lo[2])
                         list.back().hi = tile.hi[2];
                       else
                         list.push_back({i, j, tile.lo[2], tile.hi[2]});
                     });
}

/// Shrinks lo <= k < hi to the marked points of row (i, j); lo = hi if there are none.
inline void shrink_to_marks(const View<const std::uint8_t> &marks, Segment &s) {
  while (s.lo < s.hi && marks(s.i, s.j, s.lo) == 0)
    ++s.lo;
  while (s.lo < s.hi && marks(s.i, s.j, s.hi - 1) == 0)
    --s.hi;
}

/// Returns the segments that contain the marked points of tiles.
/// \param row box whose rows limit the segments, when these are extended to whole vectors
template <class Real>
std::vector<Segment> marked_segments(const Executor &exec, const std::vector<Box> &tiles,
                                     const View<const std::uint8_t> &marks, const Box &row) {
  return segments_of(exec, tiles,
                     [&](std::vector<Segment> &list, Index i, Index j, const Box &tile) {
                       Segment s{i, j, tile.lo[2], tile.hi[2]};
                       shrink_to_marks(marks, s);
                       if (s.lo < s.hi) append_segment<Real>(list, s, row.lo[2], row.hi[2]);
                     });
}

} // namespace detail

} // namespace hybridfft::levelset

#endif
