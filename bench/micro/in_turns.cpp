// Runs the copy before each repetition of the work and passes only the time of the work to Google
// Benchmark.
#include "micro/in_turns.h"

#include <chrono>
#include <vector>

namespace hybridfft::bench {

double local_seconds(const std::function<void()> &f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Turns take_turns(benchmark::State &state, const Clock &clock, const std::function<void()> &copy,
                 const std::function<void()> &work) {
  std::vector<double> copies;
  std::vector<double> works;
  for (auto _ : state) {
    copies.push_back(clock(copy));
    works.push_back(clock(work));
    state.SetIterationTime(works.back());
  }
  return {summarize(copies), summarize(works)};
}

} // namespace hybridfft::bench
