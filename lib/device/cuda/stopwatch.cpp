#include "device/cuda/stopwatch.h"

#include <algorithm>
#include <array>

#include "device/cuda/check.h"

namespace hybridfft::device::cuda {

namespace {

/// An event with a time stamp, unlike CudaEvent.
class TimedEvent {
public:
  TimedEvent() { check(cudaEventCreate(&event_), "cudaEventCreate"); }
  ~TimedEvent() { ignore(cudaEventDestroy(event_)); }
  TimedEvent(const TimedEvent &) = delete;
  TimedEvent &operator=(const TimedEvent &) = delete;

  void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream), "cudaEventRecord"); }
  /// Milliseconds since another event. Waits until this event is reached.
  double since(const TimedEvent &begin) const {
    float ms = 0;
    check(cudaEventSynchronize(event_), "cudaEventSynchronize");
    check(cudaEventElapsedTime(&ms, begin.event_, event_), "cudaEventElapsedTime");
    return ms;
  }

private:
  cudaEvent_t event_ = nullptr;
};

template <std::size_t N> double median(std::array<double, N> times) {
  std::sort(times.begin(), times.end());
  return times[N / 2];
}

} // namespace

std::pair<double, double> compare(cudaStream_t stream, const std::function<void()> &one,
                                  const std::function<void()> &other) {
  constexpr std::size_t repetitions = 5;
  TimedEvent begin;
  TimedEvent end;
  const auto time_of = [&](const std::function<void()> &way) {
    begin.record(stream);
    way();
    end.record(stream);
    return end.since(begin);
  };
  one();
  other();
  std::array<double, repetitions> ones{};
  std::array<double, repetitions> others{};
  for (std::size_t r = 0; r < repetitions; ++r) {
    ones[r] = time_of(one);
    others[r] = time_of(other);
  }
  return {median(ones), median(others)};
}

} // namespace hybridfft::device::cuda
