/// Applies spectral operators to whole fields, by distributed FFTs, and then runs row kernels on
/// the results. This serves grids without fused kernels, such as grids of two dimensions and
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

/// Receives the component of a gradient along an axis.
template <class Real>
using UseComponent = std::function<void(int axis, const Field<Real> &component)>;

/// Complex factors along one axis of a spectrum.
template <class Real> using Factors = std::vector<kernels::Complex<Real>>;

/// A derivative that applies each operator to whole fields in slabs, in one to three dimensions.
/// Spectra are transposed (see TransposedSpectrum). Needs a work field, and one more field for each
/// output that the caller does not store.
///
/// Derived classes implement the operators; axis 0, 1, 2 = x, y, z. These functions are collective.
/// They pass results to `use` in a work field; it is valid only during the call. `use` may change
/// other fields.
template <class Real> class UnfusedFourier : public HostDerivative<Real> {
public:
  /// Computes dp/daxis half a cell ahead of the points of p, for each axis in ascending order.
  /// Overwrites p.
  virtual void gradient(Field<Real> &p, const UseComponent<Real> &use) = 0;
  /// Computes du/daxis half a cell behind the points of u. On axisymmetric grids the radial
  /// component includes u/r. u keeps its values.
  virtual void divergence_term(int axis, const Field<Real> &u, const UseField<Real> &use) = 0;
  /// Applies the k-space correction cos(c_ref k dt/2) to an additive source. The source keeps its
  /// values.
  virtual void correct(Driven driven, const Field<Real> &source, const UseField<Real> &use) = 0;
  /// Applies L_tau (order 0) or L_eta (order 1) to a field (see absorption.h). The field keeps its
  /// values. Throws std::logic_error on grids that do not support power-law absorption.
  virtual void fractional_laplacian(std::size_t order, const Field<Real> &field,
                                    const UseField<Real> &use);
  /// Computes tau L_tau(compression) - eta L_eta(rho) for uniform tau and eta, with one FFT less
  /// than two fractional Laplacians. Overwrites the compression; rho keeps its values. Throws as
  /// fractional_laplacian().
  virtual void absorb(Real tau, Field<Real> &compression, Real eta, const Field<Real> &rho,
                      const UseField<Real> &use);

  void apply(Operator op, const RowKernel<Real> &kernel,
             std::span<const Output<Real>> outputs) final;
  void set_uniform_absorption(Real tau, Real eta) final {
    tau_ = tau;
    eta_ = eta;
  }
  void correct_rows(Driven driven, const Field<Real> &source, const UseRow<Real> &use) final {
    correct(driven, source, by_rows(use));
  }
  void unstagger_rows(int axis, const Field<Real> &u, const UseRow<Real> &use) final {
    unstagger(axis, u, by_rows(use));
  }
  void unstagger(int axis, const Field<Real> &u, const UseField<Real> &use) final {
    forward(u);
    multiply(nullptr, axis, tables_.unstagger[static_cast<std::size_t>(axis)], work_, work_);
    backward(work_, use);
  }
  std::string describe() const override {
    return forward_.describe() + "\n" + backward_.describe();
  }
  std::vector<StageTime> stage_times() const final { return {{"FFTs and operators", operating_}}; }

protected:
  using HostDerivative<Real>::local_, HostDerivative<Real>::comm_, HostDerivative<Real>::host_;
  using Complex = kernels::Complex<Real>;

  /// Plans the transforms. Overwrites `scratch`, a field with room for transforms, unless effort is
  /// estimate. Collective. Throws hybridfft::Error.
  UnfusedFourier(const LocalGrid &local, const grid::Communicator &comm, grid::Host host,
                 Effort effort, Field<Real> &scratch);

  /// Computes the spectrum of the field and stores it in work_. The field keeps its values.
  void forward(const Field<Real> &field) { forward_.execute(field.real(), work_.spectrum()); }
  /// Transforms a spectrum to a field in place, without normalisation, and passes it to `use`.
  void backward(Field<Real> &field, const UseField<Real> &use) {
    backward_.execute(field.spectrum(), field.real());
    use(field);
  }
  /// Computes to = table * f * from, with one factor f per bin of an axis. `to` and `from` may be
  /// the same field. The optional table has one real per bin, without padding.
  void multiply(const Field<Real> *table, int axis, const Factors<Real> &factors,
                const Field<Real> &from, Field<Real> &to) const;
  /// Calls f(i, j, k, v, w) for each bin of this rank, concurrently. v and w are the values of
  /// `from` and `to`, which may be the same field.
  template <class F> void for_each_bin(const Field<Real> &from, Field<Real> &to, const F &f) const {
    const grid::Box box = spectrum_.box();
    const grid::View<const Complex> in(reinterpret_cast<const Complex *>(from.data()),
                                       box.extent(1), box.extent(2));
    const grid::View<Complex> out(reinterpret_cast<Complex *>(to.data()), box.extent(1),
                                  box.extent(2));
    grid::parallel_for(host_, box,
                       [=](auto i, auto j, auto k) { f(i, j, k, in(i, j, k), out(i, j, k)); });
  }
  /// Returns a view of a table by the bins of this rank.
  grid::View<const Real> view(const Field<Real> &table) const {
    return {table.data(), spectrum_.box().extent(1), spectrum_.box().extent(2)};
  }
  Field<Real> new_table() const {
    return {static_cast<std::size_t>(spectrum_.box().points()), host_.threads};
  }

  TransposedSpectrum spectrum_;
  Field<Real> work_;
  /// Factors include the normalisation of the transforms, as all tables but kappa do.
  SpectralTables<Field<Real>, Factors<Real>> tables_;

private:
  using Rows = std::array<Real *, max_outputs>;

  /// Calls f(row) for every row.
  template <class F> void for_each_row(const F &f) const;
  /// Returns a function that passes the rows of a field to `use`.
  UseField<Real> by_rows(const UseRow<Real> &use) const;
  Rows rows_at(const Row &row) const {
    Rows rows{};
    for (std::size_t o = 0; o < rows.size(); ++o)
      if (outputs_[o] != nullptr) rows[o] = outputs_[o]->row(local_, row.i, row.j);
    return rows;
  }
  void set_outputs(std::span<const Output<Real>> outputs);
  void run(Operator op, const RowKernel<Real> &kernel);
  void component(const RowKernel<Real> &kernel, int c, const Field<Real> &values);

  Plan<Real, Kind::r2c> forward_;  ///< out of place; keeps its input
  Plan<Real, Kind::c2r> backward_; ///< in place
  Real tau_ = 0, eta_ = 0;
  double operating_ = 0, working_ = 0;       ///< seconds in operators and in row kernels
  std::array<Field<Real>, max_outputs> own_; ///< memory of outputs that the caller does not store
  std::array<const Field<Real> *, max_outputs> outputs_{};  ///< outputs of the current call
  std::array<const Field<Real> *, max_outputs> operands_{}; ///< operands of the current operator
};

/// A gradient needs one forward FFT and one backward FFT per axis; each other operator needs one of
/// each. Spectra stay transposed, so each FFT has a single exchange.
///
/// Memory is one work field, and half a field for each table (kappa, source correction,
/// absorption). The gradient uses its argument as a second work field.
template <class Real> class GlobalFourier final : public UnfusedFourier<Real> {
public:
  /// Plans the transforms. Overwrites `scratch`, a field with room for transforms, unless effort is
  /// estimate. Collective. Throws hybridfft::Error.
  /// \param multipliers of power-law absorption; by default from the exponent
  GlobalFourier(const Parameters &parameters, const LocalGrid &local,
                const grid::Communicator &comm, grid::Host host, Effort effort,
                Field<Real> &scratch, const LaplacianMultipliers &multipliers = {});

  void gradient(Field<Real> &p, const UseComponent<Real> &use) override;
  void divergence_term(int axis, const Field<Real> &u, const UseField<Real> &use) override {
    forward(u);
    multiply(&tables_.kappa, axis, tables_.behind[static_cast<std::size_t>(axis)], work_, work_);
    backward(work_, use);
  }
  void correct(Driven, const Field<Real> &source, const UseField<Real> &use) override {
    filter(tables_.source_kappa, source, use);
  }
  void fractional_laplacian(std::size_t order, const Field<Real> &field,
                            const UseField<Real> &use) override {
    filter(tables_.laplacians[order], field, use);
  }
  void absorb(Real tau, Field<Real> &compression, Real eta, const Field<Real> &rho,
              const UseField<Real> &use) override;

private:
  using Base = UnfusedFourier<Real>;
  using Base::backward, Base::forward, Base::for_each_bin, Base::multiply, Base::view;
  using Base::local_, Base::tables_, Base::work_;
  using typename Base::Complex;

  /// Computes to = table * from.
  void multiply(const Field<Real> &table, const Field<Real> &from, Field<Real> &to) const;
  /// Transforms a field, multiplies its spectrum by a table, and transforms it back.
  void filter(const Field<Real> &table, const Field<Real> &field, const UseField<Real> &use) {
    forward(field);
    multiply(table, work_, work_);
    backward(work_, use);
  }
};

} // namespace hybridfft::kspace
