#include "plan/pipeline.h"

#include <algorithm>
#include <array>

#include "plan/recorder.h"

namespace hybridfft::plan {

namespace {

using exchange::ChunkedExchange;

/// The ends of chunks, rounded up to where the pass may be cut.
void add_ends(const std::vector<std::ptrdiff_t> &chunks, const local::Pass &pass,
              std::vector<std::ptrdiff_t> &ends) {
  const std::ptrdiff_t unit = pass.row_unit();
  for (const std::ptrdiff_t end : chunks)
    ends.push_back(std::min((end + unit - 1) / unit * unit, pass.rows()));
}

/// Ascending, the last one at the end of the rows, at least `least` rows apart: a portion keeps
/// all threads at work.
std::vector<std::ptrdiff_t> spaced(std::vector<std::ptrdiff_t> ends, std::ptrdiff_t rows,
                                   std::ptrdiff_t least) {
  std::sort(ends.begin(), ends.end());
  std::vector<std::ptrdiff_t> kept;
  for (const std::ptrdiff_t end : ends)
    if (end - (kept.empty() ? 0 : kept.back()) >= least && rows - end >= least) kept.push_back(end);
  kept.push_back(rows);
  return kept;
}

const char *name_of(Place p) {
  constexpr std::array names{"in", "out", "work", "work2", "window", "window2", "work3"};
  return names[static_cast<std::size_t>(p)];
}

} // namespace

std::string describe(const Step &s) {
  std::string text = std::string(name_of(s.source)) + " -> " + name_of(s.destination) + ": ";
  if (!s.exchange) return text + s.pass->describe();
  text += "exchange " + s.exchange->describe();
  if (s.receives_early && s.sends_late) return text + ", during the passes before and after";
  if (s.receives_early) return text + ", during the pass before";
  if (s.sends_late) return text + ", during the pass after";
  return text;
}

Pipeline::Pipeline(std::vector<Step> steps, int threads) : steps_(std::move(steps)) {
  for (std::size_t k = 0; k < steps_.size(); ++k)
    portions_.push_back(portions_of(k, threads));
}

Pipeline::Portions Pipeline::portions_of(std::size_t k, int threads) const {
  Portions p;
  if (!steps_[k].pass) return p;
  const local::Pass &pass = *steps_[k].pass;
  if (k > 0 && steps_[k - 1].sends_late) p.before = steps_[k - 1].exchange->chunked();
  if (k + 1 < steps_.size() && steps_[k + 1].receives_early)
    p.after = steps_[k + 1].exchange->chunked();
  if (p.before != nullptr) add_ends(p.before->receive_ends(), pass, p.ends);
  if (p.after != nullptr) add_ends(p.after->send_ends(), pass, p.ends);
  p.ends = spaced(std::move(p.ends), pass.rows(), threads * pass.row_unit());
  return p;
}

bool Pipeline::advance(Progress &progress, const Addresses &addresses, Recorder *recorder,
                       bool waits) const {
  try {
    return go_on(progress, addresses, recorder, waits);
  } catch (...) {
    for (const Step &s : steps_)
      if (s.exchange && s.exchange->chunked() != nullptr) s.exchange->chunked()->cancel();
    throw;
  }
}

bool Pipeline::go_on(Progress &progress, const Addresses &addresses, Recorder *recorder,
                     bool waits) const {
  for (; progress.step < steps_.size(); ++progress.step) {
    const std::size_t k = progress.step;
    if (steps_[k].pass) {
      run_pass(k, addresses, recorder);
      continue;
    }
    const StageSpan span(recorder, k);
    if (!progress.sent) begin_exchange(k, addresses);
    progress.sent = true;
    if (!waits && !ready(progress)) return false;
    end_exchange(k);
    progress.sent = false;
  }
  return true;
}

bool Pipeline::ready(const Progress &progress) const noexcept {
  if (!progress.sent) return true;
  ChunkedExchange *chunked = steps_[progress.step].exchange->chunked();
  return chunked == nullptr || chunked->complete();
}

void Pipeline::number(int execution) const {
  for (const Step &s : steps_)
    if (s.exchange && s.exchange->chunked() != nullptr) s.exchange->chunked()->tag_slot(execution);
}

bool Pipeline::returns() const {
  return std::all_of(steps_.begin(), steps_.end(),
                     [](const Step &s) { return !s.exchange || s.exchange->chunked() != nullptr; });
}

void Pipeline::run_pass(std::size_t k, const Addresses &addresses, Recorder *recorder) const {
  const Step &step = steps_[k];
  const Portions &p = portions_[k];
  // What exchanges do meanwhile is their time. Polls are too many and too short for a trace.
  const auto exchanging = [recorder](bool works, std::size_t exchange, const auto &f) {
    if (!works) return;
    const StageSpan span(recorder, exchange);
    f();
  };
  const bool waits = k + 1 < steps_.size() && steps_[k + 1].exchange &&
                     steps_[k + 1].exchange->window() != nullptr;
  exchanging(waits, k + 1, [&] { steps_[k + 1].exchange->begin(); });
  exchanging(p.after != nullptr, k + 1, [&] {
    p.after->start(at(addresses, steps_[k + 1].source), at(addresses, steps_[k + 1].destination));
  });
  auto progress = [&p, recorder, k] {
    if (p.before != nullptr) {
      const StageSpan span(recorder, k - 1, StageSpan::Trace::no);
      p.before->poll();
    }
    if (p.after != nullptr) {
      const StageSpan span(recorder, k + 1, StageSpan::Trace::no);
      p.after->poll();
    }
  };
  const Poll poll = p.before != nullptr || p.after != nullptr ? Poll(progress) : Poll();
  std::ptrdiff_t first = 0;
  for (const std::ptrdiff_t end : p.ends) {
    exchanging(p.before != nullptr, k - 1, [&] { p.before->wait_rows(end); });
    if (first < end) {
      const StageSpan span(recorder, k);
      step.pass->execute(at(addresses, step.source), at(addresses, step.destination), {first, end},
                         poll);
    }
    exchanging(p.after != nullptr, k + 1, [&] { p.after->rows_written(end); });
    first = end;
  }
  exchanging(p.before != nullptr, k - 1, [&] { p.before->finish(); });
}

void Pipeline::begin_exchange(std::size_t k, const Addresses &addresses) const {
  const Step &step = steps_[k];
  std::byte *source = at(addresses, step.source);
  std::byte *destination = at(addresses, step.destination);
  ChunkedExchange *chunked = step.exchange->chunked();
  if (chunked == nullptr) {
    step.exchange->execute(source, destination);
  } else if (!step.receives_early) {
    chunked->start(source, destination);
    chunked->rows_written(chunked->send().rows);
  }
}

void Pipeline::end_exchange(std::size_t k) const {
  ChunkedExchange *chunked = steps_[k].exchange->chunked();
  if (chunked != nullptr && !steps_[k].sends_late) chunked->finish();
}

} // namespace hybridfft::plan
