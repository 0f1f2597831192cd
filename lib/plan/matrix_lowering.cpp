#include "plan/matrix_lowering.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <optional>

#include "base/mpi.h"
#include "exchange/pipelined.h"

namespace hybridfft::plan {

namespace {

using exchange::Exchange;
using exchange::Transposition;

/// The matrices of a rank before and after a transposition.
struct Matrices {
  SplitRows send, receive;
  bool view = false;                  ///< nothing moves
  bool window = false;                ///< in memory that ranks share
  bool in_place = false;              ///< within one array
  std::shared_ptr<Exchange> exchange; ///< nullptr in an outline, which has what is sent instead
  std::vector<exchange::RankBytes> sent;
  bool reorders = false; ///< the exchange reads or leaves an order that is not its own
};

Matrices matrices_of(std::shared_ptr<Exchange> e) {
  Matrices m; // one by one: GCC 12 frees the parts of a braced list twice where one throws
  m.send = e->send();
  m.receive = e->receive();
  m.view = e->is_view();
  m.window = e->window() != nullptr;
  m.in_place = e->in_place();
  m.exchange = std::move(e);
  return m;
}

/// Lowers a path whose stages are cut, in turns, along the axis that cuts the input ("slow") and
/// the other of the first two ("middle"). All other axes are `vec`.
class MatrixLowering {
public:
  MatrixLowering(const Problem &p, int rank, const Choice &choice)
      : p_(p), rank_(rank), ranks_(p.in.ranks()), choice_(choice), path_(choice.path->path),
        logical_(p.extents()), n_(p.complex_extents()), in_(p.input_extents()),
        out_(p.output_extents()), howmany_(p.howmany()),
        slow_(static_cast<std::size_t>(p.in.axes().front().axis)), back_(path_.size() > 2) {
    const std::vector<std::ptrdiff_t> spectrum = p.spectrum_extents();
    kept_vec_ = exchanged_vec_ = rest(spectrum);
    if (p.pruned() && p.kind != Kind::c2c && spectrum.size() == 3) {
      kept_vec_ = p.kept_modes(2).kept() * howmany_;
      // The user's arrays have more, and there and back again data go from array to array.
      if (!back_) exchanged_vec_ = kept_vec_;
    }
    cuts_.push_back(p.in.axes().front().distribution);
    if (back_) cuts_.emplace_back(spectrum[1 - slow_], ranks_);
    cuts_.push_back(p.out.axes().front().distribution);
  }

  /// The orders of buffers are such that one work buffer is enough in addition to in and out.
  /// Collective; false, on all ranks, where the exchange does not apply.
  bool plan_exchanges(const std::shared_ptr<exchange::Communicator> &comm, bool forced) {
    if (choice_.passes == Passes::whole) return true;
    for (std::size_t i = 0; i + 1 < path_.size(); ++i) {
      planned_[i] = make(i, comm, forced);
      if (!planned_[i]) return false;
      if (planned_[i]->window() != nullptr) return true; // the way back is through the same one
    }
    return true;
  }

  /// After that; takes memory. Nothing, on all ranks, where the exchange has no way back.
  std::optional<Steps> steps() {
    if (back_ && planned_[0] && !planned_[1]) {
      planned_[1] = planned_[0]->make_return(transposition(1));
      if (!planned_[1]) return std::nullopt;
    }
    for (std::unique_ptr<Exchange> &e : planned_)
      if (e) matrices_.push_back(matrices_of(std::move(e)));
    return lowered();
  }

  /// The steps with what is sent in place of exchanges.
  Steps outline() {
    for (std::size_t i = 0; i + 1 < path_.size() && choice_.passes != Passes::whole; ++i)
      matrices_.push_back(outline_of(i));
    return lowered();
  }

  /// Whether all of its exchanges can work within the user's one array.
  bool may_swap() const {
    return p_.in_place && !p_.pruned() && exchange::has_equal_blocks(transposition(0)) &&
           (!back_ || exchange::has_equal_blocks(transposition(1)));
  }

private:
  /// Stage by stage, each between the matrices of the exchanges before and behind it.
  Steps lowered() {
    if (choice_.passes == Passes::whole) {
      whole();
      return std::move(steps_);
    }
    if (back_ && matrices_.front().view) use_no_way();
    for (std::size_t l = 0; l < path_.size(); ++l) {
      const SplitRows source = l == 0 ? input() : matrices_[l - 1].receive;
      const bool last = l + 1 == path_.size();
      const SplitRows destination = last ? output() : matrices_[l].send;
      const PathStage &stage = path_[l];
      if (stage.axes.empty()) {
        if (copies(l)) copy(source, destination);
      } else if (stage.planes) {
        planes(whole_axis(l), source, destination);
      } else {
        columns(whole_axis(l), source, destination);
      }
      if (!last) exchange(matrices_[l]);
    }
    // In place on one rank the array has to leave its place.
    if (p_.axes.empty() && matrices_.front().view && p_.in_place) copy(output(), output());
    return std::move(steps_);
  }

  bool planes_last() const { return path_.back().planes; }

  /// The axis of the first two that is whole in a stage.
  std::size_t whole_axis(std::size_t stage) const { return stage % 2 == 0 ? 1 - slow_ : slow_; }

  /// On one rank, there and back again is no way at all: columns are transformed where they are.
  void use_no_way() {
    const std::ptrdiff_t rows = matrices_.front().receive.rows;
    const std::ptrdiff_t vec = planes_last() ? kept_vec_ : exchanged_vec_;
    matrices_.back().send = SplitRows::transposed_view(rows, out_[slow_], vec);
    matrices_.back().receive = SplitRows::tight(out_[slow_], rows, vec);
  }

  /// Whether a stage without a transform copies: into a window or out of it, as other exchanges
  /// work on the user's tight array itself. In redistributions copies take the place of transforms.
  bool copies(std::size_t stage) const {
    const Matrices &m = stage == 0 ? matrices_.front() : matrices_.back();
    if (m.window || m.in_place || !p_.axes.empty()) return m.window;
    return stage == 0 ? !m.view : m.view || m.receive != output();
  }

  std::ptrdiff_t local(const BlockDistribution &d) const { return d.count(rank_); }
  std::ptrdiff_t rest(const std::vector<std::ptrdiff_t> &n) const {
    return std::accumulate(n.begin() + 2, n.end(), howmany_, std::multiplies<>());
  }
  SplitRows input() const {
    return SplitRows::tight(local(cuts_.front()), in_[whole_axis(0)], rest(in_));
  }
  SplitRows output() const {
    return SplitRows::tight(local(cuts_.back()), out_[whole_axis(path_.size() - 1)], rest(out_));
  }

  void whole() {
    const local::PlaneTransform all{p_.kind, p_.sign, logical_, howmany_};
    const SplitRows one = SplitRows::tight(1, n_[0], n_[1] * rest(n_));
    Step step(StepKind::whole, one, one);
    step.transform = all;
    add_fft(std::move(step));
  }

  Transposition transposition(std::size_t i) const {
    return {cuts_[i], cuts_[i + 1], exchanged_vec_, p_.real_bytes};
  }

  exchange::ExchangeOptions options(std::size_t i, bool forced) const {
    exchange::ExchangeOptions options{forced};
    options.wire = p_.wire;
    options.round_own = p_.deterministic;
    options.threads = p_.threads;
    options.pages = p_.pages;
    options.in_place = p_.in_place;
    options.returning = i > 0;
    if (p_.axes.empty()) {
      options.final_order = planes_last();
      return options;
    }
    if (path_[i].axes.empty()) { // straight from the user's input
      options.tight_send = true;
      options.keep_send = !p_.may_destroy_input;
    }
    // Where no pass follows, the exchange has the last word; in place, the last pass has no other
    // array to gather from.
    options.final_order = path_[i + 1].axes.empty() || (!back_ && p_.in_place);
    return options;
  }

  std::unique_ptr<Exchange> make(std::size_t i, const std::shared_ptr<exchange::Communicator> &comm,
                                 bool forced) const {
    const Transposition t = transposition(i);
    if (ranks_ == 1)
      return p_.wire != exchange::Wire::full && p_.deterministic
                 ? exchange::make_pipelined(t, comm, options(i, forced))
                 : exchange::make_view(t);
    if (p_.needs_chunked() && !choice_.algorithm->chunked) return nullptr;
    return choice_.algorithm->make(t, comm, options(i, forced));
  }

  Matrices outline_of(std::size_t i) const {
    const Transposition t = transposition(i);
    const exchange::ExchangeOptions options = this->options(i, false);
    if (ranks_ == 1) return matrices_of(exchange::make_view(t));
    const std::ptrdiff_t mine = local(t.columns);
    Matrices m;
    m.send = SplitRows::tight(local(t.rows), t.columns.n(), t.vec);
    m.receive = options.final_order ? SplitRows::tight(mine, t.rows.n(), t.vec)
                                    : SplitRows::transposed_view(mine, t.rows.n(), t.vec);
    m.window = choice_.algorithm != nullptr && choice_.algorithm->node_memory;
    m.in_place = choice_.algorithm != nullptr && choice_.algorithm->in_place;
    m.reorders = (options.tight_send || options.final_order) && !m.window && !m.in_place;
    const std::ptrdiff_t column =
        m.send.rows * t.vec * static_cast<std::ptrdiff_t>(t.element_bytes());
    for (int r = 0; r < ranks_; ++r)
      if (t.columns.count(r) > 0)
        m.sent.push_back({r, t.columns.start(r) * column, t.columns.count(r) * column});
    return m;
  }

  /// The transform of `axis` and of all axes beyond the first two. As two steps when split: the
  /// lines of the rest, and columns, with more parallelism.
  void planes(std::size_t axis, const SplitRows &source, const SplitRows &destination) {
    local::PlaneTransform t{p_.kind, p_.sign, {logical_[axis]}, howmany_};
    t.extents.insert(t.extents.end(), logical_.begin() + 2, logical_.end());
    if (choice_.passes != Passes::split || logical_.size() == 2) {
      Step step(StepKind::planes, source, destination);
      step.transform = t;
      prune(axis, step);
      add_fft(std::move(step));
      return;
    }
    t.extents.erase(t.extents.begin());
    const SplitRows between = SplitRows::tight(source.rows, n_[axis], kept_vec_);
    if (planes_last()) {
      columns(axis, source, between);
      lines(between, destination, t);
    } else {
      lines(source, between, t);
      columns(axis, between, destination);
    }
  }

  /// The dimensions beyond the first two, for each row and column of two tight matrices.
  void lines(const SplitRows &source, const SplitRows &destination,
             const local::PlaneTransform &t) {
    const auto each = [&](const SplitRows &m) {
      const std::ptrdiff_t points = m.vec / howmany_;
      return logical_.size() > 3 ? SplitRows::tight(m.rows * m.columns, n_[2], m.vec / n_[2])
                                 : SplitRows::tight(m.rows * m.columns, points, howmany_);
    };
    Step step(StepKind::planes, each(source), each(destination));
    step.transform = t;
    if (p_.pruned()) spread(2, step);
    add_fft(std::move(step));
  }

  void columns(std::size_t axis, const SplitRows &source, const SplitRows &destination) {
    Step step(StepKind::columns, source, destination);
    step.transform = {Kind::c2c, p_.sign, {logical_[axis]}, 1};
    prune(axis, step);
    add_fft(std::move(step));
  }

  /// Lets a step that transforms the columns along `axis` leave modes out, beyond those of `axis`
  /// those of the last one that are not wanted.
  void prune(std::size_t axis, Step &step) const {
    if (!p_.pruned()) return;
    SplitRows &spectral = p_.spectrum_in() ? step.source : step.destination;
    const SplitRows all = spectral;
    const std::ptrdiff_t beyond = all.vec - kept_vec_;
    spectral = within_vec(std::move(spectral), 0, kept_vec_);
    if (step.kind == StepKind::columns) {
      SplitRows &other = p_.spectrum_in() ? step.destination : step.source;
      other = within_vec(std::move(other), 0, kept_vec_);
    }
    spread(axis, step);
    if (beyond > 0 && !p_.spectrum_in()) step.cleared.push_back(within_vec(all, kept_vec_, beyond));
  }

  void spread(std::size_t axis, Step &step) const {
    spread_modes(step, {p_.kept_modes(static_cast<int>(axis)), p_.spectrum_in()});
  }

  void copy(const SplitRows &source, const SplitRows &destination) {
    steps_.emplace_back(StepKind::copy, source, destination);
  }

  void exchange(const Matrices &m) {
    if (m.view) return;
    if (m.exchange) {
      steps_.emplace_back(m.exchange);
      return;
    }
    Step step(StepKind::exchange, m.send, m.receive);
    step.reorders = m.reorders;
    step.sent = m.sent;
    steps_.push_back(std::move(step));
  }

  /// With what it reads and writes in the end; real data count without their padding.
  void add_fft(Step step) {
    const local::PlaneTransform &t = step.transform;
    std::ptrdiff_t reals = step.source.rows * t.howmany;
    for (const std::ptrdiff_t n : t.extents)
      reals *= n;
    step.reads = t.kind == Kind::r2c ? reals : 2 * step.source.stored_elements();
    step.writes = t.kind == Kind::c2r ? reals : 2 * step.destination.stored_elements();
    step.from.elements = step.source.span();
    step.to.elements = step.destination.span();
    for (const SplitRows &m : step.cleared)
      step.to.elements = std::max(step.to.elements, m.span());
    for (Step &other : steps_)
      other.makes_result = false;
    step.makes_result = true;
    steps_.push_back(std::move(step));
  }

  const Problem &p_;
  int rank_, ranks_;
  const Choice &choice_;
  const Path &path_;
  std::vector<std::ptrdiff_t> logical_;  ///< extents of the grid, in real numbers if these are real
  std::vector<std::ptrdiff_t> n_;        ///< extents of the grid, in complex numbers
  std::vector<std::ptrdiff_t> in_, out_; ///< extents of the arrays
  std::ptrdiff_t howmany_;
  std::size_t slow_;
  bool back_;                           ///< the output is cut like the input: two exchanges
  std::ptrdiff_t kept_vec_ = 1;         ///< elements of a row of the spectrum that are worked on
  std::ptrdiff_t exchanged_vec_ = 1;    ///< elements of a row of the spectrum that are sent
  std::vector<BlockDistribution> cuts_; ///< the cuts of each stage
  std::array<std::unique_ptr<Exchange>, 2> planned_; ///< there, and back unless through its window
  std::vector<Matrices> matrices_;                   ///< those of each exchange
  Steps steps_;
};

} // namespace

bool admits(const Problem &p, int ranks, const Choice &choice) {
  const exchange::Algorithm *a = choice.algorithm;
  // Messages of blocks have no algorithm. Executions in the background need messages that travel
  // meanwhile.
  if (planes_of(choice.path->path) == nullptr)
    return a == nullptr || (!a->in_place && (a->chunked || !p.needs_chunked()));
  if (a == nullptr ? ranks > 1 : a->in_place && !MatrixLowering(p, 0, choice).may_swap())
    return false;
  // Redistributions stand in for FFTW's.
  if (p.axes.empty()) return choice.passes == Passes::fused && !(a != nullptr && a->fftw);
  if (choice.passes == Passes::whole)
    return ranks == 1 && !p.pruned() && p.scale == 1 && p.in.axes().front().axis == 0 &&
           p.out.axes().front().axis == 0 &&
           (p.kind != Kind::c2r || p.in_place || p.may_destroy_input);
  if (choice.passes == Passes::split) return p.dimensions() > 2;
  return !p.pruned() || p.dimensions() == 2 ||
         (p.kind != Kind::c2c && p.howmany() == 1 && choice.plane_kernel == local::Kernel::simd);
}

StepMaker lower_matrices(const Problem &p, const std::shared_ptr<exchange::Communicator> &comm,
                         const Choice &choice, bool forced_exchange) {
  std::shared_ptr<MatrixLowering> lowering;
  StepMaker steps;
  mpi::all_or_none(comm->get(), [&] {
    lowering = std::make_shared<MatrixLowering>(p, comm->rank(), choice);
    steps = [lowering] { return lowering->steps(); };
  });
  if (!lowering->plan_exchanges(comm, forced_exchange)) return nullptr;
  return steps;
}

Steps outline_matrices(const Problem &p, const Choice &choice, int rank) {
  return MatrixLowering(p, rank, choice).outline();
}

} // namespace hybridfft::plan
