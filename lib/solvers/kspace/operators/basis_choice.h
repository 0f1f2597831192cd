/// Chooses the Fourier basis of spatial derivatives: one global basis, or a local basis for each
/// block. This file declares the options, the error bounds of local bases, the predicted times of
/// steps, and the automatic choice. A cut is a face between two blocks.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/machine_parameters.h"
#include "hybridfft/grid/box.hpp"
#include "hybridfft/grid/communicator.hpp"
#include "hybridfft/grid/parallel_for.hpp"
#include "solvers/kspace/base/parameters.h"

namespace hybridfft::kspace {

/// Options of the Fourier basis, as the user writes them. Empty options are chosen automatically
/// (see Decomposition).
struct BasisOptions {
  enum class Selection {
    global,   ///< one basis for the whole grid; its FFTs redistribute the grid over all ranks
    local,    ///< one basis per block; blocks exchange points near their faces with neighbours
    automatic ///< the basis with the shorter predicted time
  };
  Selection kind = Selection::global;
  std::string grid;       ///< blocks along x, y, z: "2x2x1", or their sizes "40+56x1x1"
  std::string overlap;    ///< basis, see lfb::Basis: "ls:16", or one per axis "mom:6/32,ls:12,ls:8"
  std::string transverse; ///< like `overlap`, for velocity components across their own direction
  std::string local_size; ///< extents of the extended blocks: "96x64x64", "72+88x64x64", "auto"
  /// Use a coarse grid for the far field of power-law absorption. Unset: used unless the user sets
  /// the overlap.
  std::optional<bool> coarse_level;
  bool chosen = false; ///< overlap and transverse were chosen automatically
  /// Largest error that `automatic` accepts, relative to the maximum of pressure and velocity; 1e-4
  /// by default.
  std::optional<double> accuracy;
};

// Error bounds of local Fourier bases. Errors arise where waves near the Nyquist wave number cross
// a cut. A bound weights the spectra of initial pressure and sources by the error of each wave
// number, and adds effects of the medium at cuts. Its constants are fitted to measurements
// (docs/local-basis.md).

/// A local basis that --basis auto may choose, and the constants of its error bound.
struct OfferedBasis {
  const char *overlap;
  const char *transverse; ///< basis of velocity components across their own direction
  double nyquist;         ///< error of a wave at the Nyquist wave number crossing a cut
  double short_wave;      ///< prefactor of the error of resolved waves, see wave_error()
  double growth;          ///< exponential growth rate of the error of resolved waves with k
  double smooth;          ///< error of waves with many points per wavelength
  double contrast;        ///< error per unit jump of ln(sound speed) or ln(density)
  double point_source;    ///< error of the field near a point source with a smooth signal
};

constexpr std::size_t offered_bases = 6;
/// All bases that --basis auto may choose, the most accurate first.
const std::array<OfferedBasis, offered_bases> &bases_on_offer();

/// Error of a wave of amplitude 1 crossing a cut.
/// \param k wave number in rad per point; clamped to pi
double wave_error(const OfferedBasis &basis, double k);

/// One number for each basis of bases_on_offer().
using ForBases = std::array<double, offered_bases>;

/// Properties of an input that determine the errors of local bases. Axes are array axes i, j, k.
struct InputFeatures {
  /// Errors due to the spectrum of the initial pressure along each axis, relative to its maximum.
  std::array<ForBases, 3> initial{};
  /// Errors due to the spectra of source signals over time, relative to their maximum.
  ForBases signals{};
  bool sources = false;             ///< sources drive the fields over time
  bool independent_sources = false; ///< each source point has its own signal
  double steepening =
      0; ///< ratio of propagation distance to shock formation distance in nonlinear media
  double max_speed = 0;  ///< in m/s
  double contrast = 0;   ///< largest jump of ln(sound speed) or ln(density) between neighbours
  double absorption = 0; ///< relative change of the stiffness due to absorption
  double rounding = 0;   ///< rounding error of the global basis in the precision of the fields
  /// Largest change of `absorption` between points n and n + 1 along each axis; empty for uniform
  /// absorption.
  std::array<std::vector<double>, 3> absorption_steps;
};

/// Upper bound of the error of pressure and velocity, each relative to its maximum, if array axes
/// are divided evenly into `parts` blocks.
/// \param basis index in bases_on_offer()
double error_bound(const InputFeatures &input, const Parameters &parameters, std::size_t basis,
                   const grid::Index3 &parts);

class InputFile;

/// Reads the initial pressure and the medium once for each axis, and the source signals once. The
/// ranks share the work. Collective; returns the same on all ranks. Throws InputError or
/// io::IoError.
InputFeatures read_features(const InputFile &file, const Parameters &parameters, grid::Host host);

// Automatic choice of the basis. A model of machine and network predicts the time per step of each
// basis. The fastest one within the accuracy is chosen.

/// The chosen basis and the reason.
struct BasisChoice {
  BasisOptions options; ///< `kind` is global or local, not automatic
  /// One line for the report: the basis, its error bound and time per step, and the times of
  /// alternatives.
  std::string reason;
};

/// Chooses the fastest basis with error_bound() at most options.accuracy. The machine file
/// HFFT_MACHINE sets the machine's parameters. Without it, all ranks measure the network and FFTs
/// of a small grid, in about 10 ms. Grids that local bases do not support get the global basis.
/// Collective.
/// \throws InputError on all ranks if the user sets blocks, because this function chooses them;
/// Failure for an unreadable machine file
/// \param read_features reads the input; called on all ranks if a local basis is expected to be
/// faster than the global one
BasisChoice choose_basis(const BasisOptions &options, const Parameters &parameters, int threads,
                         const grid::Communicator &comm,
                         const std::function<InputFeatures()> &read_features);

/// Chooses the basis on devices: local bases on several ranks or if the user sets blocks, else the
/// global basis. Throws InputError on all ranks if an accuracy is set, because the choice ignores
/// it.
BasisChoice choose_basis_on_devices(const BasisOptions &options, const grid::Communicator &comm);

/// Number of FFTs in a time step with the global basis; each needs one exchange.
constexpr double transforms_of_step = 10;
/// Ratio of the time of a step's computation to the time of its FFTs. The computation consists of
/// the FFTs and the equations.
constexpr double equations_factor = 1.3;

/// Performance of the machine for one rank while all ranks compute and communicate.
struct RankPerformance {
  MachineParameters machine;
  double ranks_per_node = 1;
  bool one_node = false;
  double per_point = 0; ///< seconds per point of a forward and a backward transform on a rank

  /// Returns the seconds of `messages` messages sent to neighbours one after another, with `bytes`
  /// bytes in all.
  double neighbours(double messages, double bytes) const;
};

/// The problem and the machine of a simulation.
struct StepModel {
  grid::Index3 extents; ///< points of the grid along array axes i, j, k
  int dimensions = 3;
  double ranks = 1;
  double threads = 1; ///< per rank
  RankPerformance rank;
  bool power_law = false; ///< absorption with fractional Laplacians

  /// Returns the seconds of a step with the global basis.
  double global() const;

  /// Returns the seconds of a step with `parts` blocks along the array axes, or infinity if the
  /// blocks are too small for the basis.
  /// \param basis index in bases_on_offer()
  double local(std::size_t basis, const grid::Index3 &parts) const;

private:
  /// Seconds of a step's computation per point of the grid, without gaps.
  double per_point() const { return rank.per_point * transforms_of_step / 2 * equations_factor; }
};

} // namespace hybridfft::kspace
