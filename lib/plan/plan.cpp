#include "plan/plan.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <thread>

#include "base/error.h"
#include "plan/choice.h"
#include "plan/machine.h"
#include "plan/problem.h"
#include "wisdom/store.h"

namespace hybridfft::plan {

namespace {

WorkingRanks ranks_of_path(const Path &path, int all) {
  WorkingRanks ranks{0, all};
  for (const PathStage &stage : path) {
    int working = 0;
    for (int r = 0; r < all; ++r)
      working += stage.distribution->box(r, stage.extents).points() > 0 ? 1 : 0;
    ranks = {std::max(ranks.most, working), std::min(ranks.fewest, working)};
  }
  return ranks;
}

/// Indents each line by two more blanks.
std::string indented(const std::string &lines) {
  std::string text;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size() - 1) + 1;
    text += "  " + lines.substr(at, end - at);
    at = end;
  }
  return text;
}

std::string words_of(const Problem &p, bool between_slabs, bool round_trip) {
  std::string text = "hybridfft " + title(p);
  if (round_trip) text += ", work, and back";
  if (p.howmany() > 1) text += " x " + std::to_string(p.howmany());
  if (!p.axes.empty())
    text += p.real_bytes == sizeof(float) ? ", single precision" : ", double precision";
  text += p.in_place ? ", in place" : ", out of place";
  if (between_slabs && p.in.axes().front().axis == 1) text += ", transposed in";
  if (between_slabs && p.out.axes().front().axis == 1) text += ", transposed out";
  if (p.wire != exchange::WireFormat::full)
    text += std::string(", ") + exchange::name(p.wire) + " precision on the wire";
  return text + "\n";
}

} // namespace

/// List of the active executions of the process. The mutex protects the list, the owners and the
/// flags.
struct Background::List {
  std::mutex mutex;
  Background *first = nullptr;
  /// True if threads may call MPI at the same time.
  bool threaded = [] {
    int level = MPI_THREAD_SINGLE;
    MPI_Query_thread(&level);
    return level == MPI_THREAD_MULTIPLE;
  }();
};

Background::List &Background::list() noexcept {
  static List of_process;
  return of_process;
}

bool Background::is_mine() const noexcept {
  return !list().threaded || owner_ == std::this_thread::get_id();
}

void Background::progress_all() noexcept {
  std::unique_lock lock(list().mutex);
  // No execution leaves the list while its progress() runs, so its next_ remains valid.
  for (Background *b = list().first; b != nullptr; b = b->next_) {
    if (!b->is_mine()) continue;
    b->progressing_ = true;
    lock.unlock();
    b->progress();
    lock.lock();
    b->progressing_ = false;
  }
}

void Background::complete_all() noexcept {
  const auto all = [] {
    const std::lock_guard lock(list().mutex);
    for (const Background *b = list().first; b != nullptr; b = b->next_)
      if (b->is_mine() && !b->complete()) return false;
    return true;
  };
  while (!all()) {
    progress_all();
    std::this_thread::yield();
  }
}

void Background::enter() noexcept {
  const std::lock_guard lock(list().mutex);
  owner_ = std::this_thread::get_id();
  next_ = list().first;
  previous_ = &list().first;
  if (next_ != nullptr) next_->previous_ = &next_;
  list().first = this;
}

void Background::leave() noexcept {
  if (previous_ == nullptr) return;
  const std::lock_guard lock(list().mutex);
  *previous_ = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
  previous_ = nullptr;
}

void Background::adopt() noexcept {
  std::unique_lock lock(list().mutex);
  while (progressing_ && !is_mine()) {
    lock.unlock();
    std::this_thread::yield();
    lock.lock();
  }
  owner_ = std::this_thread::get_id();
}

bool Background::alone() const noexcept {
  const std::lock_guard lock(list().mutex);
  for (const Background *b = list().first; b != nullptr; b = b->next_)
    if (b != this && b->is_mine()) return false;
  return true;
}

Addresses Plan::addresses(void *in, void *out) const {
  return {static_cast<std::byte *>(in), static_cast<std::byte *>(out), parts_.work.data(),
          parts_.offsets.data()};
}

void Plan::share(std::shared_ptr<WorkMemory> work) {
  work->reserve(work_size(), problem().threads);
  parts_.work.borrow(work->base(), 0);
  work_space_ = std::move(work);
}

std::size_t Plan::work_bytes() const {
  std::map<const std::byte *, std::size_t> windows; // exchanges may use the same memory
  for (const Operation &o : parts_.program.operations())
    for (const auto &e : o.exchanges)
      if (e->window() != nullptr) windows.emplace(e->window(), e->window_bytes());
  std::size_t bytes = parts_.work.owned() + scratch_bytes();
  for (const auto &[window, of_window] : windows)
    bytes += of_window;
  return bytes;
}

std::size_t Plan::scratch_bytes() const {
  std::size_t bytes = 0;
  for (const Operation &o : parts_.program.operations()) {
    if (o.pass) bytes += o.pass->scratch_bytes();
    for (const auto &e : o.exchanges)
      bytes += e->scratch_bytes();
  }
  return bytes;
}

WorkingRanks Plan::working_ranks() const {
  return ranks_of_path(parts_.path->path, comm()->size());
}

std::string Plan::describe() const {
  const WorkingRanks ranks = working_ranks();
  const Path &path = parts_.path->path;
  std::string text = words_of(problem(), planes_of(path) != nullptr, parts_.round_trip);
  text += "  " + std::to_string(comm()->size()) + " ranks (" + std::to_string(ranks.fewest) +
          " to " + std::to_string(ranks.most) + " with data) x " +
          std::to_string(problem().threads) + " threads, " + std::to_string(work_bytes()) +
          " bytes of work space on rank " + std::to_string(comm()->rank()) + "\n" +
          indented(describe_isa(problem().isa) + notes + wisdom::describe_unsaved());
  text += "  layouts: " + plan::describe(path) + "\n";
  for (std::size_t k = 0; k < parts_.stages.size(); ++k)
    text += "  " + std::to_string(k + 1) + ". " + parts_.program.describe(k) + "; " +
            profile::describe_lines(parts_.stages[k]) +
            std::to_string(std::llround(parts_.stages[k].bytes)) + " bytes\n";
  return text;
}

profile::Recorder &Plan::recorder() {
  if (!recorder_) recorder_ = std::make_unique<profile::Recorder>(parts_.stages);
  return *recorder_;
}

void Plan::trace_into(profile::Trace &trace) {
  std::vector<std::string> details;
  for (std::size_t k = 0; k < parts_.stages.size(); ++k)
    details.push_back(parts_.program.describe(k));
  recorder().trace_into(trace, title(problem()), details);
}

void Plan::execute(void *in, void *out) {
  require_active(false);
  if (work_space_) work_space_->require_free();
  const profile::ExecutionSpan execution(recorder_.get());
  Progress progress;
  run(progress, addresses(in, out), true);
}

/// Advances the program. If it fails, cancels its messages, so that none arrives in the buffers
/// afterwards.
bool Plan::run(Progress &progress, const Addresses &addresses, bool waits) {
  try {
    return parts_.program.advance(progress, addresses, recorder_.get(), waits);
  } catch (...) {
    comm()->keep();
    if (!parts_.program.cancel()) {
      parts_.work.leave();
      if (work_space_) work_space_->leave();
    }
    throw;
  }
}

void Plan::require_active(bool expected) const {
  require(active() == expected, HFFT_ERROR_ARGUMENT,
          expected ? "no execution of the plan has been started"
                   : "an execution of the plan has been started and not been waited for");
}

void Plan::end() {
  leave();
  if (work_space_) work_space_->in_use = false;
  execution_ = {};
  parts_.program.tag_slot(0);
}

void Plan::rethrow_failure() {
  if (!execution_.failure) return;
  const std::exception_ptr failure = execution_.failure;
  end();
  std::rethrow_exception(failure);
}

void Plan::advance(bool continued, bool waits) noexcept {
  ActiveExecution &e = execution_;
  try {
    const profile::ExecutionSpan span(recorder_.get(), continued);
    e.done = run(e.progress, e.addresses, waits);
  } catch (...) {
    e.failure = std::current_exception();
    e.done = true;
  }
}

void Plan::progress() noexcept {
  if (!execution_.done && parts_.program.ready(execution_.progress)) advance(true, false);
}

void Plan::start(void *in, void *out) {
  require_active(false);
  if (work_space_) work_space_->require_free();
  if (!tag_slot_) tag_slot_.emplace(comm());
  // If returns() is false, advance() waits for other ranks. They may wait for executions started
  // earlier on this rank, so complete these first.
  const bool returns = parts_.program.returns();
  if (!returns) complete_all();
  execution_ = {true, addresses(in, out), {}, false, nullptr};
  parts_.program.tag_slot(tag_slot_->number());
  if (work_space_) work_space_->in_use = true;
  enter();
  advance(false, !returns);
  rethrow_failure();
}

bool Plan::test() {
  require_active(true);
  adopt();
  progress_all();
  rethrow_failure();
  return execution_.done;
}

void Plan::wait() {
  require_active(true);
  adopt();
  if (!execution_.done && alone()) advance(true, true);
  // Advance all executions, because other ranks may wait for other active plans of this rank.
  while (!execution_.done) {
    progress_all();
    std::this_thread::yield();
  }
  rethrow_failure();
  end();
}

} // namespace hybridfft::plan
