#include "plan/create.h"

#include <optional>

#include "base/binding.h"
#include "base/environment.h"
#include "base/mpi.h"
#include "plan/layout_planner.h"
#include "plan/planner.h"
#include "plan/slab_pair.h"

namespace hybridfft::plan {

namespace {

/// Narrow messages are for slabs alone: their roundings depend on where data are exchanged.
template <class Real>
std::unique_ptr<Executable> plan_for(const Problem &problem,
                                     const std::shared_ptr<exchange::Communicator> &comm,
                                     const Arguments &mine) {
  if (problem.deterministic && problem.wire == exchange::Wire::full &&
      !has_bits_of_layouts(problem))
    return make_layout_plan<Real>(layout_problem(problem, comm->size()), comm, mine.in, mine.out);
  return make_plan<Real>(problem, comm, mine.in, mine.out);
}

} // namespace

template <class Real>
std::unique_ptr<Executable> create(MPI_Comm comm, const std::function<Arguments()> &arguments) {
  const auto owned = exchange::acquire(comm);
  Arguments mine;
  std::optional<Problem> problem;
  mpi::all_or_none(owned->get(), [&] {
    mine = arguments();
    problem = check(mine, owned->size(), sizeof(Real));
  });
  require_equal(*problem, sizeof(Real), owned->get());
  Trace *trace = Trace::join(owned->get(), problem->threads);
  auto plan = plan_for<Real>(*problem, owned, mine);
  const std::string binding = describe_binding(owned->get(), problem->threads);
  mpi::all_or_none(owned->get(), [&] {
    plan->notes += binding + describe_unknown_environment_variables();
    if (trace != nullptr) plan->trace_into(*trace);
  });
  plan->planned_in = mine.in;
  plan->planned_out = mine.out;
  return plan;
}

template std::unique_ptr<Executable> create<float>(MPI_Comm, const std::function<Arguments()> &);
template std::unique_ptr<Executable> create<double>(MPI_Comm, const std::function<Arguments()> &);

} // namespace hybridfft::plan
