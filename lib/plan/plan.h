/// An executable plan: the program of one rank, its buffers, and a report. The tuner builds one
/// plan for each candidate and returns the fastest. A plan runs to its end in one call, or in the
/// background between start() and wait().
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

namespace hybridfft::plan {

struct OrderedPath;

/// Number of ranks with data: the maximum and the minimum over the stages of a plan.
struct WorkingRanks {
  int most = 0;
  int fewest = 0;
};

/// Parts of a plan, collected by build().
struct PlanParts {
  Problem problem;
  std::shared_ptr<exchange::Communicator> comm;
  std::shared_ptr<const OrderedPath> path = {};
  Program program = {};
  std::vector<profile::Stage> stages = {}; ///< one stage for each operation of the program
  Memory work = {};                        ///< memory of all buffers between the steps
  std::vector<std::size_t> offsets = {};   ///< start of each buffer in `work`, in bytes
  bool as_chosen = true;
  int chunked = 0; ///< number of exchanges in several chunks along a path
  /// Matrices read by the first step and written by the last one; empty if the step is an exchange.
  SplitRows first_source = {}, last_destination = {};
  bool round_trip =
      false; ///< true for an operator: forward transform, the user's work, backward transform
};

/// Execution in the background. All active executions of the process are members of one linked
/// list, so waiting for one execution advances the others too. The links are members of this class,
/// so the list allocates nothing. With MPI_THREAD_MULTIPLE an execution belongs to the thread that
/// has started or last adopted it, and other threads do not touch it. At lower thread levels the
/// caller makes calls from one thread at a time.
class Background {
public:
  Background() = default;
  Background(const Background &) = delete;
  Background &operator=(const Background &) = delete;

  /// Advances all executions of this thread as far as possible without waiting.
  static void progress_all() noexcept;
  /// Advances all executions of this thread until all their operations are done.
  static void complete_all() noexcept;

protected:
  ~Background() { leave(); }
  /// Advances this execution as far as possible without waiting.
  virtual void progress() noexcept = 0;
  /// True if all operations of the execution are done.
  virtual bool complete() const noexcept = 0;
  void enter() noexcept;
  void leave() noexcept; ///< removes the execution from the list, if it is a member
  /// Transfers the execution to this thread, after any progress() call of its former thread has
  /// returned.
  void adopt() noexcept;
  /// True if this thread has no other active execution.
  bool alone() const noexcept;

private:
  struct List;
  static List &list() noexcept;
  bool is_mine() const noexcept;

  Background *next_ = nullptr;
  Background **previous_ = nullptr; ///< address of the pointer to this member of the list
  std::thread::id owner_;
  bool progressing_ = false; ///< true while the owner runs progress()
};

class Plan final : private Background {
public:
  explicit Plan(PlanParts parts) : parts_(std::move(parts)) {}
  Plan(const Plan &) = delete;
  Plan &operator=(const Plan &) = delete;

  const Problem &problem() const { return parts_.problem; }
  /// Kind of the user's arrays. Transpositions of reals and operators on reals are r2r.
  local::Kind kind() const {
    const bool reals = problem().moves_reals || (parts_.round_trip && problem().halves());
    return reals ? Kind::r2r : problem().kind;
  }
  bool in_place() const { return problem().in_place; }
  const std::shared_ptr<exchange::Communicator> &comm() const { return parts_.comm; }

  /// Executes the transform. The two arrays are equal exactly if the plan is in place. Allocates
  /// nothing. Throws Failure(HFFT_ERROR_MPI).
  void execute(void *in, void *out);

  /// Begins an execution, and returns when it would have to wait for messages. Calls of test() and
  /// wait() continue it. Until wait() returns, the caller must not use the arrays. Collective, in
  /// the same order on all ranks. Throws Failure(HFFT_ERROR_ARGUMENT) if an execution is active, as
  /// execute() does then. test() and wait() throw it if none is active.
  void start(void *in, void *out);
  /// test() advances all executions of this thread without waiting, and returns true if only wait()
  /// is left to call for this execution. wait() ends this execution and advances the others
  /// meanwhile. Both transfer an execution started by another thread to this thread.
  bool test();
  void wait();
  bool active() const { return execution_.active; }

  std::size_t work_bytes() const;
  /// Part of work_bytes() that passes and exchanges allocate, in addition to the buffers between
  /// steps.
  std::size_t scratch_bytes() const;
  /// Returns the bytes this plan needs in a work space shared with other plans.
  std::size_t work_size() const { return whole_lines(parts_.work.bytes()); }
  /// Places the buffers between the steps in a shared work space. Throws Failure if it cannot be
  /// enlarged.
  void share(std::shared_ptr<WorkMemory> work);
  WorkingRanks working_ranks() const;
  std::string describe() const;
  const std::vector<profile::Stage> &stages() const { return parts_.stages; }
  /// Recorder of the times of all stages. The first call allocates it.
  profile::Recorder &recorder();
  /// Reports every execution to a trace.
  void trace_into(profile::Trace &trace);

  /// True if every property of the choice affects some step. False if another choice makes the same
  /// plan.
  bool as_chosen() const { return parts_.as_chosen; }
  int chunked() const { return parts_.chunked; }
  const Program &program() const { return parts_.program; }
  /// Moves the parts to another plan. This one is empty afterwards.
  PlanParts take_parts() { return std::move(parts_); }

  std::string notes; ///< lines of describe() about the placement of ranks and about unknown
                     ///< environment variables

private:
  Addresses addresses(void *in, void *out) const;
  void require_active(bool expected) const;
  bool run(Progress &progress, const Addresses &addresses, bool waits);
  void advance(bool continued, bool waits) noexcept;
  void progress() noexcept override;
  bool complete() const noexcept override { return execution_.done; }
  void rethrow_failure();
  void end();

  struct ActiveExecution {
    bool active = false;
    Addresses addresses{};
    Progress progress;
    bool done = false;
    std::exception_ptr failure; ///< rethrown by test() or wait()
  };

  PlanParts parts_;
  ActiveExecution execution_;                 ///< execution begun by start()
  std::optional<exchange::TagSlot> tag_slot_; ///< set by the first start()
  std::shared_ptr<WorkMemory> work_space_;    ///< shared memory of the buffers, if any
  std::unique_ptr<profile::Recorder> recorder_;
};

} // namespace hybridfft::plan
