/// Bounds of the errors of local Fourier bases. A basis errs where waves near the Nyquist wave
/// number cross a cut: the bound weighs the spectra of initial pressure and sources by the error
/// of each wave number, and adds the effects of media at the cuts. Its constants are measured
/// (docs/local-basis.md).
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "hybridfft/grid/box.hpp"
#include "kspace/base/parameters.h"

namespace hybridfft::kspace {

/// A basis that --basis auto may choose, and its errors.
struct OfferedBasis {
  const char *overlap;
  const char *transverse; ///< basis of velocities across their own axis
  double nyquist;         ///< error of a wave at the Nyquist wave number that crosses a cut
  double short_wave;      ///< prefactor of the error of resolved waves, see wave_error()
  double growth;          ///< growth of that error with the wave number
  double smooth;          ///< error of waves of many points
  double contrast;        ///< error for a step of the logarithm of sound speed or density
  double point_source;    ///< error of the field near a point source with a smooth signal
};

constexpr std::size_t offered_bases = 6;
/// All bases on offer, the most accurate first.
const std::array<OfferedBasis, offered_bases> &bases_on_offer();

/// Error of a wave of amplitude 1 that crosses a cut.
/// \param k wave number in rad per point; larger ones than pi count as pi
double wave_error(const OfferedBasis &basis, double k);

/// One number for each basis on offer.
using ForBases = std::array<double, offered_bases>;

/// Properties of an input that decide the errors of local bases. Axes are those of arrays.
struct InputFeatures {
  /// Errors of the initial pressure by its spectrum along each axis, over its largest value.
  std::array<ForBases, 3> initial{};
  /// Errors of the signals of sources by their spectra over time, over their largest value.
  ForBases signals{};
  bool sources = false;             ///< sources drive the fields over time
  bool independent_sources = false; ///< each point has a signal of its own
  double steepening = 0;            ///< distance over shock distance, in nonlinear media
  double max_speed = 0;             ///< in m/s
  double contrast = 0;   ///< largest step of ln(sound speed) or ln(density) between neighbours
  double absorption = 0; ///< relative change of the stiffness by absorption
  double rounding = 0;   ///< error of the global basis by the precision of the fields
  /// Largest change of that between the points n and n + 1 along each axis; empty: none.
  std::array<std::vector<double>, 3> absorption_steps;
};

/// Upper bound of the error of pressure and velocity, over the largest value of each, for even
/// cuts into `parts` blocks along the axes of arrays.
/// \param basis index in bases_on_offer()
double error_bound(const InputFeatures &input, const Parameters &parameters, std::size_t basis,
                   const grid::Index3 &parts);

} // namespace hybridfft::kspace
