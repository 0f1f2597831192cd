/// From a plan call's arguments to an executable plan, on all ranks or none.
#pragma once

#include <functional>
#include <memory>

#include "plan/plan.h"

namespace hybridfft::plan {

/// The plan of what `arguments` returns on each rank; when it throws on any rank, all ranks throw.
/// Collective. Throws Failure on all ranks alike.
template <class Real>
std::unique_ptr<Executable> create(MPI_Comm comm, const std::function<Arguments()> &arguments);

extern template std::unique_ptr<Executable> create<float>(MPI_Comm,
                                                          const std::function<Arguments()> &);
extern template std::unique_ptr<Executable> create<double>(MPI_Comm,
                                                           const std::function<Arguments()> &);

} // namespace hybridfft::plan
