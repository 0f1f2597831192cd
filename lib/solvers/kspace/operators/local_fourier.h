/// Spectral operators in Fourier bases that are local to blocks of the grid. Ranks exchange only
/// points near the faces of blocks instead of transposing the whole grid. This is faster on many
/// ranks but has an approximation error (docs/local-basis.md).
///
/// Source: Jaros, Vaverka and Treeby, "Spectral domain decomposition using local Fourier basis",
/// Supercomputing Frontiers and Innovations 3 (2016), section 2.
#pragma once

#include <array>
#include <atomic>
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

/// Extends each block of this rank to a periodic array, its period (see lfb::Extension). Each
/// period has its own derivative. Only the results at the block's own points are used.
///
/// The exchange of an operand starts when the operand is complete and ends before the next
/// operator. While operands of a divergence are exchanged, further components of the gradient are
/// computed.
///
/// Memory is the memory of the derivative of each period, and a period for each operand that the
/// caller does not store. With several blocks per rank, each operand needs a period.
template <class Real> class LocalFourier final : public HostDerivative<Real> {
public:
  /// Returns this rank's part of the grid. If the rank has a single block, fields have room for its
  /// period. Collective.
  static LocalGrid local_grid(const Parameters &parameters, const Decomposition &decomposition,
                              const grid::Communicator &comm);

  /// Plans the extensions and derivatives. Collective. Throws hybridfft::Error.
  LocalFourier(const Parameters &parameters, const Decomposition &decomposition,
               const LocalGrid &local, const grid::Communicator &comm, grid::Host host,
               Effort effort);
  ~LocalFourier() override;

  void apply(Operator op, const RowKernel<Real> &kernel,
             std::span<const Output<Real>> outputs) override;
  void set_uniform_absorption(Real tau, Real eta) override {
    if (far_field_ != nullptr) far_field_->set_uniform(tau, eta);
    for (BasisBlock &block : blocks_)
      block.derivative->set_uniform_absorption(tau, eta);
  }
  void correct_rows(Driven driven, const Field<Real> &source, const UseRow<Real> &use) override {
    extend_other(source);
    for (BasisBlock &block : blocks_)
      block.derivative->correct_rows(driven, other_field(block, source), block.inside(use));
  }
  void unstagger_rows(int axis, const Field<Real> &u, const UseRow<Real> &use) override {
    extend_other(u);
    for (BasisBlock &block : blocks_)
      block.derivative->unstagger_rows(axis, other_field(block, u), block.inside(use));
  }
  std::string describe() const override {
    return description_ + "\n" + blocks_.front().derivative->describe();
  }
  std::vector<StageTime> stage_times() const override;
  std::vector<ExchangeTime> exchange_times() const override { return extensions_.times(); }

private:
  using HostDerivative<Real>::local_, HostDerivative<Real>::comm_, HostDerivative<Real>::host_;
  using Extension = lfb::Extension<Real>;
  class CoreKernel;

  struct BasisBlock {
    grid::Index3 offset; ///< indices of the block's first point in this rank's box
    grid::Box core;      ///< the block's points; the first one is (0, 0, 0)
    LocalGrid period;
    std::unique_ptr<HostDerivative<Real>> derivative;
    FusedFourier<Real> *fused; ///< `derivative` if it is a FusedFourier, else nullptr
    /// Periods of operands, by place_of(), and of one other field (`other`). Empty if the fields
    /// themselves have room for their periods.
    std::array<Field<Real>, max_outputs + 1> operands;
    Field<Real> other;
    /// For each operand and plane, the number of rows completed in the current sweep.
    std::array<std::vector<std::atomic<std::ptrdiff_t>>, max_outputs> complete_rows;

    /// True if a row of the period is inside the block.
    bool has(const Row &row) const { return row.i < core.extent(0) && row.j < core.extent(1); }
    /// Converts the indices of a row of the block to this rank's.
    Row of_rank(const Row &row) const {
      return {row.i + offset[0], row.j + offset[1], offset[2], core.extent(2)};
    }
    /// Returns a function that passes the rows inside the block to `use`.
    UseRow<Real> inside(const UseRow<Real> &use) const {
      return [&](const Row &row, const Real *values) {
        if (has(row)) use(of_rank(row), values);
      };
    }
  };
  /// An output in the course of its exchange. It is an operand of the next operator.
  struct Pending {
    Extension *extension = nullptr;
    Output<Real> output;
    bool gaps_left = false; ///< true if the gaps of the last axis are not filled
  };

  static bool fused(const Parameters &parameters, const Decomposition &decomposition,
                    const grid::Communicator &comm);
  void add_block(const Parameters &parameters, const Decomposition &decomposition, int block,
                 bool fused, Effort effort);
  void trace();
  /// Returns views of operand o on each block, by global indices.
  std::vector<grid::View<const Real>> block_views(std::size_t o, const Output<Real> &output) const;
  /// True if fields have room for their periods: the rank has a single block.
  bool in_place() const { return blocks_.size() == 1; }
  /// Index of output o in BasisBlock::operands. The operand of a gradient has its own index,
  /// because the gradient reads it while operands of a divergence are written.
  static std::size_t place_of(std::size_t o, const Output<Real> &output) {
    return output.next == Operator::gradient ? max_outputs : o;
  }
  const Field<Real> &operand_field(const BasisBlock &block, std::size_t o,
                                   const Output<Real> &output) const {
    return output.field != nullptr && in_place() ? *output.field
                                                 : block.operands[place_of(o, output)];
  }
  bool is_sent(const Output<Real> &output, std::ptrdiff_t plane) const;
  /// Lets complete planes of the operands among `outputs` be packed during the sweep.
  void open_operands(std::span<const Output<Real>> outputs);
  /// Counts a complete row of operand o, and packs its plane after the last one.
  void count_row(std::size_t block, std::size_t o, std::ptrdiff_t plane) {
    BasisBlock &b = blocks_[block];
    const std::ptrdiff_t before = b.complete_rows[o][static_cast<std::size_t>(plane)].fetch_add(1);
    if (before + 1 == b.core.extent(1)) packing_[o]->pack(block, plane);
  }
  std::span<const lfb::Period<Real>> periods_of(std::size_t o, const Output<Real> &output) {
    periods_.clear();
    for (const BasisBlock &block : blocks_)
      periods_.push_back({operand_field(block, o, output).data(), block.period.pitch()});
    return periods_;
  }
  /// Transforms the extended field of block `number` to operand o of the block's derivative.
  void take_operand(std::size_t number, std::size_t o);
  /// Starts the exchange of an operand unless it is active.
  void start_operand(std::size_t o, const Output<Real> &output);
  void take_operands();
  void allocate_operands(std::span<const Output<Real>> outputs);
  /// Extends a field to the periods of all blocks.
  void extend_other(const Field<Real> &field);
  const Field<Real> &other_field(const BasisBlock &block, const Field<Real> &field) const {
    return in_place() ? field : block.other;
  }
  /// Starts the exchange of a component of a gradient, or of the pressure after other operators, as
  /// soon as the planes near the faces of the first axis are complete.
  void start_early(int component, std::span<const Output<Real>> outputs) {
    if (planes_first_ == 0) return;
    for (std::size_t o = 0; o < outputs.size(); ++o)
      if (component < 0 ? outputs[o].next == Operator::gradient : static_cast<int>(o) == component)
        start_operand(o, outputs[o]);
  }
  void poll();

  grid::Box box_; ///< global indices of this rank's points
  std::string description_;
  std::vector<BasisBlock> blocks_;
  std::unique_ptr<FarField<Real>> far_field_; ///< far field of power-law absorption, if computed
  BlockExtensions<Real> extensions_;
  std::optional<TracedStages> traced_;
  std::array<Pending, max_outputs> pending_;
  std::array<Extension *, max_outputs> packing_{}; ///< extensions of the operands of a sweep
  std::vector<lfb::Period<Real>> periods_;
  std::ptrdiff_t planes_first_ = 0; ///< number of planes at each end that neighbours need
  /// True if the rank has a single block and only the first axis is divided. Planes of the block
  /// are then transformed while they are in cache, and planes of the gap after the gap is filled.
  bool slabs_ = false;
  int rows_ = 0; ///< rows processed by the first thread
};

} // namespace hybridfft::kspace
