#include "plan/tuner.h"

#include <cstring>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "base/error.h"
#include "base/fftw.h"
#include "base/mpi.h"
#include "plan/build.h"
#include "plan/candidates.h"
#include "plan/choice.h"
#include "plan/stopwatch.h"
#include "plan/wisdom_key.h"
#include "wisdom/store.h"

namespace hybridfft::plan {

using wisdom::recall_choice;
using wisdom::remember;

namespace {

/// Candidates that the model thinks this many times dearer than the best are not even planned.
constexpr double unlikely = 3;
/// FFTW's plans seldom gain more than this by measuring: worse estimates are not measured.
constexpr double promising = 2;
/// Less is noise.
constexpr double better = 0.98;
/// What cached stores must gain over streamed ones. Timed executions follow each other at once and
/// find in the caches what the one before left there; in a program other data come between.
constexpr double better_cached = 0.9;

template <class Real> class Tuner {
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
    first_ = candidates_->first();
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
    if (problem_.effort != FFTW_ESTIMATE) {
      mpi::all_or_none(comm_->get(), [this] { clear_arrays(); });
      measure();
    }
    if (!best_) return estimated();
    // What was cut short, or held to one algorithm, is no experience.
    if (!cut_short_ && overrides_.algorithm == nullptr)
      mpi::all_or_none(comm_->get(), [this] {
        if (comm_->rank() == 0)
          remember(key_, {problem_.effort, best_cost_, serialize(best_choice_)});
      });
    return std::move(best_);
  }

  PlanPointer estimated() {
    for (const Choice &c : first_)
      if (PlanPointer plan = make(c, FFTW_ESTIMATE, Pages::later)) return plan;
    return nullptr;
  }

  void measure() {
    for (const Choice &c : first_)
      if (!best_) consider(c);
    const bool wide = problem_.effort != FFTW_MEASURE;
    std::vector<Choice> all;
    std::vector<Property> properties;
    mpi::all_or_none(comm_->get(), [&] {
      std::set<std::string> known;
      if (problem_.effort == FFTW_EXHAUSTIVE)
        candidates_->for_all([&](const Choice &given) {
          const Choice c = candidates_->canonical(given);
          if (known.insert(serialize(c)).second) all.push_back(c);
        });
      properties = candidates_->properties(wide);
    });
    for (const Choice &c : all)
      consider(c);
    double before = infinity;
    do {
      before = best_cost_;
      for (const Property &property : properties)
        for (const auto &set : property) {
          Choice c = best_choice_;
          set(c);
          consider(c);
        }
    } while (wide && best_cost_ < before);
  }

  /// Whether a choice has not been tried yet and may be the best. Takes memory.
  bool is_new(const Choice &c) {
    if (!candidates_->admit(c) || !tried_.insert(serialize(c)).second) return false;
    const CostModel &model = candidates_->model();
    return !best_ || problem_.effort == FFTW_EXHAUSTIVE ||
           model.seconds(c) <= unlikely * model.seconds(best_choice_);
  }

  void consider(const Choice &given) {
    if (cut_short_) return;
    Choice c;
    if (!mpi::everywhere(comm_->get(), [&] {
          c = candidates_->canonical(given);
          return is_new(c);
        }))
      return;
    const CostModel &model = candidates_->model();
    // Not without the time for a few executions.
    const double left = deadline_.seconds_left();
    if (left < 4 * (best_ ? best_cost_ : model.seconds(c))) {
      cut_short_ = true;
      return;
    }
    std::optional<FftwTimeLimit> limit;
    if (deadline_.limited()) limit.emplace(left / 2);
    if (!worth_planning(c)) return;
    PlanPointer plan = make(c, problem_.effort);
    if (!plan || !plan->as_chosen()) return;
    const int repeats = problem_.effort == FFTW_MEASURE ? 3 : 6;
    const double cost = time_plan(*plan, in_, out_, repeats, best_cost_, deadline_);
    if (best_ && cost >= gain_needed(c) * best_cost_) return;
    best_cost_ = cost;
    best_choice_ = c;
    best_ = std::move(plan);
  }

  /// As a factor to the best cost.
  double gain_needed(const Choice &c) const {
    using simd::Store;
    Choice other = c;
    other.store = best_choice_.store;
    if (c.store == best_choice_.store || !(other == best_choice_)) return better;
    return c.store == Store::cached ? better_cached : 1 / better_cached;
  }

  /// FFTW takes its time to measure: only where its estimate is near the best.
  bool worth_planning(const Choice &c) {
    if (!best_ || !candidates_->uses_fftw(c) || same_transforms(c, best_choice_)) return true;
    const PlanPointer scout = make(c, FFTW_ESTIMATE);
    return scout && time_plan(*scout, in_, out_, 1, promising / 1.5 * best_cost_, deadline_) <
                        promising * best_cost_;
  }

  /// FFTW has planned one if it has planned the other.
  static bool same_transforms(Choice a, const Choice &b) {
    a.algorithm = b.algorithm;
    a.threads = b.threads;
    a.store = b.store;
    return a == b;
  }

  /// nullptr, on all ranks, where the exchange does not apply or FFTW has no plan. Plans that are
  /// to be timed need their pages before.
  PlanPointer make(const Choice &c, unsigned effort, Pages pages = Pages::now) {
    const bool too_long = effort == FFTW_MEASURE && candidates_->model().long_to_measure(c);
    planned_.pages = pages;
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
  std::vector<Choice> first_;
  std::string key_; ///< on rank 0
  std::set<std::string> tried_;
  bool cut_short_ = false; ///< by the time limit
  PlanPointer best_;
  Choice best_choice_;
  double best_cost_ = infinity;
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
