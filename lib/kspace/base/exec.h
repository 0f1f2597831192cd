/// The executor of a simulation's element-wise work: threads of the host, or a device.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/threads.h"
#include "device/launch.h"
#include "hybridfft/grid/parallel_for.hpp"

namespace hybridfft::kspace {

/// Borrows the device.
struct Exec {
  grid::Host host;
  /// The device that has the fields and works on them in its compute stream; nullptr: the host
  /// does.
  device::Runtime *device = nullptr;
};

/// Calls f(i, j, k) once for every index of the box, in any order and concurrently. On a device
/// later, in the order of its stream: f is a struct for device::launch().
template <class F> void for_points(const Exec &exec, const grid::Box &box, const F &f) {
  if (exec.device != nullptr) return device::launch(exec.device->compute(), box, f);
  grid::parallel_for(exec.host, box, f);
}

/// Calls f(0, 0, k) once for every 0 <= k < n in the same way: work on lists of points.
template <class F> void for_each_index(const Exec &exec, std::ptrdiff_t n, const F &f) {
  if (exec.device != nullptr) return device::launch(exec.device->compute(), grid::Box(1, 1, n), f);
  // More threads would take longer to begin than to work.
  constexpr std::ptrdiff_t least = 1024;
  const auto threads = static_cast<int>(std::min<std::ptrdiff_t>(exec.host.threads, n / least + 1));
  parallel_ranges(n, threads, [&f](std::ptrdiff_t first, std::ptrdiff_t last, int) {
    for (std::ptrdiff_t k = first; k < last; ++k)
      f(0, 0, k);
  });
}

} // namespace hybridfft::kspace
