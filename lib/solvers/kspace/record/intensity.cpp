#include "solvers/kspace/record/intensity.h"

#include <algorithm>
#include <array>

#include "base/threads.h"
#include "solvers/kspace/operators/spectral_operators.h"
#include "solvers/kspace/record/sensor.h"

namespace hybridfft::kspace {

namespace {

/// Number of samples processed together: the sums are loaded from memory once for all of them.
constexpr std::size_t rows_of_batch = 8;
/// Number of points processed together: their sums stay in cache.
constexpr std::size_t tile = 64;

template <class Real> using Tile = std::array<Real, tile>;

/// Computes sum = factor * sum + value, result += weight * sum.
template <class Real>
void decay_and_use(Real factor, Real weight, const Real *value, Real *sum, Real *result,
                   std::size_t n) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) {
    sum[i] = factor * sum[i] + value[i];
    result[i] += weight * sum[i];
  }
}

template <class Real> void decay(Real factor, const Real *value, Real *sum, std::size_t n) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i)
    sum[i] = factor * sum[i] + value[i];
}

template <class Real> void add(Real factor, const Real *value, Real *sum, std::size_t n) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i)
    sum[i] += factor * value[i];
}

/// Compensated summation (Kahan 1965): a sum of a thousand products is as accurate as a single
/// product.
template <class Real>
void add_product(const Real *p, const Real *shifted, const Real *u, const Real *past, Real *sum,
                 Real *correction, std::size_t n) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) {
    const Real term = p[i] * shifted[i] + u[i] * past[i] - correction[i];
    const Real total = sum[i] + term;
    correction[i] = (total - sum[i]) - term;
    sum[i] = total;
  }
}

} // namespace

template <class Real>
IntensityAverage<Real>::IntensityAverage(std::size_t points, int components, std::int64_t samples,
                                         std::int64_t done, grid::Host host)
    : points_(points), quantities_(components + 1), shift_(samples), host_(host), done_(done) {
  const auto quantities = static_cast<std::size_t>(quantities_);
  states_.assign(quantities * 2 * shift_.terms() * points, 0.0F);
  sums_.assign(2 * (quantities - 1) * points, 0.0F);
  samples_.assign(rows_of_batch * quantities * points, 0.0F);
}

template <class Real> std::span<Real> IntensityAverage<Real>::row(int quantity) {
  const std::size_t at =
      waiting_ * static_cast<std::size_t>(quantities_) + static_cast<std::size_t>(quantity);
  return std::span(samples_).subspan(at * points_, points_);
}

template <class Real> bool IntensityAverage<Real>::next() { return ++waiting_ == rows_of_batch; }

template <class Real> void IntensityAverage<Real>::drain() {
  std::vector<typename HalfStepShift<Real>::AtStep> steps;
  for (std::size_t row = 0; row < waiting_; ++row)
    steps.push_back(shift_.at(done_ + static_cast<std::int64_t>(row)));
  const auto tiles = static_cast<std::ptrdiff_t>((points_ + tile - 1) / tile);
  parallel_ranges(tiles, host_.threads, [&](std::ptrdiff_t begin, std::ptrdiff_t end, int) {
    for (std::ptrdiff_t t = begin; t < end; ++t) {
      const std::size_t first = static_cast<std::size_t>(t) * tile;
      for (std::size_t row = 0; row < steps.size(); ++row)
        advance(steps[row], row, first, std::min(first + tile, points_));
    }
  });
  done_ += static_cast<std::int64_t>(waiting_);
  waiting_ = 0;
}

template <class Real>
void IntensityAverage<Real>::advance(const typename HalfStepShift<Real>::AtStep &step,
                                     std::size_t row, std::size_t first, std::size_t last) {
  const std::size_t n = last - first;
  const auto values = [&](int quantity) {
    const std::size_t at =
        row * static_cast<std::size_t>(quantities_) + static_cast<std::size_t>(quantity);
    return samples_.data() + at * points_ + first;
  };
  const auto at = [&](Real *sums, std::size_t term) { return sums + term * points_ + first; };
  const Real *p = values(0);
  const Past pressures = past(0);
  Tile<Real> before{};
  for (std::size_t j = 0; j < shift_.terms(); ++j)
    add(shift_.weight()[j], at(pressures.recent, j), before.data(), n);
  for (std::size_t j = 0; j < step.late_before.size(); ++j)
    add(step.late_before[j], at(pressures.early, j), before.data(), n);
  for (int component = 0; component + 1 < quantities_; ++component) {
    const Real *u = values(component + 1);
    const Past velocities = past(component + 1);
    Tile<Real> shifted{};
    for (std::size_t j = 0; j < shift_.terms(); ++j)
      decay_and_use(shift_.decay()[j], shift_.weight()[j], u, at(velocities.recent, j),
                    shifted.data(), n);
    for (std::size_t j = 0; j < step.early.size(); ++j)
      add(step.early[j], u, at(velocities.early, j), n);
    for (std::size_t j = 0; j < step.late.size(); ++j)
      add(step.late[j], at(velocities.early, j), shifted.data(), n);
    add_product(p, shifted.data(), u, before.data(), average(component, false).data() + first,
                average(component, true).data() + first, n);
  }
  for (std::size_t j = 0; j < shift_.terms(); ++j)
    decay(shift_.decay()[j], p, at(pressures.recent, j), n);
  for (std::size_t j = 0; j < step.early.size(); ++j)
    add(step.early[j], p, at(pressures.early, j), n);
}

template <class Real>
void IntensityAverage<Real>::for_each_state(
    const std::function<void(const std::string &, std::span<Real>)> &f) {
  const auto quantities = static_cast<std::size_t>(quantities_);
  // Ranks without points take part with empty arrays.
  const auto pieces = [&](const std::string &name, std::size_t number, std::vector<Real> &all) {
    for (std::size_t i = 0; i < number; ++i)
      f(name + std::to_string(i), std::span(all).subspan(i * points_, points_));
  };
  pieces("intensity_past_", quantities * 2 * shift_.terms(), states_);
  pieces("intensity_sum_", 2 * (quantities - 1), sums_);
}

template class IntensityAverage<float>;
template class IntensityAverage<double>;

template <class Real>
IntensityRecorder<Real>::IntensityRecorder(
    IntensityRecording wanted, const Parameters &parameters, std::int64_t steps, std::int64_t done,
    const std::vector<std::unique_ptr<SensorMask<Real>>> &sensor, const LocalGrid &local,
    const grid::Communicator &comm, const Exec &exec)
    : wanted_(wanted), parameters_(parameters), sensor_(&sensor), local_(local), comm_(comm),
      exec_(exec) {
  comm.agree([&] {
    if (wanted.heat) {
      const Extents &n = local.extents();
      everywhere_ = std::make_unique<SensorMask<Real>>(
          Cuboid{{0, 0, 0}, {n[0] - 1, n[1] - 1, n[2] - 1}}, 1, local);
      add(*everywhere_, steps, done);
      return;
    }
    for (const std::unique_ptr<SensorMask<Real>> &mask : sensor)
      add(*mask, steps, done);
  });
}

template <class Real>
void IntensityRecorder<Real>::add(SensorMask<Real> &mask, std::int64_t steps, std::int64_t done) {
  mask.prepare(exec_);
  const std::size_t points = mask.offsets().size();
  IntensityAtMask at{&mask,
                     IntensityAverage<Real>(points, local_.dimensions(), steps, done, exec_.host),
                     PinnedMemory<Real>(),
                     {}};
  at.pinned = PinnedMemory<Real>(exec_, at.average.samples().data(), at.average.samples().size());
  for (int quantity = 0; quantity <= local_.dimensions(); ++quantity)
    at.copies.emplace_back(exec_, points);
  masks_.push_back(std::move(at));
}

template <class Real> void IntensityRecorder<Real>::sample(int quantity, const Field<Real> &field) {
  for (IntensityAtMask &at : masks_) {
    const SampleCopies<Real> &copies = at.copies[static_cast<std::size_t>(quantity)];
    Real *row = at.average.row(quantity).data();
    at.mask->sample(exec_, field, copies.begin(row));
    copies.end(row);
  }
}

template <class Real>
void IntensityRecorder<Real>::write(OutputFile &out, const std::string &quantity,
                                    const Field<Real> &field) const {
  for (const std::unique_ptr<SensorMask<Real>> &mask : *sensor_) {
    std::vector<Real> values(mask->offsets().size());
    mask->sample({exec_.host}, field, values.data());
    mask->record(out, quantity, values);
  }
}

template <class Real> void IntensityRecorder<Real>::write_averages(OutputFile &out) {
  // The sensor masks sample a field, so the averages are copied to one.
  Field<Real> field;
  comm_.agree([&] { field = Field<Real>(local_.size(), exec_.host.threads); });
  for (int axis = 0; axis < local_.dimensions(); ++axis) {
    for (const IntensityAtMask &at : masks_)
      for (std::size_t i = 0; i < at.mask->offsets().size(); ++i)
        field.data()[at.mask->offsets()[i]] = static_cast<Real>(at.average.mean(axis, i));
    write(out, std::string("I") + axis_name(axis) + "_avg", field);
  }
}

template <class Real> void IntensityRecorder<Real>::create_at_end(OutputFile &out) const {
  std::vector<std::string> quantities;
  if (wanted_.heat) quantities.emplace_back("Q_term");
  for (int axis = 0; wanted_.average && axis < local_.dimensions(); ++axis)
    quantities.push_back(std::string("I") + axis_name(axis) + "_avg");
  for (const std::string &quantity : quantities)
    for (const std::unique_ptr<SensorMask<Real>> &mask : *sensor_)
      mask->create(out, mask->dataset(quantity));
}

template <class Real> void IntensityRecorder<Real>::finish(OutputFile &out) {
  for (IntensityAtMask &at : masks_)
    drain(at);
  if (wanted_.average) write_averages(out);
  if (!wanted_.heat) return;
  const IntensityAtMask &all = masks_.front();
  const Field<Real> heat = divergence<Real>(
      parameters_, local_, comm_, exec_.host, [&](int axis, std::span<double> values) {
        const std::span<const std::ptrdiff_t> offsets = all.mask->offsets();
        for (std::size_t i = 0; i < offsets.size(); ++i)
          values[static_cast<std::size_t>(offsets[i])] = -all.average.mean(axis, i);
      });
  write(out, "Q_term", heat);
}

template <class Real>
void IntensityRecorder<Real>::save(OutputFile &checkpoint, Checksum &checksum) {
  for (IntensityAtMask &at : masks_) {
    drain(at);
    at.average.for_each_state([&](const std::string &name, std::span<Real> values) {
      at.mask->save(checkpoint, name, values, checksum);
    });
  }
}

template class IntensityRecorder<float>;
template class IntensityRecorder<double>;

} // namespace hybridfft::kspace
