/// Damping factors of the absorbing layers.
#pragma once

#include <array>

#include "solvers/elastic/axis_table.h"
#include "solvers/elastic/kernels.h"
#include "solvers/elastic/problem.h"

namespace hybridfft::elastic {

/// One table of factors per axis. A point's factor is the product of the three.
template <class Real> class SpongeProfiles {
public:
  explicit SpongeProfiles(const Problem &problem);
  void move_to(const ElasticExec &exec) {
    for (AxisTable<Real> &profile : profiles_)
      profile.move_to(exec);
  }
  kernels::Damping<Real> factors() const {
    return {profiles_[0].numbers(), profiles_[1].numbers(), profiles_[2].numbers()};
  }

private:
  std::array<AxisTable<Real>, 3> profiles_;
};

} // namespace hybridfft::elastic
