/// Multipliers of the k-space method in the spectrum, the far field of fractional Laplacians in
/// local bases, and the divergence of averaged intensities.
#pragma once

#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hybridfft/grid/parallel_for.hpp"
#include "solvers/kspace/base/field.h"
#include "solvers/kspace/base/parameters.h"
#include "solvers/kspace/medium/absorption.h"
#include "solvers/kspace/operators/decomposition.h"
#include "solvers/kspace/operators/derivative.h"
#include "solvers/kspace/operators/spectral_kernels.h"
#include "solvers/lfb/coarse_level.h"
#include "solvers/lfb/extension.h"

namespace hybridfft::kspace {

/// Returns the wave number in rad/m of bin i of an FFT of n points with spacing d: 2 pi m / (n d),
/// with m = i for the lower half of the bins and m = i - n for the upper half. The Nyquist bin of
/// an even n is negative.
double wavenumber(std::ptrdiff_t i, std::ptrdiff_t n, double d);

/// Returns the squares of all wave numbers along x, y and z; 0 along axes without a dimension.
std::array<std::vector<double>, 3> squared_wavenumbers(const Parameters &p);

/// Direction of the half-cell shift of a derivative.
enum class Shift { forward, backward };

/// Returns i k exp(+-i k d/2) for the first `bins` bins: the derivative evaluated half a cell ahead
/// of the points of its argument, or behind them.
std::vector<std::complex<double>> staggered_derivative(std::ptrdiff_t bins, std::ptrdiff_t n,
                                                       double d, Shift shift);

/// Returns exp(-i k d/2) for the first `bins` bins: a shift back by half a cell. The Nyquist bin of
/// an even n is 0, because its shifted wave vanishes at the grid points.
std::vector<std::complex<double>> half_shift(std::ptrdiff_t bins, std::ptrdiff_t n, double d);

/// Returns the k-space correction sin(a)/a with a = c_ref |k| dt/2; 1 at a = 0. It makes the
/// leapfrog step exact in a homogeneous medium of sound speed c_ref (Tabei, Mast and Waag, JASA 111
/// (2002) 53).
double kappa(double a);

/// Returns the correction cos(a) of additive sources for the same scheme (Cox, Kara, Arridge and
/// Beard, JASA 121 (2007) 3453).
double source_kappa(double a);

/// Returns factors / divisor, rounded from double precision.
template <class Real>
std::vector<kernels::Complex<Real>> rounded(const std::vector<std::complex<double>> &factors,
                                            double divisor) {
  const double scale = 1 / divisor;
  std::vector<kernels::Complex<Real>> result;
  for (const std::complex<double> &f : factors)
    result.push_back({static_cast<Real>(f.real() * scale), static_cast<Real>(f.imag() * scale)});
  return result;
}

/// The numbers by which operators multiply spectra. Table has one real number per bin,
/// Factors has one complex number per bin of an axis.
template <class Table, class Factors> struct SpectralTables {
  Table kappa;        ///< k-space correction of derivatives
  Table source_kappa; ///< k-space correction of additive sources; unset if no source needs it
  std::array<Table, 2> laplacians; ///< absorption and dispersion; unset without a power law
  /// Factors along x, y, z: derivatives half a cell ahead and behind, and the shift of unstagger().
  std::array<Factors, 3> ahead, behind, unstagger;

  /// Sets the factors. Those of unstagger() include the normalisation of the transforms.
  /// \param divisor of the derivatives: the normalisation, or 1 if the tables include it
  /// \param make make(axis, factors, divisor) returns the quotient
  template <class Make> void make_factors(const Parameters &p, double divisor, const Make &make) {
    const double points =
        static_cast<double>(p.n[0]) * static_cast<double>(p.n[1]) * static_cast<double>(p.n[2]);
    for (int axis = 0; axis < p.dimensions(); ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      const std::ptrdiff_t n = p.n[a], bins = axis == 0 ? n / 2 + 1 : n;
      const double d = p.spacing[a];
      ahead[a] = make(axis, staggered_derivative(bins, n, d, Shift::forward), divisor);
      behind[a] = make(axis, staggered_derivative(bins, n, d, Shift::backward), divisor);
      unstagger[a] = make(axis, half_shift(bins, n, d), points);
    }
  }
  /// Sets the tables that the simulation needs.
  /// \param laplacian multipliers of the power law; empty: those of its exponent
  /// \param scale factor of all tables but kappa, which has its own
  /// \param make make(f) returns a table of f(|k|)
  template <class Make>
  void make_tables(const Parameters &p, const LaplacianMultipliers &laplacian, double kappa_scale,
                   double scale, const Make &make) {
    const double half = 0.5 * p.c_ref * p.dt;
    kappa = make([=](double k) { return kappa_scale * kspace::kappa(half * k); });
    if (p.has_corrected_source())
      source_kappa = make([=](double k) { return scale * kspace::source_kappa(half * k); });
    if (p.absorption != Absorption::power_law) return;
    const auto scaled = [&](const std::function<double(double)> &f) {
      return make([&](double k) { return scale * f(k); });
    };
    const LaplacianMultipliers used =
        laplacian.absorption ? laplacian : LaplacianMultipliers::of(p.alpha_power);
    laplacians = {scaled(used.absorption), scaled(used.dispersion)};
  }
};

/// Sets values[i][j][k] = f(|k|) for the bins start + i, j, k of a spectrum.
/// \param places index along each axis x, y, z: 0, 1, 2 for i, j, k
template <class Real, class F>
void fill_table(const Parameters &p, const std::array<int, 3> &places, const grid::Box &bins,
                std::ptrdiff_t start, grid::Host host, Real *values, const F &f) {
  const std::array<std::vector<double>, 3> k2 = squared_wavenumbers(p);
  std::array<const double *, 3> along{};
  for (std::size_t a = 0; a < 3; ++a)
    along[static_cast<std::size_t>(places[a])] = k2[a].data();
  const double *ki = along[0] + start, *kj = along[1], *kk = along[2];
  const grid::View<Real> out{values, bins.extent(1), bins.extent(2)};
  grid::parallel_for(host, bins, [=](auto i, auto j, auto k) {
    out(i, j, k) = static_cast<Real>(f(std::sqrt(ki[i] + kj[j] + kk[k])));
  });
}

/// Divides the fractional Laplacians L_tau and L_eta of a power law into a near and a far field,
/// because the kernels of L_tau and L_eta decay slowly and reach beyond neighbouring blocks. The
/// near field results from multiplying spectra of extended blocks by multipliers(). The far field
/// is computed on a coarse grid (lfb::CoarseLevel) and added row by row.
template <class Real> class FarField {
public:
  /// Collective. Throws hybridfft::Error.
  FarField(const Parameters &parameters, const Decomposition &decomposition, const LocalGrid &local,
           const grid::Communicator &comm, const Exec &exec);

  /// Multipliers of the near field. They are valid for the lifetime of this object.
  LaplacianMultipliers multipliers() const {
    return {[this](double k) { return coarse_.local(0, k); },
            [this](double k) { return coarse_.local(1, k); }};
  }
  /// Sets tau and eta of Operator::absorption.
  void set_uniform(Real tau, Real eta) {
    tau_ = tau;
    eta_ = eta;
  }

  /// start() starts the exchange of operand 0 or 1 of this rank's blocks; views use global indices.
  /// finish() completes the exchange and computes the far field. Call it before of() and add().
  void start(std::size_t operand, std::span<const grid::View<const Real>> blocks) {
    coarse_.start(operand, blocks);
  }
  void finish(std::size_t operand) {
    // One view serves all blocks of this rank, since they are stored in one field.
    const grid::View<Real> all(parts_[operand].data(), local_.plane(), local_.pitch(),
                               -(local_.offset(start_[0], start_[1]) + start_[2]));
    coarse_.finish(operand, std::vector(blocks_, all));
  }
  /// Returns the far field of an operand.
  const Field<Real> &of(std::size_t operand) const { return parts_[operand]; }
  /// Adds the far field to a row of component c. Returns the sum in memory of the calling thread.
  /// Only on the host.
  const Real *add(Operator op, int c, const Row &row, const Real *values) const;

private:
  LocalGrid local_;
  grid::Index3 start_; ///< first point of this rank's box
  std::size_t blocks_;
  lfb::CoarseLevel<Real> coarse_;
  std::array<Field<Real>, 2> parts_; ///< far field of each operand
  Real tau_ = 0, eta_ = 0;
  mutable std::vector<Real> rows_; ///< one row per host thread
};

/// The extensions of all fields of a step to periods, in local bases. Each exchanges points with
/// neighbours.
template <class Real> class BlockExtensions {
public:
  using Extension = lfb::Extension<Real>;

  /// Plans the exchanges. Collective. Throws hybridfft::Error.
  /// \param where the last arguments of the constructor of lfb::Extension
  template <class... Where>
  BlockExtensions(const Parameters &p, const Decomposition &decomposition, Where &...where)
      : dimensions_(static_cast<std::size_t>(p.dimensions())) {
    for (const auto &[field, bases] : fields_of(p, decomposition))
      all_.push_back({field, Extension(decomposition.cartesian(), bases, where...)});
  }

  /// Returns the extended fields and their bases.
  static std::vector<std::pair<std::string, lfb::Bases>>
  fields_of(const Parameters &p, const Decomposition &decomposition) {
    std::vector<std::pair<std::string, lfb::Bases>> fields{{"p", decomposition.bases()}};
    for (int axis = 0; axis < p.dimensions(); ++axis)
      fields.emplace_back(std::string("u") + axis_name(axis), decomposition.velocity_bases(axis));
    if (p.absorption == Absorption::power_law)
      for (const char *operand : {"rho0 div u", "rho"})
        fields.emplace_back(operand, decomposition.laplacian_bases());
    fields.emplace_back("sources, non-staggered u", decomposition.bases());
    return fields;
  }

  /// Returns the extension of operand o of an operator.
  Extension &of_operand(Operator next, std::size_t o) {
    const std::size_t first = is_laplacian(next) ? 1 + dimensions_ : 1;
    return all_[next == Operator::divergence || is_laplacian(next) ? first + o : 0].extension;
  }
  /// Returns the extension of sources and of velocities to be interpolated.
  Extension &other() { return all_.back().extension; }

  std::vector<ExchangeTime> times() const {
    std::vector<ExchangeTime> times;
    for (const auto &[field, extension] : all_)
      if (const auto &t = extension.times(); t.pack > 0 || &extension != &all_.back().extension)
        times.push_back(
            {field, t.pack, t.wait, t.exchange, static_cast<double>(extension.bytes_sent())});
    return times;
  }
  std::vector<StageTime> stage_times() const {
    double pack = 0, wait = 0;
    for (const ExchangeTime &t : times()) {
      pack += t.pack;
      wait += t.wait;
    }
    return {{"packing for neighbours, filling gaps", pack}, {"waiting for neighbours", wait}};
  }

  struct ExtendedField {
    std::string field;
    Extension extension;
  };
  std::vector<ExtendedField> &all() { return all_; }

private:
  std::size_t dimensions_;
  std::vector<ExtendedField> all_; ///< pressure, velocity, operands of Laplacians, others
};

/// Returns the sum of the derivatives along x, y and z at the pressure points. A derivative
/// multiplies the spectrum by i k. The Nyquist bin of an even size becomes 0, because its wave has
/// slope zero at the grid points. Double precision is needed: for weakly absorbed waves the
/// divergence is much smaller than its terms. For uniform grids. The result has the same bits for
/// any number of ranks. Collective. Throws hybridfft::Error, std::bad_alloc.
/// \param component component(axis, values) sets one vector component in a zeroed array, in the
/// layout of LocalGrid
template <class Real>
Field<Real> divergence(const Parameters &parameters, const LocalGrid &local,
                       const grid::Communicator &comm, grid::Host host,
                       const std::function<void(int axis, std::span<double> values)> &component);

} // namespace hybridfft::kspace
