/// What a simulation's element-wise work runs on: threads of the host, or a device.
#pragma once

#include "device/launch.h"
#include "hybridfft/grid/parallel_for.hpp"

namespace hybridfft::kspace {

struct Exec {
  grid::Host host;
  /// Has the fields, and works on them in its compute stream; nullptr: the host does.
  device::Runtime *device = nullptr;
};

/// Calls f(i, j, k) once for every index of the box, in any order and concurrently. On a device
/// later, in the order of its stream: f is a struct as device::launch() wants it.
template <class F> void for_points(const Exec &exec, const grid::Box &box, const F &f) {
  if (exec.device != nullptr) return device::launch(exec.device->compute(), box, f);
  grid::parallel_for(exec.host, box, f);
}

} // namespace hybridfft::kspace
