/// Streams, events and graphs of the emulated device.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "device/emulated_device.h"

namespace hybridfft::device {

using Work = std::function<void()>;

/// Captured work, in the order in which it was enqueued, which is one that its events allow.
struct Capture {
  struct Branch {
    std::size_t works = 0;
    std::size_t awaited = 0; ///< number of the works, from the first, that another stream waits for
  };
  std::vector<Work> works;
  std::map<EmulatedStream *, Branch> branches; ///< streams that take part
  bool finished = false;
};

/// A point in a stream that the host and other streams can wait for. Thread-safe.
class Mark {
public:
  void reach();
  bool reached() const;
  void wait() const;

  /// A point in a capture: its stream, and the number of works of this stream before it.
  std::shared_ptr<Capture> capture;
  EmulatedStream *stream = nullptr;
  std::size_t works_before = 0;

private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool reached_ = false;
};

/// An event: the mark of its last record.
class EmulatedEvent final : public Event {
public:
  explicit EmulatedEvent(std::shared_ptr<EmulatedDevice> device) : device_(std::move(device)) {}

  /// Both throw Error(HFFT_ERROR_INTERNAL) when work failed, or when the last record was captured.
  bool reached() const override;
  void synchronize() const override;

  /// The last record; nullptr when there is none.
  std::shared_ptr<Mark> mark() const;
  void set(std::shared_ptr<Mark> mark);

private:
  std::shared_ptr<Mark> mark_for_host() const;

  std::shared_ptr<EmulatedDevice> device_;
  mutable std::mutex mutex_;
  std::shared_ptr<Mark> mark_;
};

/// A thread that does the enqueued work, one after the other, and sleeps while there is none.
class EmulatedStream final : public Stream {
public:
  explicit EmulatedStream(std::shared_ptr<EmulatedDevice> device);
  /// Waits until all is done.
  ~EmulatedStream() override;
  EmulatedStream(const EmulatedStream &) = delete;
  EmulatedStream &operator=(const EmulatedStream &) = delete;

  void copy(void *to, const void *from, std::size_t bytes) override;
  void clear(void *memory, std::size_t bytes) override;
  void record(Event &event) override;
  void wait(const Event &event) override;
  void synchronize() override;
  using Stream::run;
  void run(std::function<void()> work) override;

  /// The host waits, whether work fails or not.
  void drain();
  /// Captures the tasks that `work` enqueues. Throws Error(HFFT_ERROR_INTERNAL) when this stream
  /// does not wait for all that others do.
  std::shared_ptr<const Capture> capture(const std::function<void()> &work);

private:
  struct Task {
    Work work;
    bool always; ///< also when work failed before: other streams or the host wait for it
  };

  void serve();
  void perform(const Task &task);
  void delay();
  void enqueue(Task task);

  std::shared_ptr<EmulatedDevice> device_;
  std::shared_ptr<Capture> capture_; ///< takes the enqueued work, if there is one
  std::mt19937_64 random_;           ///< random numbers of the thread

  std::mutex mutex_; ///< guards the members up to ends_
  std::condition_variable enqueued_, done_;
  std::deque<Task> tasks_;
  bool busy_ = false;
  bool ends_ = false;

  std::thread thread_;
};

/// A graph: captured work, which the launching stream does in order.
class EmulatedGraph final : public Graph {
public:
  explicit EmulatedGraph(std::shared_ptr<const Capture> capture) : capture_(std::move(capture)) {}
  void launch(Stream &stream) override;

private:
  std::shared_ptr<const Capture> capture_;
};

} // namespace hybridfft::device
