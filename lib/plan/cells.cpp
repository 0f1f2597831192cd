#include "plan/cells.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/memory.h"

namespace hybridfft::plan {

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

/// Returns the number of elements between neighbouring points of an axis, if every box has all
/// points of the axis and all strides are equal.
std::optional<std::ptrdiff_t> distance_along(const Storage &s, std::size_t axis) {
  for (const StoredBox &b : s.boxes)
    if (b.box.start[axis] != s.box.start[axis] || b.box.count[axis] != s.box.count[axis] ||
        b.stride[axis] != s.boxes.front().stride[axis])
      return std::nullopt;
  return s.boxes.empty() ? std::nullopt : std::optional(s.boxes.front().stride[axis]);
}

/// Returns the storage of one plane in cache (a tile). Each line is padded by a cache line, so that
/// lines use different sets of the caches.
Storage tile_of(const Storage &plane, const AxisOrder &order, std::size_t real_bytes) {
  const auto fastest = std::find_if(order.rbegin(), order.rend(), [&](int axis) {
    return plane.box.count[static_cast<std::size_t>(axis)] > 1;
  });
  return stored(plane.box, order, plane.real, fastest == order.rend() ? -1 : *fastest,
                static_cast<std::ptrdiff_t>(alignment / element_bytes(plane, real_bytes)));
}

/// Returns the part of a storage with the first point of an axis.
Storage first_along(Storage s, std::size_t axis) {
  s.box.count[axis] = 1;
  for (StoredBox &b : s.boxes)
    b.box.count[axis] = 1;
  return s;
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

std::optional<PlaneCells> plane_cells(const Step &step, std::size_t real_bytes) {
  const auto loop = static_cast<std::size_t>(step.loop_axis);
  const auto from_step = distance_along(step.from, loop);
  const auto to_step = distance_along(step.to, loop);
  if (!from_step || !to_step || std::min(*from_step, *to_step) == 1) return std::nullopt;
  const Storage source = first_along(step.from, loop);
  const Storage destination = first_along(step.to, loop);
  PlaneCells cells{tile_of(first_along(step.parts[0].to, loop), step.cells, real_bytes),
                   {},
                   {},
                   step.from.box.count[loop],
                   *from_step,
                   *to_step};
  auto lines = as_matrices(source, cells.tile, step.cells, step.parts[0].axis);
  auto columns = as_matrices(cells.tile, destination, step.cells, step.axis);
  if (!lines || !columns) return std::nullopt;
  cells.lines = std::move(*lines);
  cells.columns = std::move(*columns);
  return cells;
}

} // namespace hybridfft::plan
