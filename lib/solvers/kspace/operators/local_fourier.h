/// The operators of the time step in Fourier bases that are local to blocks of the grid. Ranks
/// exchange only points near block faces instead of transposing the whole grid. It pays on many
/// ranks, at the price of an approximation error (docs/local-basis.md).
///
/// Source: Jaros, Vaverka and Treeby, "Spectral domain decomposition using local Fourier basis",
/// Supercomputing Frontiers and Innovations 3 (2016), section 2.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "hybridfft/grid/parallel_for.hpp"
#include "hybridfft/hybridfft.hpp"
#include "hybridfft/trace.hpp"
#include "solvers/kspace/operators/decomposition.h"
#include "solvers/kspace/operators/derivative.h"
#include "solvers/kspace/operators/fused_fourier.h"
#include "solvers/kspace/operators/spectral_operators.h"
#include "solvers/lfb/extension.h"

namespace hybridfft::kspace {

/// Extends each block of this rank to a period (see lfb::Extension) with its own derivative on a
/// grid of the period's size. Results are used at the points of the blocks.
///
/// The exchange of an operand starts when the operand is complete and ends before the next
/// operator. Operands of a divergence are exchanged while further components of the gradient are
/// computed.
///
/// Memory: for each block the memory of its period's derivative. Operands take a period each if the
/// caller does not store them or if the rank has several blocks.
template <class Real> class LocalFourier final : public HostDerivative<Real> {
public:
  /// Returns this rank's part of the grid. With a single block its fields have room for their
  /// periods. Collective.
  static LocalGrid local_grid(const Parameters &parameters, const Decomposition &decomposition,
                              const grid::Communicator &comm);

  /// Collective. Throws hybridfft::Error.
  LocalFourier(const Parameters &parameters, const Decomposition &decomposition,
               const LocalGrid &local, const grid::Communicator &comm, grid::Host host,
               Effort effort);
  ~LocalFourier() override;

  void apply(Operator op, const RowKernel<Real> &kernel,
             std::span<const Output<Real>> outputs) override;
  void set_uniform_absorption(Real tau, Real eta) override;
  void correct_rows(Driven driven, const Field<Real> &source, const UseRow<Real> &use) override;
  void unstagger(int axis, const Field<Real> &u, const UseField<Real> &use) override;
  std::string describe() const override;
  std::vector<StageTime> stage_times() const override;
  std::vector<ExchangeTime> exchange_times() const override;

private:
  using HostDerivative<Real>::local_;
  using Extension = lfb::Extension<Real>;
  class CoreKernel;

  struct BasisBlock {
    grid::Index3 offset; ///< offset of its first point in this rank's box
    grid::Box core;      ///< its points, starting at (0, 0, 0)
    LocalGrid period;
    std::unique_ptr<HostDerivative<Real>> derivative;
    FusedFourier<Real> *fused; ///< `derivative` if it is fused, else nullptr
    /// Periods of operands and of another field that are not stored elsewhere.
    std::array<Field<Real>, max_outputs + 1> operands;
    Field<Real> other;
  };
  /// An output whose exchange is active; it becomes an operand.
  struct Pending {
    Extension *extension = nullptr;
    Output<Real> output;
  };

  static bool fused(const Parameters &parameters, const Decomposition &decomposition,
                    const grid::Communicator &comm);
  void add_block(const Parameters &parameters, const Decomposition &decomposition, int block,
                 bool fused, Effort effort);
  /// Calls f for each exchange, with the name of its field.
  template <class Self, class F> static void for_each_exchange(Self &self, const F &f);
  void trace();
  /// Views of operand o of each block, in global indices.
  std::vector<grid::View<const Real>> block_views(std::size_t o, const Output<Real> &output) const;
  /// True if the fields of the rank have room for their periods.
  bool in_place() const { return blocks_.size() == 1; }
  /// Index of output o among a block's operands. The operand of the gradient has its own slot
  /// because it is read while the operands of a divergence are written.
  static std::size_t place_of(std::size_t o, const Output<Real> &output) {
    return output.next == Operator::gradient ? max_outputs : o;
  }
  const Field<Real> &operand_field(const BasisBlock &block, std::size_t o,
                                   const Output<Real> &output) const;
  Extension &extension_for(Operator next, std::size_t o);
  bool is_sent(const Output<Real> &output, std::ptrdiff_t plane) const;
  /// Starts the exchange of an operand unless it is active.
  void start_operand(std::size_t o, const Output<Real> &output);
  void take_operands();
  void allocate_operands(std::span<const Output<Real>> outputs);
  /// Extends a field to the periods of all blocks.
  void extend_other(const Field<Real> &field);
  const Field<Real> &other_field(const BasisBlock &block, const Field<Real> &field) const {
    return in_place() ? field : block.other;
  }
  /// Starts the exchange of a gradient's component, or of the pressure for other operators, once
  /// the planes near the faces of the first axis are complete.
  void start_early(int component, std::span<const Output<Real>> outputs);
  void poll();

  grid::Box box_; ///< this rank's points in global indices
  grid::Communicator comm_;
  grid::Host host_;
  std::string description_;
  std::vector<BasisBlock> blocks_;
  std::unique_ptr<FarField<Real>> far_field_; ///< far field of a power law's kernels, if enabled
  Extension pressure_, other_;
  std::vector<Extension> velocity_, laplacian_;
  std::optional<TracedStages> traced_;
  std::array<Pending, max_outputs> pending_;
  std::vector<lfb::Period<Real>> periods_;
  Field<Real> result_;              ///< result of unstagger(), allocated on first use
  std::ptrdiff_t planes_first_ = 0; ///< planes at each end needed by an exchange
  /// True for a single block that is cut along the first axis only. Its planes are transformed as
  /// operands while in cache, and the planes of the gap after it is filled.
  bool slabs_ = false;
  int rows_ = 0; ///< rows processed by the first thread
};

} // namespace hybridfft::kspace
