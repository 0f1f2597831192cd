/// The operators of the time step in Fourier bases that are local to blocks of the grid.
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
#include "kspace/operators/decomposition.h"
#include "kspace/operators/derivative.h"
#include "kspace/operators/far_field.h"
#include "kspace/operators/fused_fourier.h"
#include "lfb/extension.h"

namespace hybridfft::kspace {

/// Each block of this rank becomes a period (see lfb::Extension), and has a derivative of its own,
/// that of a grid as large as the period. Results are used at the points of the blocks.
///
/// Operands are exchanged from when they are complete until the next operator needs them: those of
/// a divergence while other components of the gradient before are computed.
///
/// Memory: for each block that of its period's derivative; and for operands that the caller does
/// not keep, or keeps where several blocks lie next to each other, a period each.
template <class Real> class LocalFourier final : public HostDerivative<Real> {
public:
  /// This rank's part of the grid, of one block laid out so that its fields are periods, too.
  /// Collective.
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

  struct Block {
    grid::Index3 offset; ///< offset of its first point in this rank's box
    grid::Box core;      ///< its points, from (0, 0, 0) on
    LocalGrid period;
    std::unique_ptr<HostDerivative<Real>> derivative;
    FusedFourier<Real> *fused; ///< the same, if it is one
    /// Operands and other fields that lie nowhere else as a period.
    std::array<Field<Real>, most_outputs + 1> operands;
    Field<Real> other;
  };
  /// An output that is on its way to become an operand.
  struct Pending {
    Extension *extension = nullptr;
    Output<Real> output;
  };

  static bool fused(const Parameters &parameters, const Decomposition &decomposition,
                    const grid::Communicator &comm);
  void add_block(const Parameters &parameters, const Decomposition &decomposition, int block,
                 bool fused, Effort effort);
  /// Exchanges by the name of their field.
  template <class Self, class F> static void for_each_exchange(Self &self, const F &f);
  void trace();
  /// Views of the points of operand o of each block, by global index.
  std::vector<grid::View<const Real>> block_views(std::size_t o, const Output<Real> &output) const;
  /// Fields of the rank are periods themselves.
  bool in_place() const { return blocks_.size() == 1; }
  /// The number of output o among a block's operands. The gradient's operand is worked on while
  /// those of a divergence are written.
  static std::size_t place_of(std::size_t o, const Output<Real> &output) {
    return output.next == Operator::gradient ? most_outputs : o;
  }
  const Field<Real> &operand_field(const Block &block, std::size_t o,
                                   const Output<Real> &output) const;
  Extension &extension_for(Operator next, std::size_t o);
  bool is_sent(const Output<Real> &output, std::ptrdiff_t plane) const;
  /// Unless it has been started.
  void start_operand(std::size_t o, const Output<Real> &output);
  void take_operands();
  void allocate_operands(std::span<const Output<Real>> outputs);
  /// The field of all blocks as periods, extended.
  void extend_other(const Field<Real> &field);
  const Field<Real> &other_field(const Block &block, const Field<Real> &field) const {
    return in_place() ? field : block.other;
  }
  /// Starts the exchange of a gradient's component, or else of the pressure, where the planes near
  /// the faces of the first axis are done.
  void start_early(int component, std::span<const Output<Real>> outputs);
  void poll();

  grid::Box box_; ///< this rank's points, in global indices
  grid::Communicator comm_;
  grid::Host host_;
  std::string description_;
  std::vector<Block> blocks_;
  std::unique_ptr<FarField<Real>>
      far_field_; ///< far field of a power law's kernels, if it is wanted
  Extension pressure_, other_;
  std::vector<Extension> velocity_, laplacian_;
  std::optional<TracedStages> traced_;
  std::array<Pending, most_outputs> pending_;
  std::vector<lfb::Period<Real>> periods_;
  Field<Real> result_;              ///< result of unstagger(), made when first needed
  std::ptrdiff_t planes_first_ = 0; ///< planes at each end that an exchange needs
  /// One block, which is cut along the first axis only: its planes are transformed as operands
  /// while they are in cache, and those of the gap when it is filled.
  bool slabs_ = false;
  int rows_ = 0; ///< rows that the first thread has worked on
};

} // namespace hybridfft::kspace
