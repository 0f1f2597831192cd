// Divides a grid of points into blocks, assigns the blocks to ranks, and reads partitions from
// text.
#include "hybridfft/grid/cartesian.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>

#include "base/text.h"
#include "base/threads.h"

namespace hybridfft::grid {

namespace {

[[noreturn]] void refuse(const std::string &reason) { throw Error(HFFT_ERROR_ARGUMENT, reason); }

Index read_number(std::string_view piece, const std::string &text) {
  Index value = 0;
  const char *end = piece.data() + piece.size();
  const auto [last, error] = std::from_chars(piece.data(), end, value);
  if (error != std::errc() || last != end || value < 1)
    refuse("the grid '" + text + "' has '" + std::string(piece) +
           "', expected a number of blocks or sizes of blocks, at least 1, such as 2x2x1 or "
           "40+24x64x1");
  return value;
}

std::vector<Index> read_axis(std::string_view axis, Index n, const std::string &text) {
  std::vector<Index> sizes;
  for (const std::string_view piece : split(axis, '+'))
    sizes.push_back(read_number(piece, text));
  if (sizes.size() == 1) {
    if (sizes[0] > n)
      refuse("the grid '" + text + "' cuts an axis of " + std::to_string(n) + " points into " +
             std::to_string(sizes[0]) + " blocks, expected at most as many as points");
    return even_sizes(n, sizes[0]);
  }
  Index sum = 0;
  for (const Index size : sizes) {
    if (size > n - sum)
      refuse("the grid '" + text + "': the blocks " + std::string(axis) + " hold more than the " +
             std::to_string(n) + " points of their axis");
    sum += size;
  }
  if (sum != n)
    refuse("the grid '" + text + "': the blocks " + std::string(axis) + " hold " +
           std::to_string(sum) + " points, expected the " + std::to_string(n) +
           " points of their axis");
  return sizes;
}

} // namespace

std::vector<Index> even_sizes(Index n, Index parts) {
  if (parts < 1 || parts > n)
    refuse(std::to_string(n) + " points cannot be cut into " + std::to_string(parts) +
           " blocks, expected 1 to " + std::to_string(n));
  std::vector<Index> sizes(static_cast<std::size_t>(parts), n / parts);
  std::fill_n(sizes.begin(), n % parts, n / parts + 1);
  return sizes;
}

Cuts even_cuts(const Index3 &extents, const Index3 &parts) {
  Cuts cuts;
  for (int a = 0; a < 3; ++a)
    cuts[static_cast<std::size_t>(a)] = even_sizes(extents[a], parts[a]);
  return cuts;
}

Cuts read_cuts(const std::string &text, const Index3 &extents) {
  const auto axes = split(text, 'x');
  if (axes.size() != 3)
    refuse("the grid '" + text + "' has " + std::to_string(axes.size()) +
           " axes, expected 3, such as 2x2x1");
  Cuts cuts;
  for (std::size_t a = 0; a < 3; ++a)
    cuts[a] = read_axis(axes[a], extents[static_cast<int>(a)], text);
  return cuts;
}

Cartesian::Cartesian(const Communicator &comm, Cuts cuts, const Periodic &periodic,
                     std::vector<int> owners)
    : comm_(comm), cuts_(std::move(cuts)), periodic_(periodic) {
  comm.agree([&] {
    check(owners);
    for (std::size_t a = 0; a < 3; ++a) {
      starts_[a].push_back(0);
      for (const Index size : cuts_[a])
        starts_[a].push_back(starts_[a].back() + size);
    }
    const Index3 p = parts();
    const auto count = static_cast<std::size_t>(p[0] * p[1] * p[2]);
    if (owners.empty()) {
      owners.resize(count);
      for (int r = 0; r < comm.size(); ++r)
        std::fill(owners.begin() + even_cut(std::ptrdiff_t(count), r, comm.size()),
                  owners.begin() + even_cut(std::ptrdiff_t(count), r + 1, comm.size()), r);
    }
    owners_ = std::move(owners);
    for (int b = 0; b < blocks(); ++b)
      if (owner(b) == comm.rank()) mine_.push_back(b);
  });
}

Cartesian::Cartesian(const Communicator &comm, const Index3 &extents, const std::vector<Box> &boxes,
                     const Periodic &periodic)
    : Cartesian(comm, Cuts{{{extents[0]}, {extents[1]}, {extents[2]}}}, periodic) {
  comm.agree([&] {
    if (static_cast<int>(boxes.size()) != comm.size())
      refuse("a grid of " + std::to_string(boxes.size()) + " boxes, expected one for each of " +
             std::to_string(comm.size()) + " ranks");
    owners_.clear();
    mine_.clear();
    Index points = 0;
    for (std::size_t r = 0; r < boxes.size(); ++r) {
      const Box &box = boxes[r];
      if (box.empty()) continue;
      const auto overlaps = [&box](const Box &other) { return !intersection(box, other).empty(); };
      if (!(intersection(box, domain()) == box) || std::ranges::any_of(boxes_, overlaps))
        refuse("box " + std::to_string(r) +
               " of a grid overlaps another one or the ends of the "
               "grid, expected boxes that tile it");
      boxes_.push_back(box);
      owners_.push_back(static_cast<int>(r));
      if (static_cast<int>(r) == comm.rank()) mine_.push_back(blocks() - 1);
      points += box.points();
    }
    if (points != domain().points())
      refuse("the boxes of a grid have " + std::to_string(points) + " points, expected all " +
             std::to_string(domain().points()));
  });
}

void Cartesian::check(const std::vector<int> &owners) const {
  Index count = 1;
  for (std::size_t a = 0; a < 3; ++a) {
    if (cuts_[a].empty()) refuse("axis " + std::to_string(a) + " of a grid has no blocks");
    Index points = 0;
    for (const Index size : cuts_[a]) {
      if (size < 1)
        refuse("axis " + std::to_string(a) + " of a grid has a block of " + std::to_string(size) +
               " points, expected at least 1");
      if (size > std::numeric_limits<Index>::max() - points)
        throw Error(HFFT_ERROR_OVERFLOW, "axis " + std::to_string(a) +
                                             " of a grid has more points than 64 bits can count");
      points += size;
    }
    const auto parts = static_cast<Index>(cuts_[a].size());
    if (parts > std::numeric_limits<int>::max() / count)
      throw Error(HFFT_ERROR_OVERFLOW, "a grid has more than 2^31-1 blocks");
    count *= parts;
  }
  if (!owners.empty() && static_cast<Index>(owners.size()) != count)
    refuse("a grid of " + std::to_string(count) + " blocks has " + std::to_string(owners.size()) +
           " owners");
  for (const int owner : owners)
    if (owner < 0 || owner >= comm_.size())
      refuse("a block of a grid is on rank " + std::to_string(owner) + ", expected 0 to " +
             std::to_string(comm_.size() - 1));
}

Box Cartesian::domain() const { return {starts_[0].back(), starts_[1].back(), starts_[2].back()}; }

Index3 Cartesian::parts() const {
  Index3 parts;
  for (int a = 0; a < 3; ++a)
    parts[a] = static_cast<Index>(cuts_[static_cast<std::size_t>(a)].size());
  return parts;
}

Index3 Cartesian::place(int block) const {
  const Index3 p = parts();
  return {{block / (p[1] * p[2]), block / p[2] % p[1], block % p[2]}};
}

int Cartesian::block_at(const Index3 &place) const {
  const Index3 p = parts();
  return static_cast<int>((place[0] * p[1] + place[1]) * p[2] + place[2]);
}

Box Cartesian::box(int block) const {
  if (irregular()) return boxes_[static_cast<std::size_t>(block)];
  const Index3 at = place(block);
  Box box;
  for (int a = 0; a < 3; ++a) {
    box.lo[a] = starts(a)[static_cast<std::size_t>(at[a])];
    box.hi[a] = starts(a)[static_cast<std::size_t>(at[a]) + 1];
  }
  return box;
}

std::optional<int> Cartesian::neighbour(int block, const Index3 &step) const {
  Index3 at = place(block);
  const Index3 p = parts();
  for (int a = 0; a < 3; ++a) {
    at[a] += step[a];
    if (at[a] >= 0 && at[a] < p[a]) continue;
    if (!periodic_[static_cast<std::size_t>(a)]) return std::nullopt;
    at[a] = (at[a] % p[a] + p[a]) % p[a];
  }
  return block_at(at);
}

} // namespace hybridfft::grid
