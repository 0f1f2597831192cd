/// Chooses where a solver's fields are and work is done: on threads of the host, or on a device.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "hybridfft/grid/device.hpp"
#include "hybridfft/grid/parallel_for.hpp"
#include "solvers/elastic/messages_in_flight.h"

namespace hybridfft::elastic {

/// The executor of a solver's element-wise work. The messages must outlive it.
struct ElasticExec {
  grid::Host host;
  MessagesInFlight *messages = nullptr; ///< messages to advance while the host works, or nullptr
  std::optional<grid::Device> device;   ///< device with the fields; none: the host has them
};

/// Calls f(i, j, k) once for every index of the box, in any order and concurrently; on a device
/// later, after its earlier work. F is a struct with an HFFT_CUDA_KERNEL in kernels.cu.
template <class F> void for_points(const ElasticExec &exec, const grid::Box &box, const F &f) {
  if (exec.device) return grid::parallel_for(*exec.device, box, f);
  grid::parallel_for(exec.host, box, f);
}

/// An array in the memory of exec's processor.
template <class T>
grid::Array<T> make_array(const ElasticExec &exec, const grid::Box &box, const grid::Widths &ghosts,
                          const grid::Alignment &alignment = {}) {
  if (exec.device) return grid::Array<T>(*exec.device, box, ghosts, alignment);
  return grid::Array<T>(grid::Place::host, box, ghosts, exec.host.threads, alignment);
}

/// A list of values in the memory of the host or of a device.
template <class T> class List {
public:
  List() = default;
  /// Copies values to the memory of exec's processor.
  List(const std::vector<T> &values, const ElasticExec &exec)
      : array_(grid::Place::host, grid::Box(1, 1, static_cast<grid::Index>(values.size()))) {
    std::copy(values.begin(), values.end(), data());
    move_to(exec);
  }
  /// `count` zeros.
  List(grid::Index count, const ElasticExec &exec)
      : array_(make_array<T>(exec, grid::Box(1, 1, count), {})) {}

  /// Moves the values from the host to the device of exec, if there is one.
  void move_to(const ElasticExec &exec) {
    if (exec.device && array_.place() == grid::Place::host && size() > 0)
      array_ = array_.copy_to(*exec.device);
  }
  T *data() { return const_cast<T *>(static_cast<const List &>(*this).data()); }
  const T *data() const {
    const grid::View<const T> v = array_.view();
    return v.origin() == nullptr ? nullptr : v.origin() + v.offset();
  }
  grid::Index size() const { return array_.inner().points(); }

private:
  grid::Array<T> array_;
};

} // namespace hybridfft::elastic
