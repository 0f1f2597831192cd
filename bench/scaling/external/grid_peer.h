/// Base of peers whose only adjustable setting is the process grid.
#pragma once

#include <array>

#include "scaling/tuned_peer.h"

namespace hybridfft::bench {

using ProcessGrid = std::array<int, 2>;

/// All process grids of a number of ranks: 1 x P, ..., P x 1.
std::vector<ProcessGrid> process_grids(int ranks);
std::string in_words(const ProcessGrid &grid);

/// The grid in use by a library that supports only one at a time, shared by all its peers, forward
/// and backward.
struct SharedGrid {
  int peers = 0;
  ProcessGrid grid{};
  int bytes = 0; ///< bytes of the arrays, if the library reports them
};

class GridPeer : public TunedPeer {
protected:
  using TunedPeer::TunedPeer;

  /// Creates the arrays and the plan on a grid, in place of earlier ones. Collective.
  virtual void plan_on(const ProcessGrid &grid, Effort effort) = 0;
  virtual bool admits(const ProcessGrid &) const { return true; }

private:
  Values settings() const final { return {static_cast<int>(grids().size())}; }
  void plan_with(const Values &values, Effort effort) final { plan_on(grid_of(values), effort); }
  std::string in_words(const Values &values) const final;
  std::vector<ProcessGrid> grids() const;
  ProcessGrid grid_of(const Values &values) const {
    return grids().at(static_cast<std::size_t>(values.front()));
  }
};

} // namespace hybridfft::bench
