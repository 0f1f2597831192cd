/// Where the time of steps goes.
#pragma once

#include <chrono>

namespace hybridfft::elastic {

/// Seconds of this rank.
struct Profile {
  double velocity = 0; ///< sweeps of velocities, with sponge and free surface
  double stress = 0;   ///< sweeps of stresses, with sponge, free surface and memory variables
  double sources = 0;
  double pack = 0; ///< writing messages, and copies within the rank
  double wait = 0; ///< for messages of neighbours, and reading them
};

/// Adds the time between its construction and destruction.
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
