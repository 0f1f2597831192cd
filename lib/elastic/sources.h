/// Sources of the waves: signals over time, and the fields that they are added to.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "elastic/medium.h"
#include "elastic/source_kernels.h"

namespace hybridfft::elastic {

/// The factor of a drive's weight that depends on the medium at its point.
enum class Scale {
  none,          ///< 1
  speed_squared, ///< vp^2 of the cell, in m^2/s^2
  buoyancy       ///< inverse mean density of the two cells around a velocity, in m^3/kg
};

/// A signal's effect on one field at one point of the grid.
struct Drive {
  int field = 0;
  Index3 point;         ///< index of the grid, on any rank
  double weight = 0;    ///< weight of the signal in the field's units
  Index signal = 0;     ///< number of the signal
  bool replace = false; ///< the field becomes the value, instead of gaining it
  Scale scale = Scale::none;
};

/// Drives and their signals.
struct Sources {
  /// Sources that add to velocities act before each step of velocities, those that replace them
  /// after it; and so with stresses.
  std::vector<Drive> drives;
  Index signals = 0;
  std::vector<double> samples; ///< sample of signal s in time step n: [n * signals + s]
  std::vector<Index> steps;    ///< time steps that each signal acts in; empty: as there are samples
  Index steps_of(Index signal) const {
    return steps.empty() ? static_cast<Index>(samples.size()) / signals
                         : steps[static_cast<std::size_t>(signal)];
  }

  /// A moment rate at the centre of a cell: `tensor` (xx yy zz xy xz yz, N m) times the signal
  /// (1/s), which is sampled at (n + 1/2) dt. Each shear part is shared by the four nodes around
  /// the centre that are points of the grid or its periodic images, but for the surface's, which is
  /// free.
  void add_moment(const Problem &problem, const Index3 &cell, const std::array<double, 6> &tensor,
                  Index signal);
  /// A body force (N) at the velocity nodes of a cell, times the signal, which is sampled at n dt.
  void add_force(const Problem &problem, const Index3 &cell, const std::array<double, 3> &force,
                 Index signal);
  /// k-Wave's source of pressure in a fluid: the signal is a density (kg/m^3) of each of three
  /// axes; the pressure gains, or becomes, 3 vp^2 times it.
  void add_pressure(const Problem &problem, const Index3 &cell, bool replace, Index signal);
};

/// The drives of some fields at the points of some boxes, ready to be applied.
template <class Real> class Drives {
public:
  Drives() = default;
  /// \param first,last fields first <= f < last
  /// \param replace the drives that replace values, or those that add to them
  /// \param boxes   points whose fields are driven, each in one box; boxes may reach into ghosts of
  ///                periodic axes
  /// \param field   origins of all fields, where exec works
  /// \param lattice of the fields and of the medium
  /// \param medium  still on the host
  Drives(const Sources &sources, int first, int last, bool replace, const Problem &problem,
         std::span<const grid::Box> boxes, const std::array<Real *, fields> &field,
         const Lattice &lattice, const Medium<Real> &medium, const Exec &exec);
  /// True if there are drives in time step n.
  bool any(std::int64_t n) const {
    return points_.size() > 0 && (n + 1) * signals_ <= samples_.size();
  }
  /// The drives of time step n; nothing beyond the last sample.
  void apply(std::int64_t n, const Exec &exec) const;
  /// The same in the rows of one plane of a box, in this thread. There are no drives at other
  /// points of these rows.
  void apply_within(const grid::Box &rows, std::int64_t n) const;

private:
  kernels::Drive<Real> drive(std::int64_t n) const;

  Lattice lattice_;
  List<kernels::DrivenPoint<Real>> points_; ///< in the order of their offsets
  List<kernels::Contribution> contributions_;
  List<double> samples_;
  Index signals_ = 0;
};

} // namespace hybridfft::elastic
