/// \file grid/cartesian.hpp
/// Divides a global grid into boxes owned by ranks, as blocks of a Cartesian partition or as
/// arbitrary boxes.
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

/// Numbers of points of consecutive blocks, for each axis.
using Cuts = std::array<std::vector<Index>, 3>;

/// True for each periodic axis.
using Periodic = std::array<bool, 3>;

/// Divides n points into `parts` blocks and returns their sizes. The first n mod parts blocks have
/// one point more than the others.
/// \throws Error(HFFT_ERROR_ARGUMENT) unless 1 <= parts <= n
HFFT_EXPORT std::vector<Index> even_sizes(Index n, Index parts);

/// Applies even_sizes() to each axis: `extents` points in `parts` blocks. Throws like even_sizes().
HFFT_EXPORT Cuts even_cuts(const Index3 &extents, const Index3 &parts);

/// Parses a partition, axis 0 first: "2x2x1" gives the numbers of equal blocks, and
/// "40+56x22+18+20x1" gives the sizes of the blocks.
/// \throws Error(HFFT_ERROR_ARGUMENT) with the text, the axis, and the found and expected sum
HFFT_EXPORT Cuts read_cuts(const std::string &text, const Index3 &extents);

/// A grid of points divided into blocks. One rank owns each block; a rank may own several blocks or
/// none.
class HFFT_EXPORT Cartesian {
public:
  /// Divides the grid at `cuts`. Blocks are numbered row-major. Rank owners[b] owns block b; if
  /// `owners` is empty, each rank owns an equal share of consecutive blocks. Collective, with the
  /// same arguments on all ranks.
  /// \throws Error(HFFT_ERROR_ARGUMENT) for cuts without blocks, blocks without points and invalid
  /// ranks; Error(HFFT_ERROR_OVERFLOW) for 2^31 or more blocks
  Cartesian(const Communicator &comm, Cuts cuts, const Periodic &periodic,
            std::vector<int> owners = {});

  /// Divides the points 0 .. extents-1 into arbitrary boxes, such as parts of equal load. Rank r
  /// owns boxes[r]; empty boxes are no blocks. The functions cuts(), parts(), place(), block_at(),
  /// neighbour() and starts() then describe a single block with all points. Collective, with the
  /// same arguments on all ranks.
  /// \throws Error(HFFT_ERROR_ARGUMENT) unless there is one box for each rank and the boxes tile
  /// the grid
  Cartesian(const Communicator &comm, const Index3 &extents, const std::vector<Box> &boxes,
            const Periodic &periodic);

  /// The ranks that share the grid.
  const Communicator &communicator() const { return comm_; }
  /// Numbers of points of consecutive blocks, for each axis.
  const Cuts &cuts() const { return cuts_; }
  /// True for each periodic axis.
  const Periodic &periodic() const { return periodic_; }
  /// Box of all points of the grid; it starts at index 0 along each axis.
  Box domain() const;
  /// Number of blocks along each axis.
  Index3 parts() const;
  /// Total number of blocks of all ranks.
  int blocks() const { return static_cast<int>(owners_.size()); }

  /// Returns the position of a block in the grid of blocks: 0 <= place < parts() along each axis.
  /// Block numbers run from 0 to blocks() - 1; the functions below do not check them.
  Index3 place(int block) const;
  /// Returns the number of the block at a position, 0 <= place < parts().
  int block_at(const Index3 &place) const;
  /// The points of a block, in global indices.
  Box box(int block) const;
  /// True if the grid was divided into arbitrary boxes.
  bool irregular() const { return !boxes_.empty(); }
  /// The rank owning a block.
  int owner(int block) const { return owners_[static_cast<std::size_t>(block)]; }
  /// Numbers of this rank's blocks, ascending.
  std::span<const int> mine() const { return mine_; }
  /// Returns the block `step` blocks away along each axis, across periodic ends; no value if it
  /// would lie beyond an end that is not periodic.
  std::optional<int> neighbour(int block, const Index3 &step) const;

  /// Index of the first point of each block along an axis (0, 1 or 2), then the extent of the grid.
  const std::vector<Index> &starts(int axis) const {
    return starts_[static_cast<std::size_t>(axis)];
  }

private:
  void check(const std::vector<int> &owners) const;

  Communicator comm_;
  Cuts cuts_;
  Periodic periodic_;
  std::array<std::vector<Index>, 3> starts_;
  std::vector<Box> boxes_; ///< arbitrary boxes of the blocks; empty for a Cartesian partition
  std::vector<int> owners_;
  std::vector<int> mine_;
};

} // namespace hybridfft::grid

#endif
