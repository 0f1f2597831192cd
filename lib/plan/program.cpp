// Runs the operations of a plan. If fields are transformed one after another, turns of different
// fields alternate, so that messages of one field are in flight during passes of another.
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

/// Sorts the ends of portions and appends `rows`. Drops ends less than `least` rows apart, because
/// a portion must have work for all threads.
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
  for (std::size_t k = 0; k < operations_.size(); ++k)
    if (!operations_[k].pass) exchanges_.push_back(k);
  for (std::size_t k = 0; k < operations_.size(); ++k)
    portions_.push_back(portions_of(k, threads));
}

Program::Portions Program::portions_of(std::size_t k, int threads) const {
  Portions p;
  if (!operations_[k].pass) return p;
  const local::Pass &pass = *operations_[k].pass;
  p.before = operations_[before(k)].sends_late;
  p.after = operations_[after(k)].receives_early;
  const auto poll = [&](std::size_t operation) {
    for (const auto &e : operations_[operation].exchanges)
      p.polled.push_back({operation, e->chunked()});
  };
  if (by_field()) {
    for (const std::size_t exchange : exchanges_)
      poll(exchange);
  } else {
    if (p.before) poll(before(k));
    if (p.after) poll(after(k));
  }
  if (p.before) add_ends(chunked(before(k), 0)->receive_ends(), pass, p.ends);
  if (p.after) add_ends(chunked(after(k), 0)->send_ends(), pass, p.ends);
  p.ends = spaced(std::move(p.ends), pass.rows(), threads * pass.row_unit());
  return p;
}

template <class F> void Program::for_each_exchange(const F &f) const {
  for (const std::size_t k : exchanges_)
    for (const auto &e : operations_[k].exchanges)
      f(*e);
}

bool Program::cancel() const noexcept {
  const exchange::Patience patience;
  bool all = true;
  for_each_exchange([&](exchange::Exchange &e) { all = e.cancel(patience) && all; });
  return all;
}

/// Returns the turn with this number. Each round of turns begins with the newest field, so that
/// messages of older fields are in flight during its passes.
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
      if (!operations_[k].sends_late) end_exchange(k, t.parity(), recorder);
      ++k;
    }
    for (; k < operations_.size() && operations_[k].pass; ++k)
      run_pass(k, t, addresses, recorder);
    if (k < operations_.size() && !operations_[k].receives_early)
      begin_exchange(k, lane_of(k, t, addresses), recorder);
  }
  return true;
}

bool Program::ready(const Progress &progress) const noexcept {
  const Turn t = turn(progress.turn);
  if (!has_field(t) || t.group == 0) return true;
  ChunkedExchange *const exchange = chunked(exchanges_[t.group - 1], t.parity());
  return exchange == nullptr || exchange->complete();
}

void Program::tag_slot(int slot) const {
  for_each_exchange([slot](exchange::Exchange &e) {
    if (ChunkedExchange *chunked = e.chunked()) chunked->tag_slot(slot);
  });
}

bool Program::returns() const {
  return std::all_of(exchanges_.begin(), exchanges_.end(),
                     [this](std::size_t k) { return chunked(k, 0) != nullptr; });
}

/// Returns the address of a slot; `exchange` is the operation whose window it may be.
std::byte *Program::at(Slot slot, std::size_t exchange, const Turn &t,
                       const Addresses &addresses) const {
  if (is_window(slot)) return operations_[exchange].exchanges[0]->window();
  if (const auto number = work_number(slot)) return addresses.work + addresses.offsets[*number];
  return slot == Slot::in ? addresses.in + t.field * fields_.in
                          : addresses.out + t.field * fields_.out;
}

Lane Program::lane_of(std::size_t k, const Turn &t, const Addresses &addresses) const {
  const Operation &o = operations_[k];
  return {t.parity(), at(o.source[t.parity()], o.pass ? before(k) : k, t, addresses),
          at(o.destination[t.parity()], o.pass ? after(k) : k, t, addresses)};
}

/// Prepares the shared window of an exchange before a pass writes to it. All lanes have the same
/// window.
void Program::begin_window(std::size_t k, profile::Recorder *recorder) const {
  if (operations_[k].pass) return;
  exchange::Exchange &e = *operations_[k].exchanges[0];
  if (e.window() == nullptr) return;
  const profile::StageSpan span(recorder, k);
  e.begin();
}

void Program::run_pass(std::size_t k, const Turn &t, const Addresses &addresses,
                       profile::Recorder *recorder) const {
  if (k + 1 < operations_.size()) begin_window(k + 1, recorder); // the window may move
  const Lane one;
  const std::span<const Lane> none;
  const Lane arrays = lane_of(k, t, addresses);
  const std::span<const Lane> from = portions_[k].before ? std::span(&one, 1) : none;
  if (!portions_[k].after) return run_portions(k, arrays, from, none, recorder);
  const Lane next = lane_of(k + 1, t, addresses);
  run_portions(k, arrays, from, {&next, 1}, recorder);
}

void Program::sweep(std::size_t k, std::span<const Lane> before_it, std::span<const Lane> after_it,
                    profile::Recorder *recorder) const {
  begin_window(after(k), recorder);
  run_portions(k, {}, before_it, after_it, recorder);
}

void Program::run_portions(std::size_t k, const Lane &arrays, std::span<const Lane> before_it,
                           std::span<const Lane> after_it, profile::Recorder *recorder) const {
  const Portions &p = portions_[k];
  // Counts the time of calls to an exchange during a pass in the exchange's stage. Polls below are
  // counted too, but not traced, because they are too many and too short.
  const auto exchanging = [&](std::size_t operation, std::span<const Lane> lanes, const auto &f) {
    if (lanes.empty()) return;
    const profile::StageSpan span(recorder, operation);
    for (const Lane &lane : lanes)
      f(*chunked(operation, lane.number), lane);
  };
  exchanging(after(k), after_it,
             [](ChunkedExchange &e, const Lane &lane) { e.start(lane.send, lane.receive); });
  auto progress = [&p, recorder] {
    for (const PolledExchange &n : p.polled) {
      const profile::StageSpan span(recorder, n.operation, profile::StageSpan::InTrace::no);
      n.exchange->poll();
    }
  };
  const Poll poll = p.polled.empty() ? Poll() : Poll(progress);
  std::ptrdiff_t first = 0;
  for (const std::ptrdiff_t end : p.ends) {
    exchanging(before(k), before_it, [end](ChunkedExchange &e, const Lane &) { e.wait_rows(end); });
    if (first < end) {
      const profile::StageSpan span(recorder, k);
      operations_[k].pass->execute(arrays.send, arrays.receive, {first, end}, poll);
    }
    exchanging(after(k), after_it,
               [end](ChunkedExchange &e, const Lane &) { e.rows_written(end); });
    first = end;
  }
  exchanging(before(k), before_it, [](ChunkedExchange &e, const Lane &) { e.finish(); });
}

void Program::begin_exchange(std::size_t k, const Lane &lane, profile::Recorder *recorder) const {
  const profile::StageSpan span(recorder, k);
  exchange::Exchange &e = *operations_[k].exchanges[lane.number];
  ChunkedExchange *const in_chunks = e.chunked();
  if (in_chunks == nullptr) return e.execute(lane.send, lane.receive);
  in_chunks->start(lane.send, lane.receive);
  in_chunks->rows_written(in_chunks->send().rows);
}

void Program::end_exchange(std::size_t k, std::size_t lane, profile::Recorder *recorder) const {
  ChunkedExchange *const exchange = chunked(k, lane);
  if (exchange == nullptr) return;
  const profile::StageSpan span(recorder, k);
  exchange->finish();
}

} // namespace hybridfft::plan
