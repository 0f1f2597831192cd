/// The lines of a block's field along an axis, and what belongs to them, for hosts and devices.
#pragma once

#include "hybridfft/grid/box.hpp"

namespace hybridfft::lfb {

using grid::Index;

/// A field of one block: [period 0][period 1][pitch], rows of period 2 values, in which the points
/// of the block come first along each axis. All bases of a grid give a block the same periods.
template <class Real> struct Period {
  Real *data = nullptr;
  std::ptrdiff_t pitch = 0;
};

/// Lines of a field of one block along an axis, in groups of `inner` lines beside each other in
/// memory (1 along the contiguous axis). Point x of line i of group o is at
/// data[group(o) + x * stride + i], and the numbers sent for it at
/// message[(o * numbers + q) * inner + i].
template <class Real> struct Lines {
  /// Groups lie in two loops.
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
    return data + o / loops[1].count * loops[0].stride + o % loops[1].count * loops[1].stride;
  }
};

/// Which end of its lines a block sends or receives at.
enum class Side { below, above };
inline constexpr Side sides[] = {Side::below, Side::above};

/// From the points of lines to what is sent of them to a side.
template <class Real> struct Packing {
  Lines<Real> lines;
  Side side = Side::below;
  Index numbers = 0; ///< that are sent for each line
  Real *message = nullptr;

  /// The first line's value: of the j-th point from the cut on.
  HFFT_HOST_DEVICE const Real *from(Index o, Index j) const {
    return lines.group(o) + (side == Side::below ? j : lines.n - 1 - j) * lines.stride;
  }
  HFFT_HOST_DEVICE Real *to(Index o, Index q) const {
    return message + (o * numbers + q) * lines.inner;
  }
};

/// From a line's own points and what has been received for it to the points of its gap.
template <class Real> struct Filling {
  Lines<Real> lines;
  Index own = 0, numbers = 0;
  const Real *below = nullptr, *above = nullptr; ///< messages from there

  /// The first line's value for column c of Basis::coefficients().
  HFFT_HOST_DEVICE const Real *from(Index o, Index c) const {
    if (c < own) return lines.group(o) + (lines.n - own + c) * lines.stride;
    if (c < 2 * own) return lines.group(o) + (c - own) * lines.stride;
    const Real *message = c < 2 * own + numbers ? above : below;
    return message + (o * numbers + (c - 2 * own) % numbers) * lines.inner;
  }
  HFFT_HOST_DEVICE Real *to(Index o, Index g) const {
    return lines.group(o) + (lines.n + g) * lines.stride;
  }
};

} // namespace hybridfft::lfb
