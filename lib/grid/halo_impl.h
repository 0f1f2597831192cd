/// The implementations of a halo exchange: by threads of the host, or by a device.
#pragma once

#include <chrono>

#include "grid/halo_plan.h"
#include "hybridfft/grid/halo.hpp"

namespace hybridfft::grid::detail {

/// The interface of both implementations. See Halo for start(), test() and finish().
struct [[gnu::visibility("hidden")]] HaloExchange::Impl {
  explicit Impl(const HaloPlan &plan)
      : bytes_sent(plan.bytes_sent()), messages_sent(plan.messages_sent()) {}
  virtual ~Impl() = default;
  virtual void start() = 0;
  /// Advances messages. Threads of the host start later stages, too.
  /// \return true if all have arrived, on devices those of the first stage
  virtual bool test() = 0;
  virtual void finish() = 0;
  /// Bytes read by receiving ranks in memory shared with this rank.
  virtual Index bytes_shared() const = 0;

  Index bytes_sent, messages_sent;
  HaloTimes times;
};

/// Adds the time of its lifetime to a sum.
class Stopwatch {
public:
  explicit Stopwatch(double &seconds) : seconds_(seconds) {}
  ~Stopwatch() { seconds_ += std::chrono::duration<double>(Clock::now() - begin_).count(); }
  Stopwatch(const Stopwatch &) = delete;
  Stopwatch &operator=(const Stopwatch &) = delete;

private:
  using Clock = std::chrono::steady_clock;
  double &seconds_;
  Clock::time_point begin_ = Clock::now();
};

} // namespace hybridfft::grid::detail
