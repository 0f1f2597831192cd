/// Layout of the lines of a block's field along an axis, of their messages and of their gaps. The
/// host and device kernels share it.
#pragma once

#include <cstdint>

#include "hybridfft/grid/box.hpp"

namespace hybridfft::lfb {

using grid::Index;

/// Field of one block: an array [p0][p1][pitch]. The block's period along axis a has `pa` values,
/// so each row has p2 values. The points of the block come first along each axis, the gap follows.
/// All fields of a block have the same periods.
template <class Real> struct Period {
  Real *data = nullptr;
  std::ptrdiff_t pitch = 0;
};

/// Quotient and remainder, by 32-bit division if both operands fit. 64-bit division is several
/// times slower on processors. On devices it would dominate the time of a thread.
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
/// the contiguous axis). Point x of line i of group o is group(o)[x * stride + i]. Value q sent for
/// line i of group o is message[(o * numbers + q) * inner + i].
template <class Real> struct Lines {
  /// One of the two nested loops over groups.
  struct Loop {
    Index count = 0, stride = 0;
  };
  Real *data = nullptr;
  Loop loops[2];
  Index inner = 0; ///< lines per group
  Index stride = 0;
  Index n = 0; ///< number of points of the block along the axis

  HFFT_HOST_DEVICE Index outer() const { return loops[0].count * loops[1].count; }
  HFFT_HOST_DEVICE Index count() const { return outer() * inner; }
  HFFT_HOST_DEVICE Real *group(Index o) const {
    const Divided at(o, loops[1].count);
    return data + at.quotient * loops[0].stride + at.remainder * loops[1].stride;
  }
};

/// End of a block's lines where values are sent or received.
enum class AxisSide { below, above };
inline constexpr AxisSide sides[] = {AxisSide::below, AxisSide::above};

/// Operands and results of packing: the points of lines, and the message to one side.
template <class Real> struct Packing {
  Lines<Real> lines;
  AxisSide side = AxisSide::below;
  Index numbers = 0; ///< values sent per line
  Real *message = nullptr;

  /// Addresses of the first line's values in a group of lines.
  struct Group {
    const Real *cut; ///< point next to the cut
    Index step;      ///< distance to the next point
    Real *message;
    Index inner;

    /// Address of the j-th point, counted from the cut.
    HFFT_HOST_DEVICE const Real *from(Index j) const { return cut + j * step; }
    HFFT_HOST_DEVICE Real *to(Index q) const { return message + q * inner; }
  };
  HFFT_HOST_DEVICE Group group(Index o) const {
    const bool below = side == AxisSide::below;
    return {lines.group(o) + (below ? 0 : lines.n - 1) * lines.stride,
            below ? lines.stride : -lines.stride, message + o * numbers * lines.inner, lines.inner};
  }
};

/// Operands and results of filling the gaps of lines: own points, and received messages.
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
    /// Address of point g of the gap.
    HFFT_HOST_DEVICE Real *to(Index g) const {
      return points + (all.lines.n + g) * all.lines.stride;
    }
  };
  HFFT_HOST_DEVICE Group group(Index o) const {
    return {*this, lines.group(o), o * numbers * lines.inner};
  }
};

} // namespace hybridfft::lfb
