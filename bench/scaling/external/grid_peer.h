/// Libraries whose users have to choose a process grid: here it is the fastest one.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "scaling/peer.h"

namespace hybridfft::bench {

using ProcessGrid = std::array<int, 2>;

class GridPeer : public Peer {
public:
  /// Tries all grids that admits() allows, and keeps the one that is the fastest.
  void plan(Effort effort) final;
  std::string describe() const final;

protected:
  using Peer::Peer;

  /// Makes the arrays and the plan on a grid, instead of what was made before. Collective.
  virtual void plan_on(const ProcessGrid &grid, Effort effort) = 0;
  virtual bool admits(const ProcessGrid &) const { return true; }
  virtual const char *library() const = 0;

  /// The layout of which each rank knows its own box, and the order of the axes in memory.
  /// Collective.
  LayoutView gathered(const std::vector<std::ptrdiff_t> &extents, const IndexBox &mine,
                      const std::vector<int> &order) const;
  /// Arrays with these layouts, of at least so many bytes.
  void make_grid_arrays(const LayoutView &in, const LayoutView &out, std::size_t least_bytes);

private:
  ProcessGrid grid_{};
};

/// What none of them can compute: other than three dimensions, several fields, blocks of the
/// user's.
std::string refuses_grid_problem(const Problem &problem);

} // namespace hybridfft::bench
