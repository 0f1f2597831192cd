/// Selects host threads or a device for the fields and loops of a solver. On the host, computing
/// threads also advance MPI messages, because MPI transfers large messages only during its calls.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "hybridfft/grid/device.hpp"
#include "hybridfft/grid/parallel_for.hpp"

namespace hybridfft::elastic {

/// Advances the messages of one exchange at a time, while the thread that started it computes.
class MessagesInFlight {
public:
  /// Registers an exchange started by this thread. test() advances its messages and returns true if
  /// all have arrived.
  void begin(std::function<bool()> test) {
    test_ = std::move(test);
    starter_ = std::this_thread::get_id();
    next_ = Clock::now() + pause;
  }

  /// Called frequently by all threads while they compute. Only the thread of begin() calls test(),
  /// at intervals. Does not throw; errors are reported later, when the solver waits for the
  /// messages.
  void advance() {
    if (std::this_thread::get_id() != starter_ || Clock::now() < next_) return;
    bool done = true;
    try {
      done = test_();
    } catch (...) {
    }
    next_ = done ? Clock::time_point::max() : Clock::now() + pause;
  }

private:
  using Clock = std::chrono::steady_clock;
  /// Interval between tests. In this time, a network of 10 Gbit/s transfers 125 KB, no more than
  /// its buffers hold.
  static constexpr std::chrono::microseconds pause{100};
  std::function<bool()> test_;
  std::thread::id starter_;
  Clock::time_point next_;
};

/// Place of execution of element-wise loops. `*messages` must outlive it.
struct ElasticExec {
  grid::Host host;
  MessagesInFlight *messages =
      nullptr;                        ///< messages to advance during loops on the host, or nullptr
  std::optional<grid::Device> device; ///< device with the fields; none: the fields are on the host
};

/// Calls f(i, j, k) once for every index of the box, in any order and concurrently. On a device the
/// loop is enqueued after earlier work. F is a struct with an HFFT_CUDA_KERNEL in kernels.cu.
template <class F> void for_points(const ElasticExec &exec, const grid::Box &box, const F &f) {
  if (exec.device) return grid::parallel_for(*exec.device, box, f);
  grid::parallel_for(exec.host, box, f);
}

/// Returns a new array in the memory used by `exec`.
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
  /// Copies values to the memory used by `exec`.
  List(const std::vector<T> &values, const ElasticExec &exec)
      : array_(grid::Place::host, grid::Box(1, 1, static_cast<grid::Index>(values.size()))) {
    std::copy(values.begin(), values.end(), data());
    move_to(exec);
  }
  /// Makes a list of `count` zeros.
  List(grid::Index count, const ElasticExec &exec)
      : array_(make_array<T>(exec, grid::Box(1, 1, count), {})) {}

  /// Moves the values to the device of `exec`, if there is one.
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
