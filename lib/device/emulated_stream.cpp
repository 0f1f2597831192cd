#include "device/emulated_stream.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace hybridfft::device {

namespace {

[[noreturn]] void refuse(const std::string &why) {
  throw Error(HFFT_ERROR_INTERNAL, "emulated device: " + why);
}

} // namespace

void Mark::reach() {
  const std::lock_guard lock(mutex_);
  reached_ = true;
  changed_.notify_all();
}

bool Mark::reached() const {
  const std::lock_guard lock(mutex_);
  return reached_;
}

void Mark::wait() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return reached_; });
}

std::shared_ptr<Mark> EmulatedEvent::mark() const {
  const std::lock_guard lock(mutex_);
  return mark_;
}

void EmulatedEvent::set(std::shared_ptr<Mark> mark) {
  const std::lock_guard lock(mutex_);
  mark_ = std::move(mark);
}

std::shared_ptr<Mark> EmulatedEvent::outside_of_captures() const {
  std::shared_ptr<Mark> last = mark();
  if (last != nullptr && last->capture != nullptr)
    refuse("the event was last recorded in a capture, and is never reached");
  return last;
}

bool EmulatedEvent::reached() const {
  const std::shared_ptr<Mark> last = outside_of_captures();
  return last == nullptr || last->reached();
}

void EmulatedEvent::synchronize() const {
  if (const std::shared_ptr<Mark> last = outside_of_captures()) last->wait();
}

EmulatedStream::EmulatedStream(std::shared_ptr<EmulatedDevice> device)
    : device_(std::move(device)),
      random_(device_->options().delays.value_or(0) + device_->add(*this)),
      thread_([this] { work_off(); }) {}

EmulatedStream::~EmulatedStream() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    enqueued_.notify_all();
  }
  thread_.join();
  device_->remove(*this);
}

void EmulatedStream::work_off() {
  std::unique_lock lock(mutex_);
  for (;;) {
    enqueued_.wait(lock, [this] { return !tasks_.empty() || ends_; });
    if (tasks_.empty()) return;
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    const bool skipped = !failure_.empty() && !task.is_mark;
    busy_ = true;
    lock.unlock();
    std::string why;
    try {
      if (task.is_mark)
        task.work();
      else if (!skipped)
        perform(task.work);
    } catch (const std::exception &e) {
      why = e.what();
    } catch (...) {
      why = "an exception of unknown type";
    }
    task.work = nullptr;
    lock.lock();
    busy_ = false;
    if (failure_.empty()) failure_ = why;
    done_.notify_all();
  }
}

void EmulatedStream::perform(const Work &work) {
  delay();
  const OpenArena access(device_->fields());
  work();
}

void EmulatedStream::delay() {
  if (!device_->options().delays || random_() % 2 == 0) return;
  std::this_thread::sleep_for(std::chrono::microseconds(random_() % 300));
}

void EmulatedStream::enqueue(Task task) {
  const std::lock_guard lock(mutex_);
  tasks_.push_back(std::move(task));
  enqueued_.notify_all();
}

void EmulatedStream::throw_failure(const char *call) {
  const std::lock_guard lock(mutex_);
  if (!failure_.empty()) refuse("work failed: " + failure_ + " (found by " + call + ")");
}

void EmulatedStream::run(std::function<void()> work) {
  throw_failure("run");
  if (capture_ == nullptr) return enqueue({std::move(work), false});
  capture_->works.push_back(std::move(work));
  ++capture_->branches[this].works;
}

void EmulatedStream::copy(void *to, const void *from, std::size_t bytes) {
  throw_failure("copy");
  if (bytes == 0) return;
  device_->check("copy to the last", to, bytes);
  device_->check("copy from", from, bytes);
  const auto is_asynchronous = [&](const void *memory) {
    return device_->has(memory, bytes) || device_->is_pinned(memory, bytes);
  };
  const bool waits = !is_asynchronous(to) || !is_asynchronous(from);
  if (waits && capture_ != nullptr)
    refuse("copies of memory that is not pinned cannot be captured");
  const bool spoils = device_->options().delays && !device_->has(to, bytes);
  run([this, to, from, bytes, spoils] {
    if (spoils) {
      std::memset(to, 0xff, bytes);
      delay();
    }
    std::memcpy(to, from, bytes);
  });
  if (!waits) return;
  drain();
  throw_failure("copy");
}

void EmulatedStream::clear(void *memory, std::size_t bytes) {
  throw_failure("clear");
  if (bytes == 0) return;
  device_->check_own("clearing", memory, bytes);
  run([memory, bytes] { std::memset(memory, 0, bytes); });
}

void EmulatedStream::record(Event &event) {
  throw_failure("record");
  auto mark = std::make_shared<Mark>();
  if (capture_ != nullptr) {
    mark->capture = capture_;
    mark->stream = this;
    mark->works_before = capture_->branches[this].works;
  } else {
    enqueue({[mark] { mark->reach(); }, true});
  }
  static_cast<EmulatedEvent &>(event).set(mark);
}

void EmulatedStream::wait(const Event &event) {
  throw_failure("wait");
  const std::shared_ptr<Mark> mark = static_cast<const EmulatedEvent &>(event).mark();
  if (mark == nullptr) return;
  if (mark->capture == nullptr) {
    if (capture_ != nullptr) refuse("captured work cannot wait for an event outside of its graph");
    return enqueue({[mark] { mark->wait(); }, true});
  }
  if (mark->capture->finished) refuse("the event was last recorded in a capture");
  if (capture_ != nullptr && capture_ != mark->capture) refuse("two captures wait for each other");
  capture_ = mark->capture;
  capture_->branches.try_emplace(this);
  std::size_t &awaited = capture_->branches[mark->stream].awaited;
  if (mark->stream != this) awaited = std::max(awaited, mark->works_before);
}

void EmulatedStream::drain() {
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return tasks_.empty() && !busy_; });
}

void EmulatedStream::synchronize() {
  if (capture_ != nullptr) refuse("the host cannot wait for work that is being captured");
  drain();
  throw_failure("synchronize");
  device_->check_damage();
}

std::shared_ptr<Capture> EmulatedStream::capture(const std::function<void()> &work) {
  throw_failure("capture");
  if (capture_ != nullptr) refuse("a capture within a capture");
  const auto capture = std::make_shared<Capture>();
  capture_ = capture;
  capture->branches.try_emplace(this);
  const auto finish = [&] {
    for (const auto &[stream, branch] : capture->branches)
      stream->capture_ = nullptr;
    capture->finished = true;
  };
  try {
    work();
  } catch (...) {
    finish();
    throw;
  }
  finish();
  for (const auto &[stream, branch] : capture->branches)
    if (stream != this && branch.awaited < branch.works)
      refuse("the captured stream does not wait for the end of another's work");
  return capture;
}

void EmulatedGraph::launch(Stream &stream) {
  for (const Work &work : capture_->works)
    stream.run(work);
}

} // namespace hybridfft::device
