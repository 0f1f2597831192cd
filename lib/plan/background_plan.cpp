#include "plan/background_plan.h"

#include <thread>

#include "base/error.h"

namespace hybridfft::plan {

std::size_t BackgroundPlan::work_size() {
  std::size_t bytes = 0;
  for (const Memory *m : buffers())
    bytes += whole_lines(m->bytes());
  return bytes;
}

void BackgroundPlan::share(std::shared_ptr<WorkSpace> work) {
  work->reserve(work_size(), threads());
  std::size_t offset = 0;
  for (Memory *m : buffers()) {
    m->borrow(work->base(), offset);
    offset += whole_lines(m->bytes());
  }
  work_space_ = std::move(work);
}

void BackgroundPlan::execute(void *in, void *out) {
  require_under_way(false);
  if (work_space_) work_space_->require_free();
  const ExecutionSpan execution(recorder_.get());
  sequence().execute(addresses(in, out), recorder_.get());
}

Recorder &BackgroundPlan::recorder() {
  if (!recorder_) recorder_ = std::make_unique<Recorder>(stages_);
  return *recorder_;
}

void BackgroundPlan::require_under_way(bool expected) const {
  if (under_way() == expected) return;
  throw Failure(HFFT_ERROR_ARGUMENT,
                expected ? "no execution of the plan has been started"
                         : "an execution of the plan has been started and not been waited for");
}

void BackgroundPlan::end() {
  leave();
  if (work_space_) work_space_->in_use = false;
  comm()->return_tag_slot(execution_.number);
  execution_ = {};
  sequence().number(0);
}

void BackgroundPlan::tell_failure() {
  if (!execution_.failure) return;
  const std::exception_ptr failure = execution_.failure;
  end();
  std::rethrow_exception(failure);
}

void BackgroundPlan::advance(bool goes_on, bool waits) noexcept {
  Execution &e = execution_;
  try {
    const ExecutionSpan span(recorder_.get(), goes_on);
    e.done = sequence().advance(e.progress, e.addresses, recorder_.get(), waits);
  } catch (...) {
    e.failure = std::current_exception();
    e.done = true;
  }
}

void BackgroundPlan::progress() noexcept {
  if (!execution_.done && sequence().ready(execution_.progress)) advance(true, false);
}

void BackgroundPlan::start(void *in, void *out) {
  require_under_way(false);
  if (work_space_) work_space_->require_free();
  const int number = comm()->take_tag_slot();
  // This call waits for other ranks then, which may first wait for what has been started before.
  if (!sequence().returns()) complete_all();
  execution_ = {number, addresses(in, out), {}, false, nullptr};
  sequence().number(execution_.number);
  if (work_space_) work_space_->in_use = true;
  enter();
  advance(false, !sequence().returns());
  tell_failure();
}

bool BackgroundPlan::test() {
  require_under_way(true);
  progress_all();
  tell_failure();
  return execution_.done;
}

void BackgroundPlan::wait() {
  require_under_way(true);
  if (!execution_.done && alone()) advance(true, true);
  // Other ranks may wait for what is under way here beside this.
  while (!execution_.done) {
    progress_all();
    std::this_thread::yield();
  }
  tell_failure();
  end();
}

} // namespace hybridfft::plan
