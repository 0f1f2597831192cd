#include "device/emulated_device.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "base/error.h"

namespace hybridfft::device {

void refuse(const std::string &why) { throw Error(HFFT_ERROR_INTERNAL, "emulated device: " + why); }

EmulatedDevice::EmulatedDevice(const EmulatedOptions &options)
    : options_(options), fields_(options.bytes, Arena::Access::when_open),
      messages_(options.bytes, Arena::Access::always) {}

MemoryInfo EmulatedDevice::memory() const {
  const std::lock_guard lock(mutex_);
  return {options_.bytes, options_.bytes - taken_};
}

void *EmulatedDevice::allocate(Arena &arena, std::size_t bytes) {
  if (bytes == 0) return nullptr;
  const std::lock_guard lock(mutex_);
  const std::size_t free = options_.bytes - taken_;
  // Tests `bytes` first, since a number near the largest integer would overflow in Arena::taken().
  const bool fits = bytes <= free && Arena::taken(bytes) <= free;
  void *memory = fits ? arena.allocate(bytes) : nullptr;
  if (memory == nullptr)
    throw Error(HFFT_ERROR_OUT_OF_MEMORY,
                "memory of the emulated device: " + std::to_string(bytes) + " bytes wanted, " +
                    std::to_string(free) + " of " + std::to_string(options_.bytes) + " are free");
  taken_ += Arena::taken(bytes);
  return memory;
}

void EmulatedDevice::deallocate(void *memory) noexcept {
  if (memory == nullptr) return;
  await_streams();
  const std::lock_guard lock(mutex_);
  const std::size_t bytes = fields_.deallocate(memory);
  taken_ -= bytes > 0 ? bytes : messages_.deallocate(memory);
}

void EmulatedDevice::pin(const void *memory, std::size_t bytes) {
  if (bytes > 0 && !pinned_.add(memory, bytes)) refuse("memory of the host is pinned twice");
}

void EmulatedDevice::unpin(const void *memory) noexcept { pinned_.remove(memory); }

bool EmulatedDevice::is_pinned(const void *memory, std::size_t bytes) const {
  return pinned_.contain(memory, bytes);
}

bool EmulatedDevice::has(const void *memory, std::size_t bytes) const {
  return fields_.meets(memory, bytes) || messages_.meets(memory, bytes);
}

void EmulatedDevice::check(const std::string &use, const void *memory, std::size_t bytes) const {
  for (const Arena *arena : {&fields_, &messages_}) {
    if (!arena->meets(memory, bytes)) continue;
    if (const std::string where = arena->fault(memory, bytes); !where.empty())
      refuse(use + ": " + std::to_string(bytes) + " bytes " + where);
  }
}

void EmulatedDevice::check_own(const std::string &use, const void *memory,
                               std::size_t bytes) const {
  if (!has(memory, bytes))
    refuse(use + ": " + std::to_string(bytes) + " bytes that are not the device's");
  check(use, memory, bytes);
}

void EmulatedDevice::check_damage() {
  for (Arena *arena : {&fields_, &messages_})
    if (const std::string damage = arena->damage(); !damage.empty()) refuse(damage);
}

void EmulatedDevice::fail(const std::string &why) {
  const std::lock_guard lock(mutex_);
  if (!failed_.exchange(true)) failure_ = why;
}

void EmulatedDevice::check_failure(const char *call) const {
  if (!failed_) return;
  const std::lock_guard lock(mutex_);
  refuse("work failed: " + failure_ + "; found by " + call);
}

unsigned EmulatedDevice::add(EmulatedStream &stream) {
  const std::lock_guard lock(streams_mutex_);
  streams_.insert(&stream);
  return streams_made_++;
}

void EmulatedDevice::remove(EmulatedStream &stream) noexcept {
  const std::lock_guard lock(streams_mutex_);
  streams_.erase(&stream);
}

void EmulatedDevice::await_streams() {
  const std::lock_guard lock(streams_mutex_);
  for (EmulatedStream *stream : streams_)
    stream->drain();
}

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

std::shared_ptr<Mark> EmulatedEvent::mark_for_host() const {
  std::shared_ptr<Mark> last = mark();
  if (last != nullptr && last->capture != nullptr)
    refuse("the host asks for an event whose last record was captured");
  return last;
}

bool EmulatedEvent::reached() const {
  const std::shared_ptr<Mark> last = mark_for_host();
  const bool reached = last == nullptr || last->reached();
  device_->check_failure("an event");
  return reached;
}

void EmulatedEvent::synchronize() const {
  if (const std::shared_ptr<Mark> last = mark_for_host()) last->wait();
  device_->check_failure("an event");
}

EmulatedStream::EmulatedStream(std::shared_ptr<EmulatedDevice> device)
    : device_(std::move(device)),
      random_(device_->options().delays.value_or(0) + device_->add(*this)) {
  try {
    thread_ = std::thread([this] { serve(); });
  } catch (...) {
    device_->remove(*this);
    throw;
  }
}

EmulatedStream::~EmulatedStream() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    enqueued_.notify_all();
  }
  thread_.join();
  device_->remove(*this);
}

void EmulatedStream::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    enqueued_.wait(lock, [this] { return !tasks_.empty() || ends_; });
    if (tasks_.empty()) return;
    busy_ = true;
    {
      const Task task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      perform(task);
    }
    lock.lock();
    busy_ = false;
    done_.notify_all();
  }
}

void EmulatedStream::perform(const Task &task) {
  try {
    if (task.always) {
      task.work();
    } else if (!device_->failed()) {
      delay();
      const OpenArena access(device_->fields());
      task.work();
    }
  } catch (const std::exception &e) {
    device_->fail(e.what());
  } catch (...) {
    device_->fail("an exception of unknown type");
  }
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

void EmulatedStream::run(std::function<void()> work) {
  device_->check_failure("run");
  if (capture_ == nullptr) return enqueue({std::move(work), false});
  capture_->works.push_back(std::move(work));
  ++capture_->branches[this].works;
}

void EmulatedStream::copy(void *to, const void *from, std::size_t bytes) {
  device_->check_failure("copy");
  if (bytes == 0) return;
  device_->check("target of a copy", to, bytes);
  device_->check("source of a copy", from, bytes);
  const auto is_waited_for = [&](const void *memory) {
    return !device_->has(memory, bytes) && !device_->is_pinned(memory, bytes);
  };
  const bool waits = is_waited_for(to) || is_waited_for(from);
  if (waits && capture_ != nullptr)
    refuse("copies of memory that is not pinned cannot be captured");
  // Overwrites the target with NaN first. If the host or MPI reads it too early, it gets NaN.
  if (device_->options().delays && !device_->fields().meets(to, bytes))
    run([to, bytes] { std::memset(to, 0xff, bytes); });
  run([to, from, bytes] { std::memcpy(to, from, bytes); });
  if (!waits) return;
  drain();
  device_->check_failure("copy");
}

void EmulatedStream::clear(void *memory, std::size_t bytes) {
  device_->check_failure("clear");
  if (bytes == 0) return;
  device_->check_own("memory to clear", memory, bytes);
  run([memory, bytes] { std::memset(memory, 0, bytes); });
}

void EmulatedStream::record(Event &event) {
  device_->check_failure("record");
  const auto mark = std::make_shared<Mark>();
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
  device_->check_failure("wait");
  const std::shared_ptr<Mark> mark = static_cast<const EmulatedEvent &>(event).mark();
  if (mark == nullptr) return;
  if (mark->capture == nullptr) {
    if (capture_ != nullptr) refuse("captured work waits for an event that was not captured");
    return enqueue({[mark] { mark->wait(); }, true});
  }
  if (mark->capture->finished || (capture_ != nullptr && capture_ != mark->capture))
    refuse("a stream waits for an event that was recorded in another capture");
  capture_ = mark->capture;
  capture_->branches.try_emplace(this);
  if (mark->stream == this) return;
  std::size_t &awaited = capture_->branches[mark->stream].awaited;
  awaited = std::max(awaited, mark->works_before);
}

void EmulatedStream::drain() {
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return tasks_.empty() && !busy_; });
}

void EmulatedStream::synchronize() {
  if (capture_ != nullptr) refuse("the host waits for work that is being captured");
  drain();
  device_->check_failure("synchronize");
  device_->check_damage();
}

std::shared_ptr<const Capture> EmulatedStream::capture(const std::function<void()> &work) {
  device_->check_failure("capture");
  if (capture_ != nullptr) refuse("a capture begins within another");
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
      refuse("a captured stream does not wait for work of another that takes part");
  return capture;
}

void EmulatedGraph::launch(Stream &stream) {
  for (const Work &work : capture_->works)
    stream.run(work);
}

} // namespace hybridfft::device
