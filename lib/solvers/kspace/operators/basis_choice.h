/// Fourier bases for derivatives: options, error bounds of local bases, and the automatic choice
/// between the global basis and local ones.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hybridfft/grid/box.hpp"
#include "hybridfft/grid/communicator.hpp"
#include "solvers/kspace/base/parameters.h"

namespace hybridfft::kspace {

// Options of the Fourier basis for derivatives.

/// The texts are as given by the user; empty: chosen automatically (see Decomposition).
struct BasisOptions {
  enum class Selection {
    global,   ///< one basis for the whole grid: transforms transpose it over all ranks
    local,    ///< one basis per block; blocks exchange points near their faces with neighbours
    automatic ///< the one with the shorter predicted time
  };
  Selection kind = Selection::global;
  std::string grid;       ///< blocks along x, y, z: "2x2x1", or their sizes "40+56x1x1"
  std::string overlap;    ///< "ls:16", or one per axis "mom:6/32,ls:12,ls:8"
  std::string transverse; ///< the same for velocities across their own axis
  std::string local_size; ///< periods of the blocks: "96x64x64", "72+88x64x64", "auto"
  /// Use a coarse level for power-law absorption. By default on unless the user sets the overlap.
  std::optional<bool> coarse_level;
  bool chosen = false; ///< overlap and transverse were chosen, not given by the user
  /// Largest accepted error of pressure and velocity for `automatic`, relative to the maximum of
  /// each; 1e-4 by default.
  std::optional<double> accuracy;
};

// Error bounds of local Fourier bases. The errors come from waves near the Nyquist wave number
// that cross a cut. The bound weights the spectra of initial pressure and sources by the error of
// each wave number. It adds the effects of media at the cuts. Its constants are fitted to
// measurements (docs/local-basis.md).

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

// Automatic choice between the global Fourier basis and local bases. It predicts the time per step
// of each by a model of machine and network, and picks the fastest one within the accuracy.
// network.

/// The chosen basis and the reason.
struct BasisChoice {
  BasisOptions options; ///< with kind global or local
  /// One line with the basis, its error bound, its time per step, and the times of the
  /// alternatives.
  std::string reason;
};

/// Chooses the fastest basis with error_bound() at most options.accuracy. The file in HFFT_MACHINE
/// sets the machine's parameters. Without it, all ranks measure the network and the transforms of a
/// small grid, in about 10 ms. Grids without local bases get the global one. Collective.
/// \throws InputError on all ranks for options of blocks, because it chooses these itself; Failure
/// for an unreadable machine file
/// \param read_features reads the input; called on all ranks if a local basis is expected to be
///                      faster than the global one
BasisChoice choose_basis(const BasisOptions &options, const Parameters &parameters, int threads,
                         const grid::Communicator &comm,
                         const std::function<InputFeatures()> &read_features);

/// Chooses the basis on devices: local on several ranks or if the user sets options of blocks.
/// Throws InputError on all ranks if an accuracy is set, because the choice ignores it.
BasisChoice choose_basis_on_devices(const BasisOptions &options, const grid::Communicator &comm);

} // namespace hybridfft::kspace
