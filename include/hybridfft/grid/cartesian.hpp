/// \file grid/cartesian.hpp
/// Divides a global grid into boxes owned by ranks.
#ifndef HYBRIDFFT_GRID_CARTESIAN_HPP
#define HYBRIDFFT_GRID_CARTESIAN_HPP

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hybridfft/export.h"
#include "hybridfft/grid/box.hpp"
#include "hybridfft/grid/communicator.hpp"

namespace hybridfft::grid {

/// Sizes of the blocks along each axis, in their order.
using Cuts = std::array<std::vector<Index>, 3>;

/// True for each periodic axis: the points at both of its ends are neighbours.
using Periodic = std::array<bool, 3>;

/// Sizes of `parts` blocks of n points; the first n mod parts of them have one point more than the
/// others.
/// \throws Error(HFFT_ERROR_ARGUMENT) unless 1 <= parts <= n
HFFT_EXPORT std::vector<Index> even_sizes(Index n, Index parts);

/// Applies even_sizes() along each axis, to `extents` points in `parts` blocks. Throws like it.
HFFT_EXPORT Cuts even_cuts(const Index3 &extents, const Index3 &parts);

/// Reads "2x2x1" (even blocks) or "40+56x22+18+20x1" (sizes), axis 0 first.
/// \throws Error(HFFT_ERROR_ARGUMENT) with the text, the axis, and the found and expected sum
HFFT_EXPORT Cuts read_cuts(const std::string &text, const Index3 &extents);

/// A grid of points tiled by blocks, each on one rank. A rank may own several blocks or none.
class HFFT_EXPORT Cartesian {
public:
  /// Blocks are numbered row-major over `cuts`. Block b is on rank owners[b]. Without owners, each
  /// rank has an equal share of consecutive blocks. Collective, with the same arguments on all
  /// ranks.
  /// \throws Error(HFFT_ERROR_ARGUMENT) for cuts without blocks, blocks without points and invalid
  /// ranks; Error(HFFT_ERROR_OVERFLOW) for 2^31 or more blocks
  Cartesian(const Communicator &comm, Cuts cuts, const Periodic &periodic,
            std::vector<int> owners = {});

  /// Any boxes that tile the points 0 .. extents-1, such as parts of equal loads. Rank r has
  /// boxes[r]; empty ones are no blocks. cuts(), parts(), place(), block_at(), neighbour() and
  /// starts() are those of one block with all points. Collective, with the same arguments on all
  /// ranks.
  /// \throws Error(HFFT_ERROR_ARGUMENT) for another number of boxes than ranks, overlaps and gaps
  Cartesian(const Communicator &comm, const Index3 &extents, const std::vector<Box> &boxes,
            const Periodic &periodic);

  /// The ranks owning blocks.
  const Communicator &communicator() const { return comm_; }
  /// Numbers of points of the blocks along each axis.
  const Cuts &cuts() const { return cuts_; }
  /// True for each periodic axis.
  const Periodic &periodic() const { return periodic_; }
  /// All points of the grid: from 0 to the sums of cuts().
  Box domain() const;
  /// Numbers of blocks along the axes.
  Index3 parts() const;
  /// Number of blocks of the grid over all ranks.
  int blocks() const { return static_cast<int>(owners_.size()); }

  /// The position of a block along each axis: 0 <= place < parts(). Blocks are numbers from 0 to
  /// blocks() - 1; these functions do not check them.
  Index3 place(int block) const;
  /// The block at a place, 0 <= place < parts().
  int block_at(const Index3 &place) const;
  /// The points of a block, in global indices.
  Box box(int block) const;
  /// True if the blocks are boxes that no cuts make.
  bool irregular() const { return !boxes_.empty(); }
  /// The rank owning a block.
  int owner(int block) const { return owners_[static_cast<std::size_t>(block)]; }
  /// The blocks of this rank, ascending.
  std::span<const int> mine() const { return mine_; }
  /// The block at a distance of `step` along the axes; none beyond an end that is not periodic.
  std::optional<int> neighbour(int block, const Index3 &step) const;

  /// First index of each block along an axis (0, 1 or 2), and the end of the last one.
  const std::vector<Index> &starts(int axis) const {
    return starts_[static_cast<std::size_t>(axis)];
  }

private:
  void check(const std::vector<int> &owners) const;

  Communicator comm_;
  Cuts cuts_;
  Periodic periodic_;
  std::array<std::vector<Index>, 3> starts_;
  std::vector<Box> boxes_; ///< of irregular blocks
  std::vector<int> owners_;
  std::vector<int> mine_;
};

} // namespace hybridfft::grid

#endif
