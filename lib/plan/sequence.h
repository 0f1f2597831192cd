/// The steps of a plan as its executions go through them: at once, or in parts.
#pragma once

#include <cstddef>

#include "plan/buffers.h"

namespace hybridfft::plan {

class Recorder;

/// How far an execution has come that is under way.
struct Progress {
  std::size_t step = 0; ///< the next one
  bool sent = false;    ///< it is an exchange whose rows are all on their way
};

class Sequence {
public:
  virtual ~Sequence() = default;

  /// Goes on until the end (true) or, unless `waits`, until messages are waited for (false).
  /// Allocates nothing. `recorder`, which knows the steps as its stages, may be null. Throws
  /// Failure(HFFT_ERROR_MPI); no messages arrive in the arrays then.
  virtual bool advance(Progress &progress, const Addresses &addresses, Recorder *recorder,
                       bool waits) const = 0;
  /// Lets messages make progress, and tells whether advance() would come any further.
  virtual bool ready(const Progress &progress) const noexcept = 0;
  /// Messages of the next execution are told from those of others by this number, 0 to 500.
  virtual void number(int execution) const = 0;
  /// Whether all exchanges let advance() return while their messages are under way: others would
  /// stop it where another rank may not have come to yet. The same on all ranks.
  virtual bool returns() const = 0;

  /// All of it.
  void execute(const Addresses &addresses, Recorder *recorder) const {
    Progress progress;
    advance(progress, addresses, recorder, true);
  }
};

} // namespace hybridfft::plan
