#include "plan/planner.h"

#include <array>
#include <cstring>
#include <optional>
#include <set>
#include <string>

#include "base/error.h"
#include "base/fftw.h"
#include "base/mpi.h"
#include "plan/candidates.h"
#include "plan/choice.h"
#include "plan/stopwatch.h"
#include "plan/wisdom_key.h"
#include "plan/wisdom_store.h"

namespace hybridfft::plan {

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

/// The environment of rank 0.
Prescriptions agreed_prescriptions(MPI_Comm comm) {
  Prescriptions mine;
  mpi::all_or_none(comm, [&] { mine = Prescriptions::read(); });
  const exchange::Algorithm *first = exchange::algorithms().data();
  std::array<int, 2> said{mine.algorithm != nullptr ? static_cast<int>(mine.algorithm - first) : -1,
                          mine.all_threads ? 1 : 0};
  mpi::check(MPI_Bcast(said.data(), 2, MPI_INT, 0, comm), "MPI_Bcast");
  return {said[0] >= 0 ? first + said[0] : nullptr, said[1] != 0};
}

template <class Real> class Planner {
  using PlanPointer = std::unique_ptr<Plan<Real>>;

public:
  Planner(const Problem &problem, const std::shared_ptr<exchange::Communicator> &comm, void *in,
          void *out)
      : problem_(problem), comm_(comm), in_(in), out_(out),
        machine_(common_machine(*comm, problem.threads, problem.time_limit)),
        deadline_(*comm, machine_.time_limit), prescriptions_(agreed_prescriptions(comm->get())) {
    problem_.isa = machine_.isa;
    mpi::all_or_none(comm->get(), [this] {
      list_candidates();
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
                    "HFFT_WISDOM_ONLY was asked for, and wisdom has no plan for this problem, "
                    "machine and number of ranks and threads from the same effort or more");
    PlanPointer plan = search();
    if (!plan && prescriptions_.algorithm != nullptr) {
      // The algorithm that the user asked for does not apply here: any other.
      prescriptions_.algorithm = nullptr;
      list_candidates();
      plan = search();
    }
    if (!plan) throw Failure(HFFT_ERROR_UNSUPPORTED, "no algorithm applies to this problem");
    return plan;
  }

  void list_candidates() {
    candidates_.emplace(problem_, sizeof(Real), machine_, comm_->size(), prescriptions_);
  }

  /// The plan that rank 0 remembers; nullptr where there is none, or where it cannot be made.
  PlanPointer recalled() const {
    const std::string words = recall_choice(*comm_, key_, problem_.effort);
    if (words.empty()) return nullptr;
    Choice choice;
    try {
      choice = candidates_->canonical(parse_choice(words));
    } catch (const Failure &) {
      return nullptr; // of another build, on all ranks alike
    }
    return candidates_->admit(choice) ? make(choice, problem_.effort, Pages::later) : nullptr;
  }

  PlanPointer search() {
    if (problem_.effort != FFTW_ESTIMATE) {
      clear_arrays();
      measure();
    }
    if (!best_) return estimated();
    // What was cut short, or held to less than all choices, is no experience.
    if (!cut_short_ && !prescriptions_.any())
      mpi::all_or_none(comm_->get(), [this] {
        if (comm_->rank() == 0)
          remember(key_, {problem_.effort, best_cost_, to_words(best_choice_)});
      });
    return std::move(best_);
  }

  PlanPointer estimated() const {
    for (const Choice &c : candidates_->best_by_algorithm())
      if (PlanPointer plan = make(c, FFTW_ESTIMATE, Pages::later)) return plan;
    return nullptr;
  }

  void measure() {
    for (const Choice &c : candidates_->best_by_algorithm())
      if (!best_) consider(c);
    if (problem_.effort == FFTW_EXHAUSTIVE)
      candidates_->for_all([this](const Choice &c) { consider(c); });
    const bool wide = problem_.effort != FFTW_MEASURE;
    double before = infinity;
    do {
      before = best_cost_;
      for (const Property &property : candidates_->properties(wide))
        for (const auto &set : property) {
          Choice c = best_choice_;
          set(c);
          consider(c);
        }
    } while (wide && best_cost_ < before);
  }

  void consider(const Choice &given) {
    const Choice c = candidates_->canonical(given);
    if (cut_short_ || !candidates_->admit(c) || !tried_.insert(to_words(c)).second) return;
    const CostModel &model = candidates_->model();
    if (best_ && problem_.effort != FFTW_EXHAUSTIVE &&
        model.seconds(c) > unlikely * model.seconds(best_choice_))
      return;
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
    if (!plan) return;
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
  bool worth_planning(const Choice &c) const {
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
  PlanPointer make(const Choice &c, unsigned effort, Pages pages = Pages::now) const {
    Problem p = problem_;
    p.pages = pages;
    p.effort = effort;
    if (effort == FFTW_MEASURE && candidates_->model().long_to_measure(c)) p.effort = FFTW_ESTIMATE;
    if (c.threads > 0) p.threads = std::min(c.threads, p.threads);
    try {
      return Plan<Real>::make(p, comm_, c, prescriptions_.algorithm != nullptr);
    } catch (const Failure &e) {
      if (e.code() != HFFT_ERROR_FFTW) throw;
      return nullptr;
    }
  }

  /// NaN and denormal numbers in the arrays would spoil the timing.
  void clear_arrays() const {
    const auto clear = [&](void *array, const auto &n, bool transposed, std::ptrdiff_t block) {
      const Layout l = Layout::slab(n, comm_->size(), {transposed, block, problem_.howmany, 0});
      std::memset(array, 0,
                  static_cast<std::size_t>(l.local_size(comm_->rank())) * 2 * sizeof(Real));
    };
    clear(in_, problem_.input_extents(), problem_.transposed_in, problem_.iblock);
    clear(out_, problem_.output_extents(), problem_.transposed_out, problem_.oblock);
  }

  Problem problem_;
  std::shared_ptr<exchange::Communicator> comm_;
  void *in_;
  void *out_;
  Machine machine_;
  Deadline deadline_;
  Prescriptions prescriptions_;
  std::optional<Candidates> candidates_;
  std::string key_; ///< on rank 0
  std::set<std::string> tried_;
  bool cut_short_ = false; ///< by the time limit
  PlanPointer best_;
  Choice best_choice_;
  double best_cost_ = infinity;
};

} // namespace

template <class Real>
std::unique_ptr<Plan<Real>> make_plan(const Problem &problem,
                                      const std::shared_ptr<exchange::Communicator> &comm, void *in,
                                      void *out) {
  return Planner<Real>(problem, comm, in, out).run();
}

template std::unique_ptr<Plan<float>>
make_plan<float>(const Problem &, const std::shared_ptr<exchange::Communicator> &, void *, void *);
template std::unique_ptr<Plan<double>>
make_plan<double>(const Problem &, const std::shared_ptr<exchange::Communicator> &, void *, void *);

} // namespace hybridfft::plan
