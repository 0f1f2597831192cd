/// Spectral operators in three dimensions, fused with element-wise work: row kernels run inside the
/// first and last passes of the FFTs, while lines are in cache. This is the default if the
/// processors of all ranks have kernels for the grid.
#pragma once

#include <array>
#include <memory>
#include <omp.h>
#include <optional>
#include <vector>

#include "hybridfft/grid/communicator.hpp"
#include "hybridfft/grid/parallel_for.hpp"
#include "hybridfft/hybridfft.hpp"
#include "hybridfft/operators.hpp"
#include "solvers/kspace/base/parameters.h"
#include "solvers/kspace/medium/absorption.h"
#include "solvers/kspace/operators/derivative.h"
#include "solvers/kspace/operators/spectral_operators.h"

namespace hybridfft::kspace {

/// Operands are stored as spectra along x and y. The x and y components of a gradient share an
/// inverse transform along z. Each velocity component is updated by the row kernel and transformed
/// again while it is in cache.
///
/// Memory is three fields, or eight if ranks exchange messages, and a quarter of a field for each
/// table (kappa, source correction, absorption).
template <class Real> class FusedFourier final : public HostDerivative<Real> {
public:
  /// True if the processors of all ranks have kernels for the grid. Collective.
  static bool applies(const Parameters &parameters, const grid::Communicator &comm);

  /// Plans the transforms. Collective. Throws hybridfft::Error.
  /// \param multipliers of power-law absorption; by default from the exponent
  FusedFourier(const Parameters &parameters, const LocalGrid &local, const grid::Communicator &comm,
               grid::Host host, const LaplacianMultipliers &multipliers = {});

  /// Restricts results to the planes i < planes and the rows j < lines. If `lines` is the number of
  /// rows of a plane, operands, too, contain only the planes i < planes until make_operand() adds
  /// others. The grid must not be distributed.
  void want_only(std::ptrdiff_t planes, std::ptrdiff_t lines) { wanted_ = {0, planes, lines}; }
  /// Computes the planes first <= i < end of operand o from a field.
  void make_operand(std::size_t o, const Field<Real> &field, std::ptrdiff_t first,
                    std::ptrdiff_t end) {
    const int target = static_cast<int>(o);
    plan_.planes(Part{first, end}, {}, {&target, 1},
                 [&](const Line &line) { line.out[0] = field.row(local_, line.i, line.j); });
  }

  void apply(Operator op, const RowKernel<Real> &kernel,
             std::span<const Output<Real>> outputs) override;
  void set_uniform_absorption(Real tau, Real eta) override;
  void correct_rows(Driven, const Field<Real> &source, const UseRow<Real> &use) override {
    filter(source, tables_.source_kappa.get(), nullptr, nullptr, nullptr, use);
  }
  void unstagger_rows(int axis, const Field<Real> &u, const UseRow<Real> &use) override {
    const PlanFactors *shift = &tables_.unstagger[static_cast<std::size_t>(axis)];
    filter(u, nullptr, axis == 0 ? shift : nullptr, axis == 1 ? shift : nullptr,
           axis == 2 ? shift : nullptr, use);
  }
  std::string describe() const override { return plan_.describe(); }
  std::vector<StageTime> stage_times() const override {
    const auto profile = plan_.profile();
    return {{"FFTs of planes and equations", profile.planes},
            {"FFTs of lines and operators", profile.lines},
            {"exchanges", profile.exchange}};
  }

private:
  using HostDerivative<Real>::local_;
  using Plan = OperatorPlan<Real>;
  using PlanTable = typename Plan::Table;
  using PlanFactors = typename Plan::Factors;
  using Source = typename Plan::Source;
  using Product = typename Plan::Product;
  using Part = typename Plan::Part;
  using Line = typename Plan::Line;

  void gradient(const RowKernel<Real> &kernel, std::span<const Output<Real>> outputs);
  void divergence_lines() {
    const std::array<Product, 3> products{{{2, {{2, tables_.kappa.get(), &tables_.behind[2]}}},
                                           {1, {{1, tables_.kappa.get(), nullptr}}},
                                           {0, {{0, tables_.kappa.get(), nullptr}}}}};
    plan_.lines(products);
  }
  void divergence(const RowKernel<Real> &kernel, std::span<const Output<Real>> outputs);
  /// Runs the kernel in one pass over planes. Each source gives one component.
  void sweep(std::span<const Source> sources, const RowKernel<Real> &kernel,
             std::span<const Output<Real>> outputs);
  /// Runs a pass over the planes set by want_only(). The planes of RowKernel::planes_first() come
  /// first.
  template <class F>
  void sweep_wanted(std::span<const Source> sources, std::span<const int> operands,
                    const RowKernel<Real> &kernel, const F &line);
  /// Returns the indices of the plan's fields that store the operands among `outputs`.
  std::span<const int> targets(std::span<const Output<Real>> outputs) {
    std::size_t count = 0;
    for (std::size_t o = 0; o < outputs.size(); ++o)
      if (outputs[o].use == Output<Real>::Use::operand) targets_[count++] = static_cast<int>(o);
    return {targets_.data(), count};
  }
  /// Transforms a field, multiplies its spectrum by the table and factors, and passes each row of
  /// the result to `use`.
  void filter(const Field<Real> &field, const PlanTable *table, const PlanFactors *x,
              const PlanFactors *y, const PlanFactors *z, const UseRow<Real> &use);
  Real *spare_row(std::size_t output) const {
    const auto thread = static_cast<std::size_t>(omp_get_thread_num());
    return spare_rows_.data() + (thread * max_outputs + output) * row_size_;
  }
  Row whole_row(const Line &line) const { return {line.i, line.j, 0, local_.box().extent(2)}; }

  Plan plan_;
  Part wanted_; ///< planes and rows set by want_only()
  /// Tables include the normalisation of the transforms.
  SpectralTables<std::shared_ptr<const PlanTable>, PlanFactors> tables_;
  PlanFactors tau_, minus_eta_;
  std::array<int, max_outputs> targets_{};
  std::size_t row_size_;
  mutable std::vector<Real> spare_rows_; ///< for each thread, rows of outputs that are not stored
};

} // namespace hybridfft::kspace
