/// Messages that go on while threads compute: MPI moves large ones only while it is called.
#pragma once

#include <chrono>
#include <functional>
#include <thread>
#include <utility>

namespace hybridfft::elastic {

/// The messages of one exchange at a time.
class MessagesUnderWay {
public:
  /// To be called after this thread has started messages; test() lets them progress and returns
  /// true when all have arrived.
  void begin(std::function<bool()> test) {
    test_ = std::move(test);
    starter_ = std::this_thread::get_id();
    next_ = Clock::now() + pause;
  }

  /// To be called often, by all threads, until the messages are waited for: the one that started
  /// them calls test() now and then. Never throws: a failure is thrown again where the messages are
  /// waited for.
  void go_on() {
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
  /// A network of 10 Gbit/s moves 125 KB meanwhile, which its buffers hold.
  static constexpr std::chrono::microseconds pause{100};
  std::function<bool()> test_;
  std::thread::id starter_;
  Clock::time_point next_;
};

} // namespace hybridfft::elastic
