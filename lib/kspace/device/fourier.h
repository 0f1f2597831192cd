/// The operators of the time step on a device, in the global basis or in local ones.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <typeindex>
#include <vector>

#include "grid/device_messages.h"
#include "kspace/device/spectra.h"
#include "kspace/medium/absorption.h"
#include "kspace/operators/decomposition.h"
#include "kspace/operators/derivative.h"
#include "kspace/operators/far_field.h"
#include "lfb/extension.h"

namespace hybridfft::kspace {

/// The device, and the options of its use.
struct DeviceUse {
  Exec exec;
  grid::Transport transport = grid::Transport::staged; ///< not automatic
  bool timed = false;                                  ///< see DeviceLedger
  bool at_once = true; ///< false: transforms of a batch one by one, in less work space
};

/// Each block of this rank becomes a period (see lfb::Extension), whose transforms are the
/// device's; without a decomposition the grid is one block, which is its own period, or the
/// beginning of that of AxisymmetricSpectra. Equations run as kernels between transforms, and
/// operands are exchanged from when they are complete until their transform is due: components of a
/// velocity while others are computed, and each while the ones before are transformed; those of one
/// block while the next block is computed.
///
/// Memory of the device: for the largest period of this rank a spectrum for each dimension and one
/// more, and tables of a quarter of that for each kind of period; for operands that the caller does
/// not keep, a field each; where several blocks lie next to each other, a period of each operand
/// and of one other field; and what neighbours exchange.
template <class Real> class DeviceFourier final : public Derivative<Real> {
public:
  /// This rank's part of the grid: of one block laid out so that its fields are periods, too.
  static LocalGrid local_grid(const Parameters &parameters, const Decomposition *decomposition,
                              const grid::Communicator &comm);
  /// Bytes of the device that the constructor and the first steps take, the state's left out.
  /// \param at_once as in DeviceUse
  static double bytes_needed(const Parameters &parameters, const Decomposition *decomposition,
                             const LocalGrid &local, device::Runtime &runtime, bool at_once);

  /// \param decomposition nullptr: the grid is one block, on one rank
  /// Collective. Throws hybridfft::Error.
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

  struct Block {
    grid::Box box; ///< points of the block, counted from the first one of the rank
    LocalGrid period;
    DeviceSpectra<Real> *spectra = nullptr; ///< transforms of its period
    /// Operands of a divergence, that of a gradient, and any other field, where several blocks lie
    /// next to each other: periods of what the rank has.
    std::array<Field<Real>, most_outputs + 2> periods;
  };
  /// A call of apply() that comes again and again with the same fields: all that its kernels depend
  /// on, with the type of its work, which is about the same physics.
  struct Call {
    Operator op;
    std::type_index kernel;
    std::array<const Real *, 2 * most_outputs> fields; ///< operands and outputs
    friend bool operator==(const Call &, const Call &) = default;
  };
  struct RecordedCall {
    Call call;
    std::unique_ptr<device::Graph> graph; ///< the work that the second such call enqueued
    bool refused = false;                 ///< the device cannot capture this work
    DeviceLedger::Entries launches;
  };
  /// An operand, or one whose exchange is not finished yet.
  struct Operand {
    const Field<Real> *field = nullptr;
    std::size_t place = 0; ///< among the periods of blocks
    Extension *active = nullptr;
  };

  void add_block(const Parameters &parameters, const Extents &period, const grid::Box &box);
  void make_extensions(const Parameters &parameters, const Decomposition &decomposition,
                       const DeviceUse &use);
  void choose_ends(const Decomposition &decomposition);
  DeviceSpectra<Real> &spectra_for(const Parameters &period);
  Extension *extension_for(Operator next, std::size_t o);
  bool in_place() const { return blocks_.size() == 1; }

  /// The field of a block as a period.
  const Field<Real> &period_of(const Block &block, const Operand &operand) const;
  /// Copies the field's points of a block into its period, if that is kept apart from the field.
  void copy_to_period(Block &block, const Operand &operand);
  /// Starts operand o for the first so many blocks, unless it has been started in this call.
  void start_operand(std::size_t o, std::size_t blocks);
  /// Starts the operands of a component, or all of them (-1), likewise.
  void start_operands(int only, std::size_t blocks);
  void start_far_fields();
  void start(const Operand &operand, std::size_t block);
  /// The operands of the operator that runs, whose blocks start those of the next one.
  using Operands = std::array<Operand, most_outputs>;
  Operands take_operands();
  grid::View<const Real> by_global_index(const Field<Real> &field) const;
  /// Exchanges the remaining axes of an operand.
  void finish(Operand &operand);
  /// The field as a period of each block, extended.
  Operand extended(const Field<Real> &field);
  void set_outputs(std::span<const Output<Real>> outputs);

  /// The offsets of a block's results in the spectra's slots, and of its values in its periods, by
  /// the indices of the rank's points.
  static Lattice in_period(const Block &block) { return block.period.lattice_from(block.box.lo); }
  /// The work on a block, given `count` slots; or component `only` alone.
  void work_on(const Block &block, const RowKernel<Real> &kernel, int count, int only = -1);
  void work_on(const Block &block, const grid::Box &box, const RowKernel<Real> &kernel, int count,
               int only);
  /// The points that other ranks need first, near both ends of the first axis that is cut, and the
  /// others; no ends where nothing is gained.
  struct Parts {
    std::vector<grid::Box> ends;
    grid::Box middle;
  };
  Parts parts_of(const grid::Box &box) const;
  /// Kernels and transforms of a call without neighbours: a graph from the third time on.
  void run_without_neighbours(Operator op, const RowKernel<Real> &kernel);
  void enqueue(Operator op, const RowKernel<Real> &kernel);
  void gradient(const RowKernel<Real> &kernel);
  void divergence(const RowKernel<Real> &kernel);
  void laplacians(const RowKernel<Real> &kernel);
  void absorption(const RowKernel<Real> &kernel);
  void add_far_field(const Block &block, std::size_t operand, int slot, Real factor);
  template <class Self, class F> static void for_each_exchange(Self &self, const F &f);

  LocalGrid local_;
  grid::Communicator comm_;
  Exec exec_;
  int dimensions_;
  bool at_once_;
  std::string description_;
  DeviceLedger ledger_;
  device::Array<std::complex<Real>> memory_; ///< spectra of all blocks, one after another
  LaplacianMultipliers multipliers_;
  std::vector<std::unique_ptr<DeviceSpectra<Real>>> spectra_; ///< one for each kind of period
  std::vector<Block> blocks_;
  std::unique_ptr<FarField<Real>> far_field_;
  std::vector<Extension> pressure_, velocity_, laplacian_, other_; ///< empty for a single block
  Operands operands_;
  std::array<Output<Real>, most_outputs> outputs_;         ///< outputs of the call that runs
  std::array<const Field<Real> *, most_outputs> fields_{}; ///< fields of these outputs
  std::array<std::size_t, most_outputs> started_{}; ///< number of blocks that have been exchanged
  int first_axis_ = -1;                             ///< first axis that is cut; -1: none
  grid::Index ends_ = 0;                            ///< points near a cut that neighbours need
  std::array<Field<Real>, most_outputs> own_;       ///< memory for outputs without a field
  std::vector<RecordedCall> calls_;
  Field<Real> result_; ///< result of unstagger(), made when first needed
  Real tau_ = 0, eta_ = 0;
};

} // namespace hybridfft::kspace
