#include "plan/storage.h"

#include <algorithm>

#include "base/memory.h"
#include "layout/tiling.h"

namespace hybridfft::plan {

namespace {

/// Several axes merged into one, whose points have a constant stride.
struct Run {
  std::ptrdiff_t count = 1;
  std::ptrdiff_t stride = 0; ///< elements between points; 0 for one point
};

std::optional<Run> merged(const StoredBox &b, AxisOrder::const_iterator first,
                          AxisOrder::const_iterator last) {
  Run run;
  while (last != first) {
    const auto axis = static_cast<std::size_t>(*--last);
    const std::ptrdiff_t n = b.box.count[axis];
    if (n == 1) continue;
    if (run.count == 1)
      run.stride = b.stride[axis];
    else if (b.stride[axis] != run.count * run.stride)
      return std::nullopt;
    run.count *= n;
  }
  return run;
}

/// True if the part has the same extents as `whole` along all axes but one.
bool spans_others(const IndexBox &part, const IndexBox &whole, std::size_t axis) {
  for (std::size_t a = 0; a < whole.count.size(); ++a)
    if (a != axis && (part.start[a] != whole.start[a] || part.count[a] != whole.count[a]))
      return false;
  return true;
}

/// Sets the strides of a box without gaps, except for the padding of one axis. Returns its number
/// of elements.
std::ptrdiff_t place(StoredBox &b, const AxisOrder &order, int padded, std::ptrdiff_t padding) {
  b.stride.assign(b.box.count.size(), 0);
  std::ptrdiff_t stride = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    const auto axis = static_cast<std::size_t>(order[i]);
    b.stride[axis] = stride;
    stride *= b.box.count[axis] + (order[i] == padded ? padding : 0);
  }
  return stride;
}

} // namespace

IndexBox with_fields(IndexBox box, std::ptrdiff_t howmany) {
  box.start.push_back(0);
  box.count.push_back(howmany);
  return box;
}

Storage stored(const Layout &layout, int rank, bool real) {
  const auto d = static_cast<std::size_t>(layout.dimensions());
  Storage s{with_fields(layout.box(rank), layout.howmany()), real, {}, layout.local_size(rank)};
  StoredBox b{s.box, std::vector<std::ptrdiff_t>(d + 1), 0};
  std::ptrdiff_t stride = layout.fields() == Fields::interleaved ? layout.howmany() : 1;
  for (std::size_t p = d; p-- > 0;) {
    const AxisLayout &a = layout.axes()[p];
    const auto axis = static_cast<std::size_t>(a.axis);
    b.stride[axis] = stride;
    stride *= s.box.count[axis] + a.padding;
  }
  b.stride[d] = layout.field_stride(rank);
  if (!s.empty()) s.boxes.push_back(std::move(b));
  return s;
}

Storage stored(const IndexBox &box, const AxisOrder &order, bool real, int padded,
               std::ptrdiff_t padding) {
  Storage s{box, real, {}, 0};
  StoredBox b{box, {}, 0};
  s.elements = place(b, order, padded, padding);
  if (!s.empty()) s.boxes.push_back(std::move(b));
  return s;
}

PlacedBoxes stored(const IndexBox &whole, const std::vector<IndexBox> &boxes,
                   const AxisOrder &order, bool real, std::size_t element) {
  PlacedBoxes p{{whole, real, {}, 0}, {}};
  const auto line = std::max<std::ptrdiff_t>(
      static_cast<std::ptrdiff_t>(alignment) / static_cast<std::ptrdiff_t>(element), 1);
  for (const IndexBox &box : boxes) {
    StoredBox b{box, {}, p.storage.elements};
    p.bases.push_back(b.base);
    if (box.points() == 0) continue;
    p.storage.elements += (place(b, order, -1, 0) + line - 1) / line * line;
    p.storage.boxes.push_back(std::move(b));
  }
  return p;
}

std::optional<SplitRows> as_columns(const Storage &s, const AxisOrder &order, int axis) {
  const auto at = std::find(order.begin(), order.end(), axis);
  const auto column = static_cast<std::size_t>(axis);
  SplitRows m{1, s.box.count[column], 1, {}};
  for (auto a = order.begin(); a != order.end(); ++a)
    if (a != at) (a < at ? m.rows : m.vec) *= s.box.count[static_cast<std::size_t>(*a)];
  for (const StoredBox &b : s.boxes) {
    const auto rows = merged(b, order.begin(), at);
    const auto vec = merged(b, at + 1, order.end());
    if (!spans_others(b.box, s.box, column) || !rows || !vec) return std::nullopt;
    if (vec->count > 1 && vec->stride != 1) return std::nullopt;
    Piece p{b.box.start[column] - s.box.start[column], b.box.count[column], b.base, rows->stride,
            b.stride[column]};
    // Dimensions of one element have no stride of their own; set the value of a matrix without
    // gaps.
    if (p.count == 1) p.column_stride = m.vec;
    if (rows->count == 1) p.row_stride = p.count * m.vec;
    m.pieces.push_back(p);
  }
  std::sort(m.pieces.begin(), m.pieces.end(),
            [](const Piece &a, const Piece &b) { return a.first < b.first; });
  return m;
}

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

} // namespace hybridfft::plan
