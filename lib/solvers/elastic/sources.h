/// Wave sources: signals over time, and the points and fields on which they act.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "solvers/elastic/medium.h"
#include "solvers/elastic/point_kernels.h"

namespace hybridfft::elastic {

/// Factor at a driven point, computed from the medium.
enum class Scale {
  none,          ///< 1
  speed_squared, ///< vp^2 of the cell, in m^2/s^2
  buoyancy       ///< inverse mean density of the two cells around a velocity, in m^3/kg
};

/// The effect of one signal on one field at one point of the grid.
struct Drive {
  int field = 0;
  Index3 point;         ///< index in the grid, on any rank
  double weight = 0;    ///< factor of the signal, besides the factor given by `scale`
  Index signal = 0;     ///< number of the signal
  bool replace = false; ///< true: replaces the field's value; false: is added to the value
  Scale scale = Scale::none;
};

/// All drives of a problem, and their signals.
struct Sources {
  /// Drives that add to velocities act before velocities advance; drives that replace them act
  /// afterwards. The same holds for stresses.
  std::vector<Drive> drives;
  Index signals = 0;
  std::vector<double> samples; ///< sample of signal s in time step n: [n * signals + s]
  std::vector<Index> steps;    ///< number of time steps of each signal; empty: all samples
  Index steps_of(Index signal) const {
    return steps.empty() ? static_cast<Index>(samples.size()) / signals
                         : steps[static_cast<std::size_t>(signal)];
  }

  /// Adds a moment source at the centre of a cell: `tensor` (xx yy zz xy xz yz, N m) times the
  /// signal (1/s), sampled at (n + 1/2) dt. Each shear component is divided among the four nodes
  /// around the centre. Points outside of the grid and on a free surface are ignored.
  void add_moment(const Problem &problem, const Index3 &cell, const std::array<double, 6> &tensor,
                  Index signal);
  /// Adds a body force (N) at the velocity nodes of a cell, times the signal, sampled at n dt.
  void add_force(const Problem &problem, const Index3 &cell, const std::array<double, 3> &force,
                 Index signal);
  /// Adds a k-Wave pressure source in a fluid. The signal is a density (kg/m^3) for each of three
  /// axes, so 3 vp^2 times the signal is added to the pressure or replaces it.
  void add_pressure(const Problem &problem, const Index3 &cell, bool replace, Index signal);
};

/// The drives of a range of fields within boxes, in the form applied by kernels.
template <class Real> class Drives {
public:
  Drives() = default;
  /// \param first,last fields first <= f < last
  /// \param replace true: drives that replace values; false: drives that add to them
  /// \param boxes disjoint boxes of driven points; they may include ghosts along periodic axes
  /// \param field origins of all fields, in the memory used by exec
  /// \param lattice memory layout of the fields and of the medium
  /// \param medium must be on the host
  Drives(const Sources &sources, int first, int last, bool replace, const Problem &problem,
         std::span<const grid::Box> boxes, const std::array<Real *, fields> &field,
         const grid::Lattice &lattice, const Medium<Real> &medium, const ElasticExec &exec);
  /// True if there are drives in time step n.
  bool any(std::int64_t n) const {
    return points_.size() > 0 && (n + 1) * signals_ <= samples_.size();
  }
  /// Applies the drives of time step n; does nothing after the last sample.
  void apply(std::int64_t n, const ElasticExec &exec) const;
  /// Applies the drives of time step n within `rows`, a box of one plane, in this thread. Its rows
  /// must have no driven points outside of the box.
  void apply_within(const grid::Box &rows, std::int64_t n) const;

private:
  kernels::Drive<Real> drive(std::int64_t n) const;

  grid::Lattice lattice_;
  List<kernels::DrivenPoint<Real>> points_; ///< in the order of their offsets
  List<kernels::Contribution> contributions_;
  List<double> samples_;
  Index signals_ = 0;
};

} // namespace hybridfft::elastic
