/// Compares the times of two ways by the device's clock.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <utility>

namespace hybridfft::device::cuda {

/// Times of two ways to do the same in a stream, in milliseconds: medians of repetitions that take
/// turns, after one of each that does not count. The host waits.
std::pair<double, double> compare(cudaStream_t stream, const std::function<void()> &one,
                                  const std::function<void()> &other);

} // namespace hybridfft::device::cuda
