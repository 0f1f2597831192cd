/// Spectra of an axisymmetric grid on a device, by Fourier transforms of symmetric extensions.
/// Devices have no sine and cosine transforms.
#pragma once

#include <memory>

#include "solvers/kspace/device/spectra.h"
#include "solvers/kspace/operators/axisymmetric_kernels.h"

namespace hybridfft::kspace {

/// Fields are AxisymmetricFourier's sums of cosines and sines along the radius. Their symmetry
/// extends Nx x Ny points to a period of Nx x 4 Ny. Fourier transforms of the period replace the
/// cosine and sine transforms. Fields have the layout of Nx x Ny periods. Results are the first Ny
/// rows of a slot after backward(). unstagger() uses Fourier series of Nx x Ny points by
/// definition.
template <class Real> class AxisymmetricSpectra final : public DeviceSpectra<Real> {
public:
  /// Returns the period for a grid of Nx x Ny points.
  static Extents period_of(const Extents &grid) { return {grid[0], 4 * grid[1], 1}; }

  /// See DeviceSpectra. \param period parameters of the period
  AxisymmetricSpectra(const Parameters &period, const LaplacianMultipliers &multipliers,
                      DeviceLedger &ledger, std::complex<Real> *memory, int threads, bool at_once);

  void forward(const Real *field, int slot) override;
  /// The radial component also writes the spectrum of u/r into the last slot.
  void forward_velocity(int axis, const Real *u) override;
  void divergence() override;
  void correct_source(Driven driven, const Real *source) override;
  void unstagger(int axis, const Real *u) override;
  std::string describe() const override;

private:
  using Base = DeviceSpectra<Real>;
  using Base::behind;
  using Base::bins;
  using Base::correct_spectrum;
  using Base::correction;
  using Base::last;
  using Base::ledger;
  using Base::on_bins;
  using Base::on_device;
  using Base::shape;
  using Base::spectrum;
  using Symmetry = kernels::RadialSymmetry;

  /// Computes the spectrum of a field, times one factor per row unless `factors` is nullptr.
  void transform(const Real *field, const Real *factors, Symmetry symmetry, int slot);

  Parameters parameters_; ///< parameters of the grid
  std::complex<Real> *memory_;
  int threads_;
  device::Array<Real> period_; ///< period of one field at a time
  device::Array<Real> inverse_r_;
  device::Array<kernels::Complex<Real>> half_shift_;
  std::unique_ptr<DeviceSpectra<Real>>
      plain_; ///< spectra of Nx x Ny points, allocated on first use
};

} // namespace hybridfft::kspace
