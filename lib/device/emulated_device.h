/// State shared by the streams, events and transforms of one emulated device.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "device/arena.h"
#include "device/emulated.h"

namespace hybridfft::device {

class EmulatedStream;

/// Memory, pinned ranges and failure of one emulated device. Thread-safe. Owned jointly by the
/// streams, events and transforms.
class EmulatedDevice {
public:
  /// \throws Error(HFFT_ERROR_OUT_OF_MEMORY)
  explicit EmulatedDevice(const EmulatedOptions &options);

  const EmulatedOptions &options() const { return options_; }

  /// fields() is memory that only enqueued work may access; messages() is memory that MPI may
  /// access, too.
  Arena &fields() { return fields_; }
  Arena &messages() { return messages_; }
  /// Implement the members of Runtime; `arena` is fields() or messages().
  void *allocate(Arena &arena, std::size_t bytes);
  void deallocate(void *memory) noexcept;
  MemoryInfo memory() const;

  /// Implement the members of Runtime; is_pinned() is true if all the bytes are pinned.
  void pin(const void *memory, std::size_t bytes);
  void unpin(const void *memory) noexcept;
  bool is_pinned(const void *memory, std::size_t bytes) const;

  /// True if any of these bytes belongs to the device.
  bool has(const void *memory, std::size_t bytes) const;
  /// Throws Error(HFFT_ERROR_INTERNAL) if some of these bytes belong to the device, but not all of
  /// them lie in one allocation.
  /// \param use purpose of the bytes, for error messages
  void check(const std::string &use, const void *memory, std::size_t bytes) const;
  /// Like check(), but also throws if none of the bytes belongs to the device.
  void check_own(const std::string &use, const void *memory, std::size_t bytes) const;
  /// Throws Error(HFFT_ERROR_INTERNAL) if work wrote just outside of an allocation.
  void check_damage();

  /// Records a failure of enqueued work, after which no work runs.
  void fail(const std::string &why);
  bool failed() const { return failed_; }
  /// Throws Error(HFFT_ERROR_INTERNAL) if enqueued work has failed.
  /// \param call name of the calling function, for the message
  void check_failure(const char *call) const;

  /// add() registers a stream and returns its number; remove() removes it. Called by the stream's
  /// constructor and destructor.
  unsigned add(EmulatedStream &stream);
  void remove(EmulatedStream &stream) noexcept;

private:
  void await_streams();

  EmulatedOptions options_;
  Arena fields_, messages_;
  std::atomic<bool> failed_{false};

  AddressRanges pinned_;

  mutable std::mutex mutex_; ///< guards taken_ and failure_
  std::size_t taken_ = 0;    ///< bytes used in both arenas
  std::string failure_;

  std::mutex streams_mutex_; ///< guards streams_ and streams_made_
  std::set<EmulatedStream *> streams_;
  unsigned streams_made_ = 0;
};

/// Throws Error(HFFT_ERROR_INTERNAL).
[[noreturn]] void refuse(const std::string &why);

// Streams, events and graphs of the emulated device. A stream is a thread with a queue of tasks.

using Work = std::function<void()>;

/// Captured tasks of all streams of a capture, in the order of enqueuing. A task that waits for an
/// event comes after the tasks recorded before this event.
struct Capture {
  struct Branch {
    std::size_t works = 0;
    std::size_t awaited = 0; ///< number of tasks, from the first one on, awaited by another stream
  };
  std::vector<Work> works;
  std::map<EmulatedStream *, Branch> branches; ///< the streams that take part in the capture
  bool finished = false;
};

/// A point in a stream. The host and other streams can wait for it. Thread-safe.
class Mark {
public:
  void reach();
  bool reached() const;
  void wait() const;

  /// Position in a capture: the stream, and the number of its tasks before this point.
  std::shared_ptr<Capture> capture;
  EmulatedStream *stream = nullptr;
  std::size_t works_before = 0;

private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool reached_ = false;
};

/// An event: the point in a stream at which it was last recorded.
class EmulatedEvent final : public Event {
public:
  explicit EmulatedEvent(std::shared_ptr<EmulatedDevice> device) : device_(std::move(device)) {}

  /// reached() and synchronize() throw Error(HFFT_ERROR_INTERNAL) if work has failed, or if the
  /// last record was captured.
  bool reached() const override;
  void synchronize() const override;

  /// The point of the last record; nullptr if there is none.
  std::shared_ptr<Mark> mark() const;
  void set(std::shared_ptr<Mark> mark);

private:
  std::shared_ptr<Mark> mark_for_host() const;

  std::shared_ptr<EmulatedDevice> device_;
  mutable std::mutex mutex_;
  std::shared_ptr<Mark> mark_;
};

/// Runs enqueued tasks in order on a thread, and sleeps while there are none.
class EmulatedStream final : public Stream {
public:
  explicit EmulatedStream(std::shared_ptr<EmulatedDevice> device);
  /// Waits until all work is done.
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

  /// Waits until the queue is empty, even if work fails.
  void drain();
  /// Captures the tasks enqueued by `work` instead of running them.
  /// \throws Error(HFFT_ERROR_INTERNAL) if this stream does not wait for all captured tasks of
  /// other streams
  std::shared_ptr<const Capture> capture(const std::function<void()> &work);

private:
  struct Task {
    Work work;
    bool always; ///< runs even after a failure, because other streams or the host wait for it
  };

  void serve();
  void perform(const Task &task);
  void delay();
  void enqueue(Task task);

  std::shared_ptr<EmulatedDevice> device_;
  std::shared_ptr<Capture> capture_; ///< receives the enqueued work during a capture, else nullptr
  std::mt19937_64 random_;           ///< source of random delays; only the stream's thread uses it

  std::mutex mutex_; ///< guards tasks_, busy_ and ends_
  std::condition_variable enqueued_, done_;
  std::deque<Task> tasks_;
  bool busy_ = false;
  bool ends_ = false;

  std::thread thread_;
};

/// A graph. The stream that launches it runs the captured tasks in order.
class EmulatedGraph final : public Graph {
public:
  explicit EmulatedGraph(std::shared_ptr<const Capture> capture) : capture_(std::move(capture)) {}
  void launch(Stream &stream) override;

private:
  std::shared_ptr<const Capture> capture_;
};

} // namespace hybridfft::device
