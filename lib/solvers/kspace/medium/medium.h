/// The acoustic medium: density, sound speed, nonlinearity and absorption. Coefficients of the
/// equations are one value for the whole grid, one value per point, or one factor per point of an
/// axis.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/threads.h"
#include "grid/rows.h"
#include "solvers/kspace/base/exec.h"
#include "solvers/kspace/base/field.h"
#include "solvers/kspace/base/local_grid.h"
#include "solvers/kspace/base/parameters.h"
#include "solvers/kspace/base/rows.h"
#include "solvers/kspace/files/input_file.h"

namespace hybridfft::kspace {

/// A coefficient of the medium: one value for the whole grid or one per point. It is read and
/// checked on the host and can then be moved to a device.
template <class Real> class Coefficient {
public:
  Coefficient() = default;
  /// Reads a dataset of shape [1][1][1] or [Nz][Ny][Nx]. Collective. Throws InputError for values
  /// outside the allowed range.
  static Coefficient read(const InputFile &file, const std::string &dataset, Values allowed,
                          const LocalGrid &local, grid::Host host, const grid::Communicator &comm);

  bool uniform() const { return uniform_; }
  /// The value of a uniform coefficient.
  Real value() const { return value_; }
  /// Moves the values to the device of exec, if it has one. Throws hybridfft::Error.
  void move_to(const Exec &exec);
  /// Returns the view for element-wise kernels.
  grid::Rows<Real> rows() const {
    if (uniform()) return {row_.data(), 0, 0};
    return field_.rows(*local_);
  }
  const Real *row(std::ptrdiff_t i, std::ptrdiff_t j) const { return rows().row(i, j); }
  /// Returns the largest value on all ranks. Collective.
  double max(const grid::Communicator &comm) const;
  /// True if all values on all ranks are finite. Collective.
  bool finite(const grid::Communicator &comm) const {
    return comm.max(std::int64_t{finite_ ? 0 : 1}) == 0;
  }

  /// Replaces each value v by f(v), in double precision.
  template <class F> void transform(const F &f) {
    fill(*this, *this, [&](std::ptrdiff_t n, const Real *v, const Real *, Real *to) {
#pragma omp simd
      for (std::ptrdiff_t k = 0; k < n; ++k)
        to[k] = static_cast<Real>(f(static_cast<double>(v[k])));
    });
  }

  /// Computes a coefficient from the values of a and b at the same points. The result is uniform if
  /// a and b are.
  /// \param f f(n, a, b, to) computes n values of a row; `to` may equal a
  template <class F>
  static Coefficient combine(const Coefficient &a, const Coefficient &b,
                             const grid::Communicator &comm, const F &f) {
    Coefficient c = (a.uniform() ? b : a).empty_copy(comm);
    c.fill(a, b, f);
    return c;
  }
  /// Like combine() above. If a varies, its memory is reused for the result.
  template <class F>
  static Coefficient combine(Coefficient &&a, const Coefficient &b, const grid::Communicator &comm,
                             const F &f) {
    if (a.uniform()) return combine(std::as_const(a), b, comm, f);
    Coefficient c = std::move(a);
    c.fill(c, b, f);
    return c;
  }

private:
  /// Returns a coefficient that is uniform or varies as this one does. Its values are unset.
  Coefficient empty_copy(const grid::Communicator &comm) const;
  void set_uniform(double value);
  /// Sets the values to f(a, b); a may be this object.
  template <class F> void fill(const Coefficient &a, const Coefficient &b, const F &f) {
    if (uniform()) {
      Real value = 0;
      f(1, &a.value_, &b.value_, &value);
      return set_uniform(static_cast<double>(value));
    }
    const std::ptrdiff_t n = local_->box().extent(2);
    finite_ = for_rows([&](std::ptrdiff_t i, std::ptrdiff_t j) {
      Real *const to = field_.row(*local_, i, j);
      f(n, a.row(i, j), b.row(i, j), to);
      return rows::all_finite(n, to);
    });
  }
  /// Calls f(i, j) concurrently for all rows of this rank. Returns true if each call returns true.
  template <class F> bool for_rows(const F &f) const {
    const std::ptrdiff_t columns = local_->box().extent(1);
    std::atomic<bool> all{true};
    parallel_ranges(local_->box().extent(0) * columns, host_.threads,
                    [&](std::ptrdiff_t first, std::ptrdiff_t last, int) {
                      bool mine = true;
                      for (std::ptrdiff_t row = first; row < last; ++row)
                        mine = f(row / columns, row % columns) && mine;
                      if (!mine) all = false;
                    });
    return all;
  }

  bool uniform_ = true; ///< the same on all ranks, also on ranks without points
  bool finite_ = true;  ///< all values of this rank are finite
  Real value_ = 0;
  ExecArray<Real> row_; ///< the value of a uniform coefficient, repeated for a row along x
  Field<Real> field_;
  std::optional<LocalGrid> local_;
  grid::Host host_;
};

/// Factors that depend on the position along one axis only, such as the PML and the metric of
/// non-uniform grids. Only the factors of this rank's part of the grid are stored.
template <class Real> class AxisProfile {
public:
  AxisProfile() = default;
  /// \param factors one per point along the axis 0, 1, 2 = x, y, z
  AxisProfile(const std::vector<Real> &factors, int axis, const LocalGrid &local);
  /// Sets all factors to 1.
  explicit AxisProfile(const LocalGrid &local);

  /// See ExecArray.
  void move_to(const Exec &exec) {
    along_k_.move_to(exec);
    across_.move_to(exec);
  }
  /// Returns the factors at this rank's points, in host memory or, after move_to(), on the device.
  grid::Separable<Real> view() const {
    return {along_k_.data(), across_.data(), place_ == 0 ? 1 : 0, place_ == 1 ? 1 : 0};
  }

private:
  int place_ = 2;
  ExecArray<Real> along_k_, across_;
};

/// Factors along each axis x, y, z, both at the pressure points and at the staggered points.
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
  void move_to(const Exec &exec) {
    for (std::array<AxisProfile<Real>, 3> *profiles : {&centred_, &staggered_})
      for (AxisProfile<Real> &profile : *profiles)
        profile.move_to(exec);
  }

protected:
  StaggeredProfiles() = default;
  std::array<AxisProfile<Real>, 3> centred_, staggered_;
};

/// Position of a quantity in its grid cell: not shifted, or shifted by half a cell.
enum class Stagger { none, half };
/// Ends of an axis that have a PML.
enum class PmlEnds { both, upper };

/// Returns the PML factors along one axis. With P = `size`, A = `alpha` and s = 0 or 1/2 for the
/// stagger,
///   left  point i = 0..P-1:      exp(-(dt/2) A (c_ref/d) ((P - i - s)/P)^4)
///   right point n-P+i:           exp(-(dt/2) A (c_ref/d) ((i + s + 1)/P)^4)
/// and 1 at all other points (Tabei, Mast and Waag, JASA 111 (2002) 53, with k-Wave's quartic
/// profile).
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
/// coordinates with respect to the non-uniform ones. The input file gives them at the pressure
/// points and at the velocity points. They multiply the derivatives along each axis and are
/// dimensionless, 1 on a uniform grid.
template <class Real> class GridMetric : public StaggeredProfiles<Real> {
public:
  GridMetric(const InputFile &file, const Parameters &parameters, const LocalGrid &local);
};

/// The medium's coefficients in the time step. Each is uniform or varies by point. The staggered
/// densities are uniform if and only if the density is.
template <class Real> class Medium {
public:
  /// Reads c0, rho0, rho0_sgx, rho0_sgy, rho0_sgz and, if needed, BonA and alpha_coeff. Call
  /// require_arrays() first to check their shapes. Collective. Throws InputError for values outside
  /// their range.
  Medium(const InputFile &file, const Parameters &parameters, const LocalGrid &local,
         grid::Host host, const grid::Communicator &comm);

  /// Moves all properties to the device of exec, if it has one (see Coefficient). Throws
  /// hybridfft::Error.
  void move_to(const Exec &exec) {
    for (Coefficient<Real> *c : {&density_, &dt_over_rho0_[0], &dt_over_rho0_[1], &dt_over_rho0_[2],
                                 &speed_squared_, &nonlinearity_, &absorption_, &dispersion_})
      c->move_to(exec);
  }

  /// Density in kg/m^3.
  const Coefficient<Real> &density() const { return density_; }
  /// dt / density at the points of the velocity component along the axis, in s m^3/kg.
  const Coefficient<Real> &dt_over_rho0(int axis) const {
    return dt_over_rho0_[static_cast<std::size_t>(axis)];
  }
  /// Sound speed squared, in m^2/s^2.
  const Coefficient<Real> &speed_squared() const { return speed_squared_; }
  /// B/A / (2 density) in m^3/kg, for nonlinear media.
  const Coefficient<Real> &nonlinearity() const { return nonlinearity_; }
  /// tau and eta, the factors of absorption and dispersion (see absorption.h).
  const Coefficient<Real> &absorption() const { return absorption_; }
  const Coefficient<Real> &dispersion() const { return dispersion_; }
  /// True if sound speed, density and absorption are uniform.
  bool uniform() const {
    return density_.uniform() && speed_squared_.uniform() && absorption_.uniform();
  }
  /// Largest sound speed of the medium in m/s.
  double max_speed() const { return max_speed_; }

private:
  void set_absorption(const InputFile &file, const Parameters &parameters, Coefficient<Real> alpha,
                      const grid::Communicator &comm);

  Coefficient<Real> density_;
  std::array<Coefficient<Real>, 3> dt_over_rho0_;
  Coefficient<Real> speed_squared_, nonlinearity_, absorption_, dispersion_;
  double max_speed_ = 0;
};

} // namespace hybridfft::kspace
