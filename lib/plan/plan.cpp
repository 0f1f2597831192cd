#include "plan/plan.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "local/clearing_pass.h"
#include "local/copy_pass.h"
#include "plan/machine.h"
#include "plan/text.h"

namespace hybridfft::plan {

namespace {

template <class Real>
std::unique_ptr<local::Pass> make_pass(const Draft &d, bool in_place, const Choice &choice,
                                       const local::PassOptions &options) {
  switch (d.kind) {
  case StepKind::whole:
    return local::make_whole_pass<Real>(d.planes, in_place, options);
  case StepKind::planes:
    return local::make_plane_pass<Real>(d.planes, d.source, d.destination, in_place, options);
  case StepKind::columns:
    return local::make_column_pass<Real>(d.source, d.destination, d.sign, choice.order, options);
  case StepKind::copy:
    return local::make_copy_pass(d.source, d.destination, 2 * sizeof(Real), options);
  case StepKind::exchange:
    break;
  }
  return nullptr;
}

template <class Real>
std::unique_ptr<local::Pass> make_pass(const Draft &d, bool in_place, const Choice &choice,
                                       const Problem &problem, double scale) {
  local::PassOptions options{problem.threads, problem.effort, choice.tile_bytes};
  options.scale = scale;
  options.kernel = d.kind == StepKind::columns ? choice.column_kernel : choice.plane_kernel;
  options.store = choice.store;
  options.isa = problem.isa;
  options.deterministic = problem.deterministic;
  auto pass = make_pass<Real>(d, in_place, choice, options);
  return d.cleared.empty()
             ? std::move(pass)
             : local::make_clearing_pass(std::move(pass), d.cleared, 2 * sizeof(Real), options);
}

/// What a step needs of each work buffer that it reads or writes. Exchanges may use either of their
/// buffers for both sides.
std::ptrdiff_t work_elements(const Draft &d, Place source, Place destination) {
  const auto is_work = [](Place p) { return p == Place::work0 || p == Place::work1; };
  std::ptrdiff_t written = d.destination.span();
  for (const SplitRows &m : d.cleared)
    written = std::max(written, m.span());
  const std::ptrdiff_t both = std::max(d.source.span(), written);
  if (d.exchange && (is_work(source) || is_work(destination))) return both;
  return std::max(is_work(source) ? d.source.span() : 0, is_work(destination) ? written : 0);
}

} // namespace

template <class Real>
Plan<Real>::Plan(const Problem &problem, std::shared_ptr<exchange::Communicator> comm)
    : problem_(problem), comm_(std::move(comm)) {}

template <class Real>
std::unique_ptr<Plan<Real>> Plan<Real>::make(const Problem &problem,
                                             const std::shared_ptr<exchange::Communicator> &comm,
                                             const Choice &choice, bool forced_exchange) {
  std::unique_ptr<Plan> plan;
  const auto assemble = [&](const std::vector<Draft> &drafts) {
    plan.reset(new Plan(problem, comm));
    plan->add_steps(drafts, choice);
  };
  draft(problem, sizeof(Real), comm, choice, forced_exchange, std::cref(assemble));
  return plan;
}

template <class Real>
void Plan<Real>::add_steps(const std::vector<Draft> &drafts, const Choice &choice) {
  const Problem &p = problem_;
  const Route route =
      assign_buffers(drafts, p.in_place, p.in_place || p.spectrum_in() || !p.pruned());
  std::vector<Step> steps;
  std::ptrdiff_t most = 1;
  for (std::size_t k = 0; k < drafts.size(); ++k) {
    const Draft &d = drafts[k];
    const Place source = route.source(k);
    const Place destination = route.destinations[k];
    const double scale = k == last_transform(drafts) ? p.scale : 1;
    Step step{make_pass<Real>(d, source == destination, choice, p, scale), d.exchange, source,
              destination};
    if (d.exchange && d.exchange->chunked() != nullptr) {
      step.receives_early = may_receive_early(drafts, route, k);
      step.sends_late = may_send_late(drafts, route, k);
    }
    if (d.uses_window()) window_ = d.exchange.get();
    steps.push_back(std::move(step));
    most = std::max(most, work_elements(d, source, destination));
  }
  pipeline_ = Pipeline(std::move(steps), p.threads);
  stages_ = stages_of(drafts, sizeof(Real), p.pruned());
  for (int i = 0; i < route.work_buffers; ++i)
    work_.emplace_back(static_cast<std::size_t>(most) * 2 * sizeof(Real), p.threads, p.pages);
}

template <class Real> Addresses Plan<Real>::addresses(void *in, void *out) const {
  return {
      static_cast<std::byte *>(in),
      static_cast<std::byte *>(out),
      {!work_.empty() ? work_[0].data() : nullptr, work_.size() > 1 ? work_[1].data() : nullptr},
      {window_}};
}

template <class Real> std::vector<Memory *> Plan<Real>::buffers() {
  std::vector<Memory *> list;
  for (Memory &m : work_)
    list.push_back(&m);
  return list;
}

template <class Real> std::size_t Plan<Real>::work_bytes() const {
  std::size_t bytes = window_ != nullptr ? window_->window_bytes() : 0;
  for (const Memory &m : work_)
    bytes += m.owned();
  for (const Step &s : pipeline_.steps())
    bytes += s.pass ? s.pass->scratch_bytes() : s.exchange->scratch_bytes();
  return bytes;
}

template <class Real> WorkingRanks Plan<Real>::working_ranks() const {
  const Problem &p = problem_;
  const int ranks = comm_->size();
  const auto working = [&](const auto &n, bool transposed, std::ptrdiff_t block) {
    return BlockDistribution(n[transposed ? 1 : 0], ranks, block).working_parts();
  };
  const SlabPair &s = *p.slabs;
  const int in = working(p.input_extents(), s.transposed_in, s.iblock);
  const int out = working(p.output_extents(), s.transposed_out, s.oblock);
  const int between = s.back() ? working(p.spectrum_extents(), !s.transposed_in, 0) : out;
  return {std::max({in, out, between}), std::min({in, out, between})};
}

template <class Real> void Plan<Real>::trace_into(Trace &trace) {
  std::vector<std::string> details;
  for (const Step &s : pipeline_.steps())
    details.push_back(plan::describe(s));
  recorder().trace_into(trace, title(problem_), details);
}

template <class Real> std::string Plan<Real>::describe() const {
  const WorkingRanks ranks = working_ranks();
  std::string text = "hybridfft " + title(problem_);
  if (problem_.howmany() > 1) text += " x " + std::to_string(problem_.howmany());
  text += sizeof(Real) == 4 ? ", single precision" : ", double precision";
  text += problem_.in_place ? ", in place" : ", out of place";
  if (problem_.slabs->transposed_in) text += ", transposed in";
  if (problem_.slabs->transposed_out) text += ", transposed out";
  if (problem_.wire != exchange::Wire::full)
    text += std::string(", ") + exchange::name(problem_.wire) + " precision on the wire";
  text += "\n  " + std::to_string(comm_->size()) + " ranks (" + std::to_string(ranks.fewest) +
          " to " + std::to_string(ranks.most) + " with data) x " +
          std::to_string(problem_.threads) + " threads, " + std::to_string(work_bytes()) +
          " bytes of work space on rank " + std::to_string(comm_->rank()) + "\n" +
          indented(describe_isa(problem_.isa) + notes);
  for (std::size_t k = 0; k < pipeline_.steps().size(); ++k)
    text += "  " + std::to_string(k + 1) + ". " + plan::describe(pipeline_.steps()[k]) + "; " +
            describe_lines(stages_[k]) + std::to_string(std::llround(stages_[k].bytes)) +
            " bytes\n";
  return text;
}

template class Plan<float>;
template class Plan<double>;

} // namespace hybridfft::plan
