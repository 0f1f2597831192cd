/// From a plan call's arguments to an executable plan, on all ranks or none.
#pragma once

#include <functional>
#include <memory>

#include "plan/plan.h"
#include "plan/slab_problem.h"

namespace hybridfft::plan {

/// What a rank asks for. Both are called where ranks agree on failures, and may throw.
template <class What> struct Request {
  /// What is wanted, not yet checked.
  std::function<What()> arguments;
  /// Lines for the end of Plan::notes; none by default.
  std::string (*notes)() = nullptr;
  /// What the plan takes its buffers from, if anything; on all ranks or none.
  std::shared_ptr<WorkMemory> work = nullptr;
};

/// The plan of what `arguments` returns on each rank; when it throws on any rank, all ranks throw.
/// Collective. Throws Failure on all ranks alike.
std::unique_ptr<Plan> create(MPI_Comm comm, const Request<Arguments> &request);

/// The plan of what `arguments` returns on each rank for these arrays, unchecked but for the
/// layouts; when it throws on any rank, all ranks throw. A pair of layouts that a slab plan has
/// becomes that. Collective. Throws Failure on all ranks alike.
std::unique_ptr<Plan> create_layout_plan(MPI_Comm comm, const Request<Problem> &request, void *in,
                                         void *out);

} // namespace hybridfft::plan
