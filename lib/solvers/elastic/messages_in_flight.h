/// Advances messages while threads compute, because MPI moves large ones only during its calls.
#pragma once

#include <chrono>
#include <functional>
#include <thread>
#include <utility>

namespace hybridfft::elastic {

/// The messages of one exchange at a time.
class MessagesInFlight {
public:
  /// Called after this thread has started messages. test() advances them and returns true if all
  /// have arrived.
  void begin(std::function<bool()> test) {
    test_ = std::move(test);
    starter_ = std::this_thread::get_id();
    next_ = Clock::now() + pause;
  }

  /// Called frequently by all threads during the exchange. The thread that called begin() calls
  /// test() at intervals. Never throws: a failure is reported when the caller waits for the
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
  /// Interval between tests. A network of 10 Gbit/s moves 125 KB in this time, which fits into its
  /// buffers.
  static constexpr std::chrono::microseconds pause{100};
  std::function<bool()> test_;
  std::thread::id starter_;
  Clock::time_point next_;
};

} // namespace hybridfft::elastic
