#include "plan/tuner.h"

#include <array>
#include <cstring>
#include <functional>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/fftw.h"
#include "base/mpi.h"
#include "exchange/shared_window.h"
#include "plan/build.h"
#include "plan/candidates.h"
#include "plan/choice.h"
#include "plan/search.h"
#include "plan/stopwatch.h"
#include "plan/wisdom_key.h"
#include "wisdom/store.h"

namespace hybridfft::plan {

using wisdom::recall_choice;
using wisdom::remember;

namespace {

template <class Real> class Tuner final : private Trial {
  using PlanPointer = std::unique_ptr<Plan>;

public:
  /// Takes memory, to be made where ranks agree on failures.
  Tuner(const Problem &problem, const std::shared_ptr<exchange::Communicator> &comm, void *in,
        void *out, const Setting &setting)
      : problem_(problem), comm_(comm), in_(in), out_(out), machine_(setting.machine),
        deadline_(*comm, machine_.time_limit), overrides_(setting.overrides) {
    problem_.isa = machine_.isa;
    planned_ = problem_;
    list_candidates();
    if (comm_->rank() == 0)
      key_ = wisdom_key(problem_, sizeof(Real), machine_, comm_->size(),
                        overrides_.all_threads && machine_.threads > 1);
  }

  const std::string &key() const { return key_; }

  /// `known` is the text of the choice that wisdom has; empty: none.
  PlanPointer run(const std::string &known) {
    if (PlanPointer plan = recalled(known)) return plan;
    if (problem_.wisdom_only)
      mpi::fail(HFFT_ERROR_NO_WISDOM, [] {
        return "HFFT_WISDOM_ONLY was asked for, and wisdom has no plan for this problem, "
               "machine and number of ranks and threads from the same effort or more";
      });
    PlanPointer plan = search();
    if (!plan && overrides_.algorithm != nullptr) {
      // The algorithm that the user asked for does not apply here: any other.
      overrides_.algorithm = nullptr;
      mpi::all_or_none(comm_->get(), [this] { list_candidates(); });
      plan = search();
    }
    if (!plan)
      mpi::fail(HFFT_ERROR_UNSUPPORTED, [] { return "no algorithm applies to this problem"; });
    return plan;
  }

private:
  void list_candidates() {
    candidates_.emplace(problem_, sizeof(Real), machine_, comm_->size(), overrides_);
  }

  /// The plan that rank 0 remembers; nullptr where there is none, or where it cannot be made.
  PlanPointer recalled(const std::string &text) {
    if (text.empty()) return nullptr;
    std::optional<Choice> choice;
    mpi::all_or_none(comm_->get(), [&] {
      try {
        choice = candidates_->canonical(parse_choice(text, problem_));
      } catch (const Failure &) {
        return; // of another build, on all ranks alike
      }
      if (!candidates_->admit(*choice)) choice.reset();
    });
    return choice ? make(*choice, problem_.effort, Pages::later) : nullptr;
  }

  PlanPointer search() {
    if (problem_.effort == FFTW_ESTIMATE) return estimated();
    mpi::all_or_none(comm_->get(), [this] { clear_arrays(); });
    Search search(*candidates_,
                  SearchLimits::of(problem_.effort, machine_.ranks_per_node < comm_->size()),
                  *this);
    const bool found = search.run();
    PlanPointer plan = found ? measured(search.best()) : nullptr;
    if (!plan) return estimated();
    // What was cut short, or held to one algorithm, is no experience.
    if (!search.cut_short() && overrides_.algorithm == nullptr)
      mpi::all_or_none(comm_->get(), [&] {
        if (comm_->rank() == 0)
          remember(key_, {problem_.effort, search.cost(), serialize(search.best())});
      });
    return plan;
  }

  PlanPointer estimated() {
    std::vector<Choice> first;
    mpi::all_or_none(comm_->get(), [&] { first = candidates_->first(); });
    for (const Choice &c : first)
      if (PlanPointer plan = make(c, FFTW_ESTIMATE, Pages::later)) return plan;
    return nullptr;
  }

  using Windows = std::array<std::shared_ptr<exchange::SharedWindow>, 2>;

  static bool uses_window(const Choice &c) {
    return c.messages == Messages::shared || (c.algorithm != nullptr && c.algorithm->node_memory);
  }

  /// Ends the plan that has been timed and returns the windows that the one of `c` takes over: it
  /// works in them, or has as much memory elsewhere, and there is never both.
  Windows end_trial(const Choice &c) {
    Windows windows;
    if (uses_window(c)) windows = {comm_->windows[0].lock(), comm_->windows[1].lock()};
    trial_.reset();
    return windows;
  }

  /// The plan of a choice that has been timed, with memory of its own.
  PlanPointer measured(const Choice &c) {
    const Windows windows = end_trial(c);
    work_.reset();
    return make(c, problem_.effort, Pages::now);
  }

  bool prepare(const Choice &c, bool estimate) override {
    if (trial_ && c == trial_choice_ && estimate == trial_estimated_) return true;
    const Windows windows = end_trial(c);
    if (!work_ || uses_window(c) != uses_window(trial_choice_)) {
      work_.reset();
      mpi::all_or_none(comm_->get(), [this] { work_ = std::make_shared<WorkSpace>(); });
    }
    std::optional<FftwTimeLimit> limit;
    if (deadline_.limited()) limit.emplace(deadline_.seconds_left() / 2);
    trial_choice_ = c;
    trial_estimated_ = estimate;
    trial_ = make(c, estimate ? FFTW_ESTIMATE : problem_.effort, Pages::borrowed);
    if (trial_ && !trial_->as_chosen()) trial_.reset();
    if (!trial_) return false;
    mpi::all_or_none(comm_->get(), [this] { trial_->share(work_); });
    return true;
  }

  double run() override { return time_once(*trial_, in_, out_); }
  double seconds_left() override { return deadline_.seconds_left(); }
  void agree_on(const std::function<void()> &f) override { mpi::all_or_none(comm_->get(), f); }

  /// nullptr, on all ranks, where the exchange does not apply or FFTW has no plan.
  PlanPointer make(const Choice &c, unsigned effort, Pages pages) {
    const bool too_long = effort == FFTW_MEASURE && candidates_->model().long_to_measure(c);
    planned_.pages = problem_.pages == Pages::borrowed ? problem_.pages : pages;
    planned_.effort = too_long ? FFTW_ESTIMATE : effort;
    planned_.threads = c.threads > 0 ? std::min(c.threads, problem_.threads) : problem_.threads;
    try {
      return build<Real>(planned_, comm_, c, overrides_.algorithm != nullptr);
    } catch (const Failure &e) {
      if (e.code() != HFFT_ERROR_FFTW) throw;
      return nullptr;
    }
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

  Problem problem_;
  Problem planned_; ///< with what the choice that is planned asks for
  std::shared_ptr<exchange::Communicator> comm_;
  void *in_;
  void *out_;
  Machine machine_;
  Deadline deadline_;
  Overrides overrides_;
  std::optional<Candidates> candidates_;
  std::string key_; ///< on rank 0

  PlanPointer trial_; ///< the plan that is timed,
  Choice trial_choice_;
  bool trial_estimated_ = false;    ///< without FFTW's measuring
  std::shared_ptr<WorkSpace> work_; ///< and its work buffers
};

} // namespace

template <class Real>
std::unique_ptr<Plan> make_plan(const Problem &problem,
                                const std::shared_ptr<exchange::Communicator> &comm, void *in,
                                void *out, const Setting &setting) {
  std::optional<Tuner<Real>> tuner;
  const auto key = [&] {
    tuner.emplace(problem, comm, in, out, setting);
    return tuner->key();
  };
  const std::string known = recall_choice(*comm, std::cref(key), problem.effort);
  return tuner->run(known);
}

template std::unique_ptr<Plan> make_plan<float>(const Problem &,
                                                const std::shared_ptr<exchange::Communicator> &,
                                                void *, void *, const Setting &);
template std::unique_ptr<Plan> make_plan<double>(const Problem &,
                                                 const std::shared_ptr<exchange::Communicator> &,
                                                 void *, void *, const Setting &);

} // namespace hybridfft::plan
