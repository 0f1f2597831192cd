#include "hybridfft/layout.hpp"

#include <algorithm>
#include <stdexcept>

namespace hybridfft {

BlockDistribution::BlockDistribution(std::ptrdiff_t n, int parts, std::ptrdiff_t block)
    : n_(n), parts_(parts) {
  if (n < 0) throw std::invalid_argument("extent " + std::to_string(n) + " is negative");
  if (parts < 1) throw std::invalid_argument("cannot cut over " + std::to_string(parts) + " parts");
  if (block < 0)
    throw std::invalid_argument("block size " + std::to_string(block) + " is negative");
  const std::ptrdiff_t smallest = n / parts + (n % parts != 0 ? 1 : 0);
  block_ = block != 0 ? block : std::max<std::ptrdiff_t>(smallest, 1);
  if (block_ < smallest)
    throw std::invalid_argument("blocks of " + std::to_string(block) + " on " +
                                std::to_string(parts) + " ranks do not cover " + std::to_string(n) +
                                " points, at least " + std::to_string(smallest) + " is needed");
}

std::ptrdiff_t BlockDistribution::start(int part) const {
  // part * block may overflow for absurd user blocks: compare by division instead.
  return part > n_ / block_ ? n_ : std::min(n_, part * block_);
}

std::ptrdiff_t BlockDistribution::count(int part) const {
  return std::min(block_, n_ - start(part));
}

int BlockDistribution::working_parts() const {
  return static_cast<int>(n_ / block_ + (n_ % block_ != 0 ? 1 : 0));
}

Layout::Layout(std::vector<AxisLayout> slowest_to_fastest, std::ptrdiff_t howmany)
    : axes_(std::move(slowest_to_fastest)), howmany_(howmany) {
  if (howmany < 1) throw std::invalid_argument("howmany must be positive");
  std::vector<bool> seen(axes_.size(), false);
  for (const AxisLayout &a : axes_) {
    if (a.axis < 0 || a.axis >= dimensions() || seen[static_cast<std::size_t>(a.axis)])
      throw std::invalid_argument("the axes of a layout must be a permutation of 0..d-1");
    if (a.padding < 0) throw std::invalid_argument("padding must not be negative");
    seen[static_cast<std::size_t>(a.axis)] = true;
    ranks_ *= a.distribution.parts();
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

int Layout::coordinate(int rank, std::size_t position) const {
  for (std::size_t p = axes_.size() - 1; p > position; --p)
    rank /= axes_[p].distribution.parts();
  return rank % axes_[position].distribution.parts();
}

std::size_t Layout::position_of(int axis) const {
  const auto it = std::find_if(axes_.begin(), axes_.end(),
                               [axis](const AxisLayout &a) { return a.axis == axis; });
  if (it == axes_.end()) throw std::out_of_range("no axis " + std::to_string(axis));
  return static_cast<std::size_t>(it - axes_.begin());
}

std::ptrdiff_t Layout::local_count(int rank, int axis) const {
  const std::size_t p = position_of(axis);
  return axes_[p].distribution.count(coordinate(rank, p));
}

std::ptrdiff_t Layout::local_start(int rank, int axis) const {
  const std::size_t p = position_of(axis);
  return axes_[p].distribution.start(coordinate(rank, p));
}

std::ptrdiff_t Layout::local_size(int rank) const {
  std::ptrdiff_t size = howmany_;
  for (std::size_t p = 0; p < axes_.size(); ++p)
    size *= axes_[p].distribution.count(coordinate(rank, p)) + axes_[p].padding;
  return size;
}

bool Layout::global(int rank, std::ptrdiff_t offset, std::span<std::ptrdiff_t> index) const {
  std::ptrdiff_t point = offset / howmany_;
  bool inside = true;
  for (std::size_t p = axes_.size(); p-- > 0;) {
    const AxisLayout &a = axes_[p];
    const int part = coordinate(rank, p);
    const std::ptrdiff_t count = a.distribution.count(part);
    const std::ptrdiff_t local = point % (count + a.padding);
    point /= count + a.padding;
    inside = inside && local < count;
    index[static_cast<std::size_t>(a.axis)] = a.distribution.start(part) + local;
  }
  return inside;
}

Layout::Location Layout::locate(std::span<const std::ptrdiff_t> index) const {
  Location where{0, 0};
  for (const AxisLayout &a : axes_) {
    const std::ptrdiff_t i = index[static_cast<std::size_t>(a.axis)];
    const int part = a.distribution.owner(i);
    where.rank = where.rank * a.distribution.parts() + part;
    where.offset =
        where.offset * (a.distribution.count(part) + a.padding) + i - a.distribution.start(part);
  }
  where.offset *= howmany_;
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
  if (howmany_ > 1) return text + "x" + std::to_string(howmany_);
  text.pop_back();
  return text;
}

bool Layout::operator==(const Layout &other) const {
  return howmany_ == other.howmany_ &&
         std::equal(axes_.begin(), axes_.end(), other.axes_.begin(), other.axes_.end(),
                    [](const AxisLayout &a, const AxisLayout &b) {
                      return a.axis == b.axis && a.distribution == b.distribution &&
                             a.padding == b.padding;
                    });
}

} // namespace hybridfft
