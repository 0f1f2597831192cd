#include "plan/tuner.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/fftw.h"
#include "base/mpi.h"
#include "base/stopwatch.h"
#include "exchange/shared_window.h"
#include "plan/build.h"
#include "plan/candidates.h"
#include "plan/choice.h"
#include "plan/search.h"
#include "plan/wisdom_key.h"
#include "wisdom/store.h"

namespace hybridfft::plan {

using wisdom::recall_choice;
using wisdom::remember;

namespace {

/// Plans that are kept to be timed again, and what each of them may allocate in addition to its
/// buffers.
constexpr std::size_t most_trials = 4;
constexpr std::size_t little_scratch = std::size_t{1} << 20;

class Tuner final : private Trial {
  using PlanPointer = std::unique_ptr<Plan>;

public:
  /// Takes memory, to be made where ranks agree on failures.
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

  /// `known` is the text of the choice that wisdom has; empty: none.
  PlanPointer run(const std::string &known) {
    if (PlanPointer plan = remembered(known)) return plan;
    if (problem_.wisdom_only)
      mpi::fail(HFFT_ERROR_NO_WISDOM, [] {
        return "HFFT_WISDOM_ONLY was asked for, and wisdom has no plan for this problem, "
               "machine and number of ranks and threads from the same effort or more";
      });
    PlanPointer plan = search();
    if (!plan && machine_.overrides.algorithm != nullptr) {
      // The algorithm that the user asked for does not apply here: any other.
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

  /// The exchanges that a remembered choice may have: any, or those that HFFT_EXCHANGE allows.
  enum class Exchanges { any, prescribed };

  /// The plan that wisdom has; nullptr where there is none. What is known under the key was
  /// measured under the same HFFT_EXCHANGE, which need not have applied. What was measured without
  /// serves where it has that exchange, as it was the fastest of all.
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

  /// The plan of the choice that rank 0 remembers; nullptr where there is none, or where it cannot
  /// be made.
  PlanPointer recalled(const std::string &text, Exchanges exchanges) {
    if (text.empty()) return nullptr;
    std::optional<Choice> choice;
    mpi::all_or_none(comm_->get(), [&] {
      try {
        choice = candidates_->canonical(parse_choice(text, problem_));
      } catch (const Failure &) {
        return; // the text is that of another build, on all ranks alike
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
    // A search that was cut short is no experience.
    if (!search.cut_short())
      mpi::all_or_none(comm_->get(), [&] {
        if (comm_->rank() == 0)
          remember(key_, {problem_.effort, search.cost(), serialize(search.best())});
      });
    return plan;
  }

  /// The first plan that does all that its choice says, else the last one that there is.
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
    return c.messages == Messages::shared || (c.algorithm != nullptr && c.algorithm->node_memory);
  }

  /// The windows that plans work in now.
  Windows windows_in_use() const { return {comm_->windows[0].lock(), comm_->windows[1].lock()}; }

  /// The plan of a choice that has been timed, with memory of its own; that of a window is the one
  /// in which it was timed.
  PlanPointer measured(const Choice &c) {
    const Windows windows = uses_window(c) ? windows_in_use() : Windows{};
    trials_.clear();
    work_.reset();
    return make_in_time(c, deadline_.seconds_left(), problem_.effort, Pages::now);
  }

  /// FFTW takes so many seconds at most, where there is a limit at all: it estimates then.
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
    // A plan that one rank has no room for is kept by none.
    const bool slim = mpi::everywhere(comm_->get(), [&] {
      // First among the trials: after a failure all ranks end it in the same turn.
      trials_.push_back({c, estimate, false, std::move(plan)});
      trials_.back().plan->share(work_);
      return trials_.back().plan->scratch_bytes() <= little_scratch;
    });
    trials_.back().slim = slim;
    return true;
  }

  /// Ends trials that cannot stay while there is a plan of `c`, and returns windows that it takes
  /// over. Trials work in the same memory, either in work buffers or in windows, so that there is
  /// never more than one of them needs.
  Windows make_room(const Choice &c) {
    const bool same = work_ && uses_window(c) == works_in_windows_;
    const Windows windows = same ? windows_in_use() : Windows{};
    const bool slim =
        std::all_of(trials_.begin(), trials_.end(), [](const TrialPlan &t) { return t.slim; });
    if (!same || !slim) trials_.clear();
    if (trials_.size() == most_trials) trials_.erase(trials_.begin());
    if (!same) work_.reset();
    works_in_windows_ = uses_window(c);
    mpi::all_or_none(comm_->get(), [this] {
      if (!work_) work_ = std::make_shared<WorkMemory>();
      trials_.reserve(most_trials);
    });
    return windows;
  }

  double run() override {
    return time_once(comm_->get(),
                     [this] { trials_.back().plan->execute(problem_.input, problem_.output); });
  }
  double seconds_left() override { return deadline_.seconds_left(); }
  void agree_on(const std::function<void()> &f) override { mpi::all_or_none(comm_->get(), f); }

  /// nullptr, on all ranks, where the exchange does not apply or FFTW has no plan.
  PlanPointer make(const Choice &c, unsigned effort, Pages pages) {
    const bool too_long = effort == FFTW_MEASURE && candidates_->model().long_to_measure(c);
    planned_.pages = problem_.pages == Pages::borrowed ? problem_.pages : pages;
    planned_.effort = too_long ? FFTW_ESTIMATE : effort;
    planned_.threads = c.threads > 0 ? std::min(c.threads, problem_.threads) : problem_.threads;
    try {
      return build(planned_, comm_, c, machine_.overrides.algorithm != nullptr);
    } catch (const Failure &e) {
      if (e.code() != HFFT_ERROR_FFTW) throw;
      return nullptr;
    }
  }

  /// NaN and denormal numbers in the arrays would spoil the timing.
  void clear_arrays() const {
    const auto clear = [this](void *array, const Layout &l, bool real) {
      const auto elements = static_cast<std::size_t>(l.local_size(comm_->rank()));
      std::memset(array, 0, elements * (real ? 1 : 2) * problem_.real_bytes);
    };
    clear(problem_.input, problem_.in, problem_.real_in());
    clear(problem_.output, problem_.out, problem_.real_out());
  }

  Problem problem_;
  Problem planned_; ///< with what the choice that is planned asks for
  std::shared_ptr<exchange::Communicator> comm_;
  Machine machine_;
  Deadline deadline_;
  std::optional<Candidates> candidates_;
  std::vector<Choice> first_; ///< candidates to begin with, the likeliest first
  std::string key_;           ///< on rank 0

  struct TrialPlan {
    Choice choice;
    bool estimated; ///< without FFTW's measuring
    bool slim;      ///< on all ranks: allocates little in addition to its buffers
    PlanPointer plan;
  };
  std::vector<TrialPlan> trials_;    ///< the one that is timed is the last
  std::shared_ptr<WorkMemory> work_; ///< their work buffers
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

} // namespace hybridfft::plan
