/// The operators of the time step in three dimensions, with element-wise work done inside the first
/// and last passes of the transforms.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "hybridfft/grid/communicator.hpp"
#include "hybridfft/grid/parallel_for.hpp"
#include "hybridfft/hybridfft.hpp"
#include "hybridfft/operators.hpp"
#include "kspace/base/parameters.h"
#include "kspace/medium/absorption.h"
#include "kspace/operators/derivative.h"
#include "kspace/operators/spectral_operators.h"

namespace hybridfft::kspace {

/// Operands are kept as spectra along x and y. A gradient's inverse transform along z is shared by
/// its x and y components; the results of each component of a gradient are transformed to their
/// spectrum while they are in cache.
///
/// Memory: three fields, eight where ranks send messages, and a quarter of a field for each of
/// kappa and the tables that the sources and the absorption need.
template <class Real> class FusedFourier final : public HostDerivative<Real> {
public:
  /// True if the processors of all ranks have kernels for the grid. Collective.
  static bool applies(const Parameters &parameters, const grid::Communicator &comm);

  /// Plans. Collective. Throws hybridfft::Error.
  /// \param multipliers for a power law's absorption; by default those of its exponent
  FusedFourier(const Parameters &parameters, const LocalGrid &local, const grid::Communicator &comm,
               grid::Host host, const LaplacianMultipliers &multipliers = {});

  /// From now on results are wanted only of the rows j < lines of planes i < planes, and if these
  /// are whole planes, operands have no others before make_operand(). On one rank.
  void want_only(std::ptrdiff_t planes, std::ptrdiff_t lines) { wanted_ = {0, planes, lines}; }
  /// Operand o from a field: planes first <= i < end.
  void make_operand(std::size_t o, const Field<Real> &field, std::ptrdiff_t first,
                    std::ptrdiff_t end);

  void apply(Operator op, const RowKernel<Real> &kernel,
             std::span<const Output<Real>> outputs) override;
  void set_uniform_absorption(Real tau, Real eta) override;
  void correct_rows(Driven driven, const Field<Real> &source, const UseRow<Real> &use) override;
  void unstagger(int axis, const Field<Real> &u, const UseField<Real> &use) override;
  std::string describe() const override { return plan_.describe(); }
  std::vector<StageTime> stage_times() const override;

private:
  using HostDerivative<Real>::local_;
  using Plan = OperatorPlan<Real>;
  using PlanTable = typename Plan::Table;
  using PlanFactors = typename Plan::Factors;
  using Source = typename Plan::Source;
  using Product = typename Plan::Product;
  using Part = typename Plan::Part;
  using Line = typename Plan::Line;
  using Work = typename Plan::Work;
  using Table = std::shared_ptr<const PlanTable>;

  void make_factors(const Parameters &parameters);
  void make_tables(const Parameters &parameters, const LaplacianMultipliers &multipliers = {});

  void gradient(const RowKernel<Real> &kernel, std::span<const Output<Real>> outputs);
  void divergence_lines();
  void divergence(const RowKernel<Real> &kernel, std::span<const Output<Real>> outputs);
  /// One sweep over planes from these sources, a component each.
  void sweep(std::span<const Source> sources, const RowKernel<Real> &kernel,
             std::span<const Output<Real>> outputs);
  /// Over the planes that are wanted, those first that the work wants first.
  void sweep_wanted(std::span<const Source> sources, std::span<const int> operands,
                    const RowKernel<Real> &kernel, const Work &line);
  /// The fields `outputs` become operands in.
  std::span<const int> targets(std::span<const Output<Real>> outputs);
  /// Through the spectrum of one field that is free.
  void filter(const Field<Real> &field, const PlanTable *table, const PlanFactors *x,
              const PlanFactors *y, const PlanFactors *z, const UseRow<Real> &use);
  Real *spare_row(std::size_t output) const;
  Row whole_row(const Line &line) const { return {line.i, line.j, 0, local_.box().extent(2)}; }

  Plan plan_;
  Part wanted_; ///< planes of results
  grid::Communicator comm_;
  grid::Host host_;
  Table kappa_, source_kappa_;
  std::array<Table, 2> laplacians_;
  std::array<PlanFactors, 3> ahead_, behind_, unstagger_;
  PlanFactors tau_, minus_eta_;
  std::array<int, most_outputs> targets_{};
  std::size_t row_size_;
  mutable std::vector<Real> spare_rows_; ///< rows of each thread for outputs that are no operands
  Field<Real> result_;                   ///< result of unstagger(), made when first needed
};

} // namespace hybridfft::kspace
