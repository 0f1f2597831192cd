/// A peer in a contest.
#pragma once

#include <vector>

#include "scaling/contest.h"

namespace hybridfft::bench {

/// The problem of the inverse transform: c2r for r2c, with exchanged layouts.
Problem inverse_of(const Problem &problem);

/// A peer, or two peers for a transform and its inverse. It keeps the input for every execution,
/// because in-place and c2r transforms overwrite theirs.
class Entrant {
public:
  /// Plans the transforms. Collective. Throws on all ranks alike.
  Entrant(const PeerType &type, const std::vector<Problem> &problems, MPI_Comm comm, Effort effort);

  void restore() const;
  void execute() const;

  /// The fingerprint of the result of each problem. Collective.
  std::vector<Fingerprint> fingerprints() const;
  /// Counts the messages of one execution. Collective.
  void count_messages();
  /// Times the stages over a number of executions, if the library profiles them. Collective.
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
