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
#include "kspace/operators/host_derivative.h"
#include "kspace/operators/spectral_operators.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

/// Operands are kept as spectra along x and y. A gradient's inverse transform along z is shared by
/// its x and y components; the results of each component of a gradient are transformed to their
/// spectrum while they are in cache.
///
/// Memory: three fields, eight where ranks send messages, and a quarter of a field for each of
/// kappa and the tables that the sources and the absorption need.
class FusedFourier final : public HostDerivative {
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
  void make_operand(std::size_t o, const Field &field, std::ptrdiff_t first, std::ptrdiff_t end);

  void apply(Operator op, const RowKernel &kernel, std::span<const Output> outputs) override;
  void set_uniform_absorption(Real tau, Real eta) override;
  void correct_rows(Driven driven, const Field &source, const UseRow &use) override;
  void unstagger(int axis, const Field &u, const Use &use) override;
  std::string describe() const override { return plan_.describe(); }
  std::vector<StageTime> stage_times() const override;

private:
  using Plan = OperatorPlan<Real>;
  using Table = std::shared_ptr<const Plan::Table>;

  void make_factors(const Parameters &parameters);
  void make_tables(const Parameters &parameters, const LaplacianMultipliers &multipliers = {});

  void gradient(const RowKernel &kernel, std::span<const Output> outputs);
  void divergence_lines();
  void divergence(const RowKernel &kernel, std::span<const Output> outputs);
  /// One sweep over planes from these sources, a component each.
  void sweep(std::span<const Plan::Source> sources, const RowKernel &kernel,
             std::span<const Output> outputs);
  /// Over the planes that are wanted, those first that the work wants first.
  void sweep_wanted(std::span<const Plan::Source> sources, std::span<const int> operands,
                    const RowKernel &kernel, const Plan::Work &line);
  /// The fields `outputs` become operands in.
  std::span<const int> targets(std::span<const Output> outputs);
  /// Through the spectrum of one field that is free.
  void filter(const Field &field, const Plan::Table *table, const Plan::Factors *x,
              const Plan::Factors *y, const Plan::Factors *z, const UseRow &use);
  Real *spare_row(std::size_t output) const;
  Row whole_row(const Plan::Line &line) const {
    return {line.i, line.j, 0, local_.box().extent(2)};
  }

  Plan plan_;
  Plan::Part wanted_; ///< planes of results
  grid::Communicator comm_;
  grid::Host host_;
  Table kappa_, source_kappa_;
  std::array<Table, 2> laplacians_;
  std::array<Plan::Factors, 3> ahead_, behind_, unstagger_;
  Plan::Factors tau_, minus_eta_;
  std::array<int, most_outputs> targets_{};
  std::size_t row_size_;
  mutable std::vector<Real> spare_rows_; ///< rows of each thread for outputs that are no operands
  Field result_;                         ///< result of unstagger(), made when first needed
};

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
