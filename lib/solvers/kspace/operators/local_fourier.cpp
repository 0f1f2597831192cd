#include "solvers/kspace/operators/local_fourier.h"

#include <omp.h>

#include <algorithm>
#include <array>

#include "solvers/kspace/operators/fused_fourier.h"
#include "solvers/kspace/operators/global_fourier.h"

namespace hybridfft::kspace {

namespace {

/// Returns the parameters of a simulation whose grid is the period of a block.
Parameters of_period(const Parameters &parameters, const Decomposition &decomposition, int block) {
  Parameters p = parameters;
  p.n = decomposition.period(block);
  return p;
}

LocalGrid::Rows rows_for(bool fused) {
  return fused ? LocalGrid::Rows::aligned : LocalGrid::Rows::transformable;
}

} // namespace

/// Row kernel for the derivative of a period. Runs the caller's kernel on the rows inside the block
/// and converts their indices to this rank's.
template <class Real> class LocalFourier<Real>::CoreKernel final : public RowKernel<Real> {
public:
  CoreKernel(LocalFourier<Real> &owner, std::size_t block, const RowKernel<Real> &kernel,
             Operator op, std::span<const Output<Real>> outputs)
      : owner_(owner), number_(block), block_(owner.blocks_[block]), kernel_(kernel), op_(op),
        outputs_(outputs) {}

  bool components_apart() const override { return kernel_.components_apart(); }
  void begin(const Row &row, OutputRows<Real> out) const override {
    if (block_.has(row)) kernel_.begin(block_.of_rank(row), rows(row, out).data());
  }
  void component(int c, const Row &row, const Real *values, OutputRows<Real> out) const override {
    if (!block_.has(row)) return;
    const Rows rows = this->rows(row, out);
    const Row mine = block_.of_rank(row);
    if (owner_.far_field_ != nullptr && is_laplacian(op_))
      values = owner_.far_field_->add(op_, c, mine, values);
    kernel_.component(c, mine, values, rows.data());
    if (op_ == Operator::gradient) store(static_cast<std::size_t>(c), row, rows);
    if (omp_get_thread_num() == 0) owner_.poll();
  }
  void end(const Row &row, OutputRows<Real> out) const override {
    if (!block_.has(row)) return;
    const Rows rows = this->rows(row, out);
    kernel_.end(block_.of_rank(row), rows.data());
    for (std::size_t o = 0; o < outputs_.size(); ++o)
      store(o, row, rows);
  }
  /// Starts the exchange of component c of a gradient when all blocks have computed it.
  void completed(int c) const override {
    const auto o = static_cast<std::size_t>(c);
    if (&block_ == &owner_.blocks_.back() && o < outputs_.size())
      owner_.start_operand(o, outputs_[o]);
  }

  std::ptrdiff_t planes_first() const override { return owner_.planes_first_; }
  void ends_completed(int c) const override { owner_.start_early(c, outputs_); }

private:
  using Rows = std::array<Real *, max_outputs>;

  Rows rows(const Row &row, OutputRows<Real> out) const {
    const Row mine = block_.of_rank(row);
    Rows rows{};
    for (std::size_t o = 0; o < outputs_.size(); ++o) {
      const Output<Real> &output = outputs_[o];
      if (output.use == Output<Real>::Use::skip) continue;
      if (output.field != nullptr)
        rows[o] = output.field->row(owner_.local_, mine.i, mine.j) + mine.first;
      else if (output.use == Output<Real>::Use::row || owner_.slabs_)
        rows[o] = out[o];
      else
        rows[o] = block_.operands[place_of(o, output)].row(block_.period, row.i, row.j);
    }
    return rows;
  }
  /// Copies a row of an operand to its period for the exchange and the transform. Skips rows that
  /// were computed in the period, and rows that neither the exchange nor the transform needs.
  /// Counts the row if its plane is packed in this sweep.
  void store(std::size_t o, const Row &row, const Rows &rows) const {
    if (o >= outputs_.size() || outputs_[o].use != Output<Real>::Use::operand) return;
    const Output<Real> &output = outputs_[o];
    const bool there = output.field != nullptr ? owner_.in_place() : !owner_.slabs_;
    if (!there && (!owner_.slabs_ || owner_.is_sent(output, row.i)))
      std::copy_n(rows[o], block_.core.extent(2),
                  block_.operands[place_of(o, output)].row(block_.period, row.i, row.j));
    if (!owner_.slabs_) owner_.count_row(number_, o, row.i);
  }

  LocalFourier<Real> &owner_;
  std::size_t number_; ///< number of the block on this rank
  BasisBlock &block_;
  const RowKernel<Real> &kernel_;
  Operator op_;
  std::span<const Output<Real>> outputs_;
};

template <class Real>
bool LocalFourier<Real>::fused(const Parameters &parameters, const Decomposition &decomposition,
                               const grid::Communicator &comm) {
  bool all = true;
  for (const int block : decomposition.cartesian().mine())
    all = FusedFourier<Real>::applies(of_period(parameters, decomposition, block), comm) && all;
  return all;
}

template <class Real>
LocalGrid LocalFourier<Real>::local_grid(const Parameters &parameters,
                                         const Decomposition &decomposition,
                                         const grid::Communicator &comm) {
  const bool fused = LocalFourier<Real>::fused(parameters, decomposition, comm);
  const std::span<const int> mine = decomposition.cartesian().mine();
  const grid::Box &box = decomposition.box();
  if (mine.size() == 1)
    return LocalGrid::part(
        parameters.n, box,
        LocalGrid::slab(decomposition.period(mine[0]), self(), rows_for(fused), sizeof(Real)));
  return LocalGrid::part(parameters.n, box, sizeof(Real));
}

template <class Real>
LocalFourier<Real>::LocalFourier(const Parameters &parameters, const Decomposition &decomposition,
                                 const LocalGrid &local, const grid::Communicator &comm,
                                 grid::Host host, Effort effort)
    : HostDerivative<Real>(local, comm, host), box_(decomposition.box()),
      description_(decomposition.describe()), extensions_(parameters, decomposition, host.threads) {
  trace(); // must precede the derivatives of blocks, each of which would start a trace on this rank
           // only
  if (decomposition.coarse_level())
    far_field_ =
        std::make_unique<FarField<Real>>(parameters, decomposition, local, comm, Exec{host});
  const bool fused = LocalFourier<Real>::fused(parameters, decomposition, comm);
  if (fused && decomposition.cartesian().mine().size() == 1) {
    planes_first_ = decomposition.points_taken(0);
    slabs_ = !decomposition.bases()[1] && !decomposition.bases()[2];
  }
  comm.agree([&] {
    for (const int block : decomposition.cartesian().mine())
      add_block(parameters, decomposition, block, fused, effort);
  });
}

template <class Real> LocalFourier<Real>::~LocalFourier() = default;

template <class Real>
void LocalFourier<Real>::add_block(const Parameters &parameters, const Decomposition &decomposition,
                                   int block, bool fused, Effort effort) {
  const grid::Box box = decomposition.cartesian().box(block);
  const Parameters p = of_period(parameters, decomposition, block);
  BasisBlock b{{},
               {box.extent(0), box.extent(1), box.extent(2)},
               LocalGrid::slab(p.n, self(), rows_for(fused), sizeof(Real)),
               nullptr,
               nullptr,
               {},
               {},
               {}};
  for (auto &rows : b.complete_rows)
    rows = std::vector<std::atomic<std::ptrdiff_t>>(static_cast<std::size_t>(box.extent(0)));
  for (int a = 0; a < 3; ++a)
    b.offset[a] = box.lo[a] - decomposition.box().lo[a];
  const LaplacianMultipliers multipliers =
      far_field_ != nullptr ? far_field_->multipliers() : LaplacianMultipliers();
  if (fused) {
    auto derivative = std::make_unique<FusedFourier<Real>>(p, b.period, self(), host_, multipliers);
    derivative->want_only(box.extent(0), box.extent(1));
    b.fused = derivative.get();
    b.derivative = std::move(derivative);
  } else {
    Field<Real> scratch(b.period.operand_size(), host_.threads);
    b.derivative = std::make_unique<GlobalFourier<Real>>(p, b.period, self(), host_, effort,
                                                         scratch, multipliers);
  }
  blocks_.push_back(std::move(b));
}

template <class Real>
std::vector<grid::View<const Real>>
LocalFourier<Real>::block_views(std::size_t o, const Output<Real> &output) const {
  std::vector<grid::View<const Real>> views;
  for (const BasisBlock &block : blocks_) {
    const LocalGrid &period = block.period;
    grid::Index3 at;
    for (int a = 0; a < 3; ++a)
      at[a] = box_.lo[a] + block.offset[a];
    views.emplace_back(operand_field(block, o, output).data(), period.plane(), period.pitch(),
                       -(period.offset(at[0], at[1]) + at[2]));
  }
  return views;
}

template <class Real>
void LocalFourier<Real>::allocate_operands(std::span<const Output<Real>> outputs) {
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    if (outputs[o].use != Output<Real>::Use::operand ||
        (outputs[o].field != nullptr && in_place()) ||
        operand_field(blocks_.front(), o, outputs[o]).data() != nullptr)
      continue;
    comm_.agree([&] {
      for (BasisBlock &block : blocks_)
        block.operands[place_of(o, outputs[o])] =
            Field<Real>(block.period.operand_size(), host_.threads);
    });
  }
}

template <class Real>
void LocalFourier<Real>::start_operand(std::size_t o, const Output<Real> &output) {
  if (output.use != Output<Real>::Use::operand || pending_[o].extension != nullptr) return;
  pending_[o] = {&extensions_.of_operand(output.next, o), output};
  pending_[o].extension->start(periods_of(o, output));
  if (far_field_ != nullptr && is_laplacian(output.next))
    far_field_->start(o, block_views(o, output));
}

template <class Real>
void LocalFourier<Real>::open_operands(std::span<const Output<Real>> outputs) {
  if (slabs_) return;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const Output<Real> &output = outputs[o];
    if (output.use != Output<Real>::Use::operand) continue;
    for (BasisBlock &block : blocks_)
      for (auto &rows : block.complete_rows[o])
        rows.store(0, std::memory_order_relaxed);
    packing_[o] = &extensions_.of_operand(output.next, o);
    packing_[o]->open(periods_of(o, output));
  }
}

/// Fills the gaps of the last axis for a few planes at a time, and transforms these planes while
/// they are in cache.
template <class Real> void LocalFourier<Real>::take_operand(std::size_t number, std::size_t o) {
  constexpr std::ptrdiff_t cached_bytes = 256 << 10;
  const Pending &pending = pending_[o];
  const BasisBlock &block = blocks_[number];
  const Field<Real> &field = operand_field(block, o, pending.output);
  const std::ptrdiff_t end = block.period.box().extent(0);
  if (block.fused == nullptr) {
    if (pending.gaps_left) pending.extension->fill(number, 0, end);
    std::array<Output<Real>, max_outputs> outputs{};
    outputs[o] = Output<Real>::operand(pending.output.next, &field);
    return block.derivative->apply(Operator::none, RowKernel<Real>(), outputs);
  }
  if (!pending.gaps_left)
    return block.fused->make_operand(o, field, slabs_ ? block.core.extent(0) : 0, end);
  const auto plane_bytes = static_cast<std::ptrdiff_t>(sizeof(Real)) * block.period.plane();
  const std::ptrdiff_t each =
      std::max<std::ptrdiff_t>(1, cached_bytes / plane_bytes) * std::max(host_.threads, 1);
  for (std::ptrdiff_t first = 0; first < end; first += each) {
    const std::ptrdiff_t last = std::min(first + each, end);
    pending.extension->fill(number, first, last);
    block.fused->make_operand(o, field, first, last);
  }
}

/// Finishes operands in descending order, as a gradient completes them.
template <class Real> void LocalFourier<Real>::take_operands() {
  for (std::size_t o = max_outputs; o-- > 0;) {
    Pending &pending = pending_[o];
    if (pending.extension == nullptr) continue;
    pending.gaps_left = pending.extension->finish_messages();
    for (std::size_t block = 0; block < blocks_.size(); ++block)
      take_operand(block, o);
    pending = {};
  }
}

/// True if a message reads this plane of an output: planes near the faces of a block, and all
/// planes if a far field is computed.
template <class Real>
bool LocalFourier<Real>::is_sent(const Output<Real> &output, std::ptrdiff_t plane) const {
  const std::ptrdiff_t planes = blocks_.front().core.extent(0);
  return plane < planes_first_ || plane >= planes - planes_first_ ||
         (far_field_ != nullptr && is_laplacian(output.next));
}

template <class Real>
void LocalFourier<Real>::apply(Operator op, const RowKernel<Real> &kernel,
                               std::span<const Output<Real>> outputs) {
  if (op != Operator::none) {
    if (far_field_ != nullptr && is_laplacian(op))
      for (std::size_t o = 0; o < 2; ++o)
        far_field_->finish(o);
    take_operands();
  }
  allocate_operands(outputs);
  open_operands(outputs);
  std::array<Output<Real>, max_outputs> of_blocks{};
  for (std::size_t o = 0; o < outputs.size(); ++o)
    if ((outputs[o].use == Output<Real>::Use::row && outputs[o].field == nullptr) ||
        (outputs[o].use == Output<Real>::Use::operand && slabs_))
      of_blocks[o] = outputs[o];
  for (std::size_t block = 0; block < blocks_.size(); ++block)
    blocks_[block].derivative->apply(op, CoreKernel(*this, block, kernel, op, outputs), of_blocks);
  if (op == Operator::gradient) return;
  for (std::size_t o = 0; o < outputs.size(); ++o)
    start_operand(o, outputs[o]);
}

/// Tests the requests every few rows, because a test takes as long as a few rows.
template <class Real> void LocalFourier<Real>::poll() {
  constexpr int rows_between = 32;
  if (++rows_ % rows_between != 0) return;
  for (const Pending &pending : pending_)
    if (pending.extension != nullptr) pending.extension->poll();
}

template <class Real> void LocalFourier<Real>::extend_other(const Field<Real> &field) {
  if (!in_place() && blocks_.front().other.data() == nullptr)
    comm_.agree([&] {
      for (BasisBlock &block : blocks_)
        block.other = Field<Real>(block.period.operand_size(), host_.threads);
    });
  periods_.clear();
  for (BasisBlock &block : blocks_) {
    const Field<Real> &other = other_field(block, field);
    periods_.push_back({other.data(), block.period.pitch()});
    if (in_place()) continue;
    const auto from = field.view(local_);
    const auto to = other.view(block.period);
    const grid::Index3 at = block.offset;
    parallel_for(host_, block.core, [=](auto i, auto j, auto k) {
      to(i, j, k) = from(i + at[0], j + at[1], k + at[2]);
    });
  }
  extensions_.other().start(periods_);
  extensions_.other().finish();
}

template <class Real> std::vector<StageTime> LocalFourier<Real>::stage_times() const {
  std::vector<StageTime> times = blocks_.front().derivative->stage_times();
  for (std::size_t b = 1; b < blocks_.size(); ++b) {
    const std::vector<StageTime> more = blocks_[b].derivative->stage_times();
    for (std::size_t t = 0; t < times.size(); ++t)
      times[t].seconds += more[t].seconds;
  }
  const std::vector<StageTime> exchanges = extensions_.stage_times();
  times.insert(times.end(), exchanges.begin(), exchanges.end());
  return times;
}

/// Packing and waiting are recorded for the first thread. Each exchange is a row of the trace.
template <class Real> void LocalFourier<Real>::trace() {
  std::vector<std::string> stages;
  for (const auto &[field, extension] : extensions_.all())
    for (const char *phase : {"pack ", "wait for ", "exchange of "})
      stages.push_back(phase + field);
  const auto fields = static_cast<int>(stages.size() / 3);
  traced_.emplace(comm_.handle(), stages, host_.threads + fields);
  if (!traced_->active()) return;
  std::size_t stage = 0;
  int row = host_.threads;
  for (auto &[field, extension] : extensions_.all()) {
    extension.observe([this, stage, row](typename Extension::ExtensionPhase phase,
                                         TracedStages::Time begin, TracedStages::Time end) {
      const bool beside = phase == Extension::ExtensionPhase::exchange;
      traced_->add(stage + static_cast<std::size_t>(phase), beside ? row : 0, begin, end);
    });
    stage += 3;
    ++row;
  }
}

template class LocalFourier<float>;
template class LocalFourier<double>;

} // namespace hybridfft::kspace
