/// FFTs of periodic arrays on a device, and the operators of a time step applied to their spectra.
/// Devices lack sine and cosine transforms, so axisymmetric fields are extended symmetrically.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "solvers/kspace/base/exec.h"
#include "solvers/kspace/base/parameters.h"
#include "solvers/kspace/medium/absorption.h"
#include "solvers/kspace/operators/derivative.h"
#include "solvers/kspace/operators/spectral_kernels.h"
#include "solvers/kspace/operators/spectral_operators.h"

namespace hybridfft::kspace {

/// Transforms and operators for all periodic arrays of one size. Spectra are stored in numbered
/// slots: 0, 1, ... for the dimensions, and one last slot. Objects for other sizes share this
/// memory. All work is enqueued in the compute stream.
template <class Real> class DeviceSpectra {
public:
  /// Returns the shape of the FFTs of Nx x Ny x Nz points. \param at_once as in DeviceUse
  static device::FftShape shape_of(const Extents &n, bool at_once = true) {
    const grid::Index3 extents = array_extents(n);
    return {{extents[0], extents[1], extents[2]}, kspace::dimensions(n), at_once};
  }
  /// Number of complex values in the slots of a shape.
  static std::size_t values_needed(const device::FftShape &shape) {
    return static_cast<std::size_t>((shape.batch + 1) * shape.complex_values());
  }
  /// Number of tables that the simulation needs. A table has one real number per bin.
  static int tables_needed(const Parameters &p) {
    return 1 + (p.has_corrected_source() ? 1 : 0) + (p.absorption == Absorption::power_law ? 2 : 0);
  }

  /// \param parameters of a grid with the extents of the period
  /// \param multipliers of a power law; by default from the exponent
  /// \param memory slots: values_needed() complex values of the largest shape, borrowed
  DeviceSpectra(const Parameters &parameters, const LaplacianMultipliers &multipliers,
                DeviceLedger &ledger, std::complex<Real> *memory, int threads, bool at_once);
  virtual ~DeviceSpectra() = default;
  DeviceSpectra(const DeviceSpectra &) = delete;
  DeviceSpectra &operator=(const DeviceSpectra &) = delete;

  const device::FftShape &shape() const { return shape_; }
  /// Number of the last slot.
  int last() const { return shape_.batch; }
  /// Returns the field in a slot, an array [n0][n1][2 (n2/2 + 1)] for a shape of n0 x n1 x n2
  /// points.
  Real *field(int slot) const {
    return reinterpret_cast<Real *>(memory_ + slot * shape_.complex_values());
  }

  /// Computes the spectrum of a field in a slot. The field has the layout of field().
  virtual void forward(const Real *field, int slot);
  /// Computes the spectrum of a velocity component in slot `axis`. Call it in ascending order of
  /// axes.
  virtual void forward_velocity(int axis, const Real *u) { forward(u, axis); }
  /// Transforms the spectra in slots 0 ... count - 1 to fields, in place. It does not divide by the
  /// number of points; the operators do.
  void backward(int count);

  /// Sets each slot a to the derivative along axis a of the spectrum in the last slot.
  void gradient();
  /// Replaces the spectrum in each slot a by its derivative along axis a.
  virtual void divergence();
  /// Multiplies the spectrum in a slot by the constructor's multipliers. Order 0 is the absorption,
  /// by default k^(y-2), and order 1 the dispersion, by default k^(y-1).
  void laplacian(int order, int slot) {
    on_bins(kernels::Filter<Real>{
        bins(), tables_.laplacians[static_cast<std::size_t>(order)].data(), {}, spectrum(slot)});
  }
  /// Sets slot 0 to tau L_tau (slot 0) - eta L_eta (slot 1). L_tau and L_eta multiply by the
  /// absorption and the dispersion of laplacian().
  void absorption(Real tau, Real eta) {
    on_bins(kernels::AbsorptionSpectrum<Real>{bins(), tables_.laplacians[0].data(),
                                              tables_.laplacians[1].data(), tau, eta, spectrum(0),
                                              spectrum(1)});
  }
  /// Sets field(0) to an additive source with its k-space correction.
  virtual void correct_source(Driven, const Real *source) {
    DeviceSpectra<Real>::forward(source, 0);
    correct_spectrum();
  }
  /// Sets field(0) to a velocity component, shifted back by half a cell along its axis.
  virtual void unstagger(int axis, const Real *u) {
    DeviceSpectra<Real>::forward(u, 0);
    on_bins(kernels::Filter<Real>{bins(), nullptr, factors(tables_.unstagger, axis), spectrum(0)});
    backward(1);
  }

  virtual std::string describe() const { return fft_->describe(); }

protected:
  using Factors = device::Array<kernels::Complex<Real>>;

  DeviceLedger &ledger() const { return *ledger_; }
  kernels::Bins bins() const {
    return {static_cast<int>(shape_.n[1]), static_cast<int>(shape_.bins())};
  }
  kernels::Complex<Real> *spectrum(int slot) const {
    return reinterpret_cast<kernels::Complex<Real> *>(field(slot));
  }
  /// k-space correction of derivatives, divided by the number of points; one number per bin.
  const Real *correction() const { return tables_.kappa.data(); }
  /// Factors of derivatives along an axis, evaluated half a cell behind the points of the operand.
  kernels::AxisFactors<Real> behind(int axis) const { return factors(tables_.behind, axis); }
  /// Divides factors, rounds them to Real and copies them to the device.
  Factors on_device(const std::vector<std::complex<double>> &factors, double divisor) const {
    const auto values = rounded<Real>(factors, divisor);
    return {ledger_->runtime(), values.data(), values.size()};
  }
  /// Launches a kernel on all bins.
  template <class F> void on_bins(const F &f) {
    ledger_->launch<Real>(grid::Box(shape_.n[0], shape_.n[1], shape_.bins()), f);
  }
  /// Applies the k-space correction of sources to the spectrum in slot 0 and sets field(0) to its
  /// field.
  void correct_spectrum();

private:
  kernels::AxisFactors<Real> factors(const std::array<Factors, 3> &of, int axis) const {
    return {of[static_cast<std::size_t>(axis)].data(), place(axis, dimensions_)};
  }

  DeviceLedger *ledger_;
  device::FftShape shape_;
  int dimensions_;
  std::complex<Real> *memory_;
  std::unique_ptr<device::Fft<Real>> fft_;
  /// Tables include the normalisation of the transforms.
  SpectralTables<device::Array<Real>, Factors> tables_;
};

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

  void forward(const Real *field, int slot) override {
    transform(field, nullptr, Symmetry::even, slot);
  }
  /// For the radial component, also computes the spectrum of u/r in the last slot.
  void forward_velocity(int axis, const Real *u) override {
    if (axis == 0) return forward(u, 0);
    transform(u, nullptr, Symmetry::odd_staggered, 1);
    transform(u, inverse_r_.data(), Symmetry::even_staggered, last());
  }
  void divergence() override;
  void correct_source(Driven driven, const Real *source) override {
    transform(source, nullptr, driven == Driven::uy ? Symmetry::odd_staggered : Symmetry::even, 0);
    correct_spectrum();
  }
  void unstagger(int axis, const Real *u) override;
  std::string describe() const override {
    return "fields extended along the radius to periods of " + std::to_string(parameters_.n[0]) +
           " x " + std::to_string(4 * parameters_.n[1]) +
           " points: " + DeviceSpectra<Real>::describe();
  }

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
  typename Base::Factors half_shift_;
  std::unique_ptr<DeviceSpectra<Real>>
      plain_; ///< spectra of Nx x Ny points for unstagger(), allocated on first use
};

} // namespace hybridfft::kspace
