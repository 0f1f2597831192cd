/// Measures work and its reference in turn, under the same conditions.
#pragma once

#include <benchmark/benchmark.h>

#include <functional>

#include "common/statistics.h"

namespace hybridfft::bench {

/// Runs its argument and returns the elapsed seconds.
using Clock = std::function<double(const std::function<void()> &)>;

/// Elapsed seconds of f on this process.
double local_seconds(const std::function<void()> &f);

struct Turns {
  Summary copy, work;
};

/// Runs the copy, then the work, in every iteration. Google Benchmark gets the time of the work.
Turns take_turns(benchmark::State &state, const Clock &clock, const std::function<void()> &copy,
                 const std::function<void()> &work);

} // namespace hybridfft::bench
