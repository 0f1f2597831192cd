#include "layout/tiling.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "hybridfft/error.hpp"
#include "layout/checked_size.h"

namespace hybridfft {

namespace {

std::string named(const IndexBox &b) {
  std::string text;
  for (std::size_t a = 0; a < b.count.size(); ++a)
    text += (a == 0 ? "[" : " x [") + std::to_string(b.start[a]) + ", " +
            std::to_string(b.start[a] + b.count[a]) + ")";
  return text;
}

void require_inside(std::span<const std::ptrdiff_t> extents, const IndexBox &b, std::size_t rank) {
  const std::string name = "the box of rank " + std::to_string(rank);
  require_entries(name + " (start)", b.start.size(), extents.size());
  require_entries(name + " (count)", b.count.size(), extents.size());
  for (std::size_t a = 0; a < extents.size(); ++a)
    if (b.count[a] < 0 || b.start[a] < 0 || b.start[a] > extents[a] ||
        b.count[a] > extents[a] - b.start[a])
      throw Error(HFFT_ERROR_LAYOUT,
                  name + " starts at " + std::to_string(b.start[a]) + " and has " +
                      std::to_string(b.count[a]) + " points along axis " + std::to_string(a) +
                      ", expected a part of 0.." + std::to_string(extents[a] - 1));
}

/// Throws for overlapping boxes. The boxes are sorted along the first axis, and each is compared
/// only with boxes that start before its end. Boxes that do not overlap along this axis are
/// therefore never compared.
void require_disjoint(std::span<const IndexBox> boxes) {
  std::vector<std::size_t> order;
  for (std::size_t r = 0; r < boxes.size(); ++r)
    if (boxes[r].points() > 0) order.push_back(r);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(boxes[a].start[0], a) < std::pair(boxes[b].start[0], b);
  });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const IndexBox &a = boxes[order[i]];
    const std::ptrdiff_t end = a.start[0] + a.count[0];
    for (std::size_t k = i + 1; k < order.size() && boxes[order[k]].start[0] < end; ++k)
      if (intersection(a, boxes[order[k]]).points() > 0)
        throw Error(HFFT_ERROR_LAYOUT, "the boxes of ranks " + std::to_string(order[i]) + ", " +
                                           named(a) + ", and " + std::to_string(order[k]) + ", " +
                                           named(boxes[order[k]]) + ", overlap");
  }
}

} // namespace

void require_entries(const std::string &name, std::size_t found, std::size_t dimensions) {
  if (found != dimensions)
    throw Error(HFFT_ERROR_LAYOUT, name + " has " + std::to_string(found) + " entries, expected " +
                                       std::to_string(dimensions) + ", one per axis");
}

std::vector<int> memory_order(const std::vector<int> &order, std::size_t dimensions) {
  std::vector<int> result(dimensions);
  std::iota(result.begin(), result.end(), 0);
  if (order.empty()) return result;
  require_entries("order", order.size(), dimensions);
  for (const int axis : order)
    if (axis < 0 || static_cast<std::size_t>(axis) >= dimensions)
      throw Error(HFFT_ERROR_LAYOUT, "order has " + std::to_string(axis) + ", expected axes 0.." +
                                         std::to_string(dimensions - 1));
  return order;
}

std::ptrdiff_t sum_of_counts(std::span<const std::ptrdiff_t> counts, std::size_t axis) {
  CheckedSize sum = 0;
  for (const std::ptrdiff_t n : counts) {
    if (n < 0)
      throw Error(HFFT_ERROR_LAYOUT, "a part of axis " + std::to_string(axis) + " has " +
                                         std::to_string(n) + " points, expected 0 or more");
    sum += n;
  }
  if (!sum.fits())
    throw Error(HFFT_ERROR_OVERFLOW, "the parts of axis " + std::to_string(axis) +
                                         " have together more points than 64-bit sizes can count");
  return sum.value();
}

std::vector<IndexBox> boxes_of_counts(const std::vector<std::vector<std::ptrdiff_t>> &counts) {
  const std::size_t d = counts.size();
  std::vector<IndexBox> boxes{
      {std::vector<std::ptrdiff_t>(d, 0), std::vector<std::ptrdiff_t>(d, 0)}};
  for (std::size_t a = 0; a < d; ++a) {
    if (counts[a].empty())
      throw Error(HFFT_ERROR_LAYOUT,
                  "axis " + std::to_string(a) + " has no parts, expected 1 or more");
    if (boxes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()) / counts[a].size())
      throw Error(HFFT_ERROR_LAYOUT, "a grid of more than 2^31-1 ranks");
    sum_of_counts(counts[a], a);
    std::vector<IndexBox> finer;
    for (const IndexBox &b : boxes) {
      std::ptrdiff_t start = 0;
      for (const std::ptrdiff_t n : counts[a]) {
        finer.push_back(b);
        finer.back().start[a] = start;
        finer.back().count[a] = n;
        start += n;
      }
    }
    boxes = std::move(finer);
  }
  return boxes;
}

void require_tiling(std::span<const std::ptrdiff_t> extents, std::span<const IndexBox> boxes) {
  if (boxes.empty()) throw Error(HFFT_ERROR_LAYOUT, "there is no box, expected one per rank");
  for (std::size_t r = 0; r < boxes.size(); ++r)
    require_inside(extents, boxes[r], r);
  require_disjoint(boxes);
  std::ptrdiff_t points = 0;
  for (const IndexBox &box : boxes)
    points += box.points();
  const std::ptrdiff_t all =
      std::accumulate(extents.begin(), extents.end(), std::ptrdiff_t{1}, std::multiplies<>());
  if (points != all)
    throw Error(HFFT_ERROR_LAYOUT, "the boxes hold " + std::to_string(points) +
                                       " points, expected all " + std::to_string(all) +
                                       " of the array: they leave a gap");
}

bool contains(const IndexBox &box, std::span<const std::ptrdiff_t> index) {
  for (std::size_t a = 0; a < index.size(); ++a)
    if (index[a] < box.start[a] || index[a] >= box.start[a] + box.count[a]) return false;
  return true;
}

IndexBox intersection(const IndexBox &a, const IndexBox &b) {
  IndexBox shared = a;
  for (std::size_t i = 0; i < a.count.size(); ++i) {
    const std::ptrdiff_t end = std::min(a.start[i] + a.count[i], b.start[i] + b.count[i]);
    shared.start[i] = std::max(a.start[i], b.start[i]);
    shared.count[i] = std::max<std::ptrdiff_t>(end - shared.start[i], 0);
  }
  return shared;
}

} // namespace hybridfft
