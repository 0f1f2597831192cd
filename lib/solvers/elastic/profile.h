/// Times of the parts of time steps.
#pragma once

#include <chrono>

namespace hybridfft::elastic {

/// Seconds of this rank.
struct StepTimes {
  double velocity = 0; ///< sweeps of velocities, including the sponge
  double stress = 0;   ///< sweeps of stresses and memory variables, including the sponge
  double surface = 0;  ///< columns above the free surface; included in the sweeps unless timed
  double sources = 0;
  double pack = 0;   ///< writing and sending messages
  double wait = 0;   ///< waiting for messages of neighbours
  double copies = 0; ///< reading messages, and copies within the rank
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
