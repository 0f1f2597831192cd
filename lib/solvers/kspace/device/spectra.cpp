#include "solvers/kspace/device/spectra.h"

#include <vector>

#include "solvers/kspace/operators/decomposition.h"
#include "solvers/kspace/operators/spectral_operators.h"

namespace hybridfft::kspace {

template <class Real>
DeviceSpectra<Real>::DeviceSpectra(const Parameters &p, const LaplacianMultipliers &multipliers,
                                   DeviceLedger &ledger, std::complex<Real> *memory, int threads,
                                   bool at_once)
    : ledger_(&ledger), shape_(shape_of(p.n, at_once)), dimensions_(p.dimensions()),
      memory_(memory), fft_(ledger.runtime().make_fft<Real>(shape_, memory)) {
  tables_.make_factors(
      p, 1, [&](int, const auto &factors, double divisor) { return on_device(factors, divisor); });
  const double scale = 1 / static_cast<double>(shape_.n[0] * shape_.n[1] * shape_.n[2]);
  tables_.make_tables(p, multipliers, scale, scale, [&](const auto &f) {
    std::vector<Real> values(static_cast<std::size_t>(shape_.complex_values()));
    fill_table(p, {place(0, dimensions_), place(1, dimensions_), place(2, dimensions_)},
               grid::Box(shape_.n[0], shape_.n[1], shape_.bins()), 0, {threads}, values.data(), f);
    return device::Array<Real>(ledger_->runtime(), values.data(), values.size());
  });
}

namespace {

/// Bytes read and written by `count` transforms, if each axis needs one pass over all values.
template <class Real>
double transform_bytes(const device::FftShape &shape, int dimensions, int count) {
  return 2. * dimensions * count * static_cast<double>(shape.real_values()) * sizeof(Real);
}

} // namespace

template <class Real> void DeviceSpectra<Real>::forward(const Real *field, int slot) {
  ledger_->run("transforms", transform_bytes<Real>(shape_, dimensions_, 1), [&] {
    fft_->forward(ledger_->runtime().compute(), field, memory_ + slot * shape_.complex_values());
  });
}

template <class Real> void DeviceSpectra<Real>::backward(int count) {
  ledger_->run("transforms", transform_bytes<Real>(shape_, dimensions_, count),
               [&] { fft_->backward(ledger_->runtime().compute(), memory_, count); });
}

template <class Real> void DeviceSpectra<Real>::gradient() {
  kernels::GradientSpectra<Real> kernel{bins(), spectrum(last()), tables_.kappa.data(), {},
                                        {},     dimensions_};
  for (int axis = 0; axis < dimensions_; ++axis) {
    kernel.factors[axis] = factors(tables_.ahead, axis);
    kernel.to[axis] = spectrum(axis);
  }
  on_bins(kernel);
}

template <class Real> void DeviceSpectra<Real>::divergence() {
  kernels::DivergenceSpectra<Real> kernel{bins(), tables_.kappa.data(), {}, {}, dimensions_};
  for (int axis = 0; axis < dimensions_; ++axis) {
    kernel.factors[axis] = factors(tables_.behind, axis);
    kernel.spectra[axis] = spectrum(axis);
  }
  on_bins(kernel);
}

template <class Real> void DeviceSpectra<Real>::correct_spectrum() {
  on_bins(kernels::Filter<Real>{bins(), tables_.source_kappa.data(), {}, spectrum(0)});
  backward(1);
}

template class DeviceSpectra<float>;
template class DeviceSpectra<double>;

template <class Real>
AxisymmetricSpectra<Real>::AxisymmetricSpectra(const Parameters &period,
                                               const LaplacianMultipliers &multipliers,
                                               DeviceLedger &ledger, std::complex<Real> *memory,
                                               int threads, bool at_once)
    : DeviceSpectra<Real>(period, multipliers, ledger, memory, threads, at_once),
      parameters_(period), memory_(memory), threads_(threads),
      period_(ledger.runtime(), static_cast<std::size_t>(shape().real_values())),
      half_shift_(on_device(half_shift(period.n[1], period.n[1], period.spacing[1]), 1)) {
  parameters_.n[1] /= 4;
  std::vector<Real> inverse_r;
  for (std::ptrdiff_t j = 0; j < parameters_.n[1]; ++j)
    inverse_r.push_back(
        static_cast<Real>(1 / ((static_cast<double>(j) + 0.5) * parameters_.spacing[1])));
  inverse_r_ = {ledger.runtime(), inverse_r.data(), inverse_r.size()};
}

template <class Real>
void AxisymmetricSpectra<Real>::transform(const Real *field, const Real *factors, Symmetry symmetry,
                                          int slot) {
  const std::ptrdiff_t nx = parameters_.n[0], ny = parameters_.n[1], pitch = 2 * shape().bins();
  const Lattice rows{pitch, pitch, 0};
  ledger().template launch<Real>(
      grid::Box(ny, 1, nx),
      kernels::ExtendRadially<Real>{rows, rows, field, factors, period_.data(), ny, symmetry});
  DeviceSpectra<Real>::forward(period_.data(), slot);
}

template <class Real> void AxisymmetricSpectra<Real>::divergence() {
  on_bins(kernels::AxisymmetricDivergenceSpectra<Real>{bins(),
                                                       correction(),
                                                       behind(0),
                                                       behind(1),
                                                       {half_shift_.data(), behind(1).axis},
                                                       spectrum(0),
                                                       spectrum(1),
                                                       spectrum(last())});
}

template <class Real> void AxisymmetricSpectra<Real>::unstagger(int axis, const Real *u) {
  if (plain_ == nullptr)
    plain_ = std::make_unique<DeviceSpectra<Real>>(parameters_, LaplacianMultipliers{}, ledger(),
                                                   memory_, threads_,
                                                   false); // transforms one field at a time
  plain_->unstagger(axis, u);
}

template class AxisymmetricSpectra<float>;
template class AxisymmetricSpectra<double>;

} // namespace hybridfft::kspace
