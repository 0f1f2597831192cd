#include "plan/program.h"

#include <algorithm>

#include "profile/recorder.h"

namespace hybridfft::plan {

namespace {

using exchange::ChunkedExchange;

/// Appends the ends of chunks, rounded up to multiples of the pass's row unit.
void add_ends(const std::vector<std::ptrdiff_t> &chunks, const local::Pass &pass,
              std::vector<std::ptrdiff_t> &ends) {
  const std::ptrdiff_t unit = pass.row_unit();
  for (const std::ptrdiff_t end : chunks)
    ends.push_back(std::min((end + unit - 1) / unit * unit, pass.rows()));
}

/// Sorts the ends and appends `rows`. Drops ends less than `least` rows apart, since a portion must
/// have work for all threads.
std::vector<std::ptrdiff_t> spaced(std::vector<std::ptrdiff_t> ends, std::ptrdiff_t rows,
                                   std::ptrdiff_t least) {
  std::sort(ends.begin(), ends.end());
  std::vector<std::ptrdiff_t> kept;
  for (const std::ptrdiff_t end : ends)
    if (end - (kept.empty() ? 0 : kept.back()) >= least && rows - end >= least) kept.push_back(end);
  kept.push_back(rows);
  return kept;
}

} // namespace

Operation operation_of(const Steps &steps, std::size_t k, const std::array<Route, 2> &routes) {
  Operation o;
  o.exchanges[0] = steps[k].exchange;
  for (std::size_t parity = 0; parity < 2; ++parity) {
    o.source[parity] = routes[parity].source(k);
    o.destination[parity] = routes[parity].destinations[k];
  }
  o.receives_early = steps[k].in_chunks() && may_receive_early(steps, routes[0], k);
  o.sends_late = steps[k].in_chunks() && may_send_late(steps, routes[0], k);
  return o;
}

std::string Program::describe(std::size_t operation) const {
  const Operation &o = operations_[operation];
  const std::string what = o.pass ? o.pass->describe() : "exchange " + o.exchanges[0]->describe();
  if (by_field())
    return "each field: " + what + (o.pass ? "" : ", beside the work on other fields");
  const std::string text = name_of(o.source[0]) + " -> " + name_of(o.destination[0]) + ": " + what;
  if (o.receives_early && o.sends_late) return text + ", during the passes before and after";
  if (o.receives_early) return text + ", during the pass before";
  if (o.sends_late) return text + ", during the pass after";
  return text;
}

Program::Program(std::vector<Operation> operations, const SeparateFields &fields, int threads)
    : operations_(std::move(operations)), fields_(fields) {
  for (std::size_t k = 0; k < operations_.size(); ++k) {
    if (!operations_[k].pass) exchanges_.push_back(k);
    portions_.push_back(portions_of(k, threads));
  }
}

Program::Portions Program::portions_of(std::size_t k, int threads) const {
  Portions p;
  if (!operations_[k].pass) return p;
  const local::Pass &pass = *operations_[k].pass;
  const auto neighbour = [this](std::size_t exchange) {
    return OverlappedExchange{exchange, operations_[exchange].exchanges[0]->chunked()};
  };
  if (k > 0 && operations_[k - 1].sends_late) p.before = neighbour(k - 1);
  if (k + 1 < operations_.size() && operations_[k + 1].receives_early) p.after = neighbour(k + 1);
  for (const OverlappedExchange &n : {p.before, p.after})
    if (n.exchange != nullptr) p.polled.push_back(n);
  if (by_field())
    for (std::size_t i = 0; i < operations_.size(); ++i)
      for (const auto &e : operations_[i].exchanges)
        if (e) p.polled.push_back({i, e->chunked()});
  if (p.before.exchange != nullptr) add_ends(p.before.exchange->receive_ends(), pass, p.ends);
  if (p.after.exchange != nullptr) add_ends(p.after.exchange->send_ends(), pass, p.ends);
  p.ends = spaced(std::move(p.ends), pass.rows(), threads * pass.row_unit());
  return p;
}

template <class F> void Program::for_each_exchange(const F &f) const {
  for (const std::size_t k : exchanges_)
    for (const auto &e : operations_[k].exchanges)
      if (e) f(*e);
}

bool Program::cancel() const noexcept {
  const exchange::Patience patience;
  bool all = true;
  for_each_exchange([&](exchange::Exchange &e) { all = e.cancel(patience) && all; });
  return all;
}

/// Returns the turns in an order with the newest field first: messages of older fields are then in
/// flight during its passes.
Program::Turn Program::turn(std::size_t number) const {
  const std::size_t group = number % groups();
  return {group,
          static_cast<std::ptrdiff_t>(number / groups()) - static_cast<std::ptrdiff_t>(group)};
}

/// A turn completes the exchange before its passes, runs the passes, and starts the exchange after
/// them.
bool Program::advance(Progress &progress, const Addresses &addresses, profile::Recorder *recorder,
                      bool waits) const {
  const std::size_t end = (static_cast<std::size_t>(fields_.number) + groups() - 1) * groups();
  for (; progress.turn < end; ++progress.turn) {
    const Turn t = turn(progress.turn);
    if (!has_field(t)) continue;
    if (!waits && !ready(progress)) return false;
    std::size_t k = 0;
    if (t.group > 0) {
      k = exchanges_[t.group - 1];
      end_exchange(k++, t, recorder);
    }
    for (; k < operations_.size() && operations_[k].pass; ++k)
      run_pass(k, t, addresses, recorder);
    if (k < operations_.size()) begin_exchange(k, t, addresses, recorder);
  }
  return true;
}

bool Program::ready(const Progress &progress) const noexcept {
  const Turn t = turn(progress.turn);
  if (!has_field(t) || t.group == 0) return true;
  ChunkedExchange *chunked = operations_[exchanges_[t.group - 1]].exchanges[t.parity()]->chunked();
  return chunked == nullptr || chunked->complete();
}

void Program::tag_slot(int slot) const {
  for_each_exchange([slot](exchange::Exchange &e) {
    if (ChunkedExchange *chunked = e.chunked()) chunked->tag_slot(slot);
  });
}

bool Program::returns() const {
  return std::all_of(exchanges_.begin(), exchanges_.end(), [this](std::size_t k) {
    return operations_[k].exchanges[0]->chunked() != nullptr;
  });
}

std::byte *Program::at(Slot slot, const Turn &t, const Addresses &addresses) const {
  std::byte *base = plan::at(addresses, slot);
  if (slot == Slot::in) return base + t.field * fields_.in;
  return slot == Slot::out ? base + t.field * fields_.out : base;
}

void Program::run_pass(std::size_t k, const Turn &t, const Addresses &addresses,
                       profile::Recorder *recorder) const {
  const Operation &o = operations_[k];
  const Portions &p = portions_[k];
  // Records the time of exchanges during a pass as time of the exchange. Polls are too many and too
  // short for a trace.
  const auto exchanging = [recorder](const OverlappedExchange &n, const auto &f) {
    if (n.exchange == nullptr) return;
    const profile::StageSpan span(recorder, n.operation);
    f(*n.exchange);
  };
  if (k + 1 < operations_.size() && !operations_[k + 1].pass) {
    exchange::Exchange &next = *operations_[k + 1].exchanges[0];
    if (next.window() != nullptr) {
      const profile::StageSpan span(recorder, k + 1);
      next.begin();
    }
  }
  exchanging(p.after, [&](ChunkedExchange &e) {
    const Operation &after = operations_[k + 1];
    e.start(at(after.source[0], t, addresses), at(after.destination[0], t, addresses));
  });
  auto progress = [&p, recorder] {
    for (const OverlappedExchange &n : p.polled) {
      const profile::StageSpan span(recorder, n.operation, profile::StageSpan::InTrace::no);
      n.exchange->poll();
    }
  };
  const Poll poll = p.polled.empty() ? Poll() : Poll(progress);
  std::byte *source = at(o.source[t.parity()], t, addresses);
  std::ptrdiff_t first = 0;
  for (const std::ptrdiff_t end : p.ends) {
    exchanging(p.before, [end](ChunkedExchange &e) { e.wait_rows(end); });
    if (first < end) {
      const profile::StageSpan span(recorder, k);
      o.pass->execute(source, at(o.destination[t.parity()], t, addresses), {first, end}, poll);
    }
    exchanging(p.after, [end](ChunkedExchange &e) { e.rows_written(end); });
    first = end;
  }
  exchanging(p.before, [](ChunkedExchange &e) { e.finish(); });
}

void Program::begin_exchange(std::size_t k, const Turn &t, const Addresses &addresses,
                             profile::Recorder *recorder) const {
  const Operation &o = operations_[k];
  if (o.receives_early) return;
  const profile::StageSpan span(recorder, k);
  std::byte *source = at(o.source[t.parity()], t, addresses);
  std::byte *destination = at(o.destination[t.parity()], t, addresses);
  exchange::Exchange &e = *o.exchanges[t.parity()];
  ChunkedExchange *chunked = e.chunked();
  if (chunked == nullptr) return e.execute(source, destination);
  chunked->start(source, destination);
  chunked->rows_written(chunked->send().rows);
}

void Program::end_exchange(std::size_t k, const Turn &t, profile::Recorder *recorder) const {
  const Operation &o = operations_[k];
  ChunkedExchange *chunked = o.exchanges[t.parity()]->chunked();
  if (chunked == nullptr || o.sends_late) return;
  const profile::StageSpan span(recorder, k);
  chunked->finish();
}

} // namespace hybridfft::plan
