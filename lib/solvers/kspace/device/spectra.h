/// Spectra of periods on a device, and the operators of the time step on them.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "solvers/kspace/base/device_ledger.h"
#include "solvers/kspace/base/parameters.h"
#include "solvers/kspace/medium/absorption.h"
#include "solvers/kspace/operators/derivative.h"
#include "solvers/kspace/operators/spectral_kernels.h"

namespace hybridfft::kspace {

/// Transforms of all periods of one size. Spectra are stored in slots of memory shared with other
/// sizes: slots 0, 1, ... for each dimension, and one last slot. All work is enqueued in the
/// compute stream.
template <class Real> class DeviceSpectra {
public:
  /// Returns the shape of a period of Nx x Ny x Nz points. \param at_once as in DeviceUse
  static device::FftShape shape_of(const Extents &n, bool at_once = true);
  /// Complex numbers of the memory needed by a shape.
  static std::size_t values_needed(const device::FftShape &shape) {
    return static_cast<std::size_t>((shape.batch + 1) * shape.complex_values());
  }
  /// Number of tables needed by a simulation. Each has one real number per bin.
  static int tables_needed(const Parameters &parameters);

  /// \param parameters of the period
  /// \param multipliers of a power law; may be empty for other absorption
  /// \param memory values_needed() of the largest shape, borrowed
  DeviceSpectra(const Parameters &parameters, const LaplacianMultipliers &multipliers,
                DeviceLedger &ledger, std::complex<Real> *memory, int threads, bool at_once);
  virtual ~DeviceSpectra() = default;
  DeviceSpectra(const DeviceSpectra &) = delete;
  DeviceSpectra &operator=(const DeviceSpectra &) = delete;

  const device::FftShape &shape() const { return shape_; }
  /// Number of the last slot.
  int last() const { return shape_.batch; }
  /// Returns the field in a slot: [period 0][period 1][2 (period 2 / 2 + 1)].
  Real *field(int slot) const;

  /// Computes the spectrum of a field with the same layout into a slot.
  virtual void forward(const Real *field, int slot);
  /// Computes the spectrum of a velocity component into slot `axis`. Call it for ascending axes.
  virtual void forward_velocity(int axis, const Real *u) { forward(u, axis); }
  /// Transforms the spectra in slots 0 ... count - 1 to fields. The operators' factors include the
  /// normalisation.
  void backward(int count);

  /// Slot a <- derivative along axis a of the spectrum in the last slot.
  void gradient();
  /// Slot a <- derivative along axis a of the spectrum in slot a.
  virtual void divergence();
  /// Multiplies the spectrum in a slot by the constructor's multipliers: of absorption, by default
  /// k^(y-2) (order 0), or of dispersion, by default k^(y-1) (order 1).
  void laplacian(int order, int slot);
  /// Slot 0 <- tau L_tau (slot 0) - eta L_eta (slot 1).
  void absorption(Real tau, Real eta);
  /// Field 0 <- an additive source with its k-space correction.
  virtual void correct_source(Driven driven, const Real *source);
  /// Field 0 <- a velocity component, shifted back by half a cell along its axis.
  virtual void unstagger(int axis, const Real *u);

  virtual std::string describe() const { return fft_->describe(); }

protected:
  using Table = device::Array<Real>;

  DeviceLedger &ledger() const { return *ledger_; }
  kernels::Bins bins() const {
    return {static_cast<int>(shape_.n[1]), static_cast<int>(shape_.bins())};
  }
  kernels::Complex<Real> *spectrum(int slot) const;
  /// The normalised k-space correction of derivatives, one number per bin.
  const Real *correction() const { return kappa_.data(); }
  /// Derivatives along an axis, half a cell behind the points of the operand.
  kernels::AxisFactors<Real> behind(int axis) const { return factors(behind_, axis); }
  /// Rounds factors times `scale` and copies them to the device.
  device::Array<kernels::Complex<Real>> on_device(const std::vector<std::complex<double>> &factors,
                                                  double scale) const;
  /// Launches a kernel on all bins.
  template <class F> void on_bins(const F &f) {
    ledger_->launch<Real>(grid::Box(shape_.n[0], shape_.n[1], shape_.bins()), f);
  }
  /// Field 0 <- field of the spectrum in slot 0 with the k-space correction of sources.
  void correct_spectrum();

private:
  void make_factors(const Parameters &parameters);
  template <class F> Table table(const Parameters &parameters, int threads, const F &f) const;
  kernels::AxisFactors<Real> factors(const std::array<device::Array<kernels::Complex<Real>>, 3> &of,
                                     int axis) const;

  DeviceLedger *ledger_;
  device::FftShape shape_;
  int dimensions_;
  std::complex<Real> *memory_;
  std::unique_ptr<device::Fft<Real>> fft_;
  Table kappa_, source_kappa_;
  std::array<Table, 2> laplacians_;
  std::array<device::Array<kernels::Complex<Real>>, 3> ahead_, behind_, unstagger_;
};

} // namespace hybridfft::kspace
