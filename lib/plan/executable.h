/// What the callers of plans ask of every kind of plan.
#pragma once

#include <memory>
#include <string>

#include "exchange/communicator.h"
#include "local/fft.h"
#include "plan/recorder.h"
#include "plan/work_space.h"

namespace hybridfft::plan {

/// How many ranks hold data in the busiest stage and in the idlest one.
struct WorkingRanks {
  int most = 0;
  int fewest = 0;
};

class Executable {
public:
  virtual ~Executable() = default;

  virtual local::Kind kind() const = 0;
  virtual bool in_place() const = 0;
  virtual const std::shared_ptr<exchange::Communicator> &comm() const = 0;

  /// Transforms; in == out exactly when planned in place. Allocates nothing. Throws Failure
  /// (HFFT_ERROR_MPI).
  virtual void execute(void *in, void *out) = 0;

  /// Begins an execution and returns when it waits for messages for the first time: what remains is
  /// done by test() and wait(). The arrays belong to the plan until then. The other calls to
  /// execute, while it is under way, and test() and wait(), while none is, throw
  /// Failure(HFFT_ERROR_ARGUMENT). Collective in the order of the calls to start().
  virtual void start(void *in, void *out) = 0;
  /// Does what can be done without waiting, for all executions that are under way in this process;
  /// true when all of this one is done. Only wait() ends it, in which the others make progress too.
  virtual bool test() = 0;
  virtual void wait() = 0;
  virtual bool under_way() const = 0;

  virtual std::size_t work_bytes() const = 0;
  /// Bytes of a work space that the plan may share with others.
  virtual std::size_t work_size() = 0;
  /// Takes the buffers between the steps from this work space. Throws Failure.
  virtual void share(std::shared_ptr<WorkSpace> work) = 0;
  virtual WorkingRanks working_ranks() const = 0;
  virtual std::string describe() const = 0;
  /// Times of the stages, from the first call on. Allocates.
  virtual Recorder &recorder() = 0;
  /// Lets a trace know of every execution.
  virtual void trace_into(Trace &trace) = 0;

  void *planned_in = nullptr; ///< the arrays that execution without arguments means
  void *planned_out = nullptr;
  std::string notes; ///< lines of describe(): where and how ranks run; unknown variables

protected:
  Executable() = default;
  Executable(const Executable &) = default;
  Executable &operator=(const Executable &) = default;
};

} // namespace hybridfft::plan
