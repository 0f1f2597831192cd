/// An executable plan of any problem: a program, its buffers, and what users ask about it.
#pragma once

#include <array>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/memory.h"
#include "plan/problem.h"
#include "plan/program.h"
#include "profile/recorder.h"
#include "profile/stage.h"

namespace hybridfft::plan {

struct OrderedPath;

/// How many ranks hold data in the busiest stage and in the idlest one.
struct WorkingRanks {
  int most = 0;
  int fewest = 0;
};

/// The parts that a plan is put together from.
struct PlanParts {
  Problem problem;
  std::shared_ptr<exchange::Communicator> comm;
  std::shared_ptr<const OrderedPath> path = {};
  Program program = {};
  std::vector<profile::Stage> stages = {}; ///< stages, one for each of the program's operations
  Memory work = {};                        ///< all buffers between them,
  std::vector<std::size_t> offsets = {};   ///< and where each begins, in bytes
  std::array<const exchange::Exchange *, 2> windows{}; ///< exchanges that have one
  bool as_chosen = true;
  int chunked = 0; ///< number of exchanges that go in chunks along a path
};

/// An execution that may be active, so that waiting for one does not stop the others: a member of a
/// list of the process that takes no memory. With MPI_THREAD_MULTIPLE each belongs to one thread,
/// the one that has started it or has adopted it since; other threads leave it alone. Else calls
/// come from one thread at a time.
class Background {
public:
  Background() = default;
  Background(const Background &) = delete;
  Background &operator=(const Background &) = delete;

  /// Lets all executions of this thread make progress.
  static void progress_all() noexcept;
  /// Makes progress until all that remains of any of them is to be ended.
  static void complete_all() noexcept;

protected:
  ~Background() { leave(); }
  /// Does what can be done without waiting.
  virtual void progress() noexcept = 0;
  /// All is done but ending it.
  virtual bool complete() const noexcept = 0;
  void enter() noexcept;
  void leave() noexcept; ///< does nothing where it has not entered
  /// Makes the execution this thread's, after the progress that another thread is making.
  void adopt() noexcept;
  /// No other execution of this thread is active.
  bool alone() const noexcept;

private:
  struct List;
  static List &list() noexcept;
  bool is_mine() const noexcept;

  Background *next_ = nullptr;
  Background **previous_ = nullptr; ///< what points to this one
  std::thread::id owner_;
  bool progressing_ = false; ///< the owner is within progress()
};

class Plan final : private Background {
public:
  explicit Plan(PlanParts parts) : parts_(std::move(parts)) {}
  Plan(const Plan &) = delete;
  Plan &operator=(const Plan &) = delete;

  const Problem &problem() const { return parts_.problem; }
  /// Transpositions of reals are r2r.
  local::Kind kind() const { return problem().moves_reals ? Kind::r2r : problem().kind; }
  bool in_place() const { return problem().in_place; }
  const std::shared_ptr<exchange::Communicator> &comm() const { return parts_.comm; }

  /// Transforms; in == out exactly when planned in place. Allocates nothing. Throws Failure
  /// (HFFT_ERROR_MPI).
  void execute(void *in, void *out);

  /// Begins an execution and returns when it waits for messages for the first time: what remains is
  /// done by test() and wait(). The arrays belong to the plan until then. The other calls to
  /// execute, while it is active, and test() and wait(), while none is, throw
  /// Failure(HFFT_ERROR_ARGUMENT). Collective in the order of the calls to start().
  void start(void *in, void *out);
  /// Does what can be done without waiting, for all executions of this thread;
  /// true when all of this one is done. Only wait() ends it, in which the others make progress too.
  /// Both adopt an execution that another thread has started.
  bool test();
  void wait();
  bool active() const { return execution_.active; }

  std::size_t work_bytes() const;
  /// The part of work_bytes() that passes and exchanges allocate in addition to the buffers between
  /// the steps.
  std::size_t scratch_bytes() const;
  /// Bytes of a work space that the plan may share with others.
  std::size_t work_size() const { return whole_lines(parts_.work.bytes()); }
  /// Takes the buffers between the steps from this work space. Throws Failure.
  void share(std::shared_ptr<WorkMemory> work);
  WorkingRanks working_ranks() const;
  std::string describe() const;
  const std::vector<profile::Stage> &stages() const { return parts_.stages; }
  /// Times of the stages, from the first call on. Allocates.
  profile::Recorder &recorder();
  /// Lets a trace know of every execution.
  void trace_into(profile::Trace &trace);

  /// Whether it does all that its choice says: where a part of that applies to no step, the plan is
  /// that of another choice.
  bool as_chosen() const { return parts_.as_chosen; }
  int chunked() const { return parts_.chunked; }
  const Program &program() const { return parts_.program; }

  std::string notes; ///< lines of describe(): where and how ranks run; unknown variables

private:
  Addresses addresses(void *in, void *out) const;
  void require_active(bool expected) const;
  bool run(Progress &progress, const Addresses &addresses, bool waits);
  void advance(bool goes_on, bool waits) noexcept;
  void progress() noexcept override;
  bool complete() const noexcept override { return execution_.done; }
  void rethrow_failure();
  void end();

  struct Execution {
    bool active = false;
    Addresses addresses{};
    Progress progress;
    bool done = false;
    std::exception_ptr failure; ///< reported by test() or wait()
  };

  PlanParts parts_;
  Execution execution_;                       ///< the execution that has been started
  std::optional<exchange::TagSlot> tag_slot_; ///< from the first start() on
  std::shared_ptr<WorkMemory> work_space_;    ///< space that the buffers are taken from, if any
  std::unique_ptr<profile::Recorder> recorder_;
};

} // namespace hybridfft::plan
