/// Base of peers whose settings the user must choose. The benchmark tries the settings and keeps
/// the fastest.
#pragma once

#include <string>
#include <vector>

#include "scaling/peer.h"

namespace hybridfft::bench {

class TunedPeer : public Peer {
public:
  /// Tries all values of each setting in turn, with the best values found so far for the other
  /// settings, and keeps the fastest.
  void plan(Effort effort) final;
  std::string describe() const final;

protected:
  using Peer::Peer;

  /// One value for each setting, counted from 0.
  using Values = std::vector<int>;

  /// Number of values of each setting; 0 if no value works for this problem and number of ranks.
  virtual Values settings() const = 0;
  /// Creates the arrays and the plan with these values, in place of earlier ones. Collective.
  virtual void plan_with(const Values &values, Effort effort) = 0;
  virtual std::string in_words(const Values &values) const = 0;
  virtual const char *library() const = 0;

  /// Returns the layout composed of all ranks' boxes. `order` lists the axes from the slowest to
  /// the fastest in memory. Collective.
  LayoutView gathered(const std::vector<std::ptrdiff_t> &extents, const IndexBox &mine,
                      const std::vector<int> &order) const;
  /// Allocates arrays with these layouts, of at least `min_bytes` bytes each.
  void make_arrays_of(const LayoutView &in, const LayoutView &out, std::size_t min_bytes);

private:
  /// Returns the seconds of the faster of two executions, on the slowest rank.
  double seconds_with(const Values &values, Effort effort);

  Values best_;
};

/// Returns the reason why a peer that transforms one field in three dimensions, in blocks of its
/// own, cannot compute the problem; empty if it can.
std::string refuses_other_than_one_field_in_3d(const Problem &problem);

} // namespace hybridfft::bench
