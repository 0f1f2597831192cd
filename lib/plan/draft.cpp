#include "plan/draft.h"

#include <functional>
#include <numeric>

#include "exchange/pipelined.h"

namespace hybridfft::plan {

namespace {

using exchange::Exchange;
using exchange::Transposition;

/// The distributed geometry of a problem: the axis that is cut in the input ("slow"), the other
/// of the first two ("middle"), and all the rest as vec.
class Drafter {
public:
  Drafter(const Problem &p, std::size_t real_bytes,
          const std::shared_ptr<exchange::Communicator> &comm, const Choice &choice, bool forced)
      : p_(p), comm_(comm), choice_(choice), forced_(forced), real_bytes_(real_bytes),
        n_(p.complex_extents()), slow_(p.transposed_in ? 1 : 0), middle_(1 - slow_) {
    vec_ = std::accumulate(n_.begin() + 2, n_.end(), p.howmany, std::multiplies<>());
    const int ranks = comm->size();
    back_ = p.transposed_in == p.transposed_out;
    rows_ = BlockDistribution(n_[slow_], ranks, p.iblock);
    columns_ = BlockDistribution(n_[middle_], ranks, back_ ? 0 : p.oblock);
    final_ = back_ ? BlockDistribution(n_[slow_], ranks, p.oblock) : columns_;
  }

  std::vector<Draft> run() {
    if (choice_.whole) {
      whole();
      return std::move(steps_);
    }
    if (!plan_exchanges()) return {};
    if (choice_.planes_last)
      planes_last();
    else
      planes_first();
    return std::move(steps_);
  }

private:
  std::ptrdiff_t local(const BlockDistribution &d) const { return d.count(comm_->rank()); }
  SplitRows input() const { return SplitRows::tight(local(rows_), n_[middle_], vec_); }
  SplitRows middle_order() const { return SplitRows::tight(local(columns_), n_[slow_], vec_); }
  SplitRows output() const {
    return back_ ? SplitRows::tight(local(final_), n_[middle_], vec_) : middle_order();
  }

  void whole() {
    const local::PlaneTransform all{p_.kind, p_.sign, p_.extents, p_.howmany};
    const SplitRows one = SplitRows::tight(1, n_[0], n_[1] * vec_);
    add({StepKind::whole, one, one, all, p_.sign, nullptr});
  }

  /// The orders of buffers are such that one work buffer is enough beside in and out.
  bool plan_exchanges() {
    exchange::ExchangeOptions options = common_options();
    if (choice_.planes_last && back_) {
      // Straight from the user's input.
      options.tight_send = true;
      options.keep_send = !p_.may_destroy_input;
    }
    // In place, the last pass has no other array to gather from.
    options.final_order = !back_ && p_.in_place;
    forth_ = make({rows_, columns_, vec_, real_bytes_}, options);
    if (!forth_) return false;
    if (back_) return_ = make_return({columns_, final_, vec_, real_bytes_});
    return !back_ || return_ != nullptr;
  }

  exchange::ExchangeOptions common_options() const {
    exchange::ExchangeOptions options{p_.effort, forced_};
    options.wire = p_.wire;
    options.round_own = p_.deterministic;
    options.threads = p_.threads;
    return options;
  }

  std::shared_ptr<Exchange> make(const Transposition &t,
                                 const exchange::ExchangeOptions &options) const {
    const bool narrow = p_.wire != exchange::Wire::full;
    if (comm_->size() == 1)
      return narrow && p_.deterministic ? exchange::make_pipelined(t, comm_, options)
                                        : exchange::make_view(t);
    if ((narrow || p_.nonblocking) && !choice_.algorithm->chunked) return nullptr;
    return choice_.algorithm->make(t, comm_, options);
  }

  std::shared_ptr<Exchange> make_return(const Transposition &t) const {
    if (forth_->window() != nullptr) return forth_->make_return(t);
    exchange::ExchangeOptions options = common_options();
    options.returning = true;
    // Where no pass follows, the exchange has the last word.
    options.final_order = !choice_.planes_last;
    return make(t, options);
  }

  /// On one rank, there and back again is no way at all: columns are transformed where they are.
  bool columns_in_place() const { return back_ && forth_->is_view(); }

  void planes_first() {
    planes(slow_, input(), forth_->send(), p_.kind);
    exchange(forth_);
    if (columns_in_place()) {
      columns(forth_->receive(), forth_->receive());
    } else if (back_) {
      columns(forth_->receive(), return_->send());
      exchange(return_);
      copy_window(*return_, return_->receive(), output());
    } else {
      columns(forth_->receive(), output());
    }
  }

  void planes_last() {
    if (columns_in_place()) {
      columns(forth_->receive(), forth_->receive());
      planes(slow_, output(), output(), p_.kind);
    } else if (back_) {
      copy_window(*forth_, input(), forth_->send());
      exchange(forth_);
      columns(forth_->receive(), return_->send());
      exchange(return_);
      planes(slow_, return_->receive(), output(), p_.kind);
    } else {
      columns(input(), forth_->send());
      exchange(forth_);
      planes(middle_, forth_->receive(), output(), p_.kind);
    }
  }

  /// Rows of axis `cut`: the transform of the other of the first two axes and all the rest. As
  /// two steps when split: the lines of the rest, and columns, with more parallelism.
  void planes(std::size_t cut, const SplitRows &source, const SplitRows &destination, Kind kind) {
    local::PlaneTransform t{kind, p_.sign, {p_.extents[1 - cut]}, p_.howmany};
    t.extents.insert(t.extents.end(), p_.extents.begin() + 2, p_.extents.end());
    if (!choice_.split_planes || p_.extents.size() == 2) {
      add({StepKind::planes, source, destination, t, p_.sign, nullptr});
      return;
    }
    t.extents.erase(t.extents.begin());
    if (choice_.planes_last) {
      columns(source, destination);
      lines(destination, t);
    } else {
      lines(source, t);
      columns(source, destination);
    }
  }

  /// The dimensions beyond the first two, for each row and column of a tight matrix.
  void lines(const SplitRows &m, const local::PlaneTransform &t) {
    const SplitRows each = SplitRows::tight(m.rows * m.columns, n_[2], vec_ / n_[2]);
    add({StepKind::planes, each, each, t, p_.sign, nullptr});
  }

  void columns(const SplitRows &source, const SplitRows &destination) {
    add({StepKind::columns, source, destination, {}, p_.sign, nullptr});
  }

  /// Into a window or out of it; other exchanges work on the user's tight array itself.
  void copy_window(const Exchange &e, const SplitRows &source, const SplitRows &destination) {
    if (e.window() == nullptr) return;
    add({StepKind::copy, source, destination, {}, p_.sign, nullptr});
  }

  void exchange(const std::shared_ptr<Exchange> &e) {
    if (e->is_view()) return;
    add({StepKind::exchange, e->send(), e->receive(), {}, p_.sign, e});
  }

  void add(Draft step) { steps_.push_back(std::move(step)); }

  const Problem &p_;
  std::shared_ptr<exchange::Communicator> comm_;
  const Choice &choice_;
  bool forced_;
  std::size_t real_bytes_;
  std::vector<std::ptrdiff_t> n_;
  std::size_t slow_;
  std::size_t middle_;
  std::ptrdiff_t vec_ = 1;
  bool back_ = false; ///< the output is cut like the input: a second exchange
  BlockDistribution rows_, columns_, final_;
  std::shared_ptr<Exchange> forth_, return_;
  std::vector<Draft> steps_;
};

} // namespace

bool Draft::may_be_in_place() const {
  switch (kind) {
  case StepKind::whole:
    return true;
  case StepKind::planes:
    return source.is_tight() && destination.is_tight();
  case StepKind::columns:
    return source == destination;
  case StepKind::exchange:
    return uses_window();
  case StepKind::copy:
    return false;
  }
  return false;
}

bool Draft::uses_window() const { return exchange != nullptr && exchange->window() != nullptr; }

bool admits(const Problem &p, int ranks, const Choice &choice) {
  if (choice.whole)
    return ranks == 1 && !p.transposed_in && !p.transposed_out &&
           (p.kind != Kind::c2r || p.in_place || p.may_destroy_input);
  if (choice.split_planes && p.extents.size() == 2) return false;
  return p.kind == Kind::c2c || choice.planes_last == (p.kind == Kind::c2r);
}

std::vector<Draft> draft(const Problem &p, std::size_t real_bytes,
                         const std::shared_ptr<exchange::Communicator> &comm, const Choice &choice,
                         bool forced_exchange) {
  return Drafter(p, real_bytes, comm, choice, forced_exchange).run();
}

} // namespace hybridfft::plan
