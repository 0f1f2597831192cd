/// Factors that depend on the position along one axis of the grid.
#pragma once

#include <vector>

#include "grid/rows.h"
#include "hybridfft/grid/array.hpp"
#include "kspace/local_grid.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

class AxisProfile {
public:
  AxisProfile() = default;
  /// \param factors one for each point along the axis 0, 1, 2 = x, y, z
  AxisProfile(const std::vector<Real> &factors, int axis, const LocalGrid &local);
  /// 1 everywhere.
  explicit AxisProfile(const LocalGrid &local);

  /// As seen from this rank's part of the grid.
  grid::Separable<Real> view() const;

private:
  int place_ = 2;
  std::vector<Real> along_k_, across_;
};

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
