/// Data that are wanted next, asked for between other work.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/memory.h"

namespace hybridfft::local {

/// Lines of memory to prefetch into the second-level cache, in bursts. A core keeps 10 to 24
/// requests to memory open, and what misses its first cache waits for one of them to end, too: so a
/// burst is short, and work on data at hand follows.
class Ahead {
public:
  /// Nothing.
  Ahead() = default;
  /// `lines` lines of `bytes` each, their beginnings `stride` bytes apart, in bursts of so many
  /// cache lines.
  Ahead(const void *first, std::ptrdiff_t bytes, std::ptrdiff_t lines, std::ptrdiff_t stride,
        std::ptrdiff_t burst)
      : next_(static_cast<const std::byte *>(first)), end_(next_ + bytes), lines_(lines),
        bytes_(bytes), stride_(stride), burst_(burst) {}

  /// Cache lines of each of so many bursts for lines of `bytes` each.
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

  const std::byte *next_ = nullptr, *end_ = nullptr; ///< of what is left of a line
  std::ptrdiff_t lines_ = 0;                         ///< left
  std::ptrdiff_t bytes_ = 0, stride_ = 0;
  std::ptrdiff_t burst_ = 0; ///< cache lines of a burst
};

} // namespace hybridfft::local
