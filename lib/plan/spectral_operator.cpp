// Makes the plan of a spectral operator: the plans of the forward and of the backward transform,
// joined at the spectrum, and the user's work between them. If possible, the work runs row by row
// between the last forward pass and the first backward pass, while the row is in cache.
#include "plan/create.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/mpi.h"
#include "plan/arguments.h"

namespace hybridfft::plan {

namespace {

/// Largest size in bytes of spectrum rows that stay in cache between the user's work and the passes
/// before and after it.
constexpr std::size_t max_row_bytes = std::size_t{1} << 22;

/// Returns the number of parts of each axis of a spectrum with a new distribution: along the second
/// and third axis if there are three or more, else along the last axis.
std::vector<int> cut_anew(int dimensions, int ranks) {
  std::vector<int> parts(static_cast<std::size_t>(dimensions), 1);
  if (dimensions < 3) {
    parts.back() = ranks;
    return parts;
  }
  const std::vector<int> grid = squarish_grid(ranks);
  parts[1] = grid[0];
  parts[2] = grid[1];
  return parts;
}

/// Returns the number of parts of each axis of the spectrum. For slabs and pencils the distributed
/// axes become undistributed, and others are distributed instead.
std::vector<int> spectrum_parts(const Problem &p, int ranks) {
  const int d = p.dimensions();
  std::vector<int> parts;
  std::vector<int> cut, whole;
  int all = 1;
  for (int a = 0; a < d; ++a) {
    parts.push_back(p.in.parts(a));
    all *= parts.back();
    (parts.back() > 1 ? cut : whole).push_back(a);
  }
  if (all != ranks || (ranks == 1 && d > 1))
    return cut_anew(d, ranks); // the layout has boxes of any shape
  const auto is_cut = [&](int axis) {
    return std::find(cut.begin(), cut.end(), axis) != cut.end();
  };
  if (std::none_of(p.axes.begin(), p.axes.end(), is_cut)) return parts;
  if (cut.size() == 1 && d > 1) {
    std::swap(parts[static_cast<std::size_t>(cut[0])], parts[static_cast<std::size_t>(whole[0])]);
    return parts;
  }
  if (cut.size() != 2 || whole.empty()) return cut_anew(d, ranks);
  const auto first = static_cast<std::size_t>(cut[0]);
  const auto second = static_cast<std::size_t>(cut[1]);
  parts[static_cast<std::size_t>(whole.back())] = parts[second];
  parts[second] = parts[first];
  parts[first] = 1;
  return parts;
}

/// Returns the extents of the spectrum. The halved axis may be invalid; check() refuses it later.
Extents spectrum_extents(const Problem &p) {
  Extents n = p.pruned() ? p.modes : p.in.extents();
  const int halved = p.halved_axis();
  if (halved >= 0 && halved < p.dimensions()) {
    auto &points = n[static_cast<std::size_t>(halved)];
    points = points / 2 + 1;
  }
  return n;
}

/// Returns the layout of the spectrum. If each rank has all points of all transformed axes, the
/// spectrum is distributed like the input, else along other axes. Bins of a line that the user's
/// work gets in one call are contiguous.
Layout spectrum_layout(const Problem &p, int ranks) {
  const Extents extents = spectrum_extents(p);
  const std::vector<int> parts = spectrum_parts(p, ranks);
  Layout::Options options;
  options.howmany = p.howmany();
  for (const AxisLayout &axis : p.in.axes())
    options.order.push_back(axis.axis);
  // If the first axis is undistributed, it may be transformed last. With another axis before it in
  // memory, its lines are the columns of many rows, so the work can run row by row.
  const auto first = static_cast<std::size_t>(options.order.front());
  if (extents.size() > 1 && parts[first] == 1) std::swap(options.order[0], options.order[1]);
  return Layout::grid(extents, parts, options);
}

local::LineKind inverse(local::LineKind kind) {
  using local::LineKind;
  switch (kind) {
  case LineKind::r2hc:
    return LineKind::hc2r;
  case LineKind::hc2r:
    return LineKind::r2hc;
  case LineKind::redft01:
    return LineKind::redft10;
  case LineKind::redft10:
    return LineKind::redft01;
  case LineKind::rodft01:
    return LineKind::rodft10;
  case LineKind::rodft10:
    return LineKind::rodft01;
  default:
    return kind;
  }
}

void check_operator(const Problem &p, const local::PointWork &work, int ranks) {
  require(work.call != nullptr, HFFT_ERROR_NULL_POINTER, "the work of a spectral operator is NULL");
  require(p.kind != Kind::c2r, HFFT_ERROR_ARGUMENT,
          "kind is HFFT_C2R, expected HFFT_C2C, HFFT_R2C or HFFT_R2R: the kind of the forward "
          "transform");
  require(!p.axes.empty(), HFFT_ERROR_ARGUMENT,
          "a spectral operator transforms no axis, expected at least one");
  require_ranks(p.in, "the input's layout", ranks);
  require_ranks(p.out, "the output's layout", ranks);
  require(p.in.howmany() == p.out.howmany(), HFFT_ERROR_LAYOUT, "the input's layout has ",
          p.in.howmany(), " values per point and the output's ", p.out.howmany(),
          ", expected the same number");
  require(p.in.extents() == p.out.extents(), HFFT_ERROR_LAYOUT, "the input's layout has ",
          joined(p.in.extents()), " points and the output's ", joined(p.out.extents()),
          ", expected the same");
}

class OperatorBuilder {
public:
  OperatorBuilder(MPI_Comm comm, const Request &request, const local::PointWork &work)
      : comm_(comm), request_(request), work_(work) {}

  std::unique_ptr<Plan> run() {
    // Declared before the plans, so that all ranks free the exchanges at the same time and in this
    // order.
    std::vector<std::shared_ptr<exchange::Exchange>> exchanges;
    const Request forward{[this](int ranks) { return forward_problem(ranks); }, request_.notes,
                          request_.work};
    PartialPlan first = create_part(comm_, forward);
    const Request backward{[this](int) { return backward_; }, request_.notes, request_.work};
    PartialPlan second = create_part(comm_, backward);
    const auto ranks = first.plan->comm();
    std::unique_ptr<Plan> plan;
    std::string notes = std::move(second.plan->notes);
    mpi::all_or_none(ranks->get(), [&] {
      for (const Plan *half : {first.plan.get(), second.plan.get()})
        for (const Operation &o : half->program().operations())
          exchanges.insert(exchanges.end(), o.exchanges.begin(), o.exchanges.end());
    });
    mpi::all_or_none(ranks->get(), [&] {
      plan = joined_plan(first.plan->take_parts(), second.plan->take_parts());
      plan->notes = std::move(notes);
    });
    complete(*plan, first.trace, forward);
    return plan;
  }

private:
  Problem forward_problem(int ranks) {
    whole_ = request_.problem(ranks);
    check_operator(whole_, work_, ranks);
    Problem p = whole_;
    p.sign = HFFT_FORWARD;
    p.out = spectrum_layout(p, ranks);
    p.in_place = false;
    p.scale = 1;
    p.time_limit /= 2; // negative: no limit
    check_arrays(whole_);
    p.output =
        p.input; // a stand-in: the spectrum is allocated after the check, when its size is known
    check(p, ranks);
    rank_ = mpi::rank(comm_);
    spectrum_ = {p.out.box(rank_),
                 {},
                 static_cast<std::size_t>(p.howmany()) * (p.real_out() ? 1 : 2) * p.real_bytes};
    for (const AxisLayout &axis : p.out.axes())
      spectrum_.order.push_back(axis.axis);
    p.result_in_cache = rows_fit_cache();
    Problem back = reversed(p);
    check(back, ranks);
    const std::ptrdiff_t elements = std::max(allocation(p, rank_), allocation(back, rank_));
    buffer_ = Memory(static_cast<std::size_t>(elements) * 2 * p.real_bytes, p.threads);
    p.output = buffer_.data();
    back.input = buffer_.data();
    backward_ = std::move(back);
    return p;
  }

  /// Returns the problem of the backward transform, from the spectrum to the operator's result.
  Problem reversed(const Problem &p) const {
    Problem back = p;
    if (p.kind == Kind::r2c) back.kind = Kind::c2r;
    back.sign = HFFT_BACKWARD;
    for (local::LineKind &kind : back.kinds)
      kind = inverse(kind);
    back.in = p.out;
    back.out = whole_.out;
    back.output = whole_.output;
    back.flags = (p.flags & ~unsigned{HFFT_PRESERVE_INPUT}) | HFFT_DESTROY_INPUT;
    back.scale = whole_.scale;
    back.result_in_cache = false;
    back.exact_output = true;
    return back;
  }

  /// Returns the slot of the joined plan for a slot of the backward half. The joined plan has the
  /// work buffers of the forward half first, then the work buffers of the backward half, then the
  /// spectrum.
  Slot backward_slot(Slot s) const {
    if (s == Slot::in) return spectrum_slot_;
    if (const auto number = work_number(s)) return work_slot(forward_buffers_ + *number);
    return s;
  }

  template <class F> static void renumber(std::vector<Operation> &operations, const F &slot_of) {
    for (Operation &o : operations)
      for (auto *slots : {&o.source, &o.destination})
        std::ranges::transform(*slots, slots->begin(), slot_of);
  }

  std::unique_ptr<Plan> joined_plan(PlanParts first, PlanParts second) {
    forward_buffers_ = first.offsets.size();
    spectrum_slot_ = work_slot(forward_buffers_ + second.offsets.size());
    std::vector<Operation> front = first.program.take_operations();
    std::vector<Operation> back = second.program.take_operations();
    renumber(front, [this](Slot s) { return s == Slot::out ? spectrum_slot_ : s; });
    renumber(back, [this](Slot s) { return backward_slot(s); });
    const int threads = std::max(first.problem.threads, second.problem.threads);
    profile::Stage middle;
    Operation work = middle_of({front, first.stages, first.last_destination},
                               {back, second.stages, second.first_source}, threads, middle);
    PlanParts joined;
    join_stages(joined.stages, first.stages);
    profile::add_stage(joined.stages, StepKind::work, middle.bytes, middle.flops);
    join_stages(joined.stages, second.stages);
    front.push_back(std::move(work));
    std::move(back.begin(), back.end(), std::back_inserter(front));
    place(joined, first, second);
    joined.problem = whole_;
    apply_flags(joined.problem);
    joined.problem.threads = threads;
    joined.comm = first.comm;
    auto path = std::make_shared<OrderedPath>(*first.path);
    path->path.insert(path->path.end(), second.path->path.begin(), second.path->path.end());
    joined.path = std::move(path);
    joined.program = Program(std::move(front), {}, threads);
    joined.as_chosen = first.as_chosen && second.as_chosen;
    joined.chunked = first.chunked + second.chunked;
    joined.round_trip = true;
    return std::make_unique<Plan>(std::move(joined));
  }

  /// A half of the operator, and the matrix of the spectrum in its pass before or after the work.
  struct HalfPlan {
    std::vector<Operation> &operations;
    std::vector<profile::Stage> &stages;
    const SplitRows &matrix;
  };

  /// Makes the operation of the user's work. If the pass before the work has the same rows, the
  /// operation runs this pass and the work row by row. If the pass after the work also has the same
  /// rows, the operation includes it. The halves lose these passes and their stages.
  Operation middle_of(const HalfPlan &first, const HalfPlan &second, int threads,
                      profile::Stage &stage) const {
    Operation o;
    o.source = o.destination = {spectrum_slot_, spectrum_slot_};
    o.pass = local::make_work_pass(spectrum_, work_, threads);
    stage.bytes = 2 * static_cast<double>(spectrum_.bytes());
    if (first.operations.empty() || !chains(first.operations.back(), first.matrix)) return o;
    local::PassChain chain{std::move(first.operations.back().pass), std::move(o.pass), nullptr};
    o.source = first.operations.back().source;
    stage.bytes = first.stages.back().bytes;
    stage.flops = first.stages.back().flops;
    first.operations.pop_back();
    first.stages.pop_back();
    if (!second.operations.empty() && chains(second.operations.front(), second.matrix) &&
        are_apart(o, second.operations.front())) {
      chain.after = std::move(second.operations.front().pass);
      o.destination = second.operations.front().destination;
      stage.bytes += second.stages.front().bytes - 2 * static_cast<double>(spectrum_.bytes());
      stage.flops += second.stages.front().flops;
      second.operations.erase(second.operations.begin());
      second.stages.erase(second.stages.begin());
    }
    o.pass = local::make_chain_pass(std::move(chain), spectrum_, threads);
    return o;
  }

  bool rows_fit_cache() const { return spectrum_.bytes_of_row() <= max_row_bytes; }

  /// Returns true if the pass of this operation and the work can alternate row by row.
  bool chains(const Operation &o, const SplitRows &matrix) const {
    const std::ptrdiff_t rows = spectrum_.rows();
    return o.pass && o.source[0] != o.destination[0] && rows > 1 && o.pass->rows() == rows &&
           matrix.is_tight() && matrix.rows == rows && rows_fit_cache();
  }

  /// Returns true if `first` reads another buffer than `last` writes. Two windows may be the same
  /// memory, and the user's two arrays may be one.
  bool are_apart(const Operation &first, const Operation &last) const {
    const bool windows = is_window(first.source[0]) && is_window(last.destination[0]);
    return !windows && !whole_.in_place;
  }

  static void join_stages(std::vector<profile::Stage> &all,
                          const std::vector<profile::Stage> &part) {
    for (const profile::Stage &s : part) {
      profile::add_stage(all, s.kind, s.bytes, s.flops);
      all.back().lines = s.lines;
    }
  }

  /// Each half gets buffers of its own: messages of the forward half may be in flight when the
  /// backward half begins.
  void place(PlanParts &joined, PlanParts &first, PlanParts &second) {
    joined.offsets = first.offsets;
    std::size_t bytes = whole_lines(first.work.bytes());
    for (const std::size_t offset : second.offsets)
      joined.offsets.push_back(bytes + offset);
    bytes += whole_lines(second.work.bytes());
    joined.offsets.push_back(bytes);
    bytes += buffer_.bytes();
    first.work = Memory();
    second.work = Memory();
    buffer_ = Memory();
    const Problem &p = first.problem;
    joined.work = Memory(bytes, p.threads, p.pages);
  }

  MPI_Comm comm_;
  const Request &request_;
  const local::PointWork &work_;
  Problem whole_; ///< the request's problem
  Problem backward_;
  int rank_ = 0;
  local::WorkBox spectrum_;
  Memory buffer_; ///< spectrum during planning
  std::size_t forward_buffers_ = 0;
  Slot spectrum_slot_ = Slot::work;
};

} // namespace

std::unique_ptr<Plan> create_operator(MPI_Comm comm, const Request &request,
                                      const local::PointWork &work) {
  return OperatorBuilder(comm, request, work).run();
}

} // namespace hybridfft::plan
