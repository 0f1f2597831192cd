/// Numbers for each index of an axis and of its ghosts.
#pragma once

#include <vector>

#include "elastic/lattice.h"

namespace hybridfft::elastic {

template <class Real> class AxisTable {
public:
  /// Ghosts that any way of exchange has beyond an axis.
  static constexpr Index ghosts = 4;

  AxisTable() = default;
  /// f(i) for -ghosts <= i < n + ghosts.
  template <class F>
  AxisTable(Index n, const F &f) : values_(static_cast<std::size_t>(n + 2 * ghosts)) {
    for (Index i = -ghosts; i < n + ghosts; ++i)
      values_[static_cast<std::size_t>(i + ghosts)] = static_cast<Real>(f(i));
  }
  AxisNumbers<Real> numbers() const { return {values_.data() + ghosts}; }

private:
  std::vector<Real> values_;
};

} // namespace hybridfft::elastic
