/// Creates a plan from the arguments of a user's call. All ranks agree on the problem first, so
/// either every rank gets a plan or every rank throws.
#pragma once

#include <functional>
#include <memory>

#include "plan/plan.h"
#include "plan/problem.h"
#include "profile/trace.h"

namespace hybridfft::plan {

/// Request of a rank for a plan. Both functions may throw, since ranks agree on failures after the
/// calls.
struct Request {
  /// Returns the checked problem for a communicator of `ranks` ranks.
  std::function<Problem(int ranks)> problem;
  /// Returns lines for the end of Plan::notes; nullptr: none.
  std::string (*notes)() = nullptr;
  /// Work space for the plan's buffers, passed on all ranks or on none; nullptr: the plan allocates
  /// its own.
  std::shared_ptr<WorkMemory> work = nullptr;
};

/// Returns the plan of the requested problem. If a function of the request throws on any rank, all
/// ranks throw. A pair of layouts equal to slabs is planned as slabs. Collective. Throws Failure on
/// all ranks alike.
std::unique_ptr<Plan> create(MPI_Comm comm, const Request &request);

/// A plan that will become a part of another plan.
struct PartialPlan {
  std::unique_ptr<Plan> plan;
  profile::Trace *trace = nullptr; ///< trace of the process; the plan is not yet part of it
};

/// Does the same as create(), but the plan neither joins the trace nor takes its buffers from the
/// work space.
PartialPlan create_part(MPI_Comm user, const Request &request);
/// Adds the plan to the trace, and places its buffers in the work space of the request. Collective.
/// Throws Failure on all ranks alike.
void complete(Plan &plan, profile::Trace *trace, const Request &request);

} // namespace hybridfft::plan
