/// The time that messages get to come to an end.
#pragma once

#include <chrono>

namespace hybridfft::exchange {

/// A second from its making on, for all messages of a plan together: as other ranks end theirs,
/// too, most complete soon, and those of ranks that have given up never do.
class Patience {
public:
  bool is_over() const noexcept { return Clock::now() >= end_; }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point end_ = Clock::now() + std::chrono::seconds(1);
};

} // namespace hybridfft::exchange
