/// What planners go by besides the problem and wisdom.
#pragma once

#include "plan/candidates.h"
#include "plan/machine.h"

namespace hybridfft::plan {

/// The same on all ranks.
struct Setting {
  Machine machine;
  Overrides overrides;
};

/// A Setting in numbers, agreed on together with other things.
class SettingNumbers {
public:
  /// Brings in this rank's machine and, on rank 0, what the environment prescribes. Throws Failure
  /// where the environment says something wrong.
  void join(Agreement &agreement, int threads, double time_limit);
  /// After the agreement. Collective on first use, and where processors have different names.
  /// Throws Failure on all ranks alike.
  Setting setting(exchange::Communicator &comm) const;

private:
  MachineNumbers machine_;
  std::int64_t algorithm_ = -1; ///< in exchange::algorithms(); -1: any
  std::int64_t all_threads_ = 0;
};

/// The same by itself. Collective. Throws Failure on all ranks alike.
Setting common_setting(exchange::Communicator &comm, int threads, double time_limit);

} // namespace hybridfft::plan
