/// Row work by operators on whole fields, one after another.
#pragma once

#include <array>
#include <memory>

#include "hybridfft/grid/communicator.hpp"
#include "hybridfft/grid/parallel_for.hpp"
#include "kspace/operators/field_operators.h"
#include "kspace/operators/host_derivative.h"

namespace hybridfft::kspace {

/// Derivatives field by field, on grids without fused passes. Memory: a field for each output that
/// has none.
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
  using Rows = std::array<Real *, most_outputs>;

  /// f(row) for every row.
  template <class F> void for_each_row(const F &f) const;
  Rows rows_at(const Row &row) const;
  void set_outputs(std::span<const Output<Real>> outputs);
  void run(Operator op, const RowKernel<Real> &kernel);
  void component(const RowKernel<Real> &kernel, int c, const Field<Real> &values);

  std::unique_ptr<FieldOperators<Real>> operators_;
  grid::Communicator comm_;
  grid::Host host_;
  Real tau_ = 0, eta_ = 0;
  double operating_ = 0, working_ = 0;        ///< seconds in operators, and in work between them
  std::array<Field<Real>, most_outputs> own_; ///< memory for outputs without a field
  std::array<const Field<Real> *, most_outputs> outputs_{};  ///< outputs of the call that runs
  std::array<const Field<Real> *, most_outputs> operands_{}; ///< operands of its operator
};

} // namespace hybridfft::kspace
