/// Factors that depend on the position along one axis of the grid.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "grid/rows.h"
#include "kspace/base/exec_array.h"
#include "kspace/base/local_grid.h"

namespace hybridfft::kspace {

/// Factors that are the same on all points of a plane across one axis, of this rank's part of the
/// grid.
template <class Real> class AxisProfile {
public:
  AxisProfile() = default;
  /// \param factors one for each point along the axis 0, 1, 2 = x, y, z
  AxisProfile(const std::vector<Real> &factors, int axis, const LocalGrid &local);
  /// 1 everywhere.
  explicit AxisProfile(const LocalGrid &local);

  /// See ExecArray.
  void move_to(const Exec &exec);
  /// The factors at the points of this rank's part of the grid, in the memory of exec.
  grid::Separable<Real> view() const;

private:
  int place_ = 2;
  ExecArray<Real> along_k_, across_;
};

/// Profiles of each axis 0, 1, 2 = x, y, z, at the two kinds of points that the equations have.
template <class Real> class StaggeredProfiles {
public:
  /// The factors at the pressure points, and at the points of the staggered velocity component
  /// along the axis.
  grid::Separable<Real> at_pressure(int axis) const {
    return centred_[static_cast<std::size_t>(axis)].view();
  }
  grid::Separable<Real> at_velocity(int axis) const {
    return staggered_[static_cast<std::size_t>(axis)].view();
  }
  /// Moves the factors to the device of exec, if there is one. Throws hybridfft::Error.
  void move_to(const Exec &exec);

protected:
  StaggeredProfiles() = default;
  std::array<AxisProfile<Real>, 3> centred_, staggered_;
};

} // namespace hybridfft::kspace
