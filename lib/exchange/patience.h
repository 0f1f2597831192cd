/// Deadline for the completion of messages after a failure.
#pragma once

#include <chrono>

namespace hybridfft::exchange {

/// A deadline one second after construction, common to all messages of a plan. Other ranks complete
/// their messages, too, so most end soon. Messages of stopped ranks never end.
class Patience {
public:
  bool is_over() const noexcept { return Clock::now() >= end_; }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point end_ = Clock::now() + std::chrono::seconds(1);
};

} // namespace hybridfft::exchange
