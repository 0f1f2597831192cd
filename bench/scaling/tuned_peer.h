/// Base of peers with settings chosen by their user. The benchmark tries the settings and keeps the
/// fastest.
#pragma once

#include <string>
#include <vector>

#include "scaling/peer.h"

namespace hybridfft::bench {

class TunedPeer : public Peer {
public:
  /// Tries all values of one setting after another, with the best values of the other settings so
  /// far, and keeps the fastest.
  void plan(Effort effort) final;
  std::string describe() const final;

protected:
  using Peer::Peer;

  /// A value for each setting, counted from 0.
  using Values = std::vector<int>;

  /// Number of values of each setting; 0 if none works for this problem and number of ranks.
  virtual Values settings() const = 0;
  /// Makes the arrays and the plan with these values, replacing earlier ones. Collective.
  virtual void plan_with(const Values &values, Effort effort) = 0;
  virtual std::string in_words(const Values &values) const = 0;
  virtual const char *library() const = 0;

  /// The layout composed of all ranks' boxes, with the order of the axes in memory from the slowest
  /// to the fastest. Collective.
  LayoutView gathered(const std::vector<std::ptrdiff_t> &extents, const IndexBox &mine,
                      const std::vector<int> &order) const;
  /// Makes arrays with these layouts, of at least `min_bytes` bytes.
  void make_arrays_of(const LayoutView &in, const LayoutView &out, std::size_t min_bytes);

private:
  /// Seconds of the slowest rank, the faster one of two executions.
  double seconds_with(const Values &values, Effort effort);

  Values best_;
};

/// Reason why none of these libraries can compute the problem: other than three dimensions, several
/// fields, or blocks chosen by the user.
std::string refuses_other_than_one_field_in_3d(const Problem &problem);

} // namespace hybridfft::bench
