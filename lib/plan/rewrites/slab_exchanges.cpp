/// Plans the transpositions between slabs and connects them with the passes before and after.
/// Applied to every path between slabs with more than one rank.
#include "plan/lowering.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "exchange/algorithms.h"

namespace hybridfft::plan {

namespace {

using exchange::Exchange;
using exchange::Transposition;

/// The matrices of a rank before and after a transposition.
struct Matrices {
  SplitRows send, receive;
  bool window = false;   ///< true if the matrices are in memory shared by ranks
  bool in_place = false; ///< true if both matrices are in the user's array
};

bool has_back(const Path &path) { return path.size() > 2; }

/// Returns the options for the exchange before a stage.
exchange::ExchangeOptions options_of(const Problem &p, const Path &path, std::size_t stage) {
  exchange::ExchangeOptions options;
  options.wire = p.wire;
  options.round_own = p.deterministic;
  options.threads = p.threads;
  options.pages = p.pages;
  options.in_place = p.in_place;
  options.tag = stage > 1 ? 1 : 0;
  if (p.axes.empty()) {
    options.final_order = path.back().planes;
    return options;
  }
  // Without a transform before it, the exchange sends directly from the user's input.
  options.tight_send = path[stage - 1].axes.empty();
  options.keep_send = options.tight_send && !p.may_destroy_input;
  // Without a later pass the exchange has to produce the final order. The same holds for an
  // in-place plan with one exchange, because its last pass has no second array to read from.
  options.final_order = path[stage].axes.empty() || (!has_back(path) && p.in_place);
  return options;
}

Matrices matrices_of(const Exchange &e) {
  Matrices
      m; // member by member, because GCC 12 destroys parts of a braced list twice if one throws
  m.send = e.send();
  m.receive = e.receive();
  m.window = e.window() != nullptr;
  m.in_place = e.in_place();
  return m;
}

Matrices outline_of(const Transposition &t, const exchange::ExchangeOptions &options,
                    const exchange::Algorithm *algorithm, int rank) {
  const std::ptrdiff_t mine = t.columns.count(rank);
  Matrices m;
  m.send = SplitRows::tight(t.rows.count(rank), t.columns.n(), t.vec);
  m.receive = options.final_order ? SplitRows::tight(mine, t.rows.n(), t.vec)
                                  : SplitRows::transposed_view(mine, t.rows.n(), t.vec);
  m.window = algorithm != nullptr && algorithm->node_memory;
  m.in_place = algorithm != nullptr && algorithm->in_place;
  return m;
}

/// Connects the exchange at `k` with the steps before and after it through these matrices, and
/// removes copies that have become unnecessary. Returns the new index of the exchange.
std::size_t place(Steps &steps, std::size_t k, const Matrices &m, bool redistributes) {
  const auto stays = [&](const Step &s) {
    return s.kind != StepKind::copy || m.window || (redistributes && !m.in_place);
  };
  const auto erase = [&](std::size_t which) {
    steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(which));
  };
  steps[k].source = m.send;
  steps[k].destination = m.receive;
  Step &reader = steps[k + 1];
  const bool arrives = reader.kind == StepKind::copy && m.receive == reader.destination;
  if (stays(reader) && (m.window || !arrives))
    reader.source = m.receive;
  else
    erase(k + 1);
  if (stays(steps[k - 1])) {
    steps[k - 1].destination = m.send;
    return k;
  }
  erase(k - 1);
  return k - 1;
}

/// Sets the memory traffic and buffer sizes of all steps from their final matrices.
void settle(Steps &steps) {
  for (Step &s : steps) {
    if (s.kind == StepKind::whole) continue;
    if (s.pruned) spread_modes(s, *std::exchange(s.pruned, std::nullopt));
    if (!s.from.real) {
      s.reads = 2 * s.source.stored_elements();
      s.from.elements = s.source.span();
    }
    if (!s.to.real) {
      s.writes = 2 * s.destination.stored_elements();
      s.to.elements = s.destination.span();
    }
    for (const SplitRows &m : s.cleared)
      s.to.elements = std::max(s.to.elements, m.span());
    // An exchange may use either buffer for both its send and its receive data.
    if (s.is_exchange()) s.from.elements = s.to.elements = std::max(s.from.elements, s.to.elements);
  }
}

/// Calls f(number, k) for each exchange; f returns the exchange's index, which it may have changed.
template <class F> void for_each_exchange(Steps &steps, const F &f) {
  std::size_t number = 0;
  for (std::size_t k = 0; k < steps.size(); ++k)
    if (steps[k].is_exchange()) k = f(number++, k);
}

} // namespace

bool exchanges_slabs(const Problem &p) {
  return p.in.ranks() > 1 || (p.wire != exchange::WireFormat::full && p.deterministic);
}

Transposition slab_transposition(const Problem &p, const Path &path, std::size_t stage) {
  const auto slow = static_cast<std::size_t>(p.in.axes().front().axis);
  const std::size_t whole = stage % 2 == 1 ? slow : 1 - slow;
  const Extents &n = path[stage].extents;
  return {path[stage - 1].distribution->cut(whole, n), path[stage].distribution->cut(1 - whole, n),
          std::accumulate(n.begin() + 2, n.end(), p.howmany(), std::multiplies<>()), p.real_bytes};
}

std::optional<SlabExchanges>
plan_slab_exchanges(const Problem &p, const Choice &choice,
                    const std::shared_ptr<exchange::Communicator> &comm, bool forced) {
  const Path &path = choice.path->path;
  SlabExchanges made;
  if (choice.passes == Passes::whole || !exchanges_slabs(p)) return made;
  if (comm->size() > 1 && p.needs_chunked() && !choice.algorithm->chunked) return std::nullopt;
  for (std::size_t stage = 1; stage < path.size(); ++stage) {
    exchange::ExchangeOptions options = options_of(p, path, stage);
    options.forced = forced;
    const auto make = comm->size() == 1 ? exchange::make_pipelined : choice.algorithm->make;
    made[stage - 1] = make(slab_transposition(p, path, stage), comm, options);
    if (!made[stage - 1]) return std::nullopt;
    if (made[stage - 1]->window() != nullptr)
      return made; // the backward exchange uses the same window
  }
  return made;
}

bool use_slab_exchanges(Steps &steps, const Problem &p, const Choice &choice, SlabExchanges &made) {
  const Path &path = choice.path->path;
  if (has_back(path) && made[0] && !made[1]) {
    made[1] = made[0]->make_return(slab_transposition(p, path, 2));
    if (!made[1]) return false;
  }
  for_each_exchange(steps, [&](std::size_t number, std::size_t k) {
    k = place(steps, k, matrices_of(*made[number]), p.axes.empty());
    steps[k].exchange = std::move(made[number]);
    return k;
  });
  settle(steps);
  return true;
}

void outline_slab_exchanges(Steps &steps, const Problem &p, const Choice &choice, int rank) {
  const Path &path = choice.path->path;
  for_each_exchange(steps, [&](std::size_t number, std::size_t k) {
    const auto options = options_of(p, path, number + 1);
    const Transposition t = slab_transposition(p, path, number + 1);
    const Matrices m = outline_of(t, options, choice.algorithm, rank);
    k = place(steps, k, m, p.axes.empty());
    const std::ptrdiff_t column =
        m.send.rows * t.vec * static_cast<std::ptrdiff_t>(t.element_bytes());
    for (int r = 0; r < p.in.ranks(); ++r)
      if (const std::ptrdiff_t count = t.columns.count(r); count > 0)
        steps[k].blocks.sent.push_back({r, t.columns.start(r) * column, count * column});
    steps[k].reorders = (options.tight_send || options.final_order) && !m.window && !m.in_place;
    return k;
  });
  settle(steps);
}

} // namespace hybridfft::plan
