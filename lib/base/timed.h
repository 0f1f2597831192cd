/// Timing of scopes. Unlike stopwatch.h it needs no MPI, so the solvers' kernels may use it.
#pragma once

#include <chrono>

namespace hybridfft {

/// Adds the seconds of its lifetime to a sum.
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

} // namespace hybridfft
