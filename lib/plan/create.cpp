#include "plan/create.h"

#include <optional>
#include <utility>

#include "base/agreement.h"
#include "base/binding.h"
#include "base/environment.h"
#include "base/error.h"
#include "base/mpi.h"
#include "plan/machine.h"
#include "plan/slab_problem.h"
#include "plan/tuner.h"

namespace hybridfft::plan {

namespace {

using CommunicatorPointer = std::shared_ptr<exchange::Communicator>;

/// A checked problem and its arrays.
struct Task {
  Problem problem;
  void *in;
  void *out;
};

/// Slabs are planned as such but where the bits of paths are wanted. What messages in reduced
/// precision round depends on the path, and that on the number of ranks.
void find_slabs(Problem &p) {
  p.slabs = slab_pair(p);
  if (!p.deterministic) return;
  if (p.wire != exchange::Wire::full) {
    if (!p.slabs)
      throw Failure(HFFT_ERROR_FLAGS,
                    "flags has both HFFT_WIRE_... and HFFT_DETERMINISTIC, expected one of them: "
                    "between other layouts than slabs the number of ranks decides on the exchanges "
                    "that round");
  } else if (p.slabs && !has_bits_of_paths(p, *p.slabs)) {
    p.slabs.reset();
  }
}

/// What plans between slabs and between layouts have in common: all that the ranks have to tell
/// each other before they plan, in one reduction, and what is added to the plan. `make_task()`
/// checks and states what this rank was called with.
template <class F, class What>
std::unique_ptr<Plan> create_from(MPI_Comm user, const F &make_task, const Request<What> &request) {
  const CommunicatorPointer comm = exchange::acquire(user);
  std::optional<Task> task;
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
    task = make_task(*comm, agreement);
    find_slabs(task->problem);
    if (request.work) task->problem.pages = Pages::borrowed;
    agreement.same({{"the work space (given or not)", request.work ? 1 : 0}});
    numbers.join(agreement, task->problem.threads, task->problem.time_limit);
    traced = profile::Trace::wanted();
    agreement.first(traced);
    binding.mine = cpus_of_rank(task->problem.threads);
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
  profile::Trace *trace = profile::Trace::join(comm->get(), task->problem.threads, traced);
  auto plan = make_plan(task->problem, comm, task->in, task->out, numbers.machine(*comm));
  if (request.work) mpi::all_or_none(comm->get(), [&] { plan->share(request.work); });
  if (trace != nullptr) mpi::all_or_none(comm->get(), [&] { plan->trace_into(*trace); });
  plan->notes = std::move(notes);
  plan->planned_in = task->in;
  plan->planned_out = task->out;
  return plan;
}

void require_array(const void *array, const char *name) {
  if (array == nullptr)
    throw Failure(HFFT_ERROR_NULL_POINTER, std::string("the ") + name + " array is NULL");
}

} // namespace

std::unique_ptr<Plan> create(MPI_Comm comm, const Request<Arguments> &request) {
  const auto task = [&](const exchange::Communicator &own, Agreement &agreement) {
    const Arguments a = request.arguments();
    Problem p = check(a, own.size());
    state(p, agreement);
    return Task{std::move(p), a.in, a.out};
  };
  return create_from(comm, task, request);
}

std::unique_ptr<Plan> create_layout_plan(MPI_Comm comm, const Request<Problem> &request, void *in,
                                         void *out) {
  const auto task = [&](const exchange::Communicator &own, Agreement &agreement) {
    Problem p = request.arguments();
    require_array(in, "input");
    require_array(out, "output");
    p.in_place = in == out;
    check(p, own.size());
    state(p, agreement);
    return Task{std::move(p), in, out};
  };
  return create_from(comm, task, request);
}

} // namespace hybridfft::plan
