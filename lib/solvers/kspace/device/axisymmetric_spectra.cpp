#include "solvers/kspace/device/axisymmetric_spectra.h"

#include <vector>

#include "solvers/kspace/operators/spectral_operators.h"

namespace hybridfft::kspace {

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
