/// Advances MPI messages while threads compute, because MPI transfers large messages only during
/// its calls.
#pragma once

#include <chrono>
#include <functional>
#include <thread>
#include <utility>

namespace hybridfft::elastic {

/// The messages of one exchange at a time, tested at intervals by computing threads.
class MessagesInFlight {
public:
  /// Registers an exchange started by this thread. test() advances its messages and returns true if
  /// all have arrived.
  void begin(std::function<bool()> test) {
    test_ = std::move(test);
    starter_ = std::this_thread::get_id();
    next_ = Clock::now() + pause;
  }

  /// Called frequently by all threads while they compute. Only the thread of begin() calls test(),
  /// at intervals. Does not throw; errors are reported later, when the solver waits for the
  /// messages.
  void advance() {
    if (std::this_thread::get_id() != starter_ || Clock::now() < next_) return;
    bool done = true;
    try {
      done = test_();
    } catch (...) {
    }
    next_ = done ? Clock::time_point::max() : Clock::now() + pause;
  }

private:
  using Clock = std::chrono::steady_clock;
  /// Interval between tests. A network of 10 Gbit/s transfers 125 KB in this time, which fit into
  /// its buffers.
  static constexpr std::chrono::microseconds pause{100};
  std::function<bool()> test_;
  std::thread::id starter_;
  Clock::time_point next_;
};

} // namespace hybridfft::elastic
