/// Applies spectral operators to whole fields and then runs row kernels on the results. Used for
/// grids without fused kernels, such as grids of two dimensions and axisymmetric grids.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>

#include "hybridfft/grid/communicator.hpp"
#include "hybridfft/grid/parallel_for.hpp"
#include "solvers/kspace/base/field.h"
#include "solvers/kspace/operators/derivative.h"

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

} // namespace hybridfft::kspace
