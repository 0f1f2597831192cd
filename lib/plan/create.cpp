#include "plan/create.h"

#include "base/binding.h"
#include "base/environment.h"
#include "base/mpi.h"
#include "plan/planner.h"

namespace hybridfft::plan {

template <class Real>
std::unique_ptr<Plan<Real>> create(MPI_Comm comm, const std::function<Arguments()> &arguments) {
  const auto owned = exchange::acquire(comm);
  Arguments mine;
  Problem problem;
  mpi::all_or_none(owned->get(), [&] {
    mine = arguments();
    problem = check(mine, owned->size(), sizeof(Real));
  });
  require_equal(problem, sizeof(Real), owned->get());
  Trace *trace = Trace::join(owned->get(), problem.threads);
  auto plan = make_plan<Real>(problem, owned, mine.in, mine.out);
  const std::string binding = describe_binding(owned->get(), problem.threads);
  mpi::all_or_none(owned->get(), [&] {
    plan->binding = binding + describe_unknown_environment_variables();
    if (trace != nullptr) plan->trace_into(*trace);
  });
  plan->planned_in = mine.in;
  plan->planned_out = mine.out;
  return plan;
}

template std::unique_ptr<Plan<float>> create<float>(MPI_Comm, const std::function<Arguments()> &);
template std::unique_ptr<Plan<double>> create<double>(MPI_Comm, const std::function<Arguments()> &);

} // namespace hybridfft::plan
