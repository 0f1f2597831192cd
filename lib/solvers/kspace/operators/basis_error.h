/// Error bounds of local Fourier bases. The errors come from waves near the Nyquist wave number
/// that cross a cut. The bound weights the spectra of initial pressure and sources by the error of
/// each wave number. It adds the effects of media at the cuts. Its constants are fitted to
/// measurements (docs/local-basis.md).
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "hybridfft/grid/box.hpp"
#include "solvers/kspace/base/parameters.h"

namespace hybridfft::kspace {

/// A basis available to --basis auto, and its errors.
struct OfferedBasis {
  const char *overlap;
  const char *transverse; ///< basis of velocities across their own axis
  double nyquist;         ///< error of a wave at the Nyquist wave number crossing a cut
  double short_wave;      ///< prefactor of the error of resolved waves, see wave_error()
  double growth;          ///< growth rate of this error with the wave number
  double smooth;          ///< error of well-resolved waves
  double contrast;        ///< error for a step of the logarithm of sound speed or density
  double point_source;    ///< error of the field near a point source with a smooth signal
};

constexpr std::size_t offered_bases = 6;
/// All available bases, the most accurate first.
const std::array<OfferedBasis, offered_bases> &bases_on_offer();

/// Error of a wave of amplitude 1 crossing a cut.
/// \param k wave number in rad per point; clamped to pi
double wave_error(const OfferedBasis &basis, double k);

/// One number per available basis.
using ForBases = std::array<double, offered_bases>;

/// Properties of an input that determine the errors of local bases. Axes are array axes.
struct InputFeatures {
  /// Errors of the initial pressure by its spectrum along each axis, relative to its maximum.
  std::array<ForBases, 3> initial{};
  /// Errors of the source signals by their spectra over time, relative to their maximum.
  ForBases signals{};
  bool sources = false;             ///< sources drive the fields over time
  bool independent_sources = false; ///< each source point has its own signal
  double steepening = 0;            ///< propagation distance over shock distance in nonlinear media
  double max_speed = 0;             ///< in m/s
  double contrast = 0;   ///< largest jump of ln(sound speed) or ln(density) between neighbours
  double absorption = 0; ///< relative change of the stiffness due to absorption
  double rounding = 0;   ///< rounding error of the global basis in the precision of the fields
  /// Largest change of `absorption` between the points n and n + 1 along each axis; empty if none.
  std::array<std::vector<double>, 3> absorption_steps;
};

/// Upper bound of the error of pressure and velocity, relative to the maximum of each, for even
/// cuts into `parts` blocks along array axes.
/// \param basis index in bases_on_offer()
double error_bound(const InputFeatures &input, const Parameters &parameters, std::size_t basis,
                   const grid::Index3 &parts);

} // namespace hybridfft::kspace
