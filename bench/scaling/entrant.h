/// A peer with plans, input and results for one contest.
#pragma once

#include <vector>

#include "scaling/contest.h"

namespace hybridfft::bench {

/// Returns the problem of the inverse transform: c2r for r2c, with input and output layout
/// exchanged.
Problem inverse_of(const Problem &problem);

/// A peer with the plan of a transform, or of a transform and its inverse. It keeps a copy of the
/// input for every execution, because in-place and c2r transforms overwrite their input.
class Entrant {
public:
  /// Plans the transforms. Collective. Throws on all ranks alike.
  Entrant(const PeerType &type, const std::vector<Problem> &problems, MPI_Comm comm, Effort effort);

  void restore() const;
  void execute() const;

  /// Returns the fingerprint of each problem's result. Collective.
  std::vector<Fingerprint> fingerprints() const;
  /// Counts the messages of one execution. Collective.
  void count_messages();
  /// Times the stages over several executions, if the library reports them. Collective.
  void time_stages(int repetitions);

  PeerResult &result() { return result_; }

private:
  void keep_input(const Peer &peer);
  void add_work_bytes(const Peer &peer);

  std::vector<std::unique_ptr<Peer>> peers_;
  std::vector<Memory> inputs_;
  PeerResult result_;
};

} // namespace hybridfft::bench
