/// The operators of the time step on a device, in the global basis or in local bases.
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

/// Each block of this rank becomes a period (see lfb::Extension) and is transformed on the device.
/// Without a decomposition the grid is one block: its own period, or the first rows of
/// AxisymmetricSpectra's period. Equations run as kernels between transforms.
///
/// Exchanges overlap with computation. The exchange of an operand starts when the operand is
/// complete and ends before its transform. Components of a velocity are exchanged while other
/// components are computed or transformed. Operands of one block are exchanged while the next block
/// is computed.
///
/// Device memory: for the largest period of this rank one spectrum per dimension and one more;
/// tables of a quarter of a spectrum for each size of period; a field for each operand that the
/// caller does not store; buffers of the exchanges. With several blocks also a period of each
/// operand and of one other field.
template <class Real> class DeviceFourier final : public Derivative<Real> {
public:
  /// Returns this rank's part of the grid. With a single block its fields have room for their
  /// periods.
  static LocalGrid local_grid(const Parameters &parameters, const Decomposition *decomposition,
                              const grid::Communicator &comm);
  /// Device memory in bytes taken by the constructor and the first steps, without the state.
  /// \param at_once as in DeviceUse
  static double bytes_needed(const Parameters &parameters, const Decomposition *decomposition,
                             const LocalGrid &local, device::Runtime &runtime, bool at_once);

  /// Plans. Collective. Throws hybridfft::Error.
  /// \param decomposition nullptr: the grid is one block on one rank
  DeviceFourier(const Parameters &parameters, const Decomposition *decomposition,
                const LocalGrid &local, const grid::Communicator &comm, const DeviceUse &use);
  ~DeviceFourier() override;

  void apply(Operator op, const RowKernel<Real> &kernel,
             std::span<const Output<Real>> outputs) override;
  void set_uniform_absorption(Real tau, Real eta) override;
  void correct_source(Driven driven, const Field<Real> &source,
                      std::span<const Field<Real>> targets) override;
  void unstagger(int axis, const Field<Real> &u, const UseField<Real> &use) override;
  std::string describe() const override;
  std::vector<StageTime> stage_times() const override;
  std::vector<ExchangeTime> exchange_times() const override;
  const DeviceLedger *ledger() const override { return &ledger_; }

private:
  using Extension = lfb::Extension<Real>;

  struct PeriodBlock {
    grid::Box box; ///< points of the block, relative to the rank's first point
    LocalGrid period;
    DeviceSpectra<Real> *spectra = nullptr; ///< transforms of its period
    /// With several blocks: periods of the operands of a divergence, of a gradient's operand, and
    /// of any other field.
    std::array<Field<Real>, max_outputs + 2> periods;
  };
  /// The key of a repeated call of apply(): operator, type of the kernel, and fields. Kernels of a
  /// type share the same physics, so equal keys enqueue equal work.
  struct Call {
    Operator op;
    std::type_index kernel;
    std::array<const Real *, 2 * max_outputs> fields; ///< operands and outputs
    friend bool operator==(const Call &, const Call &) = default;
  };
  struct RecordedCall {
    Call call;
    std::unique_ptr<device::Graph> graph; ///< work recorded at the second such call
    bool refused = false;                 ///< the device cannot record this work
    DeviceLedger::Entries launches;
  };
  /// An operand, possibly with an active exchange.
  struct Operand {
    const Field<Real> *field = nullptr;
    std::size_t place = 0; ///< index among the periods of blocks
    Extension *active = nullptr;
  };

  void add_block(const Parameters &parameters, const Extents &period, const grid::Box &box);
  void make_extensions(const Parameters &parameters, const Decomposition &decomposition,
                       const DeviceUse &use);
  void choose_ends(const Decomposition &decomposition);
  DeviceSpectra<Real> &spectra_for(const Parameters &period);
  Extension *extension_for(Operator next, std::size_t o);
  bool in_place() const { return blocks_.size() == 1; }

  /// Returns the field of a block as a period.
  const Field<Real> &period_of(const PeriodBlock &block, const Operand &operand) const;
  /// Copies the field's points of a block to its period, if the period has its own memory.
  void copy_to_period(PeriodBlock &block, const Operand &operand);
  /// Starts operand o for the first `blocks` blocks, except the ones already started in this call.
  void start_operand(std::size_t o, std::size_t blocks);
  /// Starts the operands of component `only`, or all operands (-1), for the first `blocks` blocks.
  void start_operands(int only, std::size_t blocks);
  void start_far_fields();
  void start(const Operand &operand, std::size_t block);
  /// Operands of one call. take_operands() returns the operands of the current operator; its blocks
  /// then start the operands of the next
  /// one.
  using Operands = std::array<Operand, max_outputs>;
  Operands take_operands();
  grid::View<const Real> by_global_index(const Field<Real> &field) const;
  /// Finishes the exchange of an operand along the remaining axes.
  void finish(Operand &operand);
  /// Extends a field to the period of each block.
  Operand extended(const Field<Real> &field);
  void set_outputs(std::span<const Output<Real>> outputs);

  /// Offsets of a block in the slots of spectra and in its periods, for indices of the rank's
  /// points.
  static Lattice in_period(const PeriodBlock &block) {
    return block.period.lattice_from(block.box.lo);
  }
  /// Runs the kernel on a block with `count` slots, or its component `only`.
  void work_on(const PeriodBlock &block, const RowKernel<Real> &kernel, int count, int only = -1);
  void work_on(const PeriodBlock &block, const grid::Box &box, const RowKernel<Real> &kernel,
               int count, int only);
  /// The points near both ends of the first distributed axis, needed first by other ranks, and the
  /// points between. `ends` is empty if splitting the box has no benefit.
  struct Parts {
    std::vector<grid::Box> ends;
    grid::Box middle;
  };
  Parts parts_of(const grid::Box &box) const;
  /// Runs a call without neighbours. The second equal call is recorded as a graph, which later
  /// calls replay.
  void run_without_neighbours(Operator op, const RowKernel<Real> &kernel);
  void enqueue(Operator op, const RowKernel<Real> &kernel);
  void gradient(const RowKernel<Real> &kernel);
  void divergence(const RowKernel<Real> &kernel);
  void laplacians(const RowKernel<Real> &kernel);
  void absorption(const RowKernel<Real> &kernel);
  void add_far_field(const PeriodBlock &block, std::size_t operand, int slot, Real factor);
  template <class Self, class F> static void for_each_exchange(Self &self, const F &f);

  LocalGrid local_;
  grid::Communicator comm_;
  Exec exec_;
  int dimensions_;
  bool at_once_;
  std::string description_;
  DeviceLedger ledger_;
  device::Array<std::complex<Real>> memory_; ///< spectra of all blocks, used by one block at a time
  LaplacianMultipliers multipliers_;
  std::vector<std::unique_ptr<DeviceSpectra<Real>>> spectra_; ///< one for each size of period
  std::vector<PeriodBlock> blocks_;
  std::unique_ptr<FarField<Real>> far_field_;
  std::vector<Extension> pressure_, velocity_, laplacian_, other_; ///< empty for a single block
  Operands operands_;
  std::array<Output<Real>, max_outputs> outputs_;         ///< outputs of the current call
  std::array<const Field<Real> *, max_outputs> fields_{}; ///< fields of these outputs
  std::array<std::size_t, max_outputs> started_{}; ///< number of blocks whose exchange has started
  int first_axis_ = -1;                            ///< first distributed axis; -1: none
  grid::Index ends_ = 0;                     ///< number of points near a cut needed by neighbours
  std::array<Field<Real>, max_outputs> own_; ///< memory for outputs without a field
  std::vector<RecordedCall> calls_;
  Field<Real> result_; ///< result of unstagger(), allocated on first use
  Real tau_ = 0, eta_ = 0;
};

} // namespace hybridfft::kspace
