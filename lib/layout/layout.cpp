// Computes the distribution of an array over the ranks and its memory order, from process grids or
// from boxes.
#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "hybridfft/error.hpp"
#include "hybridfft/layout.hpp"
#include "layout/checked_size.h"
#include "layout/tiling.h"

namespace hybridfft {

BlockDistribution::BlockDistribution(std::ptrdiff_t n, int parts, std::ptrdiff_t block)
    : n_(n), parts_(parts) {
  if (n < 0) throw Error(HFFT_ERROR_LAYOUT, "extent " + std::to_string(n) + " is negative");
  if (parts < 1)
    throw Error(HFFT_ERROR_LAYOUT, "cannot cut over " + std::to_string(parts) + " parts");
  if (block < 0)
    throw Error(HFFT_ERROR_LAYOUT, "block size " + std::to_string(block) + " is negative");
  const std::ptrdiff_t smallest = n / parts + (n % parts != 0 ? 1 : 0);
  block_ = block != 0 ? block : std::max<std::ptrdiff_t>(smallest, 1);
  if (block_ < smallest)
    throw Error(HFFT_ERROR_LAYOUT, "blocks of " + std::to_string(block) + " on " +
                                       std::to_string(parts) + " ranks do not cover " +
                                       std::to_string(n) + " points, at least " +
                                       std::to_string(smallest) + " is needed");
}

std::ptrdiff_t BlockDistribution::start(int part) const {
  // Compare by a division, because part * block may overflow for huge blocks of users.
  return part > n_ / block_ ? n_ : std::min(n_, part * block_);
}

std::ptrdiff_t BlockDistribution::count(int part) const {
  return std::min(block_, n_ - start(part));
}

int BlockDistribution::working_parts() const {
  return static_cast<int>(n_ / block_ + (n_ % block_ != 0 ? 1 : 0));
}

namespace {

/// Returns true if two sizes fit into 63 bits: the number of values of the complete array, and the
/// bytes of a rank's array with the largest elements and padding.
bool is_countable(const std::vector<AxisLayout> &axes, std::ptrdiff_t howmany) {
  constexpr std::ptrdiff_t largest_element = 16;
  CheckedSize all = howmany;
  CheckedSize local = CheckedSize(howmany) * largest_element;
  for (const AxisLayout &a : axes) {
    all *= a.distribution.n();
    // The first part is the largest one.
    local *= CheckedSize(a.distribution.count(0)) + a.padding;
  }
  return all.fits() && local.fits();
}

} // namespace

std::ptrdiff_t IndexBox::points() const {
  return std::accumulate(count.begin(), count.end(), std::ptrdiff_t{1}, std::multiplies<>());
}

Layout::Layout(std::vector<AxisLayout> slowest_to_fastest, std::ptrdiff_t howmany, Fields fields)
    : axes_(std::move(slowest_to_fastest)), rank_strides_(axes_.size()), howmany_(howmany),
      fields_(fields) {
  if (howmany < 1)
    throw Error(HFFT_ERROR_LAYOUT,
                "howmany is " + std::to_string(howmany) + ", expected 1 or more");
  std::vector<bool> seen(axes_.size(), false);
  for (std::size_t p = axes_.size(); p-- > 0;) {
    const AxisLayout &a = axes_[p];
    if (a.axis < 0 || a.axis >= dimensions() || seen[static_cast<std::size_t>(a.axis)])
      throw Error(HFFT_ERROR_LAYOUT, "the axes of a layout must be a permutation of 0.." +
                                         std::to_string(dimensions() - 1) + ", found axis " +
                                         std::to_string(a.axis));
    if (a.padding < 0)
      throw Error(HFFT_ERROR_LAYOUT, "padding of axis " + std::to_string(a.axis) + " is " +
                                         std::to_string(a.padding) + ", expected 0 or more");
    seen[static_cast<std::size_t>(a.axis)] = true;
    rank_strides_[p] = ranks_;
    if (__builtin_mul_overflow(ranks_, a.distribution.parts(), &ranks_))
      throw Error(HFFT_ERROR_LAYOUT, "a grid of more than 2^31-1 ranks");
  }
  if (!is_countable(axes_, howmany_))
    throw Error(HFFT_ERROR_OVERFLOW,
                "the array " + describe() + " has more bytes than 64-bit sizes can count");
}

void Layout::number_logically() {
  int stride = 1;
  for (int axis = dimensions() - 1; axis >= 0; --axis) {
    const std::size_t p = position_of(axis);
    rank_strides_[p] = stride;
    stride *= axes_[p].distribution.parts();
  }
}

Layout Layout::slab(std::span<const std::ptrdiff_t> extents, int ranks, SlabOptions options) {
  std::vector<AxisLayout> axes;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const std::size_t axis = options.transposed && i < 2 ? 1 - i : i;
    axes.push_back({static_cast<int>(axis),
                    i == 0 ? BlockDistribution(extents[axis], ranks, options.block)
                           : BlockDistribution(extents[axis], 1),
                    i + 1 == extents.size() ? options.last_padding : 0});
  }
  return Layout(std::move(axes), options.howmany);
}

Layout Layout::grid(std::span<const std::ptrdiff_t> extents, const std::vector<int> &parts,
                    const Options &options) {
  const std::size_t d = extents.size();
  require_entries("parts", parts.size(), d);
  const std::vector<int> order = memory_order(options.order, d);
  if (!options.padding.empty()) require_entries("padding", options.padding.size(), d);
  std::vector<AxisLayout> axes;
  for (const int axis : order) {
    const auto a = static_cast<std::size_t>(axis);
    axes.push_back({axis, BlockDistribution(extents[a], parts[a]),
                    options.padding.empty() ? 0 : options.padding[a]});
  }
  Layout layout(std::move(axes), options.howmany, options.fields);
  layout.number_logically();
  return layout;
}

Layout Layout::grid(const std::vector<std::vector<std::ptrdiff_t>> &counts,
                    const Options &options) {
  std::vector<std::ptrdiff_t> extents;
  for (std::size_t a = 0; a < counts.size(); ++a)
    extents.push_back(sum_of_counts(counts[a], a));
  return boxes(extents, boxes_of_counts(counts), options);
}

Layout Layout::boxes(std::span<const std::ptrdiff_t> extents, std::vector<IndexBox> list,
                     const Options &options) {
  const std::vector<int> whole(extents.size(), 1);
  Layout layout = grid(extents, whole, options);
  require_tiling(extents, list);
  if (list.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw Error(HFFT_ERROR_LAYOUT, "more than 2^31-1 boxes");
  layout.ranks_ = static_cast<int>(list.size());
  layout.boxes_ = std::make_shared<const std::vector<IndexBox>>(std::move(list));
  return layout;
}

int Layout::coordinate(int rank, std::size_t position) const {
  return rank / rank_strides_[position] % axes_[position].distribution.parts();
}

std::size_t Layout::position_of(int axis) const {
  const auto it = std::find_if(axes_.begin(), axes_.end(),
                               [axis](const AxisLayout &a) { return a.axis == axis; });
  if (it == axes_.end()) throw Error(HFFT_ERROR_ARGUMENT, "no axis " + std::to_string(axis));
  return static_cast<std::size_t>(it - axes_.begin());
}

Layout::Part Layout::part(int rank, std::size_t position) const {
  const AxisLayout &a = axes_[position];
  if (boxes_) {
    const IndexBox &b = (*boxes_)[static_cast<std::size_t>(rank)];
    const auto axis = static_cast<std::size_t>(a.axis);
    return {b.start[axis], b.count[axis]};
  }
  const int at = coordinate(rank, position);
  return {a.distribution.start(at), a.distribution.count(at)};
}

std::vector<std::ptrdiff_t> Layout::extents() const {
  std::vector<std::ptrdiff_t> n(axes_.size());
  for (const AxisLayout &a : axes_)
    n[static_cast<std::size_t>(a.axis)] = a.distribution.n();
  return n;
}

std::ptrdiff_t Layout::local_count(int rank, int axis) const {
  return part(rank, position_of(axis)).count;
}

std::ptrdiff_t Layout::local_start(int rank, int axis) const {
  return part(rank, position_of(axis)).start;
}

IndexBox Layout::box(int rank) const {
  IndexBox b{std::vector<std::ptrdiff_t>(axes_.size()), std::vector<std::ptrdiff_t>(axes_.size())};
  for (std::size_t p = 0; p < axes_.size(); ++p) {
    const Part mine = part(rank, p);
    b.start[static_cast<std::size_t>(axes_[p].axis)] = mine.start;
    b.count[static_cast<std::size_t>(axes_[p].axis)] = mine.count;
  }
  return b;
}

std::ptrdiff_t Layout::points(int rank) const {
  std::ptrdiff_t n = 1;
  for (std::size_t p = 0; p < axes_.size(); ++p)
    n *= part(rank, p).count + axes_[p].padding;
  return n;
}

std::ptrdiff_t Layout::local_size(int rank) const { return howmany_ * points(rank); }

std::ptrdiff_t Layout::field_stride(int rank) const {
  return fields_ == Fields::interleaved ? 1 : points(rank);
}

bool Layout::global(int rank, std::ptrdiff_t offset, std::span<std::ptrdiff_t> index) const {
  std::ptrdiff_t point = fields_ == Fields::interleaved ? offset / howmany_ : offset % points(rank);
  bool inside = true;
  for (std::size_t p = axes_.size(); p-- > 0;) {
    const Part mine = part(rank, p);
    const std::ptrdiff_t allocated = mine.count + axes_[p].padding;
    const std::ptrdiff_t local = point % allocated;
    point /= allocated;
    inside = inside && local < mine.count;
    index[static_cast<std::size_t>(axes_[p].axis)] = mine.start + local;
  }
  return inside;
}

int Layout::owner(std::span<const std::ptrdiff_t> index) const {
  int rank = 0;
  if (boxes_) {
    while (!contains((*boxes_)[static_cast<std::size_t>(rank)], index))
      ++rank;
    return rank;
  }
  for (std::size_t p = 0; p < axes_.size(); ++p)
    rank += rank_strides_[p] *
            axes_[p].distribution.owner(index[static_cast<std::size_t>(axes_[p].axis)]);
  return rank;
}

Layout::Location Layout::locate(std::span<const std::ptrdiff_t> index) const {
  Location where{owner(index), 0};
  for (std::size_t p = 0; p < axes_.size(); ++p) {
    const Part owned = part(where.rank, p);
    where.offset = where.offset * (owned.count + axes_[p].padding) +
                   index[static_cast<std::size_t>(axes_[p].axis)] - owned.start;
  }
  if (fields_ == Fields::interleaved) where.offset *= howmany_;
  return where;
}

std::string Layout::describe() const {
  std::string text;
  for (const AxisLayout &a : axes_) {
    text += "n" + std::to_string(a.axis) + "(" + std::to_string(a.distribution.n());
    if (a.padding != 0) text += "+" + std::to_string(a.padding);
    if (a.distribution.parts() > 1) text += "/" + std::to_string(a.distribution.parts());
    text += ") ";
  }
  if (boxes_) text += "in " + std::to_string(ranks_) + " boxes ";
  if (howmany_ > 1)
    text += "x" + std::to_string(howmany_) + (fields_ == Fields::separate ? " separate " : " ");
  text.pop_back();
  return text;
}

bool Layout::operator==(const Layout &other) const {
  const bool same_boxes =
      boxes_ && other.boxes_ ? *boxes_ == *other.boxes_ : boxes_ == other.boxes_;
  if (axes_.size() != other.axes_.size() || howmany_ != other.howmany_ || !same_boxes ||
      (howmany_ > 1 && fields_ != other.fields_))
    return false;
  for (std::size_t p = 0; p < axes_.size(); ++p) {
    const AxisLayout &a = axes_[p];
    const AxisLayout &b = other.axes_[p];
    if (a.axis != b.axis || a.distribution != b.distribution || a.padding != b.padding)
      return false;
    if (a.distribution.parts() > 1 && rank_strides_[p] != other.rank_strides_[p]) return false;
  }
  return true;
}

} // namespace hybridfft
