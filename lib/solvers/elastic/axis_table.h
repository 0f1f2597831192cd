/// Coefficients that depend on one index: a table over an axis of the grid and its ghosts.
#pragma once

#include <vector>

#include "solvers/elastic/exec.h"
#include "solvers/elastic/scheme.h"

namespace hybridfft::elastic {

/// Owns a table, initially on the host.
template <class Real> class AxisTable {
public:
  /// Largest number of ghosts beyond an end of an axis, over all ghost exchanges.
  static constexpr Index ghosts = 4;

  AxisTable() = default;
  /// Tabulates f(i) for -ghosts <= i < n + ghosts.
  template <class F> AxisTable(Index n, const F &f) {
    std::vector<Real> values;
    for (Index i = -ghosts; i < n + ghosts; ++i)
      values.push_back(static_cast<Real>(f(i)));
    values_ = List<Real>(values, {});
  }
  /// Moves the table to the device of `exec`, if there is one.
  void move_to(const ElasticExec &exec) { values_.move_to(exec); }
  const Real *numbers() const { return values_.data() + ghosts; }

private:
  List<Real> values_;
};

} // namespace hybridfft::elastic
