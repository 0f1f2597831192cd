#include "plan/layout_planner.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/binding.h"
#include "base/environment.h"
#include "base/error.h"
#include "base/mpi.h"
#include "plan/layout_choice.h"
#include "plan/planner.h"
#include "plan/slab_pair.h"
#include "plan/stopwatch.h"
#include "plan/wisdom_key.h"
#include "plan/wisdom_store.h"

namespace hybridfft::plan {

namespace {

/// Less is noise.
constexpr double better = 0.98;
/// Fields with less bytes per message and rank travel together.
constexpr double least_message = 32 << 10;

template <class Real> class LayoutPlanner {
  using PlanPointer = std::unique_ptr<LayoutPlan<Real>>;

public:
  LayoutPlanner(const LayoutProblem &problem, const std::shared_ptr<exchange::Communicator> &comm,
                void *in, void *out)
      : problem_(problem), comm_(comm), in_(in), out_(out),
        machine_(common_machine(*comm, problem.threads, problem.time_limit)),
        deadline_(*comm, machine_.time_limit), forced_(agreed_algorithm()) {
    problem_.isa = machine_.isa;
    mpi::all_or_none(comm->get(), [this] {
      if (comm_->rank() == 0) key_ = wisdom_key(problem_, sizeof(Real), machine_, comm_->size());
    });
  }

  PlanPointer run() {
    PlanPointer plan = find();
    plan->notes = describe_isa(machine_.isa);
    return plan;
  }

private:
  PlanPointer find() {
    if (PlanPointer plan = recalled()) return plan;
    if (problem_.wisdom_only)
      throw Failure(HFFT_ERROR_NO_WISDOM,
                    "HFFT_WISDOM_ONLY was asked for, and wisdom has no plan for these layouts, "
                    "machine and number of ranks and threads from the same effort or more");
    std::vector<LayoutChoice> choices;
    mpi::all_or_none(comm_->get(), [&] {
      if (problem_.effort == FFTW_ESTIMATE) {
        choices.push_back({find_path(problem_, {}), {}, false});
        return;
      }
      for (Path &path : find_paths(problem_))
        choices.push_back({std::move(path), {}, false});
    });
    for (LayoutChoice &c : choices)
      choose_order(c);
    if (problem_.effort == FFTW_ESTIMATE) return make(estimated(choices.front()));
    clear_arrays();
    for (LayoutChoice &c : choices)
      for (const bool by_field : {false, true}) {
        if (by_field && !admits_fields(problem_)) continue;
        c.by_field = by_field;
        consider(c);
      }
    if (comm_->size() > 1) {
      consider_algorithms(best_choice_);
      consider_chunks(best_choice_);
    }
    LayoutChoice streamed = best_choice_;
    streamed.store = simd::Store::streamed;
    // Where streamed, the address decides on the code that runs.
    if (!problem_.deterministic) consider(streamed);
    // What was cut short, or held to one algorithm, is no experience.
    if (!cut_short_ && forced_ == nullptr)
      mpi::all_or_none(comm_->get(), [this] {
        if (comm_->rank() == 0)
          remember(key_, {problem_.effort, best_cost_, to_words(best_choice_)});
      });
    return std::move(best_);
  }

  /// The plan that rank 0 remembers; nullptr where there is none, or where it cannot be made.
  PlanPointer recalled() const {
    const std::string words = recall_choice(*comm_, key_, problem_.effort);
    if (words.empty()) return nullptr;
    std::optional<LayoutChoice> choice;
    mpi::all_or_none(comm_->get(), [&] { choice = parse_layout_choice(words, problem_); });
    return choice ? make(*choice) : nullptr;
  }

  PlanPointer make(const LayoutChoice &c) const {
    return LayoutPlan<Real>::make(problem_, comm_, c, machine_);
  }

  /// The order with the least bytes to move on the busiest rank.
  void choose_order(LayoutChoice &c) const {
    double best = infinity;
    for (AxisOrder &order : working_orders(problem_)) {
      double bytes = 0;
      mpi::all_or_none(comm_->get(), [&] {
        bytes = bytes_of(make_steps(problem_, sizeof(Real), c.path, order, comm_->rank()),
                         sizeof(Real));
      });
      mpi::check(MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_MAX, comm_->get()),
                 "MPI_Allreduce");
      if (bytes >= best) continue;
      best = bytes;
      c.order = std::move(order);
    }
  }

  /// Fields one after another where messages are large: what counts then is that they do not hold
  /// up work. Memory that ranks share needs no messages at all.
  LayoutChoice estimated(LayoutChoice c) const {
    const bool on_one_node = machine_.ranks_per_node == comm_->size() && comm_->size() > 1;
    c.algorithm = forced_ != nullptr                     ? forced_
                  : on_one_node && !problem_.nonblocking ? exchange::find_algorithm("shared")
                                                         : nullptr;
    const auto points = static_cast<double>(problem_.complex_side().box(0).points());
    c.by_field = admits_fields(problem_) && comm_->size() > 1 &&
                 points * 2 * sizeof(Real) > least_message * comm_->size();
    return c;
  }

  /// The word of rank 0. One that does not apply is none, as for slabs.
  const exchange::Algorithm *agreed_algorithm() const {
    const exchange::Algorithm *said = exchange::agreed_algorithm(comm_->get());
    const bool applies = said != nullptr && (said->chunked || !problem_.nonblocking);
    return applies ? said : nullptr;
  }

  /// Executions in the background need messages that travel meanwhile.
  bool is_wanted(const exchange::Algorithm *a) const {
    if (forced_ != nullptr && a != forced_) return false;
    return !problem_.nonblocking || a == nullptr || a->chunked;
  }

  /// FFTW's takes communicators for every plan, and MPI's datatypes have never been faster.
  void consider_algorithms(LayoutChoice c) {
    c.by_field = false;
    for (const char *name : {"shared", "eager", "pipelined", "pairwise", "alltoallv"}) {
      c.algorithm = exchange::find_algorithm(name);
      if (is_wanted(c.algorithm)) consider(c);
    }
  }

  /// Exchanges that are none of an algorithm beside the passes; with one that works beside them,
  /// all exchanges do.
  void consider_chunks(LayoutChoice c) {
    c.by_field = false;
    c.chunked = true;
    for (const exchange::Algorithm *a :
         {c.algorithm, exchange::find_algorithm("eager"), exchange::find_algorithm("pipelined")}) {
      c.algorithm = a;
      if (is_wanted(a)) consider(c);
    }
  }

  void consider(const LayoutChoice &c) {
    // Not without the time for a few executions.
    if (best_ && deadline_.seconds_left() < 4 * best_cost_) {
      cut_short_ = true;
      return;
    }
    PlanPointer plan = make(c);
    if (c.algorithm != nullptr && plan->transpositions() == 0) return;
    if (c.chunked && plan->chunked() == 0) return;
    const double cost = time_plan(*plan, in_, out_, 3, best_cost_, deadline_);
    if (best_ && cost >= better * best_cost_) return;
    best_cost_ = cost;
    best_choice_ = c;
    best_ = std::move(plan);
  }

  /// NaN and denormal numbers in the arrays would spoil the timing.
  void clear_arrays() const {
    const auto clear = [this](void *array, const Layout &l, bool real) {
      const auto elements = static_cast<std::size_t>(l.local_size(comm_->rank()));
      std::memset(array, 0, elements * (real ? 1 : 2) * sizeof(Real));
    };
    clear(in_, problem_.in, problem_.kind == Kind::r2c);
    clear(out_, problem_.out, problem_.kind == Kind::c2r);
  }

  LayoutProblem problem_;
  std::shared_ptr<exchange::Communicator> comm_;
  void *in_;
  void *out_;
  Machine machine_;
  Deadline deadline_;
  const exchange::Algorithm *forced_; ///< by HFFT_EXCHANGE
  std::string key_;                   ///< on rank 0
  bool cut_short_ = false;            ///< by the time limit
  PlanPointer best_;
  LayoutChoice best_choice_;
  double best_cost_ = infinity;
};

void require_array(const void *array, const char *name) {
  if (array == nullptr)
    throw Failure(HFFT_ERROR_NULL_POINTER, std::string("the ") + name + " array is NULL");
}

template <class Real>
std::unique_ptr<Executable> plan_for(const LayoutProblem &problem,
                                     const std::shared_ptr<exchange::Communicator> &comm, void *in,
                                     void *out) {
  if (const auto slab = slab_problem(problem, sizeof(Real)))
    return make_plan<Real>(*slab, comm, in, out);
  return make_layout_plan<Real>(problem, comm, in, out);
}

} // namespace

template <class Real>
std::unique_ptr<Executable> make_layout_plan(const LayoutProblem &problem,
                                             const std::shared_ptr<exchange::Communicator> &comm,
                                             void *in, void *out) {
  return LayoutPlanner<Real>(problem, comm, in, out).run();
}

std::ptrdiff_t allocation(const LayoutProblem &p, int rank, std::size_t real_bytes) {
  const auto complex = [rank](const Layout &l, bool real) {
    const std::ptrdiff_t n = l.local_size(rank);
    return real ? n / 2 + n % 2 : n;
  };
  std::ptrdiff_t most = std::max(
      {std::ptrdiff_t{1}, complex(p.in, p.kind == Kind::r2c), complex(p.out, p.kind == Kind::c2r)});
  if (const auto slab = slab_problem(p, real_bytes))
    most = std::max(most, slab_allocation(*slab, p.in.ranks(), rank));
  return most;
}

template <class Real>
std::unique_ptr<Executable> create_layout_plan(MPI_Comm comm,
                                               const std::function<LayoutProblem()> &arguments,
                                               void *in, void *out) {
  const auto owned = exchange::acquire(comm);
  std::optional<LayoutProblem> problem;
  mpi::all_or_none(owned->get(), [&] {
    problem = arguments();
    require_array(in, "input");
    require_array(out, "output");
    problem->in_place = in == out;
    check(*problem, owned->size(), sizeof(Real));
  });
  require_equal(*problem, sizeof(Real), owned->get());
  Trace *trace = Trace::join(owned->get(), problem->threads);
  auto plan = plan_for<Real>(*problem, owned, in, out);
  const std::string binding = describe_binding(owned->get(), problem->threads);
  mpi::all_or_none(owned->get(), [&] {
    plan->notes += binding + describe_unknown_environment_variables();
    if (trace != nullptr) plan->trace_into(*trace);
  });
  plan->planned_in = in;
  plan->planned_out = out;
  return plan;
}

template std::unique_ptr<Executable>
make_layout_plan<float>(const LayoutProblem &, const std::shared_ptr<exchange::Communicator> &,
                        void *, void *);
template std::unique_ptr<Executable>
make_layout_plan<double>(const LayoutProblem &, const std::shared_ptr<exchange::Communicator> &,
                         void *, void *);
template std::unique_ptr<Executable>
create_layout_plan<float>(MPI_Comm, const std::function<LayoutProblem()> &, void *, void *);
template std::unique_ptr<Executable>
create_layout_plan<double>(MPI_Comm, const std::function<LayoutProblem()> &, void *, void *);

} // namespace hybridfft::plan
