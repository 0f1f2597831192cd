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

/// The distributed geometry of a problem: the axis that is cut in the input ("slow"), the other
/// of the first two ("middle"), and all the rest as vec.
class SlabLowering {
public:
  SlabLowering(const Problem &p, const std::shared_ptr<exchange::Communicator> &comm,
               const Choice &choice, bool forced)
      : p_(p), comm_(comm), choice_(choice), forced_(forced), logical_(p.extents()),
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
    const int ranks = comm->size();
    rows_ = BlockDistribution(in_[slow_], ranks, p.slabs->iblock);
    columns_ =
        BlockDistribution((back_ ? spectrum : out_)[middle_], ranks, back_ ? 0 : p.slabs->oblock);
    final_ = back_ ? BlockDistribution(out_[slow_], ranks, p.slabs->oblock) : columns_;
  }

  /// The orders of buffers are such that one work buffer is enough beside in and out. Collective;
  /// false, on all ranks, where the exchange does not apply.
  bool plan_exchanges() {
    if (choice_.whole) return true;
    exchange::ExchangeOptions options = common_options();
    if (choice_.planes_last && back_) {
      // Straight from the user's input.
      options.tight_send = true;
      options.keep_send = !p_.may_destroy_input;
    }
    // In place, the last pass has no other array to gather from.
    options.final_order = p_.axes.empty() ? choice_.planes_last : !back_ && p_.in_place;
    planned_[0] = make({rows_, columns_, exchanged_vec_, p_.real_bytes}, options);
    if (!planned_[0]) return false;
    if (!back_ || planned_[0]->window() != nullptr) return true;
    planned_[1] = make(way_back(), return_options());
    return planned_[1] != nullptr;
  }

  /// After that; takes memory. Nothing, on all ranks, where the exchange has no way back.
  std::optional<Steps> steps() {
    forth_ = std::move(planned_[0]);
    return_ = std::move(planned_[1]);
    if (back_ && forth_ && !return_) {
      return_ = forth_->make_return(way_back());
      if (!return_) return std::nullopt;
    }
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

private:
  std::ptrdiff_t local(const BlockDistribution &d) const { return d.count(comm_->rank()); }
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
    const bool moves = !forth_->is_view();
    if (moves) copy(input(), forth_->send());
    exchange(forth_);
    if (!moves || forth_->window() != nullptr || forth_->receive() != output())
      copy(forth_->receive(), output());
    if (!moves && p_.in_place) copy(output(), output());
  }

  exchange::ExchangeOptions common_options() const {
    exchange::ExchangeOptions options{forced_};
    options.wire = p_.wire;
    options.round_own = p_.deterministic;
    options.threads = p_.threads;
    options.pages = p_.pages;
    return options;
  }

  std::unique_ptr<Exchange> make(const Transposition &t,
                                 const exchange::ExchangeOptions &options) const {
    if (comm_->size() == 1)
      return p_.wire != exchange::Wire::full && p_.deterministic
                 ? exchange::make_pipelined(t, comm_, options)
                 : exchange::make_view(t);
    if (p_.needs_chunked() && !choice_.algorithm->chunked) return nullptr;
    return choice_.algorithm->make(t, comm_, options);
  }

  Transposition way_back() const { return {columns_, final_, exchanged_vec_, p_.real_bytes}; }

  exchange::ExchangeOptions return_options() const {
    exchange::ExchangeOptions options = common_options();
    options.returning = true;
    // Where no pass follows, the exchange has the last word.
    options.final_order = !choice_.planes_last;
    return options;
  }

  /// On one rank, there and back again is no way at all: columns are transformed where they are.
  bool columns_in_place() const { return back_ && forth_->is_view(); }

  /// Transforms the columns of a tight array with the input's extent along the slow axis into
  /// those of one with the output's.
  void columns_of_one_rank(const SplitRows &source, std::ptrdiff_t vec) {
    columns(slow_, source, SplitRows::transposed_view(source.rows, out_[slow_], vec));
  }

  void planes_first() {
    planes(slow_, input(), forth_->send(), p_.kind);
    exchange(forth_);
    if (columns_in_place()) {
      columns_of_one_rank(forth_->receive(), exchanged_vec_);
    } else if (back_) {
      columns(slow_, forth_->receive(), return_->send());
      exchange(return_);
      copy_window(*return_, return_->receive(), output());
    } else {
      columns(slow_, forth_->receive(), output());
    }
  }

  void planes_last() {
    if (columns_in_place()) {
      columns_of_one_rank(forth_->receive(), kept_vec_);
      planes(slow_, SplitRows::tight(out_[slow_], forth_->receive().rows, kept_vec_), output(),
             p_.kind);
    } else if (back_) {
      copy_window(*forth_, input(), forth_->send());
      exchange(forth_);
      columns(slow_, forth_->receive(), return_->send());
      exchange(return_);
      planes(slow_, return_->receive(), output(), p_.kind);
    } else {
      columns(middle_, input(), forth_->send());
      exchange(forth_);
      planes(middle_, forth_->receive(), output(), p_.kind);
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
  void copy_window(const Exchange &e, const SplitRows &source, const SplitRows &destination) {
    if (e.window() != nullptr) copy(source, destination);
  }

  void copy(const SplitRows &source, const SplitRows &destination) {
    steps_.emplace_back(StepKind::copy, source, destination);
  }

  void exchange(const std::shared_ptr<Exchange> &e) {
    if (!e->is_view()) steps_.emplace_back(e);
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
  std::shared_ptr<exchange::Communicator> comm_;
  const Choice &choice_;
  bool forced_;
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
  std::array<std::unique_ptr<Exchange>, 2> planned_; ///< forth, and back unless through its window
  std::shared_ptr<Exchange> forth_, return_;
  Steps steps_;
};

} // namespace

bool admits(const Problem &p, int ranks, const Choice &choice) {
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
  mpi::all_or_none(comm->get(), [&] { lowering.emplace(p, comm, choice, forced_exchange); });
  if (!lowering->plan_exchanges()) return false;
  bool applies = false;
  mpi::all_or_none(comm->get(), [&] {
    std::optional<Steps> steps = lowering->steps();
    applies = steps.has_value();
    if (applies) use(std::move(*steps));
  });
  return applies;
}

} // namespace hybridfft::plan
