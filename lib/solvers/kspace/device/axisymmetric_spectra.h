/// Spectra of axisymmetric fields on a device. Devices lack sine and cosine transforms, so fields
/// are extended symmetrically and transformed by FFTs.
#pragma once

#include <memory>

#include "solvers/kspace/device/spectra.h"
#include "solvers/kspace/operators/axisymmetric_kernels.h"

namespace hybridfft::kspace {

/// Replaces the sine and cosine transforms of AxisymmetricFourier along the radius. Each field of
/// Nx x Ny points is extended by its symmetry to a period of Nx x 4 Ny points, and FFTs transform
/// the period. Fields are stored in the layout of a period; after backward(), the first Ny rows of
/// a slot contain the result. unstagger() is defined by plain Fourier series of Nx x Ny points.
template <class Real> class AxisymmetricSpectra final : public DeviceSpectra<Real> {
public:
  /// Returns the extents of the period of an Nx x Ny grid.
  static Extents period_of(const Extents &grid) { return {grid[0], 4 * grid[1], 1}; }

  /// See the constructor of DeviceSpectra. \param period parameters of the extended grid
  AxisymmetricSpectra(const Parameters &period, const LaplacianMultipliers &multipliers,
                      DeviceLedger &ledger, std::complex<Real> *memory, int threads, bool at_once);

  void forward(const Real *field, int slot) override;
  /// For the radial component, also computes the spectrum of u/r in the last slot.
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

  /// Computes the spectrum of a field in a slot. Unless `factors` is nullptr, row j of the field is
  /// first multiplied by factors[j].
  void transform(const Real *field, const Real *factors, Symmetry symmetry, int slot);

  Parameters parameters_; ///< parameters of the grid
  std::complex<Real> *memory_;
  int threads_;
  device::Array<Real> period_; ///< extended field; reused for each transform
  device::Array<Real> inverse_r_;
  device::Array<kernels::Complex<Real>> half_shift_;
  std::unique_ptr<DeviceSpectra<Real>>
      plain_; ///< spectra of Nx x Ny points for unstagger(), allocated on first use
};

} // namespace hybridfft::kspace
