/// Streams, events and graphs of the emulated device.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "device/arena.h"
#include "device/emulated.h"

namespace hybridfft::device {

class EmulatedStream;

/// What streams, transforms and the runtime of one emulated device share.
class EmulatedDevice {
public:
  explicit EmulatedDevice(const EmulatedOptions &options);

  const EmulatedOptions &options() const { return options_; }
  MemoryInfo memory() const;
  void *allocate(Arena &from, std::size_t bytes);
  void deallocate(void *memory) noexcept;
  Arena &fields() { return fields_; }
  Arena &messages() { return messages_; }

  void pin(void *memory, std::size_t bytes);
  void unpin(void *memory) noexcept;

  bool has(const void *memory, std::size_t bytes) const;
  /// Whether the host needs not wait for copies to or from there.
  bool is_pinned(const void *memory, std::size_t bytes) const;
  /// Throws Error(HFFT_ERROR_INTERNAL) for memory of the device that is not in one allocation.
  void check(const std::string &what, const void *memory, std::size_t bytes) const;
  /// The same for memory that is not the device's, too.
  void check_own(const std::string &what, const void *memory, std::size_t bytes) const;
  /// Throws Error(HFFT_ERROR_INTERNAL) when work wrote outside of allocations.
  void check_damage();

  /// Returns a number for the stream. The streams say themselves when they come and go.
  unsigned add(EmulatedStream &stream);
  void remove(EmulatedStream &stream);

private:
  EmulatedOptions options_;
  Arena fields_;   ///< closed to the host
  Arena messages_; ///< open to MPI
  mutable std::mutex mutex_;
  std::size_t taken_ = 0;
  std::map<std::uintptr_t, std::size_t> pinned_; ///< address and bytes
  std::set<EmulatedStream *> streams_;
  unsigned streams_made_ = 0;
};

using Work = std::function<void()>;

/// Work that is kept instead of done, in the order in which it was enqueued, which is one that its
/// events allow.
struct Capture {
  struct Branch {
    std::size_t works = 0;
    std::size_t awaited = 0; ///< number of the works, from the first, that another stream waits for
  };
  std::vector<Work> works;
  std::map<EmulatedStream *, Branch> branches; ///< streams that take part
  bool finished = false;
};

/// A point in a stream.
class Mark {
public:
  void reach();
  bool reached() const;
  void wait() const;

  /// Where the point is in a capture, if it is in one.
  std::shared_ptr<Capture> capture;
  EmulatedStream *stream = nullptr;
  std::size_t works_before = 0; ///< number of the stream's works before it

private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool reached_ = false;
};

class EmulatedEvent final : public Event {
public:
  bool reached() const override;
  void synchronize() const override;

  /// The last record; nullptr: none.
  std::shared_ptr<Mark> mark() const;
  void set(std::shared_ptr<Mark> mark);

private:
  std::shared_ptr<Mark> outside_of_captures() const;

  mutable std::mutex mutex_;
  std::shared_ptr<Mark> mark_;
};

/// A thread that does what is enqueued, one after the other, and sleeps while there is nothing.
class EmulatedStream final : public Stream {
public:
  explicit EmulatedStream(std::shared_ptr<EmulatedDevice> device);
  /// Waits until all is done.
  ~EmulatedStream() override;

  void copy(void *to, const void *from, std::size_t bytes) override;
  void clear(void *memory, std::size_t bytes) override;
  void record(Event &event) override;
  void wait(const Event &event) override;
  void synchronize() override;
  void run(std::function<void()> work) override;

  /// Waits, and throws nothing of what failed.
  void drain();
  std::shared_ptr<Capture> capture(const std::function<void()> &work);

private:
  struct Task {
    Work work;
    bool is_mark; ///< done even when work before it failed: others wait for it
  };

  void work_off();
  void perform(const Work &work);
  void delay();
  void enqueue(Task task);
  void throw_failure(const char *call);

  std::shared_ptr<EmulatedDevice> device_;
  std::shared_ptr<Capture> capture_; ///< takes what is enqueued, if there is one
  std::mt19937_64 random_;           ///< of the thread

  std::mutex mutex_;
  std::condition_variable enqueued_, done_;
  std::deque<Task> tasks_;
  bool busy_ = false, ends_ = false;
  std::string failure_; ///< why work failed
  std::thread thread_;  ///< the last member: starts when all others are there
};

class EmulatedGraph final : public Graph {
public:
  explicit EmulatedGraph(std::shared_ptr<Capture> capture) : capture_(std::move(capture)) {}
  void launch(Stream &stream) override;

private:
  std::shared_ptr<Capture> capture_;
};

} // namespace hybridfft::device
