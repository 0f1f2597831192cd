/// Operators in the spectrum: a forward transform, the user's work on all bins, and the backward
/// transform, as one Program. Choose it for filters, derivatives, convolutions and Poisson's
/// equation: the plan chooses the distribution of the spectrum, and saves exchanges to the user's
/// layout and back.
#pragma once

#include <functional>
#include <memory>

#include "local/work_pass.h"
#include "plan/create.h"

namespace hybridfft::plan {

/// An operator between two layouts.
struct OperatorProblem {
  Problem forward; ///< forward transform; `out` and `output` describe the operator's result
  local::PointWork work;
};

struct OperatorRequest {
  /// Returns the problem. It is called where ranks agree on failures, so it may throw.
  std::function<OperatorProblem()> problem;
  /// The next two members are those of Request.
  std::string (*notes)() = nullptr;
  std::shared_ptr<WorkMemory> memory = nullptr;
};

/// Makes the plan of an operator on all ranks, or none. Collective. Throws Failure on all ranks
/// alike.
std::unique_ptr<Plan> create_operator(MPI_Comm comm, const OperatorRequest &request);

} // namespace hybridfft::plan
