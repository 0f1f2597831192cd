#include "plan/layout_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/mpi.h"
#include "exchange/message_size.h"
#include "exchange/nodes.h"
#include "local/line_fft.h"
#include "plan/agreement.h"
#include "plan/group_transposition.h"
#include "plan/layout_chunks.h"
#include "plan/layout_pass.h"
#include "plan/layout_places.h"
#include "plan/own_block.h"
#include "plan/shared_messages.h"
#include "plan/text.h"

namespace hybridfft::plan {

namespace {

/// FFTW's kernels spoil the input of c2r unless they work on a copy.
template <class Real> bool may_spoil(const LayoutStep &s, simd::Isa isa, local::Kernel planes) {
  return s.kind == StepKind::planes && s.lines.kind == Kind::c2r &&
         (planes == local::Kernel::fftw || s.lines.extents.size() > 1 || s.source.vec > 1 ||
          !local::LineFft<Real>::applies(isa, s.lines.extents.front()));
}

LayoutStep copy_of(const Storage &s) { return {StepKind::copy, s, s}; }

/// Real numbers of one rank's lines overlap where a step in place writes other bytes than it reads.
bool needs_copy_first(const LayoutStep &first, bool single, bool in_place, bool spoils) {
  if (in_place) return single && !first.may_be_in_place();
  return spoils;
}

/// One field must not arrive where another one is sent from.
void part_exchanges(std::vector<LayoutStep> &steps) {
  const auto exchanges = [&](std::size_t k) {
    return steps[k].kind == StepKind::exchange && !steps[k].to.empty();
  };
  for (std::size_t k = steps.size(); k-- > 1;)
    if (exchanges(k - 1) && exchanges(k))
      steps.insert(steps.begin() + static_cast<std::ptrdiff_t>(k), copy_of(steps[k].from));
}

/// An exchange in chunks works beside the passes that leave its arrays alone.
void overlap(const Step &before, Step &exchange, const Step &after) {
  const auto apart = [&](Place p) { return p != exchange.source && p != exchange.destination; };
  exchange.receives_early = before.pass && before.source != exchange.destination &&
                            before.destination != exchange.destination;
  exchange.sends_late = after.pass && apart(after.destination);
}

constexpr std::array work_places{Place::work0, Place::work1, Place::work2};

} // namespace

template <class Real>
LayoutPlan<Real>::LayoutPlan(const Problem &problem, std::shared_ptr<exchange::Communicator> comm,
                             const Choice &choice)
    : problem_(problem), comm_(std::move(comm)), choice_(choice) {}

template <class Real>
double LayoutPlan<Real>::scale_of(const std::vector<LayoutStep> &steps, std::size_t k) const {
  // A rank without data has no transforms: what it has had before is scaled elsewhere.
  const Path &path = choice_.path->path;
  std::size_t last_stage = 0;
  for (std::size_t stage = 0; stage < path.size(); ++stage)
    if (!path[stage].axes.empty()) last_stage = stage;
  const auto exchanges =
      std::count_if(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(k),
                    [](const LayoutStep &s) { return s.kind == StepKind::exchange; });
  return k == last_transform(steps) && exchanges == static_cast<std::ptrdiff_t>(last_stage)
             ? problem_.scale
             : 1;
}

template <class Real>
std::unique_ptr<local::Pass> LayoutPlan<Real>::make_pass(const std::vector<LayoutStep> &steps,
                                                         std::size_t k, bool in_place) const {
  const LayoutStep &step = steps[k];
  local::PassOptions options{problem_.threads, problem_.effort, choice_.tile_bytes};
  options.kernel = step.kind == StepKind::columns ? choice_.column_kernel : choice_.plane_kernel;
  options.store = choice_.store;
  options.isa = problem_.isa;
  options.deterministic = problem_.deterministic;
  options.scale = scale_of(steps, k);
  return make_layout_pass<Real>(step, in_place, choice_.order, options);
}

template <class Real>
std::unique_ptr<LayoutPlan<Real>>
LayoutPlan<Real>::make(const Problem &problem, const std::shared_ptr<exchange::Communicator> &comm,
                       const Choice &choice) {
  std::unique_ptr<LayoutPlan> plan;
  std::vector<LayoutStep> steps;
  mpi::all_or_none(comm->get(), [&] {
    plan.reset(new LayoutPlan(problem, comm, choice));
    Problem one = problem;
    if (choice.by_field) {
      one.in = problem.in.of_one_field();
      one.out = problem.out.of_one_field();
    }
    steps = make_steps(one, sizeof(Real), *choice.path, comm->rank(), choice.plane_kernel);
  });
  plan->transpose_in_groups(steps);
  plan->cut_messages(steps);
  if (choice.messages == Messages::shared && !choice.by_field)
    plan->shared_ = share_messages(steps, comm, sizeof(Real), problem.pages, plan->windows_);
  mpi::all_or_none(comm->get(), [&] {
    if (!steps.empty() &&
        needs_copy_first(steps.front(), steps.size() == 1, problem.in_place,
                         !problem.may_destroy_input &&
                             may_spoil<Real>(steps.front(), problem.isa, choice.plane_kernel)))
      steps.insert(steps.begin(), copy_of(steps.front().from));
    if (choice.by_field) part_exchanges(steps);
    plan->stages_ = stages_of(steps, sizeof(Real));
    if (choice.by_field)
      plan->add_field_steps(steps);
    else
      plan->add_steps(std::move(steps));
  });
  return plan;
}

/// Each exchange that is a transposition in rows or columns of the grid, on all ranks, becomes one
/// of the algorithm. A window serves one exchange of a plan: the FFT between two would write what
/// others still read.
template <class Real> void LayoutPlan<Real>::transpose_in_groups(std::vector<LayoutStep> &steps) {
  if (choice_.algorithm == nullptr || choice_.by_field || choice_.messages == Messages::shared)
    return;
  std::vector<GridDimension> with_window;
  std::size_t k = 0;
  for (std::size_t leg = 1; leg < choice_.path->path.size(); ++leg, ++k) {
    while (steps[k].kind != StepKind::exchange)
      ++k;
    std::optional<GroupTransposition> g;
    if (!mpi::everywhere(comm_->get(), [&] {
          g = group_transposition(problem_.howmany(), *choice_.path->path[leg - 1].distribution,
                                  choice_.path->path[leg], comm_->rank(), sizeof(Real));
          return g && admits_transposition(steps, k, choice_.path->order, *g);
        }))
      continue;
    exchange::ExchangeOptions options;
    options.returning = transpositions_ > 0;
    const auto group = comm_->group(g->group.ranks, g->group.stride);
    std::shared_ptr<exchange::Exchange> made;
    // The ranks of a group fail together, those of others then agree on it.
    if (!mpi::everywhere(comm_->get(), [&] {
          made = choice_.algorithm->make(g->matrix, group, options);
          const bool taken = std::count(with_window.begin(), with_window.end(), g->group) > 0 ||
                             with_window.size() > 1;
          return made && !(made->window() != nullptr && taken);
        }))
      continue;
    ++transpositions_;
    mpi::all_or_none(comm_->get(), [&] {
      if (made->window() != nullptr) {
        windows_[with_window.size()] = made;
        with_window.push_back(g->group);
        // A rank without data begins together with the others, too.
        if (steps[k].from.empty()) {
          const LayoutStep nothing = copy_of(steps[k].from);
          steps.insert(steps.begin() + static_cast<std::ptrdiff_t>(k), nothing);
          ++k;
        }
      }
      use_transposition(steps, k, choice_.path->order, *g, std::move(made));
    });
  }
}

/// All other exchanges, into as many chunks as all ranks can have. Between nodes each is sent in
/// small messages, as large ones wait for each other.
template <class Real> void LayoutPlan<Real>::cut_messages(std::vector<LayoutStep> &steps) {
  if (choice_.messages != Messages::chunks || choice_.by_field) return;
  if (exchange::nodes_of(*comm_)->count() > 1) largest_message_ = exchange::eager_message;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    if (steps[k].kind != StepKind::exchange || steps[k].transposition) continue;
    std::int64_t chunks = 0;
    Agreement agreement(comm_->get());
    agreement.reach([&] {
      chunks = most_chunks(steps, k);
      agreement.least(chunks);
    });
    steps[k].chunks = static_cast<int>(chunks);
    if (chunks > 1) ++chunked_;
  }
}

template <class Real>
std::vector<Place> LayoutPlan<Real>::destinations(const std::vector<LayoutStep> &steps,
                                                  Place input) const {
  if (choice_.messages == Messages::chunks) {
    std::vector<std::size_t> bytes;
    for (const LayoutStep &s : steps)
      bytes.push_back(buffer_bytes(s.to, sizeof(Real)));
    const Storage out = stored(problem_.out, comm_->rank(), problem_.kind == Kind::c2r);
    const std::vector<Place> places =
        many_places(steps, input, bytes, buffer_bytes(out, sizeof(Real)));
    if (!places.empty()) return places;
  }
  return few_places(steps, input);
}

template <class Real>
std::unique_ptr<exchange::ChunkedExchange>
LayoutPlan<Real>::make_exchange(const std::vector<LayoutStep> &steps, std::size_t k,
                                int tag) const {
  exchange::BlockMessagesOptions options{tag, problem_.threads, INT_MAX, largest_message_,
                                         steps[k].chunks};
  options.send_ends = send_ends(steps, k);
  options.receive_ends = receive_ends(steps, k);
  return exchange::make_block_messages(comm_, {steps[k].sent, steps[k].received, sizeof(Real)},
                                       options);
}

template <class Real> void LayoutPlan<Real>::add_steps(std::vector<LayoutStep> drafts) {
  const Place input = problem_.in_place ? Place::out : Place::in;
  // In place, what the last step writes must not be what it reads, unless it can do so.
  if (drafts.size() > 1 && problem_.in_place && !drafts.back().may_be_in_place() &&
      destinations(drafts, input)[drafts.size() - 2] == Place::out) {
    drafts.insert(drafts.end() - 1, copy_of(drafts.back().from));
    stages_ = stages_of(drafts, sizeof(Real));
  }
  const std::vector<Place> to = destinations(drafts, input);
  allocate_work(drafts, to);
  write_own_blocks(drafts, to, input);
  std::vector<Step> steps;
  int tag = 0;
  for (std::size_t k = 0; k < drafts.size(); ++k) {
    const Place from = k == 0 ? input : to[k - 1];
    Step step{nullptr, nullptr, from, to[k]};
    if (drafts[k].kind == StepKind::exchange) {
      step.exchange = drafts[k].transposition;
      if (!step.exchange) step.exchange = make_exchange(drafts, k, tag++);
      if (has_window(drafts[k])) step.source = to[k];
    } else {
      step.pass = make_pass(drafts, k, from == to[k]);
    }
    steps.push_back(std::move(step));
  }
  for (std::size_t k = 1; k + 1 < steps.size(); ++k) {
    if (!drafts[k].transposition && drafts[k].chunks == 1) continue;
    if (!steps[k].exchange || steps[k].exchange->chunked() == nullptr) continue;
    overlap(steps[k - 1], steps[k], steps[k + 1]);
  }
  pipeline_ = Pipeline(std::move(steps), problem_.threads);
}

/// All buffers in one piece, on cache lines.
template <class Real>
void LayoutPlan<Real>::allocate_work(const std::vector<LayoutStep> &drafts,
                                     const std::vector<Place> &to) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < work_places.size(); ++i) {
    begin_[i] = end;
    std::size_t room = 0;
    for (std::size_t k = 0; k < drafts.size(); ++k)
      if (to[k] == work_places[i]) room = std::max(room, buffer_bytes(drafts[k].to, sizeof(Real)));
    end += (room + alignment - 1) / alignment * alignment;
  }
  work_ = Memory(end, problem_.threads);
}

/// Where a step reads neither of the buffers of the exchange behind it.
template <class Real>
void LayoutPlan<Real>::write_own_blocks(std::vector<LayoutStep> &drafts,
                                        const std::vector<Place> &to, Place input) const {
  const auto number = [](Place p) {
    return static_cast<std::size_t>(std::find(work_places.begin(), work_places.end(), p) -
                                    work_places.begin());
  };
  for (std::size_t k = 1; k < drafts.size(); ++k) {
    const Place from = k == 1 ? input : to[k - 2];
    const std::size_t written = number(to[k - 1]);
    const std::size_t wanted = number(to[k]);
    if (drafts[k].kind != StepKind::exchange || drafts[k].transposition ||
        drafts[k - 1].kind == StepKind::exchange || written == work_places.size() ||
        wanted == work_places.size() || from == to[k - 1] || from == to[k])
      continue;
    write_own_block(drafts[k - 1], drafts[k], comm_->rank(),
                    static_cast<std::ptrdiff_t>(begin_[wanted]) -
                        static_cast<std::ptrdiff_t>(begin_[written]),
                    sizeof(Real));
  }
}

template <class Real>
void LayoutPlan<Real>::add_field_steps(const std::vector<LayoutStep> &drafts) {
  std::vector<FieldStep> steps;
  int tag = 0;
  for (std::size_t k = 0; k < drafts.size(); ++k) {
    const LayoutStep &d = drafts[k];
    FieldStep step;
    if (d.kind == StepKind::exchange)
      for (auto &e : step.exchanges)
        e = make_exchange(drafts, k, tag++);
    else
      step.pass = make_pass(drafts, k, false);
    step.source_bytes = buffer_bytes(d.from, sizeof(Real));
    step.destination_bytes = buffer_bytes(d.to, sizeof(Real));
    steps.push_back(std::move(step));
  }
  for (Stage &s : stages_) {
    s.bytes *= static_cast<double>(problem_.howmany());
    s.flops *= static_cast<double>(problem_.howmany());
  }
  const auto distance = [this](const Layout &l, bool real) {
    return l.field_stride(comm_->rank()) *
           static_cast<std::ptrdiff_t>(real ? sizeof(Real) : 2 * sizeof(Real));
  };
  by_field_ = FieldPipeline(std::move(steps), problem_.howmany(),
                            {distance(problem_.in, problem_.kind == Kind::r2c),
                             distance(problem_.out, problem_.kind == Kind::c2r)},
                            problem_.threads);
}

template <class Real> const Sequence &LayoutPlan<Real>::sequence() const {
  if (choice_.by_field) return by_field_;
  return pipeline_;
}

template <class Real> Addresses LayoutPlan<Real>::addresses(void *in, void *out) const {
  std::byte *work = work_.data();
  return {static_cast<std::byte *>(in),
          static_cast<std::byte *>(out),
          {work + begin_[0], work + begin_[1], work + begin_[2]},
          {windows_[0].get(), windows_[1].get()}};
}

template <class Real> std::vector<Memory *> LayoutPlan<Real>::buffers() {
  if (choice_.by_field) return by_field_.buffers();
  return {&work_};
}

template <class Real> std::size_t LayoutPlan<Real>::work_bytes() const {
  std::size_t bytes = choice_.by_field ? by_field_.bytes() : work_.owned();
  for (const auto &w : windows_)
    if (w && (!shared_ || w == windows_[0])) bytes += w->window_bytes();
  for (const Step &s : pipeline_.steps())
    if (s.pass) bytes += s.pass->scratch_bytes();
  return bytes;
}

template <class Real> WorkingRanks LayoutPlan<Real>::working_ranks() const {
  WorkingRanks ranks{0, comm_->size()};
  for (const Leg &leg : choice_.path->path) {
    const Distribution &d = *leg.distribution;
    int working = 0;
    for (int r = 0; r < comm_->size(); ++r)
      working += d.box(r, leg.extents).points() > 0 ? 1 : 0;
    ranks = {std::max(ranks.most, working), std::min(ranks.fewest, working)};
  }
  return ranks;
}

template <class Real> std::vector<std::string> LayoutPlan<Real>::details() const {
  std::vector<std::string> lines;
  for (const Step &s : pipeline_.steps())
    lines.push_back(plan::describe(s));
  for (const FieldStep &s : by_field_.steps())
    lines.push_back("each field: " + (s.pass ? s.pass->describe()
                                             : "exchange " + s.exchanges[0]->describe() +
                                                   ", beside the work on other fields"));
  return lines;
}

template <class Real> void LayoutPlan<Real>::trace_into(Trace &trace) {
  recorder().trace_into(trace, title(problem_), details());
}

template <class Real> std::string LayoutPlan<Real>::describe() const {
  const WorkingRanks ranks = working_ranks();
  std::string text = "hybridfft " + title(problem_);
  if (problem_.howmany() > 1) text += " x " + std::to_string(problem_.howmany());
  text += sizeof(Real) == 4 ? ", single precision" : ", double precision";
  text += problem_.in_place ? ", in place" : ", out of place";
  text += "\n  " + std::to_string(comm_->size()) + " ranks (" + std::to_string(ranks.fewest) +
          " to " + std::to_string(ranks.most) + " with data) x " +
          std::to_string(problem_.threads) + " threads, " + std::to_string(work_bytes()) +
          " bytes of work space on rank " + std::to_string(comm_->rank()) + "\n" +
          indented(describe_isa(problem_.isa) + notes) +
          "  layouts: " + plan::describe(choice_.path->path) + "\n";
  const std::vector<std::string> lines = details();
  for (std::size_t k = 0; k < lines.size(); ++k)
    text += "  " + std::to_string(k + 1) + ". " + lines[k] + "; " + describe_lines(stages_[k]) +
            std::to_string(std::llround(stages_[k].bytes)) + " bytes\n";
  return text;
}

template class LayoutPlan<float>;
template class LayoutPlan<double>;

} // namespace hybridfft::plan
