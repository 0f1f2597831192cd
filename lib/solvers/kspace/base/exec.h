/// Runs element-wise work on threads of the host or on a device, and counts the work of devices for
/// profiles. One kernel functor serves both.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/threads.h"
#include "device/launch.h"
#include "hybridfft/grid/parallel_for.hpp"

namespace hybridfft::kspace {

/// Place of element-wise work and of fields: the host or a device. The device is borrowed.
struct Exec {
  grid::Host host;
  /// nullptr if the host stores the fields and runs the work
  device::Runtime *device = nullptr;
};

/// Calls f(i, j, k) once for every index of the box, in any order and concurrently. On a device, f
/// is a functor for device::launch() and the call only enqueues the work.
template <class F> void for_points(const Exec &exec, const grid::Box &box, const F &f) {
  if (exec.device != nullptr) return device::launch(exec.device->compute(), box, f);
  grid::parallel_for(exec.host, box, f);
}

/// Calls f(0, 0, k) once for every 0 <= k < n, as for_points() does. Used for lists of points.
template <class F> void for_each_index(const Exec &exec, std::ptrdiff_t n, const F &f) {
  if (exec.device != nullptr) return device::launch(exec.device->compute(), grid::Box(1, 1, n), f);
  // Below this number of entries per thread, starting the thread takes longer than its work.
  constexpr std::ptrdiff_t least = 1024;
  const auto threads = static_cast<int>(std::min<std::ptrdiff_t>(exec.host.threads, n / least + 1));
  parallel_ranges(n, threads, [&f](std::ptrdiff_t first, std::ptrdiff_t last, int) {
    for (std::ptrdiff_t k = first; k < last; ++k)
      f(0, 0, k);
  });
}

/// An array in the memory of the host or of a device.
template <class T> class ExecArray {
public:
  ExecArray() = default;
  /// Stores the values in host memory.
  explicit ExecArray(std::vector<T> values) : host_(std::move(values)) {}
  /// Stores the values in the memory of exec. Throws as move_to().
  ExecArray(std::vector<T> values, const Exec &exec) : ExecArray(std::move(values)) {
    move_to(exec);
  }

  /// Moves the values to the device of exec, if it has one. Throws hybridfft::Error.
  void move_to(const Exec &exec) {
    if (exec.device == nullptr || host_.empty()) return;
    on_device_ = device::Array<T>(*exec.device, host_.data(), host_.size());
    device_ = exec.device;
    host_ = std::vector<T>();
  }

  /// nullptr if there are no values.
  const T *data() const {
    if (device_ != nullptr) return on_device_.data();
    return host_.empty() ? nullptr : host_.data();
  }
  T *data() { return const_cast<T *>(std::as_const(*this).data()); }
  std::size_t size() const { return device_ != nullptr ? on_device_.size() : host_.size(); }
  std::size_t bytes() const { return size() * sizeof(T); }

  /// Waits for the enqueued work of the device and returns a copy of the values.
  std::vector<T> on_host() const {
    if (device_ == nullptr) return host_;
    std::vector<T> values(size());
    device_->compute().copy(values.data(), on_device_.data(), on_device_.bytes());
    device_->compute().synchronize();
    return values;
  }
  /// Replaces all values by `values`, which are in host memory.
  void assign(std::span<const T> values) {
    if (device_ == nullptr) {
      std::ranges::copy(values, host_.begin());
      return;
    }
    device_->compute().copy(on_device_.data(), values.data(), on_device_.bytes());
    device_->compute().synchronize();
  }

private:
  std::vector<T> host_;
  device::Runtime *device_ = nullptr; ///< device that stores the values; nullptr: the host
  device::Array<T> on_device_;
};

/// Accumulated seconds in a kind of stage: of one rank, or of the slowest rank.
struct StageTime {
  std::string stage;
  double seconds;
};

/// Accumulated seconds of a field's exchanges with neighbours, of one rank or of the slowest rank,
/// and the bytes sent.
struct ExchangeTime {
  std::string field;
  double pack = 0;     ///< packing and unpacking messages
  double wait = 0;     ///< waiting for messages without other work
  double exchange = 0; ///< messages are in flight
  double bytes = 0;    ///< bytes sent in one exchange by one rank, or by all ranks
};

/// Runs f and returns the seconds that it takes.
template <class F> double seconds_of(const F &f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}
/// Returns the shortest time of some runs of f, after a first one that is not counted.
template <class F> double least_seconds_of(const F &f) {
  constexpr int rounds = 3;
  f();
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds; ++round)
    least = std::min(least, seconds_of(f));
  return least;
}

/// Launches kernels in the compute stream of a device and counts the bytes that they read and write
/// in its memory. When timed, the host waits for each kernel, so kernels and messages do not
/// overlap.
class DeviceLedger {
public:
  /// Totals of all launches of one kernel.
  struct LedgerEntry {
    std::int64_t launches = 0;
    double bytes = 0;
    double seconds = 0; ///< 0 unless timed
  };

  DeviceLedger(device::Runtime &runtime, bool timed) : runtime_(&runtime), timed_(timed) {}

  /// Launches a kernel on a box.
  /// \tparam F functor; it has a name, and numbers_per_point() counts the numbers that it reads and
  /// writes
  /// \tparam Real type of these numbers
  template <class Real, class F> void launch(const grid::Box &box, const F &f) {
    const double bytes = static_cast<double>(f.numbers_per_point()) * sizeof(Real) *
                         static_cast<double>(box.points());
    run(F::name, bytes, [&] { device::launch(runtime_->compute(), box, f); });
  }
  /// Runs enqueue(), which adds work to the compute stream, and counts it as one launch of `name`.
  template <class F> void run(const char *name, double bytes, const F &enqueue) {
    const auto known = entries_.find(std::string_view(name)); // avoids a string per launch
    LedgerEntry &entry = known != entries_.end() ? known->second : entries_[name];
    ++entry.launches;
    entry.bytes += bytes;
    if (!timed_) return enqueue();
    runtime_->compute().synchronize();
    entry.seconds += seconds_of([&] {
      enqueue();
      runtime_->compute().synchronize();
    });
  }

  using Entries = std::map<std::string, LedgerEntry, std::less<>>;
  const Entries &entries() const { return entries_; }
  /// Adds the launches and bytes of a replayed graph.
  void add(const Entries &more) {
    for (const auto &[name, entry] : more) {
      entries_[name].launches += entry.launches;
      entries_[name].bytes += entry.bytes;
    }
  }

  device::Runtime &runtime() const { return *runtime_; }
  bool timed() const { return timed_; }

private:
  device::Runtime *runtime_;
  bool timed_;
  Entries entries_;
};

} // namespace hybridfft::kspace
