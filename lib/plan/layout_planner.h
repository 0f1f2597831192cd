/// Chooses the plan of a LayoutProblem.
#pragma once

#include <functional>
#include <memory>

#include "plan/layout_plan.h"

namespace hybridfft::plan {

/// Complex numbers that each array needs on this rank: for what it holds and, where the layouts are
/// those of a slab plan, for what that keeps in them meanwhile. At least 1.
std::ptrdiff_t allocation(const LayoutProblem &problem, int rank, std::size_t real_bytes);

/// The plan of a checked problem, by ESTIMATE the one that a model of volumes and messages thinks
/// cheapest; others time the paths that may be. Collective. Throws Failure on all ranks alike.
template <class Real>
std::unique_ptr<Executable> make_layout_plan(const LayoutProblem &problem,
                                             const std::shared_ptr<exchange::Communicator> &comm,
                                             void *in, void *out);

/// The plan of what `arguments` returns on each rank for these arrays, unchecked but for the
/// layouts; when it throws on any rank, all ranks throw. A pair of layouts that a slab plan has
/// becomes that. Collective. Throws Failure on all ranks alike.
template <class Real>
std::unique_ptr<Executable> create_layout_plan(MPI_Comm comm,
                                               const std::function<LayoutProblem()> &arguments,
                                               void *in, void *out);

extern template std::unique_ptr<Executable>
make_layout_plan<float>(const LayoutProblem &, const std::shared_ptr<exchange::Communicator> &,
                        void *, void *);
extern template std::unique_ptr<Executable>
make_layout_plan<double>(const LayoutProblem &, const std::shared_ptr<exchange::Communicator> &,
                         void *, void *);
extern template std::unique_ptr<Executable>
create_layout_plan<float>(MPI_Comm, const std::function<LayoutProblem()> &, void *, void *);
extern template std::unique_ptr<Executable>
create_layout_plan<double>(MPI_Comm, const std::function<LayoutProblem()> &, void *, void *);

} // namespace hybridfft::plan
