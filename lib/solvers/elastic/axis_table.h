/// Tables of numbers for each index of an axis and of its ghosts.
#pragma once

#include <vector>

#include "solvers/elastic/exec.h"
#include "solvers/elastic/scheme.h"

namespace hybridfft::elastic {

/// Owns a table of numbers, on the host at first.
template <class Real> class AxisTable {
public:
  /// Largest number of ghosts beyond an axis among all methods of exchange.
  static constexpr Index ghosts = 4;

  AxisTable() = default;
  /// Sets f(i) for -ghosts <= i < n + ghosts.
  template <class F> AxisTable(Index n, const F &f) {
    std::vector<Real> values;
    for (Index i = -ghosts; i < n + ghosts; ++i)
      values.push_back(static_cast<Real>(f(i)));
    values_ = List<Real>(values, {});
  }
  /// Moves the numbers to the device of exec, if there is one.
  void move_to(const ElasticExec &exec) { values_.move_to(exec); }
  const Real *numbers() const { return values_.data() + ghosts; }

private:
  List<Real> values_;
};

} // namespace hybridfft::elastic
