// Makes plans. All ranks agree on a problem; then its plan comes from wisdom, from the cost model,
// or from timing candidates. Results of timing become wisdom.
#include "plan/create.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/agreement.h"
#include "base/binding.h"
#include "base/environment.h"
#include "base/error.h"
#include "base/fftw.h"
#include "base/mpi.h"
#include "exchange/shared_window.h"
#include "plan/arguments.h"
#include "plan/candidates.h"
#include "plan/choice.h"
#include "plan/lowering.h"
#include "plan/machine.h"
#include "plan/search.h"
#include "wisdom/store.h"

namespace hybridfft::plan {

using wisdom::recall_choice;
using wisdom::remember;

namespace {

/// Maximum number of plans kept for repeated timing, and maximum bytes that each may allocate
/// besides its buffers.
constexpr std::size_t max_trials = 4;
constexpr std::size_t little_scratch = std::size_t{1} << 20;

class Tuner final : private Trial {
  using PlanPointer = std::unique_ptr<Plan>;

public:
  /// Allocates memory, so it may throw on any rank; all ranks must then agree on the failure.
  Tuner(const Problem &problem, const std::shared_ptr<exchange::Communicator> &comm,
        const Machine &machine)
      : problem_(problem), comm_(comm), machine_(machine),
        deadline_(comm->get(), machine_.time_limit) {
    problem_.isa = machine_.isa;
    planned_ = problem_;
    list_candidates();
    if (comm_->rank() == 0) key_ = wisdom_key(problem_, machine_);
  }

  const std::string &key() const { return key_; }

  /// Returns the plan. `known` is the text of the choice in wisdom; empty: none.
  PlanPointer run(const std::string &known) {
    if (PlanPointer plan = remembered(known)) return plan;
    if (problem_.wisdom_only)
      mpi::fail(HFFT_ERROR_NO_WISDOM, [] {
        return "HFFT_WISDOM_ONLY was asked for, and wisdom has no plan for this problem, "
               "machine and number of ranks and threads from the same effort or more";
      });
    PlanPointer plan = search();
    if (!plan && machine_.overrides.algorithm != nullptr) {
      // The algorithm of HFFT_EXCHANGE cannot compute this problem. Allow all others.
      machine_.overrides.algorithm = nullptr;
      mpi::all_or_none(comm_->get(), [this] { list_candidates(); });
      plan = search();
    }
    if (!plan)
      mpi::fail(HFFT_ERROR_UNSUPPORTED, [] { return "no algorithm applies to this problem"; });
    return plan;
  }

private:
  void list_candidates() {
    candidates_.emplace(problem_, machine_);
    first_ = candidates_->first();
  }

  /// Exchanges allowed for a choice from wisdom: any, or only the one of HFFT_EXCHANGE.
  enum class Exchanges { any, prescribed };

  /// Returns the plan in wisdom; nullptr if there is none. `known` is the wisdom of the key with
  /// HFFT_EXCHANGE. Its choice may have any exchange, because run() allows all exchanges if the
  /// prescribed one cannot compute the problem. If `known` gives no plan, the function looks up the
  /// key without HFFT_EXCHANGE. That choice was the fastest of all exchanges, and is used only if
  /// it has the prescribed one.
  PlanPointer remembered(const std::string &known) {
    PlanPointer plan = recalled(known, Exchanges::any);
    if (plan || machine_.overrides.algorithm == nullptr) return plan;
    Machine machine = machine_;
    machine.overrides.algorithm = nullptr;
    const auto key = [&] {
      return comm_->rank() == 0 ? wisdom_key(problem_, machine) : std::string();
    };
    return recalled(recall_choice(*comm_, std::cref(key), problem_.effort), Exchanges::prescribed);
  }

  /// Returns the plan of a choice from rank 0's wisdom; nullptr if there is none or it cannot be
  /// made.
  PlanPointer recalled(const std::string &text, Exchanges exchanges) {
    if (text.empty()) return nullptr;
    std::optional<Choice> choice;
    mpi::all_or_none(comm_->get(), [&] {
      try {
        choice = candidates_->canonical(parse_choice(text, problem_));
      } catch (const Failure &) {
        return; // the text is from another version, on all ranks alike
      }
      const bool admitted = exchanges == Exchanges::any ? candidates_->admit_any_exchange(*choice)
                                                        : candidates_->admit(*choice);
      if (!admitted) choice.reset();
    });
    return choice ? make_in_time(*choice, deadline_.seconds_left(), problem_.effort, Pages::later)
                  : nullptr;
  }

  PlanPointer search() {
    if (problem_.effort == FFTW_ESTIMATE) return estimated();
    mpi::all_or_none(comm_->get(), [this] { clear_arrays(); });
    Search search(*candidates_, first_,
                  SearchLimits::of(problem_.effort, machine_.several_nodes(comm_->size())), *this);
    const bool found = search.run();
    PlanPointer plan = found ? measured(search.best()) : nullptr;
    if (!plan) return estimated();
    // Do not store results of a search that hit the time limit.
    if (!search.cut_short())
      mpi::all_or_none(comm_->get(), [&] {
        if (comm_->rank() == 0)
          remember(key_, {problem_.effort, search.cost(), serialize(search.best())});
      });
    return plan;
  }

  /// Returns the first plan that has all properties of its choice, else the last plan found.
  PlanPointer estimated() {
    PlanPointer plan;
    for (const Choice &c : first_) {
      if (PlanPointer other = make(c, FFTW_ESTIMATE, Pages::later)) plan = std::move(other);
      if (plan && plan->as_chosen()) break;
    }
    return plan;
  }

  using Windows = std::array<std::shared_ptr<exchange::SharedWindow>, 2>;

  static bool uses_window(const Choice &c) {
    return c.messages == MessageForm::shared ||
           (c.algorithm != nullptr && c.algorithm->node_memory);
  }

  /// Returns the shared windows of existing plans.
  Windows windows_in_use() const { return {comm_->windows[0].lock(), comm_->windows[1].lock()}; }

  /// Returns the plan of a timed choice, with its own memory. A plan with a shared window reuses
  /// the window of its timed plan.
  PlanPointer measured(const Choice &c) {
    const Windows windows = uses_window(c) ? windows_in_use() : Windows{};
    trials_.clear();
    work_.reset();
    return make_in_time(c, deadline_.seconds_left(), problem_.effort, Pages::now);
  }

  /// Makes a plan. If there is a time limit, FFTW stops measuring after `seconds` seconds and plans
  /// by estimates.
  PlanPointer make_in_time(const Choice &c, double seconds, unsigned effort, Pages pages) {
    std::optional<FftwTimeLimit> limit;
    if (deadline_.limited()) limit.emplace(seconds);
    return make(c, effort, pages);
  }

  bool prepare(const Choice &c, bool estimate) override {
    const auto known = std::find_if(trials_.begin(), trials_.end(), [&](const TrialPlan &t) {
      return t.choice == c && t.estimated == estimate;
    });
    if (known != trials_.end()) {
      std::rotate(known, known + 1, trials_.end());
      return true;
    }
    const Windows windows = make_room(c);
    PlanPointer plan = make_in_time(c, deadline_.seconds_left() / 2,
                                    estimate ? FFTW_ESTIMATE : problem_.effort, Pages::borrowed);
    if (!plan || !plan->as_chosen()) return false;
    // True if the plan allocates little on every rank. If a rank lacks memory, all ranks drop the
    // plan.
    const bool slim = mpi::everywhere(comm_->get(), [&] {
      // Append the plan before anything can fail, so that all ranks destroy plans in the same
      // order.
      trials_.push_back({c, estimate, false, std::move(plan)});
      trials_.back().plan->share(work_);
      return trials_.back().plan->scratch_bytes() <= little_scratch;
    });
    trials_.back().slim = slim;
    return true;
  }

  /// Ends trials that cannot exist together with a plan of `c`, and returns their windows for
  /// reuse. All trials share memory of the size of the largest one: work buffers or windows.
  Windows make_room(const Choice &c) {
    const bool same = work_ && uses_window(c) == works_in_windows_;
    const Windows windows = same ? windows_in_use() : Windows{};
    const bool slim =
        std::all_of(trials_.begin(), trials_.end(), [](const TrialPlan &t) { return t.slim; });
    if (!same || !slim) trials_.clear();
    if (trials_.size() == max_trials) trials_.erase(trials_.begin());
    if (!same) work_.reset();
    works_in_windows_ = uses_window(c);
    mpi::all_or_none(comm_->get(), [this] {
      if (!work_) work_ = std::make_shared<WorkMemory>();
      trials_.reserve(max_trials);
    });
    return windows;
  }

  double run() override {
    return time_once(comm_->get(),
                     [this] { trials_.back().plan->execute(problem_.input, problem_.output); });
  }
  double seconds_left() override { return deadline_.seconds_left(); }
  void agree_on(const std::function<void()> &f) override { mpi::all_or_none(comm_->get(), f); }

  /// Makes a plan. Returns nullptr, on all ranks, if the exchange does not apply or FFTW has no
  /// plan.
  PlanPointer make(const Choice &c, unsigned effort, Pages pages) {
    planned_.pages = problem_.pages == Pages::borrowed ? problem_.pages : pages;
    planned_.effort = effort;
    planned_.threads = c.threads > 0 ? std::min(c.threads, problem_.threads) : problem_.threads;
    try {
      return build(planned_, comm_, c, machine_.overrides.algorithm != nullptr);
    } catch (const Failure &e) {
      if (e.code() != HFFT_ERROR_FFTW) throw;
      return nullptr;
    }
  }

  /// Clears both arrays, because NaN and denormal numbers would distort the timing.
  void clear_arrays() const {
    const auto clear = [this](void *array, const Layout &l, bool real) {
      const auto elements = static_cast<std::size_t>(l.local_size(comm_->rank()));
      std::memset(array, 0, elements * (real ? 1 : 2) * problem_.real_bytes);
    };
    clear(problem_.input, problem_.in, problem_.real_in());
    clear(problem_.output, problem_.out, problem_.real_out());
  }

  Problem problem_;
  Problem planned_; ///< problem_ with the settings of the choice being planned
  std::shared_ptr<exchange::Communicator> comm_;
  Machine machine_;
  Deadline deadline_;
  std::optional<Candidates> candidates_;
  std::vector<Choice> first_; ///< first candidates, the likeliest first
  std::string key_;           ///< key in wisdom; on rank 0 only

  struct TrialPlan {
    Choice choice;
    bool estimated; ///< planned without measuring by FFTW
    bool slim;      ///< true on all ranks if it allocates little besides its buffers
    PlanPointer plan;
  };
  std::vector<TrialPlan>
      trials_; ///< plans kept for repeated timing; the one being timed is the last
  std::shared_ptr<WorkMemory> work_; ///< work buffers of all trials
  bool works_in_windows_ = false;
};

} // namespace

std::unique_ptr<Plan> make_plan(const Problem &problem,
                                const std::shared_ptr<exchange::Communicator> &comm,
                                const Machine &machine) {
  std::optional<Tuner> tuner;
  const auto key = [&] {
    tuner.emplace(problem, comm, machine);
    return tuner->key();
  };
  const std::string known = recall_choice(*comm, std::cref(key), problem.effort);
  return tuner->run(known);
}

namespace {

/// Throws if a deterministic problem has reduced precision of messages, except between slabs: the
/// path between other layouts depends on the number of ranks, and rounding in messages depends on
/// the path.
void check_wire(const Problem &p) {
  require(
      !p.deterministic || p.wire == exchange::WireFormat::full || slab_pair(p).has_value(),
      HFFT_ERROR_FLAGS,
      "flags has both HFFT_WIRE_... and HFFT_DETERMINISTIC, expected one of them: between other "
      "layouts than slabs the number of ranks decides on the exchanges that round");
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
