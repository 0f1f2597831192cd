/// An executable plan: steps and the buffers between them.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "base/memory.h"
#include "plan/background.h"
#include "plan/buffers.h"
#include "plan/draft.h"
#include "plan/pipeline.h"
#include "plan/recorder.h"

namespace hybridfft::plan {

/// How many ranks hold data in the busiest stage and in the idlest one.
struct WorkingRanks {
  int most = 0;
  int fewest = 0;
};

template <class Real> class Plan final : private Background {
public:
  /// Plans all steps of a choice. Collective. Returns nullptr, on all ranks, when the choice's
  /// exchange does not apply; throws Failure on all ranks alike.
  static std::unique_ptr<Plan> make(const Problem &problem,
                                    const std::shared_ptr<exchange::Communicator> &comm,
                                    const Choice &choice, bool forced_exchange);

  /// Transforms; in == out exactly when planned in place. Allocates nothing. Throws Failure
  /// (HFFT_ERROR_MPI).
  void execute(void *in, void *out);

  /// Begins an execution and returns when it waits for messages for the first time: what remains is
  /// done by test() and wait(). The arrays belong to the plan until then. The other calls to
  /// execute, while it is under way, and test() and wait(), while none is, throw
  /// Failure(HFFT_ERROR_ARGUMENT). Collective in the order of the calls to start().
  void start(void *in, void *out);
  /// Does what can be done without waiting, for all executions that are under way in this process;
  /// true when all of this one is done. Only wait() ends it, in which the others make progress too.
  bool test();
  void wait();
  bool under_way() const { return execution_.number != 0; }

  const Problem &problem() const { return problem_; }
  const std::shared_ptr<exchange::Communicator> &comm() const { return comm_; }
  void *planned_in = nullptr; ///< the arrays that execute() without arguments means
  void *planned_out = nullptr;

  const std::vector<Stage> &stages() const { return stages_; }
  std::size_t work_bytes() const;
  WorkingRanks working_ranks() const;
  std::string describe() const;

  /// Times of the stages, once somebody asks for them. Allocates.
  Recorder &recorder();
  /// Lets a trace know of every execution.
  void trace_into(Trace &trace);
  std::string binding; ///< lines of describe() about where ranks run

private:
  Plan(const Problem &problem, std::shared_ptr<exchange::Communicator> comm);
  Addresses addresses(void *in, void *out) const;
  void require_under_way(bool expected) const;
  void advance(bool goes_on, bool waits) noexcept;
  void progress() noexcept override;
  void tell_failure();
  void end();
  void add_steps(const std::vector<Draft> &drafts, const Choice &choice);

  struct Execution {
    int number = 0; ///< 0: none is under way
    Addresses addresses{};
    Progress progress;
    bool done = false;
    std::exception_ptr failure; ///< to be told by test() or wait()
  };

  Problem problem_;
  std::shared_ptr<exchange::Communicator> comm_;
  Pipeline pipeline_;
  std::vector<Stage> stages_; ///< of the steps
  Execution execution_;       ///< that has been started
  std::unique_ptr<Recorder> recorder_;
  std::vector<Memory> work_;
  std::byte *window_ = nullptr; ///< of the exchanges
  std::size_t window_bytes_ = 0;
};

extern template class Plan<float>;
extern template class Plan<double>;

} // namespace hybridfft::plan
