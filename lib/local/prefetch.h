/// Software prefetch of upcoming lines, issued in bursts between computations. Choose it for
/// contiguous lines that are too far apart for the hardware prefetcher.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/memory.h"

namespace hybridfft::local {

/// Prefetches a list of lines into the second-level cache, in bursts. A core can have 10 to 24
/// memory requests in flight. If all are used, a miss of the first-level cache has to wait. A burst
/// is therefore short, and is followed by work on data in cache.
class Prefetch {
public:
  /// Prefetches nothing.
  Prefetch() = default;
  /// Sets `lines` lines of `bytes` each to prefetch. Their starts are `stride` bytes apart. A burst
  /// has `burst` cache lines.
  Prefetch(const void *first, std::ptrdiff_t bytes, std::ptrdiff_t lines, std::ptrdiff_t stride,
           std::ptrdiff_t burst)
      : next_(static_cast<const std::byte *>(first)), end_(next_ + bytes), lines_(lines),
        bytes_(bytes), stride_(stride), burst_(burst) {}

  /// Returns the number of cache lines per burst if `bursts` bursts are to prefetch `lines` lines
  /// of `bytes` bytes.
  static std::ptrdiff_t burst_of(std::ptrdiff_t bytes, std::ptrdiff_t lines,
                                 std::ptrdiff_t bursts) {
    return (lines * ((bytes + line - 1) / line) + bursts - 1) / bursts;
  }

  bool empty() const { return lines_ == 0; }

  void burst() {
    for (std::ptrdiff_t left = burst_; lines_ > 0 && left > 0;) {
      const std::ptrdiff_t rest = (end_ - next_ + line - 1) / line;
      const std::ptrdiff_t count = std::min(left, rest);
      prefetch(next_, count);
      next_ += count * line;
      if (count < rest) return;
      end_ += stride_;
      next_ = end_ - bytes_;
      --lines_;
      left -= count;
    }
  }

private:
  static constexpr auto line = static_cast<std::ptrdiff_t>(alignment);

  static void prefetch(const std::byte *first, std::ptrdiff_t count) {
    constexpr int second_level = 2;
    for (std::ptrdiff_t i = 0; i < count; ++i)
      __builtin_prefetch(first + i * line, 0, second_level);
  }

  const std::byte *next_ = nullptr, *end_ = nullptr; ///< remaining part of the current line
  std::ptrdiff_t lines_ = 0;                         ///< remaining lines
  std::ptrdiff_t bytes_ = 0, stride_ = 0;
  std::ptrdiff_t burst_ = 0; ///< cache lines per burst
};

} // namespace hybridfft::local
