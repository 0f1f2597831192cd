/// Factors that depend on the position along one axis of the grid.
#pragma once

#include <vector>

#include "grid/rows.h"
#include "hybridfft/grid/array.hpp"
#include "kspace/slab.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

class AxisProfile {
public:
  AxisProfile() = default;
  /// \param factors one for each point along the axis 0, 1, 2 = x, y, z
  AxisProfile(std::vector<Real> factors, int axis, const Slab &slab);
  /// 1 everywhere.
  explicit AxisProfile(const Slab &slab);

  /// As seen from this rank's slab.
  grid::Separable<Real> view() const;

private:
  int place_ = 2;
  std::ptrdiff_t start_ = 0;
  std::vector<Real> along_k_, across_;
};

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
