/// Row work by operators on whole fields, one after another.
#pragma once

#include <array>
#include <memory>

#include "hybridfft/grid/communicator.hpp"
#include "hybridfft/grid/parallel_for.hpp"
#include "kspace/operators/field_operators.h"
#include "kspace/operators/host_derivative.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

/// Derivatives field by field, on grids without fused passes. Memory: a field for each output that
/// has none.
class UnfusedFourier final : public HostDerivative {
public:
  UnfusedFourier(std::unique_ptr<FieldOperators> operators, const LocalGrid &local,
                 const grid::Communicator &comm, grid::Host host);

  void apply(Operator op, const RowKernel &kernel, std::span<const Output> outputs) override;
  void set_uniform_absorption(Real tau, Real eta) override;
  void correct_rows(Driven driven, const Field &source, const UseRow &use) override;
  void unstagger(int axis, const Field &u, const Use &use) override;
  std::string describe() const override { return operators_->describe(); }
  std::vector<StageTime> stage_times() const override {
    return {{"FFTs and operators", operating_}};
  }

private:
  using Rows = std::array<Real *, most_outputs>;

  /// f(row) for every row.
  template <class F> void for_each_row(const F &f) const;
  Rows rows_at(const Row &row) const;
  void set_outputs(std::span<const Output> outputs);
  void run(Operator op, const RowKernel &kernel);
  void component(const RowKernel &kernel, int c, const Field &values);

  std::unique_ptr<FieldOperators> operators_;
  grid::Communicator comm_;
  grid::Host host_;
  Real tau_ = 0, eta_ = 0;
  double operating_ = 0, working_ = 0;  ///< seconds in operators, and in work between them
  std::array<Field, most_outputs> own_; ///< memory for outputs without a field
  std::array<const Field *, most_outputs> outputs_{};  ///< outputs of the call that runs
  std::array<const Field *, most_outputs> operands_{}; ///< operands of its operator
};

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
