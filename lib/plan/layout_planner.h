/// Chooses the plan of a LayoutProblem.
#pragma once

#include <memory>

#include "plan/layout_plan.h"
#include "plan/setting.h"

namespace hybridfft::plan {

/// Complex numbers that each array needs on this rank: for what it holds and, where the layouts are
/// those of a slab plan, for what that keeps in them meanwhile. At least 1.
std::ptrdiff_t allocation(const LayoutProblem &problem, int rank, std::size_t real_bytes);

/// The plan of a checked problem, by ESTIMATE the one that a model of volumes and messages thinks
/// cheapest; others time the paths that may be. Collective. Throws Failure on all ranks alike.
template <class Real>
std::unique_ptr<Executable> make_layout_plan(const LayoutProblem &problem,
                                             const std::shared_ptr<exchange::Communicator> &comm,
                                             void *in, void *out, const Setting &setting);

extern template std::unique_ptr<Executable>
make_layout_plan<float>(const LayoutProblem &, const std::shared_ptr<exchange::Communicator> &,
                        void *, void *, const Setting &);
extern template std::unique_ptr<Executable>
make_layout_plan<double>(const LayoutProblem &, const std::shared_ptr<exchange::Communicator> &,
                         void *, void *, const Setting &);

} // namespace hybridfft::plan
