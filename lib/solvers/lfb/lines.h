/// The lines of a block's field along an axis, their messages and gaps, for hosts and devices.
#pragma once

#include <cstdint>

#include "hybridfft/grid/box.hpp"

namespace hybridfft::lfb {

using grid::Index;

/// A field of one block: [period 0][period 1][pitch], with rows of period 2 values. The points of
/// the block come first along each axis. All bases of a grid give a block the same periods.
template <class Real> struct Period {
  Real *data = nullptr;
  std::ptrdiff_t pitch = 0;
};

/// Quotient and remainder. 64-bit division takes processors several times as long as 32-bit
/// division. On devices it would take longer than all other work of a thread.
struct Divided {
  Index quotient, remainder;

  HFFT_HOST_DEVICE Divided(Index n, Index by) {
    if ((n | by) >> 32 == 0) {
      const auto small = static_cast<std::uint32_t>(n), divisor = static_cast<std::uint32_t>(by);
      quotient = small / divisor;
      remainder = small % divisor;
    } else {
      quotient = n / by;
      remainder = n % by;
    }
  }
};

/// Lines of a block's field along an axis, in groups of `inner` lines adjacent in memory (1 along
/// the contiguous axis). Point x of line i of group o is data[group(o) + x * stride + i]. The
/// numbers sent for it are message[(o * numbers + q) * inner + i].
template <class Real> struct Lines {
  /// Groups are numbered by two nested loops.
  struct Loop {
    Index count = 0, stride = 0;
  };
  Real *data = nullptr;
  Loop loops[2];
  Index inner = 0;
  Index stride = 0;
  Index n = 0; ///< points of the block

  HFFT_HOST_DEVICE Index outer() const { return loops[0].count * loops[1].count; }
  HFFT_HOST_DEVICE Index count() const { return outer() * inner; }
  HFFT_HOST_DEVICE Real *group(Index o) const {
    const Divided at(o, loops[1].count);
    return data + at.quotient * loops[0].stride + at.remainder * loops[1].stride;
  }
};

/// The end of a block's lines that sends or receives.
enum class AxisSide { below, above };
inline constexpr AxisSide sides[] = {AxisSide::below, AxisSide::above};

/// Operands and results of packing: points of lines, and the numbers sent to one side.
template <class Real> struct Packing {
  Lines<Real> lines;
  AxisSide side = AxisSide::below;
  Index numbers = 0; ///< numbers sent per line
  Real *message = nullptr;

  /// Addresses of the first line's values in a group of lines.
  struct Group {
    const Real *cut; ///< the point next to the cut
    Index step;      ///< distance to the next point
    Real *message;
    Index inner;

    /// The j-th point, counted from the cut.
    HFFT_HOST_DEVICE const Real *from(Index j) const { return cut + j * step; }
    HFFT_HOST_DEVICE Real *to(Index q) const { return message + q * inner; }
  };
  HFFT_HOST_DEVICE Group group(Index o) const {
    const bool below = side == AxisSide::below;
    return {lines.group(o) + (below ? 0 : lines.n - 1) * lines.stride,
            below ? lines.stride : -lines.stride, message + o * numbers * lines.inner, lines.inner};
  }
};

/// Operands and results of filling the gaps of lines: own points, and received numbers.
template <class Real> struct Filling {
  Lines<Real> lines;
  Index own = 0, numbers = 0;
  const Real *below = nullptr, *above = nullptr; ///< messages from both sides

  /// Addresses of the first line's values in a group of lines.
  struct Group {
    const Filling &all;
    Real *points;
    Index first; ///< offset of the group's values in each message

    /// Address of the first line's operand for column c of Basis::coefficients().
    HFFT_HOST_DEVICE const Real *from(Index c) const {
      if (c < all.own) return to(c - all.own);
      if (c < 2 * all.own) return points + (c - all.own) * all.lines.stride;
      const Index number = c - 2 * all.own;
      return number < all.numbers ? all.above + first + number * all.lines.inner
                                  : all.below + first + (number - all.numbers) * all.lines.inner;
    }
    /// Point g of the gap.
    HFFT_HOST_DEVICE Real *to(Index g) const {
      return points + (all.lines.n + g) * all.lines.stride;
    }
  };
  HFFT_HOST_DEVICE Group group(Index o) const {
    return {*this, lines.group(o), o * numbers * lines.inner};
  }
};

} // namespace hybridfft::lfb
