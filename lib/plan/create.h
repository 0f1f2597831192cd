/// From a plan call's arguments to an executable plan, on all ranks or none.
#pragma once

#include <functional>
#include <memory>

#include "plan/plan.h"
#include "plan/problem.h"

namespace hybridfft::plan {

/// The plan that a rank asks for. Both functions are called where ranks agree on failures, and may
/// throw.
struct Request {
  /// The checked problem, of a communicator of so many ranks.
  std::function<Problem(int ranks)> problem;
  /// Lines for the end of Plan::notes; none by default.
  std::string (*notes)() = nullptr;
  /// Memory that the plan takes its buffers from, if any; on all ranks or none.
  std::shared_ptr<WorkMemory> work = nullptr;
};

/// The plan of that problem on all ranks, or none: when a function throws on any rank, all ranks
/// throw. A pair of layouts that a slab plan has becomes that. Collective. Throws Failure on all
/// ranks alike.
std::unique_ptr<Plan> create(MPI_Comm comm, const Request &request);

} // namespace hybridfft::plan
