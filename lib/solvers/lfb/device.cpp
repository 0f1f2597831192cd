// Extensions and griddings of blocks on a device. All kernels run in the compute stream. Messages
// start after the kernels that pack them, and are complete before the kernels that read them.
#include <algorithm>
#include <map>

#include "base/memory.h"
#include "device/launch.h"
#include "device/runtime.h"
#include "solvers/lfb/device_kernels.h"
#include "solvers/lfb/extension_plan.h"
#include "solvers/lfb/gridding.h"
#include "solvers/lfb/small_product.h"

namespace hybridfft::lfb {

/// Copies values to a device and waits for the copy. An empty list gives an empty array.
template <class T>
device::Array<T> on_device(device::Runtime &runtime, const std::vector<T> &from) {
  return from.empty() ? device::Array<T>() : device::Array<T>(runtime, from.data(), from.size());
}

/// Dense matrix in the memory of a device.
template <class Real> class DeviceDense {
public:
  DeviceDense() = default;
  /// \param values rows x columns, row-major, rounded to Real
  DeviceDense(device::Runtime &runtime, Index rows, Index columns, const double *values)
      : rows_(rows), columns_(columns) {
    std::vector<Real> all;
    for (Index c = 0; c < columns; ++c)
      for (Index r = 0; r < rows; ++r)
        all.push_back(static_cast<Real>(values[r * columns + c]));
    values_ = on_device(runtime, all);
  }
  DenseMatrix<Real> matrix() const { return {values_.data(), rows_, columns_}; }

private:
  device::Array<Real> values_;
  Index rows_ = 0, columns_ = 0;
};

/// Sparse matrix in the memory of a device.
template <class Real> class DeviceSparse {
public:
  DeviceSparse() = default;
  DeviceSparse(device::Runtime &runtime, const SparseMatrix<Real> &matrix)
      : ends_(on_device(runtime, matrix.ends)), columns_(on_device(runtime, matrix.columns)),
        factors_(on_device(runtime, matrix.factors)) {}
  SparseTerms<Real> terms() const { return {ends_.data(), columns_.data(), factors_.data()}; }
  Index rows() const { return static_cast<Index>(ends_.size()); }

private:
  device::Array<Index> ends_, columns_;
  device::Array<Real> factors_;
};

namespace {

/// Returns the box with `sides` indices along axis 0, one for each side of a block.
grid::Box times(grid::Box box, Index sides) {
  box.hi[0] = sides;
  return box;
}

/// Applies a basis along one axis in the compute stream of a device. The counterpart of AxisFill.
template <class Real> class DeviceFill {
public:
  DeviceFill(device::Runtime &runtime, const Basis &basis, std::span<const Index> gaps)
      : runtime_(&runtime), numbers_(basis.numbers()) {
    if (!basis.moments().empty())
      moments_ = {runtime, basis.numbers(), basis.overlap(), basis.moments().data()};
    for (const Index gap : gaps) {
      if (gaps_.contains(gap)) continue;
      const std::vector<double> all = basis.coefficients(gap);
      if (basis.kind() == Basis::GapRule::continuation)
        gaps_[gap].continuation = {runtime, gap, basis.columns(), all.data()};
      else
        gaps_[gap].bell = {runtime, SparseMatrix<Real>::of(gap, basis.columns(), all.data())};
    }
  }

  /// Writes the messages for both sides.
  void pack(const Packing<Real> &below, const Packing<Real> &above) const {
    if (const DenseMatrix<Real> moments = moments_.matrix(); moments.rows > 0) {
      const MultiplyDense<Real, Packing<Real>, 2> f{{below, above}, moments};
      launch(f, times(box_of(below.lines, f.parts()), 2));
    } else {
      const PackPoints<Real> f{{below, above}};
      launch(f, times(box_of(below.lines, numbers_), 2));
    }
  }

  void fill(const Filling<Real> &filling, Index gap) const {
    const Gap &g = gaps_.at(gap);
    if (const DenseMatrix<Real> all = g.continuation.matrix(); all.rows > 0) {
      const MultiplyDense<Real, Filling<Real>, 1> f{{filling}, all};
      launch(f, box_of(filling.lines, f.parts()));
    } else {
      const FillBell<Real> f{filling, g.bell.terms(), g.bell.rows()};
      launch(f, box_of(filling.lines, f.rows));
    }
  }

private:
  /// Matrix for one size of gap. One of the members is empty.
  struct Gap {
    DeviceSparse<Real> bell;
    DeviceDense<Real> continuation;
  };

  template <class F> void launch(const F &f, const grid::Box &box) const {
    device::launch(runtime_->compute(), box, f);
  }

  device::Runtime *runtime_;
  Index numbers_;
  DeviceDense<Real> moments_; ///< empty if points are sent
  std::map<Index, Gap> gaps_; ///< matrices by size of the gap
};

/// ExtensionCarrier for fields in the memory of a device.
template <class Real> class DeviceCarrier final : public ExtensionCarrier<Real> {
public:
  using typename ExtensionCarrier<Real>::Fields;

  DeviceCarrier(const ExtensionPlan<Real> &plan, device::Runtime &runtime,
                grid::Transport transport)
      : plan_(plan), messages_(plan.communicator(), plan.traffic(), runtime, transport) {
    plan.communicator().agree([&] {
      for (const auto &stage : plan.stages()) {
        axes_.push_back({{runtime, *stage.basis, stage.gaps}, {}});
        if (stage.local_values > 0)
          axes_.back().local = {runtime, static_cast<std::size_t>(stage.local_values)};
      }
    });
  }

  /// Sends one message per block, in flight while the next block is computed and packed.
  void send(std::size_t s, std::size_t n, Fields fields) override {
    const auto &stage = plan_.stages()[s];
    const auto at = [&](const MessageSlot &slot) {
      return address(s, slot,
                     slot.message ? messages_.outgoing(stage.first_part + slot.part, *slot.message)
                                  : nullptr);
    };
    axes_[s].fill.pack(plan_.packing(stage, n, AxisSide::below, fields[n], at),
                       plan_.packing(stage, n, AxisSide::above, fields[n], at));
    messages_.start(stage.first_part + n);
    if (n + 1 ==
        fields
            .size()) // in the remaining parts, this rank only receives from ranks with more blocks
      for (std::size_t part = n + 1; part < stage.traffic.size(); ++part)
        messages_.start(stage.first_part + part);
  }

  bool poll(std::size_t s) override {
    const auto &stage = plan_.stages()[s];
    bool all = true;
    for (std::size_t part = 0; part < stage.traffic.size(); ++part)
      all = messages_.poll(stage.first_part + part) && all;
    return all;
  }
  void receive(std::size_t s) override {
    const auto &stage = plan_.stages()[s];
    for (std::size_t part = 0; part < stage.traffic.size(); ++part)
      messages_.finish(stage.first_part + part);
  }

  void fill(std::size_t s, Fields fields) override {
    const auto &stage = plan_.stages()[s];
    const auto at = [&](const MessageSlot &slot) {
      return address(s, slot,
                     slot.message ? messages_.incoming(stage.first_part + slot.part, *slot.message)
                                  : nullptr);
    };
    for (std::size_t n = 0; n < fields.size(); ++n)
      axes_[s].fill.fill(plan_.filling(stage, n, fields[n], at), stage.gaps[n]);
  }

private:
  using MessageSlot = typename ExtensionPlan<Real>::MessageSlot;
  struct Axis {
    DeviceFill<Real> fill;
    device::Array<Real> local; ///< values exchanged between blocks of this rank
  };

  Real *address(std::size_t s, const MessageSlot &slot, std::byte *message) const {
    return (slot.message ? reinterpret_cast<Real *>(message) : axes_[s].local.data()) + slot.first;
  }

  const ExtensionPlan<Real> &plan_;
  grid::DeviceMessages messages_;
  std::vector<Axis> axes_;
};

} // namespace

template <class Real>
std::unique_ptr<ExtensionCarrier<Real>> device_carrier(const ExtensionPlan<Real> &plan,
                                                       device::Runtime &runtime,
                                                       grid::Transport transport) {
  return std::make_unique<DeviceCarrier<Real>>(plan, runtime, transport);
}

template std::unique_ptr<ExtensionCarrier<float>>
device_carrier(const ExtensionPlan<float> &, device::Runtime &, grid::Transport);
template std::unique_ptr<ExtensionCarrier<double>>
device_carrier(const ExtensionPlan<double> &, device::Runtime &, grid::Transport);

namespace {

using grid::Index3;
using grid::View;

/// Returns the values of a view, with indices counted from the point `first`.
template <class T> Values<T> values_of(const View<T> &view, const Index3 &first) {
  return {view.origin() + view.offset() + first[0] * view.stride(0) + first[1] * view.stride(1) +
              first[2],
          view.stride(0), view.stride(1)};
}

/// Restriction and prolongation on a device. All work is in the compute stream, because shares are
/// small: a separate stream for copies would gain nothing.
template <class Real> class DeviceGridding final : public BlockGridding<Real> {
public:
  DeviceGridding(std::vector<GriddedBlock<Real>> blocks, std::size_t multipliers,
                 device::Runtime &runtime)
      : runtime_(runtime), shares_host_(multipliers) {
    Index fine = 0, coarse = 0;
    for (const GriddedBlock<Real> &block : blocks) {
      const Index rows = block.along[0].count * block.box.extent(2);
      fine = std::max(fine, rows * block.box.extent(1));
      coarse = std::max(coarse, rows * block.along[1].count);
      Block &b = blocks_.emplace_back();
      b.box = block.box;
      b.first = values_;
      for (std::size_t a = 0; a < 3; ++a) {
        b.coarse[static_cast<int>(a)] = block.along[a].count;
        b.to_coarse[a] = {runtime, block.to_coarse[a]};
        b.to_fine[a] = {runtime, block.to_fine[a]};
      }
      values_ += points_of(block.along);
    }
    if (blocks_.empty()) return;
    fine_rows_ = {runtime, static_cast<std::size_t>(fine)};
    coarse_rows_ = {runtime, static_cast<std::size_t>(coarse)};
    shares_ = {runtime, static_cast<std::size_t>(values_)};
    for (OnHost &host : shares_host_)
      host = OnHost(runtime, static_cast<std::size_t>(values_) * sizeof(Real));
  }
  ~DeviceGridding() override {
    try {
      runtime_.compute().synchronize(); // pending copies use the host memory of this object
      // A failure of the device is reported by other calls.
    } catch (const std::exception &) {
    }
  }

  void start_shares(std::size_t multiplier, std::span<const View<const Real>> fields,
                    std::span<Real *const> shares) override {
    if (blocks_.empty()) return;
    for (std::size_t b = 0; b < blocks_.size(); ++b)
      restrict_block(blocks_[b], fields[b]);
    OnHost &host = shares_host_[multiplier];
    host.shares.assign(shares.begin(), shares.end());
    runtime_.compute().copy(host.memory.data(), shares_.data(), shares_.bytes());
    runtime_.compute().record(*host.copied);
  }

  bool shares_at_once() const override { return false; }

  void await_shares(std::size_t multiplier) override {
    if (blocks_.empty()) return;
    const OnHost &host = shares_host_[multiplier];
    host.copied->synchronize();
    for (std::size_t b = 0; b < blocks_.size(); ++b)
      std::copy_n(host.values() + blocks_[b].first, blocks_[b].values(), host.shares[b]);
  }

  void prolong(std::size_t multiplier, std::span<Real *const> shares,
               std::span<const View<Real>> fields) override {
    if (blocks_.empty()) return;
    OnHost &host = shares_host_[multiplier];
    for (std::size_t b = 0; b < blocks_.size(); ++b)
      std::copy_n(shares[b], blocks_[b].values(), host.values() + blocks_[b].first);
    runtime_.compute().copy(shares_.data(), host.memory.data(), shares_.bytes());
    for (std::size_t b = 0; b < blocks_.size(); ++b)
      prolong_block(blocks_[b], fields[b]);
  }

private:
  struct Block {
    grid::Box box;
    Index3 coarse;   ///< number of coarse points along each axis
    Index first = 0; ///< offset of the share among the values of all blocks
    std::array<DeviceSparse<Real>, 3> to_coarse, to_fine;

    Index values() const { return coarse[0] * coarse[1] * coarse[2]; }
  };
  /// Shares of all blocks on the host, in pinned memory for copies to and from the device.
  struct OnHost {
    OnHost() = default;
    OnHost(device::Runtime &runtime, std::size_t bytes)
        : memory(bytes, 1), pin(runtime, memory.pages()), copied(runtime.make_event()) {}
    Real *values() const { return reinterpret_cast<Real *>(memory.data()); }

    PageMemory memory;
    device::Pin pin;
    std::unique_ptr<device::Event> copied;
    std::vector<Real *> shares; ///< the caller's arrays of shares
  };

  /// Multiplies lines along an axis by a matrix. The result has n[0] x n[1] x n[2] points.
  void multiply(const DeviceSparse<Real> &matrix, int axis, const Values<const Real> &from,
                const Values<Real> &to, const Index3 &n) {
    device::launch(runtime_.compute(), grid::Box(n[0], n[1], n[2]),
                   MultiplyLines<Real>{matrix.terms(), axis, from, to});
  }
  template <class T> static Values<T> rows(T *memory, Index n1, Index n2) {
    return {memory, n1 * n2, n2};
  }
  /// Restricts a block along axes 0, 1 and 2. The first of the three products takes most of the
  /// work. It is along axis 0, so that adjacent threads read adjacent values.
  void restrict_block(const Block &block, const View<const Real> &field) {
    const Index3 &m = block.coarse;
    const Index n1 = block.box.extent(1), n2 = block.box.extent(2);
    Real *share = shares_.data() + block.first;
    const auto fine = rows(fine_rows_.data(), n1, n2), coarse = rows(coarse_rows_.data(), m[1], n2);
    multiply(block.to_coarse[0], 0, values_of(field, block.box.lo), fine, {{m[0], n1, n2}});
    multiply(block.to_coarse[1], 1, as_const(fine), coarse, {{m[0], m[1], n2}});
    multiply(block.to_coarse[2], 2, as_const(coarse), rows(share, m[1], m[2]), m);
  }
  void prolong_block(const Block &block, const View<Real> &field) {
    const Index3 &m = block.coarse;
    const Index n0 = block.box.extent(0), n1 = block.box.extent(1), n2 = block.box.extent(2);
    const Real *share = shares_.data() + block.first;
    const auto fine = rows(fine_rows_.data(), n1, n2), coarse = rows(coarse_rows_.data(), m[1], n2);
    multiply(block.to_fine[2], 2, rows(share, m[1], m[2]), coarse, {{m[0], m[1], n2}});
    multiply(block.to_fine[1], 1, as_const(coarse), fine, {{m[0], n1, n2}});
    multiply(block.to_fine[0], 0, as_const(fine), values_of(field, block.box.lo), {{n0, n1, n2}});
  }
  static Values<const Real> as_const(const Values<Real> &v) {
    return {v.first, v.step_i, v.step_j};
  }

  device::Runtime &runtime_;
  std::vector<Block> blocks_;
  Index values_ = 0; ///< number of values in all shares
  /// Intermediate values [coarse][n1][n2] and [coarse][coarse][n2] of a block, and the shares of
  /// all blocks.
  device::Array<Real> fine_rows_, coarse_rows_, shares_;
  std::vector<OnHost> shares_host_; ///< one per multiplier
};

} // namespace

template <class Real>
std::unique_ptr<BlockGridding<Real>> grid_on_device(std::vector<GriddedBlock<Real>> blocks,
                                                    std::size_t multipliers,
                                                    device::Runtime &runtime) {
  return std::make_unique<DeviceGridding<Real>>(std::move(blocks), multipliers, runtime);
}

template std::unique_ptr<BlockGridding<float>> grid_on_device(std::vector<GriddedBlock<float>>,
                                                              std::size_t, device::Runtime &);
template std::unique_ptr<BlockGridding<double>> grid_on_device(std::vector<GriddedBlock<double>>,
                                                               std::size_t, device::Runtime &);

} // namespace hybridfft::lfb
