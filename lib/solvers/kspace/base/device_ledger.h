/// Launches device work and counts kernel launches and bytes, for profiles.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "device/launch.h"

namespace hybridfft::kspace {

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
  /// \tparam F has a name and a count of the numbers read and written per point
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
    const auto begin = std::chrono::steady_clock::now();
    enqueue();
    runtime_->compute().synchronize();
    entry.seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
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
