#include "plan/slab_lowering.h"

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

/// The distributed geometry of a problem: the axis that is cut in the input ("slow"), the other
/// of the first two ("middle"), and all the rest as vec.
class SlabLowering {
public:
  SlabLowering(const Problem &p, int rank, const Choice &choice)
      : p_(p), rank_(rank), ranks_(p.in.ranks()), choice_(choice), logical_(p.extents()),
        n_(p.complex_extents()), in_(p.input_extents()), out_(p.output_extents()),
        howmany_(p.howmany()), slow_(p.slabs->transposed_in ? 1 : 0), middle_(1 - slow_) {
    back_ = p.slabs->back();
    const std::vector<std::ptrdiff_t> spectrum = p.spectrum_extents();
    kept_vec_ = exchanged_vec_ = rest(spectrum);
    if (p.pruned() && p.kind != Kind::c2c && spectrum.size() == 3) {
      kept_vec_ = p.kept_modes(2).kept() * howmany_;
      // The user's arrays have more, and there and back again data go from array to array.
      if (!back_) exchanged_vec_ = kept_vec_;
    }
    rows_ = BlockDistribution(in_[slow_], ranks_, p.slabs->iblock);
    columns_ =
        BlockDistribution((back_ ? spectrum : out_)[middle_], ranks_, back_ ? 0 : p.slabs->oblock);
    final_ = back_ ? BlockDistribution(out_[slow_], ranks_, p.slabs->oblock) : columns_;
  }

  /// The orders of buffers are such that one work buffer is enough in addition to in and out.
  /// Collective; false, on all ranks, where the exchange does not apply.
  bool plan_exchanges(const std::shared_ptr<exchange::Communicator> &comm, bool forced) {
    if (choice_.whole) return true;
    planned_[0] = make(way_there(), comm, options_there(forced));
    if (!planned_[0]) return false;
    if (!back_ || planned_[0]->window() != nullptr) return true;
    planned_[1] = make(way_back(), comm, options_back(forced));
    return planned_[1] != nullptr;
  }

  /// After that; takes memory. Nothing, on all ranks, where the exchange has no way back.
  std::optional<Steps> steps() {
    if (back_ && planned_[0] && !planned_[1]) {
      planned_[1] = planned_[0]->make_return(way_back());
      if (!planned_[1]) return std::nullopt;
    }
    if (planned_[0]) there_ = matrices_of(std::move(planned_[0]));
    if (planned_[1]) back_again_ = matrices_of(std::move(planned_[1]));
    return lowered();
  }

  /// The steps with what is sent in place of exchanges.
  Steps outline() {
    if (!choice_.whole) there_ = outline_of(way_there(), options_there(false));
    if (back_ && !choice_.whole) back_again_ = outline_of(way_back(), options_back(false));
    return lowered();
  }

  /// Whether all of its exchanges can work within the user's one array.
  bool may_swap() const {
    return p_.in_place && !p_.pruned() && exchange::has_equal_blocks(way_there()) &&
           (!back_ || exchange::has_equal_blocks(way_back()));
  }

private:
  Steps lowered() {
    if (p_.axes.empty())
      redistribute();
    else if (choice_.whole)
      whole();
    else if (choice_.planes_last)
      planes_last();
    else
      planes_first();
    return std::move(steps_);
  }

  std::ptrdiff_t local(const BlockDistribution &d) const { return d.count(rank_); }
  std::ptrdiff_t rest(const std::vector<std::ptrdiff_t> &n) const {
    return std::accumulate(n.begin() + 2, n.end(), howmany_, std::multiplies<>());
  }
  SplitRows input() const { return SplitRows::tight(local(rows_), in_[middle_], rest(in_)); }
  SplitRows output() const {
    return back_ ? SplitRows::tight(local(final_), out_[middle_], rest(out_))
                 : SplitRows::tight(local(columns_), out_[slow_], rest(out_));
  }

  void whole() {
    const local::PlaneTransform all{p_.kind, p_.sign, logical_, howmany_};
    const SplitRows one = SplitRows::tight(1, n_[0], n_[1] * rest(n_));
    Step step(StepKind::whole, one, one);
    step.transform = all;
    add_fft(std::move(step));
  }

  /// Copies take the place of transforms. In place on one rank the array has to leave its place.
  void redistribute() {
    if (there_.in_place) return exchange(there_);
    const bool moves = !there_.view;
    if (moves) copy(input(), there_.send);
    exchange(there_);
    if (!moves || there_.window || there_.receive != output()) copy(there_.receive, output());
    if (!moves && p_.in_place) copy(output(), output());
  }

  exchange::ExchangeOptions common_options(bool forced) const {
    exchange::ExchangeOptions options{forced};
    options.wire = p_.wire;
    options.round_own = p_.deterministic;
    options.threads = p_.threads;
    options.pages = p_.pages;
    options.in_place = p_.in_place;
    return options;
  }

  std::unique_ptr<Exchange> make(const Transposition &t,
                                 const std::shared_ptr<exchange::Communicator> &comm,
                                 const exchange::ExchangeOptions &options) const {
    if (ranks_ == 1)
      return p_.wire != exchange::Wire::full && p_.deterministic
                 ? exchange::make_pipelined(t, comm, options)
                 : exchange::make_view(t);
    if (p_.needs_chunked() && !choice_.algorithm->chunked) return nullptr;
    return choice_.algorithm->make(t, comm, options);
  }

  Transposition way_there() const { return {rows_, columns_, exchanged_vec_, p_.real_bytes}; }
  Transposition way_back() const { return {columns_, final_, exchanged_vec_, p_.real_bytes}; }

  exchange::ExchangeOptions options_there(bool forced) const {
    exchange::ExchangeOptions options = common_options(forced);
    if (choice_.planes_last && back_) {
      // Straight from the user's input.
      options.tight_send = true;
      options.keep_send = !p_.may_destroy_input;
    }
    // In place, the last pass has no other array to gather from.
    options.final_order = p_.axes.empty() ? choice_.planes_last : !back_ && p_.in_place;
    return options;
  }

  exchange::ExchangeOptions options_back(bool forced) const {
    exchange::ExchangeOptions options = common_options(forced);
    options.returning = true;
    // Where no pass follows, the exchange has the last word.
    options.final_order = !choice_.planes_last;
    return options;
  }

  Matrices outline_of(const Transposition &t, const exchange::ExchangeOptions &options) const {
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

  /// On one rank, there and back again is no way at all: columns are transformed where they are.
  bool columns_in_place() const { return back_ && there_.view; }

  /// Transforms the columns of a tight array with the input's extent along the slow axis into
  /// those of one with the output's.
  void columns_of_one_rank(const SplitRows &source, std::ptrdiff_t vec) {
    columns(slow_, source, SplitRows::transposed_view(source.rows, out_[slow_], vec));
  }

  void planes_first() {
    planes(slow_, input(), there_.send, p_.kind);
    exchange(there_);
    if (columns_in_place()) {
      columns_of_one_rank(there_.receive, exchanged_vec_);
    } else if (back_) {
      columns(slow_, there_.receive, back_again_.send);
      exchange(back_again_);
      copy_window(back_again_, back_again_.receive, output());
    } else {
      columns(slow_, there_.receive, output());
    }
  }

  void planes_last() {
    if (columns_in_place()) {
      columns_of_one_rank(there_.receive, kept_vec_);
      planes(slow_, SplitRows::tight(out_[slow_], there_.receive.rows, kept_vec_), output(),
             p_.kind);
    } else if (back_) {
      copy_window(there_, input(), there_.send);
      exchange(there_);
      columns(slow_, there_.receive, back_again_.send);
      exchange(back_again_);
      planes(slow_, back_again_.receive, output(), p_.kind);
    } else {
      columns(middle_, input(), there_.send);
      exchange(there_);
      planes(middle_, there_.receive, output(), p_.kind);
    }
  }

  /// Rows of axis `cut`: the transform of the other of the first two axes and all the rest. As
  /// two steps when split: the lines of the rest, and columns, with more parallelism.
  void planes(std::size_t cut, const SplitRows &source, const SplitRows &destination, Kind kind) {
    const std::size_t axis = 1 - cut;
    local::PlaneTransform t{kind, p_.sign, {logical_[axis]}, howmany_};
    t.extents.insert(t.extents.end(), logical_.begin() + 2, logical_.end());
    if (!choice_.split_planes || logical_.size() == 2) {
      Step step(StepKind::planes, source, destination);
      step.transform = t;
      prune(axis, step);
      add_fft(std::move(step));
      return;
    }
    t.extents.erase(t.extents.begin());
    const SplitRows between = SplitRows::tight(source.rows, n_[axis], kept_vec_);
    if (choice_.planes_last) {
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

  /// Columns that are modes of `axis` become bins of its FFT, on the side of the spectrum.
  void spread(std::size_t axis, Step &step) const {
    const KeptModes modes = p_.kept_modes(static_cast<int>(axis));
    SplitRows &spectral = p_.spectrum_in() ? step.source : step.destination;
    SplitRows hole = modes.hole(spectral);
    spectral = modes.spread(spectral);
    if (!hole.pieces.empty() && !p_.spectrum_in()) step.cleared.push_back(std::move(hole));
  }

  /// Into a window or out of it; other exchanges work on the user's tight array itself.
  void copy_window(const Matrices &m, const SplitRows &source, const SplitRows &destination) {
    if (m.window) copy(source, destination);
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
  std::vector<std::ptrdiff_t> logical_;  ///< extents of the grid, in real numbers if these are real
  std::vector<std::ptrdiff_t> n_;        ///< extents of the grid, in complex numbers
  std::vector<std::ptrdiff_t> in_, out_; ///< extents of the arrays
  std::ptrdiff_t howmany_;
  std::size_t slow_;
  std::size_t middle_;
  std::ptrdiff_t kept_vec_ = 1;      ///< elements of a row of the spectrum that are worked on
  std::ptrdiff_t exchanged_vec_ = 1; ///< elements of a row of the spectrum that are sent
  bool back_ = false;                ///< the output is cut like the input: a second exchange
  BlockDistribution rows_, columns_, final_;
  std::array<std::unique_ptr<Exchange>, 2> planned_; ///< there, and back unless through its window
  Matrices there_, back_again_;
  Steps steps_;
};

} // namespace

bool admits(const Problem &p, int ranks, const Choice &choice) {
  if (choice.algorithm != nullptr && choice.algorithm->in_place &&
      !SlabLowering(p, 0, choice).may_swap())
    return false;
  if (p.axes.empty()) return !choice.whole && !choice.split_planes;
  if (choice.whole)
    return ranks == 1 && !p.pruned() && p.scale == 1 && !p.slabs->transposed_in &&
           !p.slabs->transposed_out && (p.kind != Kind::c2r || p.in_place || p.may_destroy_input);
  if (choice.split_planes && p.dimensions() == 2) return false;
  if (p.pruned()) {
    const bool at_once =
        p.dimensions() == 2 || choice.split_planes ||
        (p.kind != Kind::c2c && p.howmany() == 1 && choice.plane_kernel == local::Kernel::simd);
    if (!at_once || choice.planes_last != p.spectrum_in()) return false;
  }
  return p.kind == Kind::c2c || choice.planes_last == (p.kind == Kind::c2r);
}

bool lower_slabs(const Problem &p, const std::shared_ptr<exchange::Communicator> &comm,
                 const Choice &choice, bool forced_exchange,
                 const std::function<void(Steps)> &use) {
  std::optional<SlabLowering> lowering;
  mpi::all_or_none(comm->get(), [&] { lowering.emplace(p, comm->rank(), choice); });
  if (!lowering->plan_exchanges(comm, forced_exchange)) return false;
  bool applies = false;
  mpi::all_or_none(comm->get(), [&] {
    std::optional<Steps> steps = lowering->steps();
    applies = steps.has_value();
    if (applies) use(std::move(*steps));
  });
  return applies;
}

Steps outline_slabs(const Problem &p, const Choice &choice, int rank) {
  return SlabLowering(p, rank, choice).outline();
}

} // namespace hybridfft::plan
