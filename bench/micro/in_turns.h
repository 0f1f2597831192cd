/// Work and its yardstick measured in turns, so that both see the same machine.
#pragma once

#include <benchmark/benchmark.h>

#include <functional>

#include "common/statistics.h"

namespace hybridfft::bench {

/// Runs its argument and returns the seconds that took.
using Clock = std::function<double(const std::function<void()> &)>;

/// Seconds that f takes on this process.
double local_seconds(const std::function<void()> &f);

struct Turns {
  Summary copy, work;
};

/// Runs in every iteration the copy, then the work; the iteration's time is that of the work.
Turns take_turns(benchmark::State &state, const Clock &clock, const std::function<void()> &copy,
                 const std::function<void()> &work);

} // namespace hybridfft::bench
