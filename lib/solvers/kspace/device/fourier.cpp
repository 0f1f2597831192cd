#include "solvers/kspace/device/fourier.h"

#include <algorithm>

#include "solvers/kspace/device/spectra.h"
#include "solvers/kspace/equations/equation_kernels.h"
#include "solvers/lfb/extension_plan.h"

namespace hybridfft::kspace {

namespace {

LocalGrid period_grid(const Extents &period) { return LocalGrid::slab(period, self()); }

/// Returns the extents Nx x Ny x Nz of the periodic extension of each block of this rank.
template <class Real>
std::vector<Extents> periods_of(const Parameters &p, const Decomposition *decomposition) {
  if (decomposition == nullptr)
    return {p.axisymmetric ? AxisymmetricSpectra<Real>::period_of(p.n) : p.n};
  std::vector<Extents> periods;
  for (const int block : decomposition->cartesian().mine())
    periods.push_back(decomposition->period(block));
  return periods;
}

template <class Real> std::size_t spectra_values(const std::vector<Extents> &periods) {
  std::size_t most = 0;
  for (const Extents &n : periods)
    most = std::max(most, DeviceSpectra<Real>::values_needed(DeviceSpectra<Real>::shape_of(n)));
  return most;
}

/// Number of values in the exchange buffers of all extensions of this rank.
template <class Real>
double exchanged_values(const Parameters &p, const Decomposition &decomposition) {
  double all = 0;
  for (const auto &[field, bases] : BlockExtensions<Real>::fields_of(p, decomposition)) {
    const lfb::ExtensionPlan<Real> plan(decomposition.cartesian(), bases,
                                        lfb::ExtensionPlan<Real>::MessageUnit::of_block);
    all += static_cast<double>(plan.bytes_of_buffers()) / sizeof(Real);
  }
  return all;
}

constexpr std::size_t gradient_place = max_outputs;
constexpr std::size_t other_place = max_outputs + 1;

} // namespace

template <class Real>
LocalGrid DeviceFourier<Real>::local_grid(const Parameters &parameters,
                                          const Decomposition *decomposition,
                                          const grid::Communicator &comm) {
  if (decomposition == nullptr) return LocalGrid::slab(parameters.n, comm);
  const std::vector<Extents> periods = periods_of<Real>(parameters, decomposition);
  const grid::Box &box = decomposition->box();
  if (periods.size() > 1) return LocalGrid::part(parameters.n, box, sizeof(Real));
  return LocalGrid::part(parameters.n, box, period_grid(periods[0]));
}

template <class Real>
double DeviceFourier<Real>::bytes_needed(const Parameters &parameters,
                                         const Decomposition *decomposition, const LocalGrid &local,
                                         device::Runtime &runtime, bool at_once) {
  std::vector<Extents> periods = periods_of<Real>(parameters, decomposition);
  const double spectra = static_cast<double>(spectra_values<Real>(periods)) * 2;
  const int fields =
      parameters.dimensions() + 2; // per block: periods of operands and of one other field
  double values = spectra, work = 0;
  if (periods.size() > 1)
    for (const Extents &n : periods)
      values += fields * static_cast<double>(DeviceSpectra<Real>::shape_of(n).real_values());
  // Operands of the power law that the caller does not store.
  if (parameters.absorption == Absorption::power_law)
    values += 2 * static_cast<double>(local.operand_size());
  if (decomposition != nullptr) values += exchanged_values<Real>(parameters, *decomposition);
  // Far fields of both operands, and their work space.
  if (decomposition != nullptr && decomposition->coarse_level())
    values += 2.5 * static_cast<double>(local.size());
  if (parameters.axisymmetric) {
    // One extended field, and the tables and work space of unstagger().
    values += static_cast<double>(DeviceSpectra<Real>::shape_of(periods[0]).real_values());
    periods.push_back(parameters.n);
  }
  std::sort(periods.begin(), periods.end());
  periods.erase(std::unique(periods.begin(), periods.end()), periods.end());
  for (const Extents &n : periods) {
    const device::FftShape shape = DeviceSpectra<Real>::shape_of(n, at_once);
    values += DeviceSpectra<Real>::tables_needed(parameters) *
              static_cast<double>(shape.complex_values());
    const auto bytes = static_cast<double>(runtime.fft_work_bytes(shape, sizeof(Real) > 4));
    work = std::max(work, bytes);
  }
  return values * sizeof(Real) + work;
}

template <class Real>
DeviceFourier<Real>::DeviceFourier(const Parameters &parameters, const Decomposition *decomposition,
                                   const LocalGrid &local, const grid::Communicator &comm,
                                   const DeviceUse &use)
    : local_(local), comm_(comm), exec_(use.exec), dimensions_(parameters.dimensions()),
      at_once_(use.at_once), ledger_(*use.exec.device, use.timed) {
  if (decomposition != nullptr) make_extensions(parameters, *decomposition, use);
  comm.agree([&] {
    const std::vector<Extents> periods = periods_of<Real>(parameters, decomposition);
    memory_ = device::Array<std::complex<Real>>(*exec_.device, spectra_values<Real>(periods));
    for (std::size_t b = 0; b < periods.size(); ++b) {
      grid::Box box = local.box();
      if (decomposition != nullptr) {
        const grid::Index3 &start = decomposition->box().lo;
        const grid::Cartesian &blocks = decomposition->cartesian();
        box = grid::shifted(blocks.box(blocks.mine()[b]), {{-start[0], -start[1], -start[2]}});
      }
      add_block(parameters, periods[b], box);
    }
  });
}

template <class Real> DeviceFourier<Real>::~DeviceFourier() {
  // Enqueued transforms may still use the memory freed below.
  try {
    exec_.device->compute().synchronize();
  } catch (const Error &) {
  }
}

template <class Real>
void DeviceFourier<Real>::make_extensions(const Parameters &parameters,
                                          const Decomposition &decomposition,
                                          const DeviceUse &use) {
  description_ = decomposition.describe() + "\n";
  if (decomposition.cartesian().mine().size() == 1 && comm_.size() > 1) choose_ends(decomposition);
  extensions_.emplace(parameters, decomposition, *exec_.device, use.transport);
  if (!decomposition.coarse_level()) return;
  far_field_ = std::make_unique<FarField<Real>>(parameters, decomposition, local_, comm_, exec_);
  multipliers_ = far_field_->multipliers();
}

template <class Real>
DeviceSpectra<Real> &DeviceFourier<Real>::spectra_for(const Parameters &period) {
  const device::FftShape shape = DeviceSpectra<Real>::shape_of(period.n, at_once_);
  for (const std::unique_ptr<DeviceSpectra<Real>> &spectra : spectra_)
    if (spectra->shape() == shape) return *spectra;
  const auto make = [&]<class Spectra>(std::type_identity<Spectra>) {
    spectra_.push_back(std::make_unique<Spectra>(period, multipliers_, ledger_, memory_.data(),
                                                 exec_.host.threads, at_once_));
  };
  if (period.axisymmetric)
    make(std::type_identity<AxisymmetricSpectra<Real>>());
  else
    make(std::type_identity<DeviceSpectra<Real>>());
  return *spectra_.back();
}

template <class Real>
void DeviceFourier<Real>::add_block(const Parameters &parameters, const Extents &period,
                                    const grid::Box &box) {
  Parameters of_period = parameters;
  of_period.n = period;
  blocks_.push_back({box, period_grid(period), &spectra_for(of_period), {}});
}

template <class Real>
void DeviceFourier<Real>::copy_to_period(PeriodBlock &block, const Operand &operand) {
  if (in_place()) return;
  Field<Real> &period = block.periods[operand.place];
  if (period.data() == nullptr) period = Field<Real>(block.period.operand_size(), exec_);
  ledger_.launch<Real>(block.box, kernels::Copy<Real>{local_.lattice(), in_period(block),
                                                      operand.field->data(), period.data()});
}

template <class Real> void DeviceFourier<Real>::start_operand(std::size_t o, std::size_t blocks) {
  const Output<Real> &output = outputs_[o];
  if (output.use != Output<Real>::Use::operand) return;
  if (started_[o] == 0)
    operands_[o] = {fields_[o], output.next == Operator::gradient ? gradient_place : o,
                    extensions_ ? &extensions_->of_operand(output.next, o) : nullptr};
  for (; started_[o] < blocks; ++started_[o])
    start(operands_[o], started_[o]);
}

/// Starts the far fields of Laplacian operands. They need all blocks of the operand.
template <class Real> void DeviceFourier<Real>::start_far_fields() {
  for (std::size_t o = 0; o < max_outputs; ++o)
    if (far_field_ != nullptr && outputs_[o].use == Output<Real>::Use::operand &&
        is_laplacian(outputs_[o].next))
      far_field_->start(o, std::vector(blocks_.size(), by_global_index(*fields_[o])));
}

/// Returns a view of a field by global indices. It covers all blocks of this rank, which are
/// contiguous.
template <class Real>
grid::View<const Real> DeviceFourier<Real>::by_global_index(const Field<Real> &field) const {
  return {field.data(), local_.plane(), local_.pitch(),
          -(local_.offset(local_.start(0), local_.start(1)) + local_.start(2))};
}

/// Copies a block of the operand to its period and starts the exchange with neighbours, if any.
template <class Real> void DeviceFourier<Real>::start(const Operand &operand, std::size_t b) {
  PeriodBlock &block = blocks_[b];
  copy_to_period(block, operand);
  if (operand.active != nullptr)
    operand.active->start(b, {period_of(block, operand).data(), block.period.pitch()});
}

template <class Real>
typename DeviceFourier<Real>::Operand DeviceFourier<Real>::extended(const Field<Real> &field) {
  Operand operand{&field, other_place, extensions_ ? &extensions_->other() : nullptr};
  for (std::size_t b = 0; b < blocks_.size(); ++b)
    start(operand, b);
  finish(operand);
  return operand;
}

template <class Real> void DeviceFourier<Real>::set_outputs(std::span<const Output<Real>> outputs) {
  outputs_ = {};
  fields_ = {};
  started_ = {};
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const Output<Real> &output = outputs_[o] = outputs[o];
    const bool own = output.use == Output<Real>::Use::operand && output.field == nullptr;
    if (own && own_[o].data() == nullptr) own_[o] = Field<Real>(local_.operand_size(), exec_);
    fields_[o] = own ? &own_[o] : output.field;
  }
}

template <class Real>
typename DeviceFourier<Real>::Parts DeviceFourier<Real>::parts_of(const grid::Box &box) const {
  if (ends_ == 0 || box.extent(first_axis_) <= 2 * ends_) return {{}, box};
  Parts parts{{box, box}, box};
  const int a = first_axis_;
  parts.ends[0].hi[a] = parts.middle.lo[a] = box.lo[a] + ends_;
  parts.ends[1].lo[a] = parts.middle.hi[a] = box.hi[a] - ends_;
  return parts;
}

template <class Real>
void DeviceFourier<Real>::work_on(const PeriodBlock &block, const RowKernel<Real> &kernel,
                                  int count, int only) {
  const Parts parts = parts_of(block.box);
  for (const grid::Box &end : parts.ends)
    work_on(block, end, kernel, count, only);
  const auto blocks =
      static_cast<std::size_t>(&block - blocks_.data()) + 1; // number of computed blocks
  if (!parts.ends.empty()) start_operands(only, blocks);
  work_on(block, parts.middle, kernel, count, only);
  start_operands(only, blocks);
}

template <class Real>
void DeviceFourier<Real>::work_on(const PeriodBlock &block, const grid::Box &box,
                                  const RowKernel<Real> &kernel, int count, int only) {
  DevicePoints<Real> points{&ledger_, box, in_period(block), {}, {}};
  for (int slot = 0; slot < count; ++slot)
    points.components[static_cast<std::size_t>(slot)] = block.spectra->field(slot);
  for (std::size_t o = 0; o < max_outputs; ++o)
    if (fields_[o] != nullptr) points.outputs[o] = fields_[o]->data();
  kernel.on_device(points, only);
}

/// Computes the components in order. Neighbours exchange each component while the next ones are
/// computed.
template <class Real> void DeviceFourier<Real>::gradient(const RowKernel<Real> &kernel) {
  Operand pressure = take_operands()[0];
  finish(pressure);
  for (const PeriodBlock &block : blocks_) {
    DeviceSpectra<Real> &spectra = *block.spectra;
    spectra.forward(period_of(block, pressure).data(), spectra.last());
    spectra.gradient();
    spectra.backward(dimensions_);
    for (int axis = 0; axis < dimensions_; ++axis)
      work_on(block, kernel, dimensions_, axis);
  }
}

/// Transforms each component when its exchange has finished, while the next ones are exchanged.
template <class Real> void DeviceFourier<Real>::divergence(const RowKernel<Real> &kernel) {
  Operands operands = take_operands();
  for (const PeriodBlock &block : blocks_) {
    DeviceSpectra<Real> &spectra = *block.spectra;
    for (int axis = 0; axis < dimensions_; ++axis) {
      Operand &operand = operands[static_cast<std::size_t>(axis)];
      finish(operand);
      spectra.forward_velocity(axis, period_of(block, operand).data());
    }
    spectra.divergence();
    spectra.backward(dimensions_);
    work_on(block, kernel, dimensions_);
  }
}

template <class Real>
void DeviceFourier<Real>::add_far_field(const PeriodBlock &block, std::size_t operand, int slot,
                                        Real factor) {
  if (far_field_ == nullptr) return;
  ledger_.launch<Real>(block.box, kernels::Add<Real>{local_.lattice(), in_period(block), factor,
                                                     far_field_->of(operand).data(),
                                                     block.spectra->field(slot)});
}

template <class Real> void DeviceFourier<Real>::laplacians(const RowKernel<Real> &kernel) {
  Operands operands = take_operands();
  for (const PeriodBlock &block : blocks_) {
    for (int o = 0; o < 2; ++o) {
      Operand &operand = operands[static_cast<std::size_t>(o)];
      finish(operand);
      block.spectra->forward(period_of(block, operand).data(), o);
      block.spectra->laplacian(o, o);
    }
    block.spectra->backward(2);
    for (int o = 0; o < 2; ++o)
      add_far_field(block, static_cast<std::size_t>(o), o, 1);
    work_on(block, kernel, 2);
  }
}

template <class Real> void DeviceFourier<Real>::absorption(const RowKernel<Real> &kernel) {
  Operands operands = take_operands();
  for (const PeriodBlock &block : blocks_) {
    for (int o = 0; o < 2; ++o) {
      Operand &operand = operands[static_cast<std::size_t>(o)];
      finish(operand);
      block.spectra->forward(period_of(block, operand).data(), o);
    }
    block.spectra->absorption(tau_, eta_);
    block.spectra->backward(1);
    add_far_field(block, 0, 0, tau_);
    add_far_field(block, 1, 0, -eta_);
    work_on(block, kernel, 1);
  }
}

template <class Real>
void DeviceFourier<Real>::enqueue(Operator op, const RowKernel<Real> &kernel) {
  switch (op) {
  case Operator::none:
    for (const PeriodBlock &block : blocks_)
      work_on(block, kernel, 0);
    return;
  case Operator::gradient:
    return gradient(kernel);
  case Operator::divergence:
    return divergence(kernel);
  case Operator::laplacians:
    return laplacians(kernel);
  case Operator::absorption:
    return absorption(kernel);
  }
}

template <class Real>
void DeviceFourier<Real>::run_without_neighbours(Operator op, const RowKernel<Real> &kernel) {
  Call call{op, typeid(kernel), {}};
  for (std::size_t o = 0; o < max_outputs; ++o) {
    call.fields[o] = operands_[o].field != nullptr ? operands_[o].field->data() : nullptr;
    call.fields[max_outputs + o] = fields_[o] != nullptr ? fields_[o]->data() : nullptr;
  }
  const auto known = std::find_if(calls_.begin(), calls_.end(),
                                  [&](const RecordedCall &c) { return c.call == call; });
  device::Stream &stream = exec_.device->compute();
  if (known == calls_.end()) {
    calls_.push_back({call, nullptr, false, {}});
    return enqueue(op, kernel);
  }
  if (ledger_.timed() || known->refused) return enqueue(op, kernel);
  if (known->graph == nullptr) {
    DeviceLedger counted(*exec_.device, false);
    std::swap(ledger_, counted);
    known->graph = exec_.device->capture(stream, [&] { enqueue(op, kernel); });
    std::swap(ledger_, counted);
    known->launches = counted.entries();
    known->refused = known->graph == nullptr;
    if (known->refused) return enqueue(op, kernel);
  }
  known->graph->launch(stream);
  ledger_.add(known->launches);
}

template <class Real>
void DeviceFourier<Real>::apply(Operator op, const RowKernel<Real> &kernel,
                                std::span<const Output<Real>> outputs) {
  if (is_laplacian(op) && far_field_ != nullptr)
    for (std::size_t o = 0; o < 2; ++o)
      far_field_->finish(o);
  set_outputs(outputs);
  if (!extensions_)
    run_without_neighbours(op, kernel);
  else
    enqueue(op, kernel);
  start_operands(-1, blocks_.size()); // a replayed graph has not started them
  start_far_fields();
}

template <class Real>
void DeviceFourier<Real>::correct_source(Driven driven, const Field<Real> &source,
                                         std::span<const Field<Real>> targets) {
  const Operand operand = extended(source);
  for (const PeriodBlock &block : blocks_) {
    DeviceSpectra<Real> &spectra = *block.spectra;
    spectra.correct_source(driven, period_of(block, operand).data());
    for (const Field<Real> &target : targets)
      ledger_.launch<Real>(block.box, kernels::Add<Real>{in_period(block), local_.lattice(), 1,
                                                         spectra.field(0), target.data()});
  }
}

template <class Real>
void DeviceFourier<Real>::unstagger(int axis, const Field<Real> &u, const UseField<Real> &use) {
  if (result_.data() == nullptr) comm_.agree([&] { result_ = Field<Real>(local_.size(), exec_); });
  const Operand operand = extended(u);
  for (const PeriodBlock &block : blocks_) {
    DeviceSpectra<Real> &spectra = *block.spectra;
    spectra.unstagger(axis, period_of(block, operand).data());
    ledger_.launch<Real>(block.box, kernels::Copy<Real>{in_period(block), local_.lattice(),
                                                        spectra.field(0), result_.data()});
  }
  use(result_);
}

template class DeviceFourier<float>;
template class DeviceFourier<double>;

} // namespace hybridfft::kspace
