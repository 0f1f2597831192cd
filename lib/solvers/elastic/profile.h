/// Timers for the parts of time steps.
#pragma once

#include <chrono>

namespace hybridfft::elastic {

/// Seconds spent by this rank in each part of its time steps.
struct StepTimes {
  double velocity = 0; ///< sweeps of velocities, including the sponge
  double stress = 0;   ///< sweeps of stresses and memory variables, including the sponge
  double surface = 0;  ///< columns at the free surface; part of the sweeps unless profiled
  double sources = 0;
  double pack = 0;   ///< packing and starting messages
  double wait = 0;   ///< waiting for messages
  double copies = 0; ///< unpacking messages, and copies within the rank
};

/// Adds the time of its lifetime to a sum.
class Timed {
public:
  explicit Timed(double &seconds) : seconds_(seconds) {}
  ~Timed() { seconds_ += std::chrono::duration<double>(Clock::now() - begin_).count(); }
  Timed(const Timed &) = delete;
  Timed &operator=(const Timed &) = delete;

private:
  using Clock = std::chrono::steady_clock;
  double &seconds_;
  Clock::time_point begin_ = Clock::now();
};

} // namespace hybridfft::elastic
