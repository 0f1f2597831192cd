/// Compares the speed of two variants by the device's clock.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <utility>

namespace hybridfft::device::cuda {

/// Measures two variants of the same work in a stream.
/// \return median times of both in milliseconds. Repetitions alternate, after a warm-up of each.
/// The host waits.
std::pair<double, double> compare(cudaStream_t stream, const std::function<void()> &one,
                                  const std::function<void()> &other);

} // namespace hybridfft::device::cuda
