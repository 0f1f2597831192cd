/// Measures work and a reference copy alternately, under the same conditions.
#pragma once

#include <benchmark/benchmark.h>

#include <functional>

#include "common/statistics.h"

namespace hybridfft::bench {

/// Function that calls its argument and returns the elapsed seconds.
using Clock = std::function<double(const std::function<void()> &)>;

/// Returns the seconds of f() on this process.
double local_seconds(const std::function<void()> &f);

struct Turns {
  Summary copy, work;
};

/// Runs `copy` and then `work` in every iteration. Reports the time of the work to Google
/// Benchmark.
Turns take_turns(benchmark::State &state, const Clock &clock, const std::function<void()> &copy,
                 const std::function<void()> &work);

} // namespace hybridfft::bench
