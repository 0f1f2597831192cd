/// Factors that depend on the position along one axis: the perfectly matched layer and the metric
/// of non-uniform grids.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "grid/rows.h"
#include "solvers/kspace/base/exec.h"
#include "solvers/kspace/base/local_grid.h"
#include "solvers/kspace/base/parameters.h"
#include "solvers/kspace/files/input_file.h"

namespace hybridfft::kspace {

/// Factors along one axis of this rank's part of the grid, constant on planes across the axis.
template <class Real> class AxisProfile {
public:
  AxisProfile() = default;
  /// \param factors one per point along the axis 0, 1, 2 = x, y, z
  AxisProfile(const std::vector<Real> &factors, int axis, const LocalGrid &local);
  /// Sets all factors to 1.
  explicit AxisProfile(const LocalGrid &local);

  /// See ExecArray.
  void move_to(const Exec &exec);
  /// Returns the factors at this rank's points, in the memory of exec.
  grid::Separable<Real> view() const;

private:
  int place_ = 2;
  ExecArray<Real> along_k_, across_;
};

/// Profiles of each axis 0, 1, 2 = x, y, z at the pressure points and at the staggered points.
template <class Real> class StaggeredProfiles {
public:
  /// Return the factors at the pressure points, and at the points of the staggered velocity
  /// component along the axis.
  grid::Separable<Real> at_pressure(int axis) const {
    return centred_[static_cast<std::size_t>(axis)].view();
  }
  grid::Separable<Real> at_velocity(int axis) const {
    return staggered_[static_cast<std::size_t>(axis)].view();
  }
  /// Moves the factors to the device of exec, if it has one. Throws hybridfft::Error.
  void move_to(const Exec &exec);

protected:
  StaggeredProfiles() = default;
  std::array<AxisProfile<Real>, 3> centred_, staggered_;
};

/// Offset of a quantity within its grid cell: none or half a cell.
enum class Stagger { none, half };
/// The ends of an axis with a layer.
enum class PmlEnds { both, upper };

/// PML factors of one axis. With P = `size`, A = `alpha` and s = 0 or 1/2 for the stagger,
///   left  point i = 0..P-1:      exp(-(dt/2) A (c_ref/d) ((P - i - s)/P)^4)
///   right point n-P+i:           exp(-(dt/2) A (c_ref/d) ((i + s + 1)/P)^4)
/// and 1 between (Tabei, Mast and Waag, JASA 111 (2002) 53, with the quartic profile of k-Wave).
template <class Real>
std::vector<Real> pml_profile(std::ptrdiff_t n, double d, std::ptrdiff_t size, double alpha,
                              double c_ref, double dt, Stagger stagger,
                              PmlEnds ends = PmlEnds::both);

/// The PML factors of all axes.
template <class Real> class Pml : public StaggeredProfiles<Real> {
public:
  Pml(const Parameters &parameters, const LocalGrid &local);
};

/// The metric of a non-uniform grid: dxudxn, dyudyn, dzudzn, the derivatives of the uniform
/// coordinates by the non-uniform ones. The input file has them at the points of the pressure and
/// of the velocity. They are dimensionless factors of the derivatives along each axis, 1 on a
/// uniform grid.
template <class Real> class GridMetric : public StaggeredProfiles<Real> {
public:
  GridMetric(const InputFile<Real> &file, const Parameters &parameters, const LocalGrid &local);
};

} // namespace hybridfft::kspace
