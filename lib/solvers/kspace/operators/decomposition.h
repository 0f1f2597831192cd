/// The decomposition of a simulation's grid into blocks with a Fourier basis each.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <string>
#include <vector>

#include "base/text.h"
#include "hybridfft/grid/box.hpp"
#include "hybridfft/grid/cartesian.hpp"
#include "hybridfft/grid/choice.hpp"
#include "hybridfft/hybridfft.h"
#include "solvers/kspace/base/errors.h"
#include "solvers/kspace/base/parameters.h"
#include "solvers/kspace/operators/basis_choice.h"
#include "solvers/lfb/extension.h"

namespace hybridfft::kspace {

/// Estimated ratio of the time per point of a step to the time on the next fast sizes.
double expected_slowdown(const Extents &n);

/// Returns one sentence of advice for each axis whose size is slow (hfft_kind_of_length).
std::vector<std::string> size_advice(const Extents &n);

/// Splits an option into one text per axis. A single text applies to all axes.
inline std::vector<std::string> for_each_axis(const char *option, const std::string &text,
                                              char separator, int dimensions) {
  const auto words = split(text, separator);
  std::vector<std::string> parts(words.begin(), words.end());
  if (parts.size() == 1) parts.resize(static_cast<std::size_t>(dimensions), parts[0]);
  // Grids of fewer dimensions accept three extents and ignore the further ones.
  if (parts.size() != static_cast<std::size_t>(dimensions) && parts.size() != 3)
    throw InputError(std::string(option) + " is '" + text + "', of " +
                     std::to_string(parts.size()) + " parts, expected one, or " +
                     std::to_string(dimensions) + ", one for each axis");
  return parts;
}

/// Largest ratio of a period chosen by the user to the smallest possible period. The extra points
/// are zeros, and a fast length is always closer.
inline constexpr grid::Index max_extension = 4;

/// Returns the smallest period >= `least` with fast transforms.
inline grid::Index good_period(grid::Index least, bool contiguous) {
  grid::Index n = least;
  while (hfft_next_fast_length(n) != n || (contiguous && n % 8 != 0))
    ++n;
  return n;
}

/// Reads one period for each block along an axis, each at least `least`.
inline std::vector<grid::Index> read_periods(const std::string &text,
                                             const std::vector<grid::Index> &least, int axis,
                                             bool contiguous) {
  std::vector<grid::Index> periods;
  if (text == "auto") {
    for (const grid::Index n : least)
      periods.push_back(good_period(n, contiguous));
    return periods;
  }
  for (const std::string_view part : split(text, '+')) {
    grid::Index value = 0;
    const char *end = part.data() + part.size();
    const auto [last, error] = std::from_chars(part.data(), end, value);
    if (error != std::errc() || last != end)
      throw InputError(std::string("--local_size: found '") + text + "' along " + axis_name(axis) +
                       ", expected a number of points, one for each block (72+88), or auto");
    periods.push_back(value);
  }
  if (periods.size() == 1) periods.resize(least.size(), periods[0]);
  if (periods.size() != least.size())
    throw InputError("--local_size: found " + std::to_string(periods.size()) + " periods along " +
                     axis_name(axis) + ", expected one, or one for each of the " +
                     std::to_string(least.size()) + " blocks");
  for (std::size_t b = 0; b < least.size(); ++b)
    if (periods[b] < least[b])
      throw InputError("--local_size: found " + std::to_string(periods[b]) + " along " +
                       axis_name(axis) + " for block " + std::to_string(b + 1) +
                       ", expected at least its points and the overlap, " +
                       std::to_string(least[b]));
    else if (periods[b] > max_extension * least[b])
      throw InputError("--local_size: found " + std::to_string(periods[b]) + " along " +
                       axis_name(axis) + " for block " + std::to_string(b + 1) +
                       ", expected at most " + std::to_string(max_extension) +
                       " times its points and the overlap, " +
                       std::to_string(max_extension * least[b]));
  return periods;
}

/// Throws InputError unless the text gives the number of points, the only period of an axis without
/// cuts.
inline void refuse_other_period(const std::string &text, grid::Index points, int axis) {
  if (text != "auto" && text != std::to_string(points))
    throw InputError("--local_size: found '" + text + "' along " + axis_name(axis) +
                     ", which is not cut, expected its " + std::to_string(points) +
                     " points, or auto");
}

/// Extents of an array of the whole grid along i, j, k.
grid::Index3 array_extents(const Extents &n);
/// Formats numbers along i, j, k in the user's order x, y, z: "2x2x1" or "2x2".
std::string in_users_order(const grid::Index3 &numbers, int dimensions);

/// The blocks of a local Fourier basis, their ranks, and the bases that extend each block to a
/// period. Boxes, cartesian grid and bases use array axes (i, j, k): [z][y][x], or [y][1][x] in two
/// dimensions.
class Decomposition {
public:
  /// Chooses all options that are not set. Default blocks: one per rank, in the cuts with the least
  /// exchange cost. Default basis: mom:6/32 along axes with at least 32 points per block, else
  /// ls:16 or ls:8. Narrower bases serve velocities across their own axis, and bells serve
  /// fractional Laplacians. A basis set by the user is used for all fields at its full width.
  /// Collective.
  /// \param input names the file in errors
  /// \param seconds_per_point of a step of each rank, for blocks with equal times; empty: blocks
  /// with nearly equal sizes
  /// \throws InputError on all ranks for options that are unreadable or do not fit the grid and the
  /// ranks; Unsupported for axisymmetric and non-uniform grids
  Decomposition(const BasisOptions &options, const Parameters &parameters, const std::string &input,
                const grid::Communicator &comm, std::vector<double> seconds_per_point = {});

  const grid::Cartesian &cartesian() const { return *cartesian_; }
  /// This rank's points. Its blocks together form a box.
  const grid::Box &box() const { return box_; }
  /// Extents along x, y, z of the period of a block.
  Extents period(int block) const;
  /// Bases of the pressure, of sources, and of velocity components along their own axis.
  const lfb::Bases &bases() const { return bases_; }
  /// Bases of the velocity component along an axis 0, 1, 2 = x, y, z. Across this axis only kappa
  /// is applied to the component, so narrower bases suffice (docs/local-basis.md).
  lfb::Bases velocity_bases(int axis) const;
  /// Largest number of points per side of a cut that the extension of some field reads, along an
  /// array axis; 0 if the axis is not cut.
  grid::Index points_taken(int array_axis) const;
  /// Bases of the operands of fractional Laplacians in power-law absorption.
  const lfb::Bases &laplacian_bases() const { return laplacian_; }
  /// True if a coarse grid computes the far field of the power law's kernels (lfb::CoarseLevel).
  bool coarse_level() const { return coarse_level_; }
  /// Reach of laplacian_bases() beyond a cut in m, the minimum over the distributed axes.
  double laplacian_reach(const Parameters &parameters) const;

  /// Describes blocks, sizes and bases for reports.
  std::string describe() const;

private:
  /// Bases set by the user, one per axis x, y, z, or none.
  struct Named {
    std::vector<lfb::Basis> overlap, transverse;
  };
  /// The gap along an axis that all its bases can fill.
  struct Gap {
    grid::Index points = 0, least = 0;
    std::string
        fixed_by; ///< option whose basis has a fixed gap; empty: any gap of at least `least`
  };

  Named read_bases(const BasisOptions &options) const;
  void read_grid(const BasisOptions &options, const Named &named, const grid::Communicator &comm);
  grid::Index3 default_parts(const Named &named, const grid::Communicator &comm);
  grid::Shares shares(const grid::Index3 &parts) const;
  void choose_owners(const grid::Cuts &cuts, const grid::Communicator &comm);
  void set_blocks(const grid::Cuts &cuts, const std::vector<int> &owners,
                  const grid::Communicator &comm);
  void choose_bases(const Named &named);
  void choose_periods(const BasisOptions &options);
  Gap common_gap(int axis) const;
  lfb::Basis default_basis(int axis) const;
  lfb::Basis laplacian_basis(const lfb::Basis &along) const;

  Extents n_;
  int dimensions_;
  std::optional<grid::Cartesian> cartesian_;
  grid::Box box_;
  lfb::Bases bases_, across_, laplacian_;
  bool named_ = false, coarse_level_ = false;
  std::vector<double> seconds_per_point_;   ///< of each rank, if unequal
  std::array<grid::Index, 3> min_points_{}; ///< minimum points of a block along a distributed axis
};

} // namespace hybridfft::kspace
