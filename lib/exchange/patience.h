/// Deadline for draining messages after a failure.
#pragma once

#include <chrono>

namespace hybridfft::exchange {

/// Ends one second after construction, for all messages of a plan together. Other ranks drain their
/// messages, too, so most complete soon; messages of stopped ranks never do.
class Patience {
public:
  bool is_over() const noexcept { return Clock::now() >= end_; }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point end_ = Clock::now() + std::chrono::seconds(1);
};

} // namespace hybridfft::exchange
