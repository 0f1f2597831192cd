#include "layout/storage.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/memory.h"

namespace hybridfft {

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

/// True if the part has all points of `whole` along all axes but `axis`.
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

std::size_t element_bytes(const Storage &s, std::size_t real_bytes) {
  return s.real ? real_bytes : 2 * real_bytes;
}

std::size_t buffer_bytes(const Storage &s, std::size_t real_bytes) {
  return static_cast<std::size_t>(s.elements) * element_bytes(s, real_bytes);
}

namespace {

/// A box of complete lines. Boxes of the storages divide it along the transformed axis only.
class Cell {
public:
  Cell(IndexBox box, int axis) : box_(std::move(box)), axis_(static_cast<std::size_t>(axis)) {}

  /// Finds the boxes of both storages that contain the lines of the cell.
  void find_boxes(const Storage &from, const Storage &to) {
    sides_ = {boxes_of(from), boxes_of(to)};
  }

  /// Assigns each axis but the transformed one to the innermost dimension of the matrices (vec), to
  /// their rows, or to the loop over matrices.
  void find_loops(const AxisOrder &order) {
    for (std::size_t i = order.size(); i-- > 0;) {
      const auto axis = static_cast<std::size_t>(order[i]);
      const std::ptrdiff_t n = box_.count[axis];
      if (axis == axis_ || n == 1) continue;
      if (rows_axis_ < 0 && outer_.empty() && strides_are(axis, vec_)) {
        vec_ *= n;
      } else if (outer_.empty() && (rows_axis_ < 0 || follows_rows(axis))) {
        if (rows_axis_ < 0) rows_axis_ = order[i];
        rows_ *= n;
      } else {
        outer_.push_back(axis);
      }
    }
  }

  std::size_t matrices() const {
    std::size_t number = 1;
    for (const std::size_t axis : outer_)
      number *= static_cast<std::size_t>(box_.count[axis]);
    return number;
  }

  void append(const Storage &from, const Storage &to, std::vector<MatrixPair> &list) const {
    for (std::size_t i = 0; i < matrices(); ++i) {
      std::vector<std::ptrdiff_t> at(box_.start);
      std::size_t rest = i;
      for (const std::size_t axis : outer_) {
        const auto n = static_cast<std::size_t>(box_.count[axis]);
        at[axis] += static_cast<std::ptrdiff_t>(rest % n);
        rest /= n;
      }
      list.push_back({matrix(0, from, at), matrix(1, to, at)});
    }
  }

private:
  std::vector<StoredBox> boxes_of(const Storage &s) const {
    std::vector<StoredBox> list;
    for (const StoredBox &b : s.boxes)
      if (holds(b.box)) list.push_back(b);
    std::sort(list.begin(), list.end(), [this](const StoredBox &a, const StoredBox &b) {
      return a.box.start[axis_] < b.box.start[axis_];
    });
    return list;
  }

  bool holds(const IndexBox &b) const {
    for (std::size_t a = 0; a < b.count.size(); ++a)
      if (a != axis_ &&
          (box_.start[a] < b.start[a] || box_.start[a] + box_.count[a] > b.start[a] + b.count[a]))
        return false;
    return true;
  }

  template <class F> bool all_boxes(const F &f) const {
    return std::all_of(sides_.begin(), sides_.end(), [&](const std::vector<StoredBox> &side) {
      return std::all_of(side.begin(), side.end(), f);
    });
  }

  bool strides_are(std::size_t axis, std::ptrdiff_t stride) const {
    return all_boxes([&](const StoredBox &b) { return b.stride[axis] == stride; });
  }
  bool follows_rows(std::size_t axis) const {
    const auto fastest = static_cast<std::size_t>(rows_axis_);
    return all_boxes(
        [&](const StoredBox &b) { return b.stride[axis] == rows_ * b.stride[fastest]; });
  }

  SplitRows matrix(std::size_t side, const Storage &s,
                   const std::vector<std::ptrdiff_t> &at) const {
    SplitRows m{rows_, s.box.count[axis_], vec_, {}};
    for (const StoredBox &b : sides_[side]) {
      Piece p{b.box.start[axis_] - s.box.start[axis_], b.box.count[axis_], b.base,
              rows_axis_ < 0 ? 0 : b.stride[static_cast<std::size_t>(rows_axis_)], b.stride[axis_]};
      for (std::size_t a = 0; a < at.size(); ++a)
        if (a != axis_) p.base += (at[a] - b.box.start[a]) * b.stride[a];
      // Dimensions of one element have no stride of their own; set the value of a matrix without
      // gaps.
      if (p.count == 1) p.column_stride = vec_;
      if (rows_ == 1) p.row_stride = p.count * vec_;
      m.pieces.push_back(p);
    }
    return m;
  }

  IndexBox box_;
  std::size_t axis_;
  std::array<std::vector<StoredBox>, 2> sides_;
  std::ptrdiff_t vec_ = 1;
  std::ptrdiff_t rows_ = 1;
  int rows_axis_ = -1; ///< fastest axis among the rows
  std::vector<std::size_t> outer_;
};

/// Returns all starts and ends of boxes of either storage along an axis, ascending.
std::vector<std::ptrdiff_t> cuts(const Storage &from, const Storage &to, std::size_t axis) {
  std::set<std::ptrdiff_t> at;
  for (const Storage *s : {&from, &to})
    for (const StoredBox &b : s->boxes) {
      at.insert(b.box.start[axis]);
      at.insert(b.box.start[axis] + b.box.count[axis]);
    }
  return {at.begin(), at.end()};
}

/// Divides a box at all cuts along axes other than `axis`, and returns the parts. Returns nothing
/// for more than `most` parts.
std::optional<std::vector<IndexBox>> parts_across(const Storage &from, const Storage &to, int axis,
                                                  std::size_t most) {
  std::vector<IndexBox> parts{from.box};
  for (std::size_t a = 0; a < from.box.count.size(); ++a) {
    if (static_cast<int>(a) == axis) continue;
    const std::vector<std::ptrdiff_t> at = cuts(from, to, a);
    std::vector<IndexBox> cut;
    for (const IndexBox &b : parts)
      for (std::size_t i = 1; i < at.size(); ++i) {
        cut.push_back(b);
        cut.back().start[a] = at[i - 1];
        cut.back().count[a] = at[i] - at[i - 1];
      }
    parts = std::move(cut);
    if (parts.size() > most) return std::nullopt;
  }
  return parts;
}

} // namespace

std::optional<std::vector<MatrixPair>> as_matrices(const Storage &from, const Storage &to,
                                                   const AxisOrder &order, int axis,
                                                   std::size_t most) {
  auto parts = parts_across(from, to, axis, most);
  if (!parts) return std::nullopt;
  std::vector<MatrixPair> list;
  for (IndexBox &b : *parts) {
    Cell cell(std::move(b), axis);
    cell.find_boxes(from, to);
    cell.find_loops(order);
    if (list.size() + cell.matrices() > most) return std::nullopt;
    cell.append(from, to, list);
  }
  return list;
}

std::optional<std::vector<IndexBox>> merged_along(const Storage &s, int axis,
                                                  std::ptrdiff_t points) {
  auto parts = parts_across(s, s, axis, max_matrices);
  if (!parts) return std::nullopt;
  for (IndexBox &b : *parts) {
    b.start[static_cast<std::size_t>(axis)] = 0;
    b.count[static_cast<std::size_t>(axis)] = points;
  }
  return parts;
}

} // namespace hybridfft
