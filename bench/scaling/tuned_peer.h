/// Libraries whose users choose settings by hand: here they are the fastest ones.
#pragma once

#include <string>
#include <vector>

#include "scaling/peer.h"

namespace hybridfft::bench {

class TunedPeer : public Peer {
public:
  /// Tries, one setting after the other, all values of each with the best of the others so far, and
  /// keeps the fastest.
  void plan(Effort effort) final;
  std::string describe() const final;

protected:
  using Peer::Peer;

  /// A value for each setting, counted from 0.
  using Values = std::vector<int>;

  /// Number of values of each setting; 0: there is none for this problem on so many ranks.
  virtual Values settings() const = 0;
  /// Makes the arrays and the plan with these values, in place of earlier ones. Collective.
  virtual void plan_with(const Values &values, Effort effort) = 0;
  virtual std::string in_words(const Values &values) const = 0;
  virtual const char *library() const = 0;

  /// The layout of which each rank gives its own box, and the order of the axes in memory, from the
  /// slowest to the fastest. Collective.
  LayoutView gathered(const std::vector<std::ptrdiff_t> &extents, const IndexBox &mine,
                      const std::vector<int> &order) const;
  /// Arrays with these layouts, of at least so many bytes.
  void make_arrays_of(const LayoutView &in, const LayoutView &out, std::size_t min_bytes);

private:
  /// Seconds of the slowest rank, the faster one of two executions.
  double seconds_with(const Values &values, Effort effort);

  Values best_;
};

/// The reason if none of them can compute the problem: other than three dimensions, several fields,
/// blocks of the user's.
std::string refuses_other_than_one_field_in_3d(const Problem &problem);

} // namespace hybridfft::bench
