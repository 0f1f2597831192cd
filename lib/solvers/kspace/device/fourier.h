/// Computes the spectral operators of a time step on a device, in the global basis or in local
/// bases.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <typeindex>
#include <vector>

#include "grid/device_messages.h"
#include "solvers/kspace/device/spectra.h"
#include "solvers/kspace/medium/absorption.h"
#include "solvers/kspace/operators/decomposition.h"
#include "solvers/kspace/operators/derivative.h"
#include "solvers/kspace/operators/spectral_operators.h"
#include "solvers/lfb/extension.h"

namespace hybridfft::kspace {

/// The device and the options of its use.
struct DeviceUse {
  Exec exec;
  grid::Transport transport = grid::Transport::staged; ///< not automatic
  bool timed = false;                                  ///< see DeviceLedger
  bool at_once = true; ///< transform a batch at once; false: one by one, with less work space
};

/// Each block of this rank is extended to a periodic array, its period (see lfb::Extension), and
/// transformed on the device. Without a decomposition the whole grid is one block and needs no
/// extension, except on axisymmetric grids (see AxisymmetricSpectra). Kernels compute the equations
/// between transforms.
///
/// Exchanges overlap with computation. The exchange of an operand starts when the operand is
/// complete and ends before its transform. Components of a velocity are exchanged while other
/// components are computed or transformed. Operands of one block are exchanged while the next block
/// is computed.
///
/// Device memory consists of one spectrum per dimension and one more, for the largest period of
/// this rank; tables of a quarter of a spectrum for each size of period; a field for each operand
/// that the caller does not store; and buffers of the exchanges. With several blocks, each block
/// also has a period for each operand and for one other field.
template <class Real> class DeviceFourier final : public Derivative<Real> {
public:
  /// Returns this rank's part of the grid. If the rank has a single block, fields have room for its
  /// period.
  static LocalGrid local_grid(const Parameters &parameters, const Decomposition *decomposition,
                              const grid::Communicator &comm);
  /// Device memory in bytes that the constructor and the first steps allocate, without the state.
  /// \param at_once as in DeviceUse
  static double bytes_needed(const Parameters &parameters, const Decomposition *decomposition,
                             const LocalGrid &local, device::Runtime &runtime, bool at_once);

  /// Plans the transforms and exchanges. Collective. Throws hybridfft::Error.
  /// \param decomposition nullptr: the grid is one block on one rank
  DeviceFourier(const Parameters &parameters, const Decomposition *decomposition,
                const LocalGrid &local, const grid::Communicator &comm, const DeviceUse &use);
  ~DeviceFourier() override;

  void apply(Operator op, const RowKernel<Real> &kernel,
             std::span<const Output<Real>> outputs) override;
  void set_uniform_absorption(Real tau, Real eta) override {
    tau_ = tau;
    eta_ = eta;
  }
  void correct_source(Driven driven, const Field<Real> &source,
                      std::span<const Field<Real>> targets) override;
  void unstagger(int axis, const Field<Real> &u, const UseField<Real> &use) override;
  std::string describe() const override {
    std::string text = description_ + exec_.device->describe();
    for (const std::unique_ptr<DeviceSpectra<Real>> &spectra : spectra_)
      text += "\n" + spectra->describe();
    return text;
  }
  std::vector<StageTime> stage_times() const override {
    return extensions_ ? extensions_->stage_times() : std::vector<StageTime>();
  }
  std::vector<ExchangeTime> exchange_times() const override {
    return extensions_ ? extensions_->times() : std::vector<ExchangeTime>();
  }
  const DeviceLedger *ledger() const override { return &ledger_; }

private:
  using Extension = lfb::Extension<Real>;

  struct PeriodBlock {
    grid::Box box; ///< points of the block, relative to the rank's first point
    LocalGrid period;
    DeviceSpectra<Real> *spectra = nullptr; ///< transforms of periods of this size
    /// Periods if the rank has several blocks: for each operand of a divergence, for the operand of
    /// a gradient, and for any other field.
    std::array<Field<Real>, max_outputs + 2> periods;
  };
  /// Identifies repeated calls of apply() by operator, type of the kernel and fields. A kernel type
  /// always has the same physics, so calls with equal keys enqueue equal work.
  struct Call {
    Operator op;
    std::type_index kernel;
    std::array<const Real *, 2 * max_outputs> fields; ///< operands and outputs
    friend bool operator==(const Call &, const Call &) = default;
  };
  struct RecordedCall {
    Call call;
    std::unique_ptr<device::Graph> graph; ///< work of the call, recorded at its second occurrence
    bool refused = false;                 ///< the device cannot record this work
    DeviceLedger::Entries launches;
  };
  /// A field to be transformed. Its exchange with neighbours may be in progress.
  struct Operand {
    const Field<Real> *field = nullptr;
    std::size_t place = 0; ///< index of its period in PeriodBlock::periods
    Extension *active = nullptr;
  };

  void add_block(const Parameters &parameters, const Extents &period, const grid::Box &box);
  void make_extensions(const Parameters &parameters, const Decomposition &decomposition,
                       const DeviceUse &use);
  void choose_ends(const Decomposition &decomposition) {
    while (ends_ == 0 && ++first_axis_ < 3)
      ends_ = decomposition.points_taken(first_axis_);
  }
  DeviceSpectra<Real> &spectra_for(const Parameters &period);
  bool in_place() const { return blocks_.size() == 1; }

  /// Returns the period that contains a block of the operand.
  const Field<Real> &period_of(const PeriodBlock &block, const Operand &operand) const {
    return in_place() ? *operand.field : block.periods[operand.place];
  }
  /// Copies a block of the operand to its period, unless the field itself is the period.
  void copy_to_period(PeriodBlock &block, const Operand &operand);
  /// If output o is an operand of the next operator, copies its first `blocks` blocks to their
  /// periods and starts their exchanges. Skips blocks already started in this call of apply().
  void start_operand(std::size_t o, std::size_t blocks);
  /// Calls start_operand() for output `only`, or for all outputs if `only` is -1.
  void start_operands(int only, std::size_t blocks) {
    for (std::size_t o = 0; o < max_outputs; ++o)
      if (only < 0 || static_cast<int>(o) == only) start_operand(o, blocks);
  }
  void start_far_fields();
  void start(const Operand &operand, std::size_t block);
  /// Operands of one operator.
  using Operands = std::array<Operand, max_outputs>;
  /// Returns the operands of the current operator with their exchanges. Afterwards operands_ has no
  /// active exchange.
  Operands take_operands() {
    const Operands taken = operands_;
    for (Operand &operand : operands_)
      operand.active = nullptr;
    return taken;
  }
  grid::View<const Real> by_global_index(const Field<Real> &field) const;
  /// Completes the exchange of an operand along all axes, if it is in progress.
  void finish(Operand &operand) {
    if (operand.active == nullptr) return;
    operand.active->finish();
    operand.active = nullptr;
  }
  /// Extends a field to the periods of all blocks and waits for the exchange.
  Operand extended(const Field<Real> &field);
  void set_outputs(std::span<const Output<Real>> outputs);

  /// Maps this rank's point indices to offsets in a block's period and in the slots of its spectra.
  static Lattice in_period(const PeriodBlock &block) {
    return block.period.lattice_from(block.box.lo);
  }
  /// Runs the kernel on a block for the results in slots 0 ... count - 1, or for component `only`.
  void work_on(const PeriodBlock &block, const RowKernel<Real> &kernel, int count, int only = -1);
  void work_on(const PeriodBlock &block, const grid::Box &box, const RowKernel<Real> &kernel,
               int count, int only);
  /// A box divided along the first distributed axis: the points near both ends, which neighbours
  /// need first, and the points between them. `ends` is empty if dividing the box has no benefit.
  struct Parts {
    std::vector<grid::Box> ends;
    grid::Box middle;
  };
  Parts parts_of(const grid::Box &box) const;
  /// Runs a call that needs no exchange. The second equal call records the work as a graph, and
  /// later calls replay the graph.
  void run_without_neighbours(Operator op, const RowKernel<Real> &kernel);
  void enqueue(Operator op, const RowKernel<Real> &kernel);
  void gradient(const RowKernel<Real> &kernel);
  void divergence(const RowKernel<Real> &kernel);
  void laplacians(const RowKernel<Real> &kernel);
  void absorption(const RowKernel<Real> &kernel);
  void add_far_field(const PeriodBlock &block, std::size_t operand, int slot, Real factor);

  LocalGrid local_;
  grid::Communicator comm_;
  Exec exec_;
  int dimensions_;
  bool at_once_;
  std::string description_;
  DeviceLedger ledger_;
  device::Array<std::complex<Real>> memory_; ///< slots of spectra, shared by all blocks in turn
  LaplacianMultipliers multipliers_;         ///< of the near field; empty without a far field
  std::vector<std::unique_ptr<DeviceSpectra<Real>>>
      spectra_; ///< one for each distinct size of period
  std::vector<PeriodBlock> blocks_;
  std::unique_ptr<FarField<Real>> far_field_;
  std::optional<BlockExtensions<Real>> extensions_; ///< empty for a single block
  Operands operands_;
  std::array<Output<Real>, max_outputs> outputs_; ///< outputs of the current call
  std::array<const Field<Real> *, max_outputs>
      fields_{}; ///< output fields of the current call; fields of own_ for outputs that the caller
                 ///< does not store
  std::array<std::size_t, max_outputs>
      started_{};        ///< number of blocks of each output whose exchange has started
  int first_axis_ = -1;  ///< first distributed axis; -1: none
  grid::Index ends_ = 0; ///< number of points near a block's end that neighbours need
  std::array<Field<Real>, max_outputs> own_; ///< memory of outputs that the caller does not store
  std::vector<RecordedCall> calls_;
  Field<Real> result_; ///< result of unstagger(), allocated on first use
  Real tau_ = 0, eta_ = 0;
};

} // namespace hybridfft::kspace
