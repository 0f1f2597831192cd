#include "plan/create.h"

#include <utility>

#include "base/agreement.h"
#include "base/binding.h"
#include "base/environment.h"
#include "base/error.h"
#include "base/mpi.h"
#include "plan/arguments.h"
#include "plan/machine.h"

namespace hybridfft::plan {

namespace {

/// Throws if a deterministic problem has reduced precision of messages, except between slabs: the
/// path between other layouts depends on the number of ranks, and rounding in messages depends on
/// the path.
void check_wire(const Problem &p) {
  if (p.deterministic && p.wire != exchange::WireFormat::full && !slab_pair(p))
    throw Failure(HFFT_ERROR_FLAGS,
                  "flags has both HFFT_WIRE_... and HFFT_DETERMINISTIC, expected one of them: "
                  "between other layouts than slabs the number of ranks decides on the exchanges "
                  "that round");
}

} // namespace

PartialPlan create_part(MPI_Comm user, const Request &request) {
  const auto comm = exchange::acquire(user);
  Problem problem;
  MachineNumbers numbers;
  std::int64_t traced = 0;
  std::int64_t binding_known = 0;
  exchange::Communicator::Binding binding;
  std::string notes;
  const auto add_notes = [&] {
    notes = comm->binding.text + describe_unknown_environment_variables();
    if (request.notes != nullptr) notes += request.notes();
  };
  Agreement agreement(comm->get());
  agreement.reach([&] {
    problem = request.problem(comm->size());
    state(problem, agreement);
    check_wire(problem);
    if (request.work) problem.pages = Pages::borrowed;
    agreement.same({{"the work space (given or not)", request.work ? 1 : 0}});
    numbers.join(agreement, problem.threads, problem.time_limit);
    traced = profile::Trace::wanted();
    agreement.first(traced);
    binding.mine = cpus_of_rank(problem.threads);
    binding_known = binding.mine == comm->binding.mine ? 1 : 0;
    agreement.least(binding_known);
    add_notes();
  });
  if (binding_known == 0) {
    binding.text = describe_binding(binding.mine, comm->get());
    mpi::all_or_none(comm->get(), [&] {
      comm->binding = binding;
      add_notes();
    });
  }
  profile::Trace *trace = profile::Trace::join(comm->get(), problem.threads, traced);
  PartialPlan made{make_plan(problem, comm, numbers.machine(*comm)), trace};
  made.plan->notes = std::move(notes);
  return made;
}

void complete(Plan &plan, profile::Trace *trace, const Request &request) {
  MPI_Comm comm = plan.comm()->get();
  if (request.work) mpi::all_or_none(comm, [&] { plan.share(request.work); });
  if (trace != nullptr) mpi::all_or_none(comm, [&] { plan.trace_into(*trace); });
}

std::unique_ptr<Plan> create(MPI_Comm comm, const Request &request) {
  PartialPlan made = create_part(comm, request);
  complete(*made.plan, made.trace, request);
  return std::move(made.plan);
}

} // namespace hybridfft::plan
