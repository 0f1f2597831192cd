#include "plan/layout_planner.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <optional>

#include "base/mpi.h"
#include "plan/layout_choice.h"
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
  using ChoicePointer = std::shared_ptr<const LayoutChoice>; ///< which is copied without memory

public:
  /// Takes memory, to be made where ranks agree on failures.
  LayoutPlanner(const LayoutProblem &problem, const std::shared_ptr<exchange::Communicator> &comm,
                void *in, void *out, const Setting &setting)
      : problem_(problem), comm_(comm), in_(in), out_(out), machine_(setting.machine),
        deadline_(*comm, machine_.time_limit), forced_(setting.prescriptions.algorithm) {
    problem_.isa = machine_.isa;
    // One that does not apply is none, as for slabs.
    if (forced_ != nullptr && problem_.nonblocking && !forced_->chunked) forced_ = nullptr;
    if (comm_->rank() == 0) key_ = wisdom_key(problem_, sizeof(Real), machine_, comm_->size());
  }

  const std::string &key() const { return key_; }

  /// `known` is the choice that wisdom has, in words; empty: none.
  PlanPointer run(const std::string &known) {
    if (PlanPointer plan = recalled(known)) return plan;
    if (problem_.wisdom_only)
      mpi::fail(HFFT_ERROR_NO_WISDOM, [] {
        return "HFFT_WISDOM_ONLY was asked for, and wisdom has no plan for these layouts, "
               "machine and number of ranks and threads from the same effort or more";
      });
    std::vector<LayoutChoice> choices;
    mpi::all_or_none(comm_->get(), [&] {
      if (problem_.effort == FFTW_ESTIMATE) {
        choices.push_back(estimated(find_path(problem_, {})));
        return;
      }
      for (Path &path : find_paths(problem_))
        choices.push_back({std::move(path), {}, false});
      clear_arrays();
    });
    for (LayoutChoice &c : choices)
      choose_order(c);
    if (problem_.effort == FFTW_ESTIMATE) return make(choices.front());
    for (const LayoutChoice &choice : choices)
      for (const bool by_field : {false, true})
        if (!by_field || admits_fields(problem_))
          consider(choice, [&](LayoutChoice &c) { c.by_field = by_field; });
    if (comm_->size() > 1) {
      consider_algorithms(best_choice_);
      consider_chunks(best_choice_);
    }
    // Where streamed, the address decides on the code that runs.
    if (!problem_.deterministic)
      consider(*best_choice_, [](LayoutChoice &c) { c.store = simd::Store::streamed; });
    // What was cut short, or held to one algorithm, is no experience.
    if (!cut_short_ && forced_ == nullptr)
      mpi::all_or_none(comm_->get(), [this] {
        if (comm_->rank() == 0)
          remember(key_, {problem_.effort, best_cost_, to_words(*best_choice_)});
      });
    return std::move(best_);
  }

private:
  /// The plan that rank 0 remembers; nullptr where there is none, or where it cannot be made.
  PlanPointer recalled(const std::string &words) const {
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
    std::vector<AxisOrder> orders;
    std::array<std::int64_t, 2> bytes{}; // of the two that there may be
    mpi::all_or_none(
        comm_->get(),
        [&] {
          orders = working_orders(problem_);
          for (std::size_t i = 0; i < orders.size(); ++i)
            bytes.at(i) = std::llround(
                bytes_of(make_steps(problem_, sizeof(Real), c.path, orders[i], comm_->rank()),
                         sizeof(Real)));
        },
        bytes);
    c.order = std::move(orders[orders.size() > 1 && bytes[1] < bytes[0] ? 1 : 0]);
  }

  /// Fields one after another where messages are large: what counts then is that they do not hold
  /// up work. Memory that ranks share needs no messages at all.
  LayoutChoice estimated(Path path) const {
    LayoutChoice c{std::move(path), {}, false};
    const bool on_one_node = machine_.ranks_per_node == comm_->size() && comm_->size() > 1;
    c.algorithm = forced_;
    if (forced_ == nullptr && on_one_node && !problem_.nonblocking)
      for (const exchange::Algorithm &a : exchange::algorithms())
        if (a.node_memory) c.algorithm = &a;
    const auto points = static_cast<double>(problem_.complex_side().box(0).points());
    c.by_field = admits_fields(problem_) && comm_->size() > 1 &&
                 points * 2 * sizeof(Real) > least_message * comm_->size();
    return c;
  }

  /// Executions in the background need messages that travel meanwhile.
  bool is_wanted(const exchange::Algorithm *a) const {
    if (forced_ != nullptr && a != forced_) return false;
    return !problem_.nonblocking || a == nullptr || a->chunked;
  }

  void consider_algorithms(const ChoicePointer &base) {
    for (const exchange::Algorithm *a : exchange::algorithms_by_place()) {
      if (!a->seldom_best && is_wanted(a))
        consider(*base, [a](LayoutChoice &c) {
          c.by_field = false;
          c.algorithm = a;
        });
    }
  }

  /// Exchanges that are none of an algorithm beside the passes; with one that works beside them,
  /// all exchanges do.
  void consider_chunks(const ChoicePointer &base) {
    const auto with = [&](const exchange::Algorithm *a) {
      if (is_wanted(a))
        consider(*base, [a](LayoutChoice &c) {
          c.by_field = false;
          c.chunked = true;
          c.algorithm = a;
        });
    };
    with(base->algorithm);
    for (const exchange::Algorithm *a : exchange::algorithms_by_place())
      if (a->chunked) with(a);
  }

  /// A choice like `base` but for what `change` does to it.
  template <class F> void consider(const LayoutChoice &base, const F &change) {
    // Not without the time for a few executions.
    if (best_ && deadline_.seconds_left() < 4 * best_cost_) {
      cut_short_ = true;
      return;
    }
    ChoicePointer choice;
    mpi::all_or_none(comm_->get(), [&] {
      auto changed = std::make_shared<LayoutChoice>(base);
      change(*changed);
      choice = std::move(changed);
    });
    const LayoutChoice &c = *choice;
    PlanPointer plan = make(c);
    if (c.algorithm != nullptr && plan->transpositions() == 0) return;
    if (c.chunked && plan->chunked() == 0) return;
    const double cost = time_plan(*plan, in_, out_, 3, best_cost_, deadline_);
    if (best_ && cost >= better * best_cost_) return;
    best_cost_ = cost;
    best_choice_ = std::move(choice);
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
  ChoicePointer best_choice_;
  double best_cost_ = infinity;
};

} // namespace

template <class Real>
std::unique_ptr<Executable> make_layout_plan(const LayoutProblem &problem,
                                             const std::shared_ptr<exchange::Communicator> &comm,
                                             void *in, void *out, const Setting &setting) {
  std::optional<LayoutPlanner<Real>> planner;
  const auto key = [&] {
    planner.emplace(problem, comm, in, out, setting);
    return planner->key();
  };
  const std::string known = recall_choice(*comm, std::cref(key), problem.effort);
  return planner->run(known);
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

template std::unique_ptr<Executable>
make_layout_plan<float>(const LayoutProblem &, const std::shared_ptr<exchange::Communicator> &,
                        void *, void *, const Setting &);
template std::unique_ptr<Executable>
make_layout_plan<double>(const LayoutProblem &, const std::shared_ptr<exchange::Communicator> &,
                         void *, void *, const Setting &);

} // namespace hybridfft::plan
