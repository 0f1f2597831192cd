/// Applies spectral operators to whole fields, by distributed FFTs, and then runs row kernels on
/// the results. Used for grids without fused kernels, such as grids of two dimensions and
/// axisymmetric grids.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hybridfft/grid/communicator.hpp"
#include "hybridfft/grid/parallel_for.hpp"
#include "hybridfft/hybridfft.hpp"
#include "solvers/kspace/base/field.h"
#include "solvers/kspace/base/local_grid.h"
#include "solvers/kspace/base/parameters.h"
#include "solvers/kspace/medium/absorption.h"
#include "solvers/kspace/operators/derivative.h"
#include "solvers/kspace/operators/spectral_operators.h"

namespace hybridfft::kspace {

/// The fractional Laplacians of power-law absorption (see absorption.h).
enum class FractionalLaplacian { absorption, dispersion };

/// Receives the component of a gradient along an axis.
template <class Real>
using UseComponent = std::function<void(int axis, const Field<Real> &component)>;

/// Staggered first derivatives with the k-space correction, and filters; axis 0, 1, 2 = x, y, z.
/// All functions are collective. They pass results to `use` in a work field; it is valid only
/// during the call. `use` may change other fields.
template <class Real> class FieldOperators {
public:
  virtual ~FieldOperators() = default;

  /// Computes dp/daxis half a cell ahead of the points of p, for each axis in ascending order.
  /// Overwrites p.
  virtual void gradient(Field<Real> &p, const UseComponent<Real> &use) = 0;
  /// Computes du/daxis half a cell behind the points of u. On axisymmetric grids the radial
  /// component includes u/r. u keeps its values.
  virtual void divergence_term(int axis, const Field<Real> &u, const UseField<Real> &use) = 0;
  /// Applies the k-space correction cos(c_ref k dt/2) to an additive source. The source keeps its
  /// values.
  virtual void correct_source(Driven driven, const Field<Real> &source,
                              const UseField<Real> &use) = 0;
  /// Applies L_tau or L_eta to a field. The field keeps its values.
  virtual void fractional_laplacian(FractionalLaplacian order, const Field<Real> &field,
                                    const UseField<Real> &use) = 0;
  /// Computes tau L_tau(compression) - eta L_eta(rho) for uniform tau and eta, with one FFT less
  /// than two fractional Laplacians. Overwrites the compression; rho keeps its values.
  virtual void absorb(Real tau, Field<Real> &compression, Real eta, const Field<Real> &rho,
                      const UseField<Real> &use) = 0;
  /// Interpolates a velocity component to the pressure points, half a cell behind. u keeps its
  /// values.
  virtual void unstagger(int axis, const Field<Real> &u, const UseField<Real> &use) = 0;
  /// Describes the plans.
  virtual std::string describe() const = 0;
};

/// A derivative that applies each operator to whole fields. Needs one more field for each output
/// that the caller does not store.
template <class Real> class UnfusedFourier final : public HostDerivative<Real> {
public:
  UnfusedFourier(std::unique_ptr<FieldOperators<Real>> operators, const LocalGrid &local,
                 const grid::Communicator &comm, grid::Host host);

  void apply(Operator op, const RowKernel<Real> &kernel,
             std::span<const Output<Real>> outputs) override;
  void set_uniform_absorption(Real tau, Real eta) override;
  void correct_rows(Driven driven, const Field<Real> &source, const UseRow<Real> &use) override;
  void unstagger(int axis, const Field<Real> &u, const UseField<Real> &use) override;
  std::string describe() const override { return operators_->describe(); }
  std::vector<StageTime> stage_times() const override {
    return {{"FFTs and operators", operating_}};
  }

private:
  using HostDerivative<Real>::local_;
  using Rows = std::array<Real *, max_outputs>;

  /// Calls f(row) for every row.
  template <class F> void for_each_row(const F &f) const;
  Rows rows_at(const Row &row) const;
  void set_outputs(std::span<const Output<Real>> outputs);
  void run(Operator op, const RowKernel<Real> &kernel);
  void component(const RowKernel<Real> &kernel, int c, const Field<Real> &values);

  std::unique_ptr<FieldOperators<Real>> operators_;
  grid::Communicator comm_;
  grid::Host host_;
  Real tau_ = 0, eta_ = 0;
  double operating_ = 0, working_ = 0;       ///< seconds in operators and in row kernels
  std::array<Field<Real>, max_outputs> own_; ///< memory of outputs that the caller does not store
  std::array<const Field<Real> *, max_outputs> outputs_{};  ///< outputs of the current call
  std::array<const Field<Real> *, max_outputs> operands_{}; ///< operands of the current operator
};

/// A complex number with plain members, which compilers vectorise.
template <class Real> struct Complex { Real re, im; };
/// Factors along one axis of a spectrum, rounded from double precision.
template <class Real> using Factors = std::vector<Complex<Real>>;
/// Rounds factors to Real.
template <class Real> Factors<Real> rounded(const std::vector<std::complex<double>> &factors);

/// Planned FFTs of fields in slabs, in two or three dimensions. Spectra are transposed (see
/// TransposedSpectrum). Backward transforms are not normalised.
template <class Real> class Transforms {
public:
  /// Plans the transforms. Overwrites `scratch`, a field with room for transforms, unless effort is
  /// estimate. Collective. Throws hybridfft::Error.
  Transforms(const LocalGrid &local, const grid::Communicator &comm, grid::Host host, Effort effort,
             Field<Real> &scratch);

  /// Computes the spectrum of the field and stores it in work(). The field keeps its values.
  void forward(const Field<Real> &field) { forward_.execute(field.real(), work_.spectrum()); }
  /// Transforms a spectrum to a field in place.
  void backward(Field<Real> &field) { backward_.execute(field.spectrum(), field.real()); }
  Field<Real> &work() { return work_; }
  const LocalGrid &local() const { return local_; }
  grid::Host host() const { return host_; }

  /// Computes to = table * f * from, with one factor f per bin of an axis. `to` and `from` may be
  /// the same field. The optional table has one real per bin, without padding.
  void multiply(const Field<Real> *table, int axis, const Factors<Real> &factors,
                const Field<Real> &from, Field<Real> &to) const;
  /// Computes to = table * from.
  void multiply(const Field<Real> &table, const Field<Real> &from, Field<Real> &to) const;
  /// Computes to = a * other + b * table * to.
  void combine(Real a, const Field<Real> &other, Real b, const Field<Real> &table,
               Field<Real> &to) const;
  /// Returns a table of f(|k|) for all bins of a grid with spacings d.
  template <class F> Field<Real> table(const std::array<double, 3> &d, const F &f) const;

  /// Describes the plans.
  std::string describe() const;

private:
  grid::View<const Complex<Real>> spectrum(const Field<Real> &field) const;

  LocalGrid local_;
  TransposedSpectrum spectrum_;
  grid::Host host_;
  Field<Real> work_;
  Plan<Real, Kind::r2c> forward_;  ///< out of place; keeps its input
  Plan<Real, Kind::c2r> backward_; ///< in place
};

template <class Real>
template <class F>
Field<Real> Transforms<Real>::table(const std::array<double, 3> &d, const F &f) const {
  const grid::Box box = spectrum_.box();
  Field<Real> table(static_cast<std::size_t>(box.extent(0) * box.extent(1) * box.extent(2)),
                    host_.threads);
  // Squares of the wave numbers along i, j and k.
  std::array<std::vector<double>, 3> k2;
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    k2[static_cast<std::size_t>(spectrum_.place(axis))] =
        axis < local_.dimensions() ? squared_wavenumbers(local_.extents()[a], d[a])
                                   : std::vector<double>{0};
  }
  const grid::View<Real> out{table.data(), box.extent(1), box.extent(2)};
  const double *ki = k2[0].data() + spectrum_.start();
  const double *kj = k2[1].data();
  const double *kk = k2[2].data();
  grid::parallel_for(host_, box, [=](auto i, auto j, auto k) {
    out(i, j, k) = static_cast<Real>(f(std::sqrt(ki[i] + kj[j] + kk[k])));
  });
  return table;
}

/// A gradient needs one forward FFT and one backward FFT per axis; each other operator needs one of
/// each. Spectra stay transposed, so each FFT has a single exchange.
///
/// Memory is one work field, and half a field for each table (kappa, source correction,
/// absorption). The gradient uses its argument as a second work field.
template <class Real> class GlobalFourier final : public FieldOperators<Real> {
public:
  /// Plans the transforms. Overwrites `scratch`, a field with room for transforms, unless effort is
  /// estimate. Collective. Throws hybridfft::Error.
  /// \param multipliers of power-law absorption; by default from the exponent
  GlobalFourier(const Parameters &parameters, const LocalGrid &local,
                const grid::Communicator &comm, grid::Host host, Effort effort,
                Field<Real> &scratch, const LaplacianMultipliers &multipliers = {});

  void gradient(Field<Real> &p, const UseComponent<Real> &use) override;
  void divergence_term(int axis, const Field<Real> &u, const UseField<Real> &use) override;
  void correct_source(Driven driven, const Field<Real> &source, const UseField<Real> &use) override;
  void fractional_laplacian(FractionalLaplacian order, const Field<Real> &field,
                            const UseField<Real> &use) override;
  void absorb(Real tau, Field<Real> &compression, Real eta, const Field<Real> &rho,
              const UseField<Real> &use) override;
  void unstagger(int axis, const Field<Real> &u, const UseField<Real> &use) override;
  std::string describe() const override { return transforms_.describe(); }

private:
  void make_tables(const Parameters &parameters, const LaplacianMultipliers &multipliers);
  /// Transforms a field, multiplies its spectrum by a table, and transforms it back.
  void filter(const Field<Real> &table, const Field<Real> &field, const UseField<Real> &use);

  Transforms<Real> transforms_;
  int dimensions_;
  Field<Real> kappa_;
  Field<Real> source_kappa_; ///< k-space correction of additive sources, one factor per bin
  std::array<Field<Real>, 2> laplacians_; ///< multipliers of power-law absorption, one per bin
  std::array<Factors<Real>, 3> ahead_, behind_, unstagger_;
};

} // namespace hybridfft::kspace
