/// Multipliers of the k-space method in the spectrum, the far field of fractional Laplacians in
/// local bases, and the divergence of averaged intensities.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "hybridfft/grid/parallel_for.hpp"
#include "solvers/kspace/base/field.h"
#include "solvers/kspace/base/parameters.h"
#include "solvers/kspace/medium/absorption.h"
#include "solvers/kspace/operators/decomposition.h"
#include "solvers/kspace/operators/derivative.h"
#include "solvers/lfb/coarse_level.h"
#include "solvers/lfb/extension.h"

namespace hybridfft::kspace {

/// Returns the wave number in rad/m of bin i of an FFT of n points with spacing d: 2 pi m / (n d),
/// with m = i for the lower half of the bins and m = i - n for the upper half. The Nyquist bin of
/// an even n is negative.
double wavenumber(std::ptrdiff_t i, std::ptrdiff_t n, double d);

/// Returns the squares of all n wave numbers.
std::vector<double> squared_wavenumbers(std::ptrdiff_t n, double d);

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
  LaplacianMultipliers multipliers() const;
  /// Sets tau and eta of Operator::absorption.
  void set_uniform(Real tau, Real eta);

  /// start() starts the exchange of operand 0 or 1 of this rank's blocks; views use global indices.
  /// finish() completes the exchange and computes the far field. Call it before of() and add().
  void start(std::size_t operand, std::span<const grid::View<const Real>> blocks);
  void finish(std::size_t operand);
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
    const auto add = [&](const std::string &field, const lfb::Bases &bases) {
      all_.push_back({field, Extension(decomposition.cartesian(), bases, where...)});
    };
    add("p", decomposition.bases());
    for (int axis = 0; axis < p.dimensions(); ++axis)
      add(std::string("u") + axis_name(axis), decomposition.velocity_bases(axis));
    if (p.absorption == Absorption::power_law)
      for (const char *operand : {"rho0 div u", "rho"})
        add(operand, decomposition.laplacian_bases());
    add("sources, non-staggered u", decomposition.bases());
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
