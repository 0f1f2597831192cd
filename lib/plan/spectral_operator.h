/// Operators in the spectrum: a forward transform, the user's work on all bins, and the backward
/// transform, as one Program. Choose it for filters, derivatives, convolutions and Poisson's
/// equation: the plan chooses the distribution of the spectrum, and saves the exchanges that would
/// restore the user's.
#pragma once

#include <functional>
#include <memory>

#include "local/work_pass.h"
#include "plan/create.h"

namespace hybridfft::plan {

/// An operator between two layouts. The problem is that of the forward transform: its `out` and
/// `output` are those of the operator's result.
struct OperatorProblem {
  Problem forward;
  local::PointWork work;
};

struct OperatorRequest {
  /// Called where ranks agree on failures; may throw.
  std::function<OperatorProblem()> problem;
  /// As in Request.
  std::string (*notes)() = nullptr;
  std::shared_ptr<WorkMemory> memory = nullptr;
};

/// The distribution of the spectrum of an operator: the same axes are cut if all transformed axes
/// are local in the input's layout, else others. The bins of a line are contiguous.
Layout spectrum_layout(const Problem &p, int ranks);

/// Makes the plan of an operator on all ranks, or none. Collective. Throws Failure on all ranks
/// alike.
std::unique_ptr<Plan> create_operator(MPI_Comm comm, const OperatorRequest &request);

} // namespace hybridfft::plan
