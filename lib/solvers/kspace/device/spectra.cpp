#include "solvers/kspace/device/spectra.h"

#include <cmath>
#include <vector>

#include "base/threads.h"
#include "solvers/kspace/operators/decomposition.h"
#include "solvers/kspace/operators/spectral_operators.h"

namespace hybridfft::kspace {

template <class Real>
device::FftShape DeviceSpectra<Real>::shape_of(const Extents &n, bool at_once) {
  const grid::Index3 extents = array_extents(n);
  return {{extents[0], extents[1], extents[2]}, kspace::dimensions(n), at_once};
}

template <class Real> int DeviceSpectra<Real>::tables_needed(const Parameters &p) {
  return 1 + (p.has_corrected_source() ? 1 : 0) + (p.absorption == Absorption::power_law ? 2 : 0);
}

template <class Real>
DeviceSpectra<Real>::DeviceSpectra(const Parameters &p, const LaplacianMultipliers &multipliers,
                                   DeviceLedger &ledger, std::complex<Real> *memory, int threads,
                                   bool at_once)
    : ledger_(&ledger), shape_(shape_of(p.n, at_once)), dimensions_(p.dimensions()),
      memory_(memory), fft_(ledger.runtime().make_fft<Real>(shape_, memory)) {
  make_factors(p);
  const double half = 0.5 * p.c_ref * p.dt;
  kappa_ = table(p, threads, [half](double k) { return kappa(half * k); });
  if (p.has_corrected_source())
    source_kappa_ = table(p, threads, [half](double k) { return source_kappa(half * k); });
  if (p.absorption == Absorption::power_law)
    laplacians_ = {table(p, threads, multipliers.absorption),
                   table(p, threads, multipliers.dispersion)};
}

template <class Real>
device::Array<kernels::Complex<Real>>
DeviceSpectra<Real>::on_device(const std::vector<std::complex<double>> &factors,
                               double scale) const {
  std::vector<kernels::Complex<Real>> rounded;
  for (const std::complex<double> &f : factors)
    rounded.push_back({static_cast<Real>(f.real() * scale), static_cast<Real>(f.imag() * scale)});
  return {ledger_->runtime(), rounded.data(), rounded.size()};
}

template <class Real> void DeviceSpectra<Real>::make_factors(const Parameters &p) {
  const double scale = 1 / static_cast<double>(shape_.n[0] * shape_.n[1] * shape_.n[2]);
  for (int axis = 0; axis < dimensions_; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const std::ptrdiff_t n = p.n[a], bins = axis == 0 ? n / 2 + 1 : n;
    const double d = p.spacing[a];
    ahead_[a] = on_device(staggered_derivative(bins, n, d, Shift::forward), 1);
    behind_[a] = on_device(staggered_derivative(bins, n, d, Shift::backward), 1);
    // The factors of unstagger() include the normalisation; all others are used with a table that
    // includes it.
    unstagger_[a] = on_device(half_shift(bins, n, d), scale);
  }
}

/// Returns a table of f(|k|) / N for all bins, with N points in the period.
template <class Real>
template <class F>
typename DeviceSpectra<Real>::Table DeviceSpectra<Real>::table(const Parameters &p, int threads,
                                                               const F &f) const {
  std::array<std::vector<double>, 3> k2{{{0}, {0}, {0}}};
  for (int axis = 0; axis < dimensions_; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    k2[static_cast<std::size_t>(place(axis, dimensions_))] =
        squared_wavenumbers(p.n[a], p.spacing[a]);
  }
  const double scale = 1 / static_cast<double>(shape_.n[0] * shape_.n[1] * shape_.n[2]);
  std::vector<Real> values(static_cast<std::size_t>(shape_.complex_values()));
  const std::ptrdiff_t bins = shape_.bins(), n1 = shape_.n[1];
  parallel_ranges(shape_.n[0] * n1, threads, [&](std::ptrdiff_t first, std::ptrdiff_t last, int) {
    for (std::ptrdiff_t row = first; row < last; ++row) {
      const double across =
          k2[0][static_cast<std::size_t>(row / n1)] + k2[1][static_cast<std::size_t>(row % n1)];
      for (std::ptrdiff_t k = 0; k < bins; ++k)
        values[static_cast<std::size_t>(row * bins + k)] =
            static_cast<Real>(scale * f(std::sqrt(across + k2[2][static_cast<std::size_t>(k)])));
    }
  });
  return {ledger_->runtime(), values.data(), values.size()};
}

template <class Real> Real *DeviceSpectra<Real>::field(int slot) const {
  return reinterpret_cast<Real *>(memory_ + slot * shape_.complex_values());
}

template <class Real> kernels::Complex<Real> *DeviceSpectra<Real>::spectrum(int slot) const {
  return reinterpret_cast<kernels::Complex<Real> *>(field(slot));
}

template <class Real>
kernels::AxisFactors<Real>
DeviceSpectra<Real>::factors(const std::array<device::Array<kernels::Complex<Real>>, 3> &of,
                             int axis) const {
  return {of[static_cast<std::size_t>(axis)].data(), place(axis, dimensions_)};
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
  kernels::GradientSpectra<Real> kernel{bins(), spectrum(last()), kappa_.data(), {},
                                        {},     dimensions_};
  for (int axis = 0; axis < dimensions_; ++axis) {
    kernel.factors[axis] = factors(ahead_, axis);
    kernel.to[axis] = spectrum(axis);
  }
  on_bins(kernel);
}

template <class Real> void DeviceSpectra<Real>::divergence() {
  kernels::DivergenceSpectra<Real> kernel{bins(), kappa_.data(), {}, {}, dimensions_};
  for (int axis = 0; axis < dimensions_; ++axis) {
    kernel.factors[axis] = factors(behind_, axis);
    kernel.spectra[axis] = spectrum(axis);
  }
  on_bins(kernel);
}

template <class Real> void DeviceSpectra<Real>::laplacian(int order, int slot) {
  on_bins(kernels::Filter<Real>{
      bins(), laplacians_[static_cast<std::size_t>(order)].data(), {}, spectrum(slot)});
}

template <class Real> void DeviceSpectra<Real>::absorption(Real tau, Real eta) {
  on_bins(kernels::AbsorptionSpectrum<Real>{bins(), laplacians_[0].data(), laplacians_[1].data(),
                                            tau, eta, spectrum(0), spectrum(1)});
}

template <class Real> void DeviceSpectra<Real>::correct_source(Driven, const Real *source) {
  DeviceSpectra<Real>::forward(source, 0);
  correct_spectrum();
}

template <class Real> void DeviceSpectra<Real>::correct_spectrum() {
  on_bins(kernels::Filter<Real>{bins(), source_kappa_.data(), {}, spectrum(0)});
  backward(1);
}

template <class Real> void DeviceSpectra<Real>::unstagger(int axis, const Real *u) {
  DeviceSpectra<Real>::forward(u, 0);
  on_bins(kernels::Filter<Real>{bins(), nullptr, factors(unstagger_, axis), spectrum(0)});
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

template <class Real> void AxisymmetricSpectra<Real>::forward(const Real *field, int slot) {
  transform(field, nullptr, Symmetry::even, slot);
}

template <class Real> void AxisymmetricSpectra<Real>::forward_velocity(int axis, const Real *u) {
  if (axis == 0) return forward(u, 0);
  transform(u, nullptr, Symmetry::odd_staggered, 1);
  transform(u, inverse_r_.data(), Symmetry::even_staggered, last());
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

template <class Real>
void AxisymmetricSpectra<Real>::correct_source(Driven driven, const Real *source) {
  transform(source, nullptr, driven == Driven::uy ? Symmetry::odd_staggered : Symmetry::even, 0);
  correct_spectrum();
}

template <class Real> void AxisymmetricSpectra<Real>::unstagger(int axis, const Real *u) {
  if (plain_ == nullptr)
    plain_ = std::make_unique<DeviceSpectra<Real>>(parameters_, LaplacianMultipliers{}, ledger(),
                                                   memory_, threads_,
                                                   false); // transforms one field at a time
  plain_->unstagger(axis, u);
}

template <class Real> std::string AxisymmetricSpectra<Real>::describe() const {
  return "fields extended along the radius to periods of " + std::to_string(parameters_.n[0]) +
         " x " + std::to_string(4 * parameters_.n[1]) +
         " points: " + DeviceSpectra<Real>::describe();
}

template class AxisymmetricSpectra<float>;
template class AxisymmetricSpectra<double>;

} // namespace hybridfft::kspace
