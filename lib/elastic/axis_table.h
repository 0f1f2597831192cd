/// Numbers for each index of an axis and of its ghosts.
#pragma once

#include <vector>

#include "elastic/exec.h"
#include "elastic/lattice.h"

namespace hybridfft::elastic {

template <class Real> class AxisTable {
public:
  /// Ghosts that any way of exchange has beyond an axis.
  static constexpr Index ghosts = 4;

  AxisTable() = default;
  /// f(i) for -ghosts <= i < n + ghosts.
  template <class F> AxisTable(Index n, const F &f) {
    std::vector<Real> values;
    for (Index i = -ghosts; i < n + ghosts; ++i)
      values.push_back(static_cast<Real>(f(i)));
    values_ = List<Real>(values, {});
  }
  /// To where exec works.
  void move_to(const Exec &exec) { values_.move_to(exec); }
  AxisNumbers<Real> numbers() const { return {values_.data() + ghosts}; }

private:
  List<Real> values_;
};

} // namespace hybridfft::elastic
