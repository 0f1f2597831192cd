/// The decomposition of a simulation's grid into blocks that have a Fourier basis of their own.
#pragma once

#include <array>
#include <charconv>
#include <string>
#include <vector>

#include "base/split.h"
#include "hybridfft/grid/box.hpp"
#include "hybridfft/grid/cartesian.hpp"
#include "hybridfft/grid/choice.hpp"
#include "hybridfft/hybridfft.h"
#include "kspace/base/errors.h"
#include "kspace/base/parameters.h"
#include "kspace/operators/basis_options.h"
#include "lfb/extension.h"

namespace hybridfft::kspace {

/// One text for each axis: all the same when there is one.
inline std::vector<std::string> for_each_axis(const char *option, const std::string &text,
                                              char separator, int dimensions) {
  const auto words = split(text, separator);
  std::vector<std::string> parts(words.begin(), words.end());
  if (parts.size() == 1) parts.resize(static_cast<std::size_t>(dimensions), parts[0]);
  // A third extent is allowed, and has no meaning, for grids of two dimensions.
  if (parts.size() != static_cast<std::size_t>(dimensions) && parts.size() != 3)
    throw InputError(std::string(option) + " is '" + text + "', of " +
                     std::to_string(parts.size()) + " parts, expected one, or " +
                     std::to_string(dimensions) + ", one for each axis");
  return parts;
}

/// Most points of a period that the user may choose, over the fewest that it needs: those beyond
/// are zero, and the next fast length is nearer.
inline constexpr grid::Index most_extension = 4;

/// The smallest period whose transforms are fast.
inline grid::Index good_period(grid::Index least, bool contiguous) {
  grid::Index n = least;
  while (hfft_next_fast_length(n) != n || (contiguous && n % 8 != 0))
    ++n;
  return n;
}

/// One period for each block along an axis, of at least `least`.
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
    else if (periods[b] > most_extension * least[b])
      throw InputError("--local_size: found " + std::to_string(periods[b]) + " along " +
                       axis_name(axis) + " for block " + std::to_string(b + 1) +
                       ", expected at most " + std::to_string(most_extension) +
                       " times its points and the overlap, " +
                       std::to_string(most_extension * least[b]));
  return periods;
}

/// An axis that is not cut has one period, its points.
inline void refuse_other_period(const std::string &text, grid::Index points, int axis) {
  if (text != "auto" && text != std::to_string(points))
    throw InputError("--local_size: found '" + text + "' along " + axis_name(axis) +
                     ", which is not cut, expected its " + std::to_string(points) +
                     " points, or auto");
}

/// Points of an array of a whole grid along i, j, k.
grid::Index3 array_extents(const Extents &n);
/// Text of numbers along i, j, k in the user's order: "2x2x1" along x, y, z, or "2x2".
std::string in_users_order(const grid::Index3 &numbers, int dimensions);

/// Blocks, their owners, and the bases that extend each to a period. Boxes and axes of the
/// cartesian grid and of bases are those of arrays, (i, j, k): [z][y][x], or [y][1][x] in two
/// dimensions.
class Decomposition {
public:
  /// Chooses by default: as many blocks as ranks, in the cuts that cost least to exchange; the
  /// basis mom:6/32 along axes whose blocks have 32 points or more, else ls:16 or ls:8, and
  /// narrower ones for velocities across their own axis, and bells for fractional Laplacians. A
  /// basis that the user names serves everything at its full width. Collective. Throws InputError
  /// on all ranks for options that cannot be read or do not fit the grid and the ranks, with the
  /// numbers; Unsupported for axisymmetric and non-uniform grids, by the name of the file.
  /// \param seconds_per_point of a step of each rank: default blocks take ranks equal times; empty:
  ///                          blocks are as equal as can be
  Decomposition(const BasisOptions &options, const Parameters &parameters, const std::string &input,
                const grid::Communicator &comm, std::vector<double> seconds_per_point = {});

  const grid::Cartesian &cartesian() const { return *cartesian_; }
  /// This rank's points: its blocks together are a box.
  const grid::Box &box() const { return box_; }
  /// Points along x, y, z of the period of a block.
  Extents period(int block) const;
  /// Bases of the pressure, sources, and components of velocity along their own axis.
  const lfb::Bases &bases() const { return bases_; }
  /// Bases of the component of the velocity along an axis 0, 1, 2 = x, y, z: across that axis only
  /// kappa acts on it, which needs less (LFB.md, section 5).
  lfb::Bases velocity_bases(int axis) const;
  /// Points of a block next to a cut along an axis of arrays that the extension of some field
  /// takes; 0 where the axis is not cut.
  grid::Index points_taken(int array_axis) const;
  /// Bases of the fields whose fractional Laplacians a power law's absorption takes.
  const lfb::Bases &laplacian_bases() const { return laplacian_; }
  /// True if the far field of a power law's kernels comes from a coarse grid (lfb::CoarseLevel).
  bool coarse_level() const { return coarse_level_; }
  /// Reach of laplacian_bases() beyond a cut, in m: the least of the axes that are cut.
  double laplacian_reach(const Parameters &parameters) const;

  /// Description for reports: blocks, their sizes, bases.
  std::string describe() const;

private:
  /// Bases that the user names, one for each axis x, y, z, or none.
  struct Named {
    std::vector<lfb::Basis> overlap, transverse;
  };
  /// The gap along an axis that all its bases can fill.
  struct Gap {
    grid::Index points = 0, least = 0;
    std::string fixed_by; ///< the option whose basis has no choice; empty: any from `least` on
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
  std::vector<double> seconds_per_point_; ///< of each rank, if they are unequal
  std::array<grid::Index, 3> least_{};    ///< fewest points of a block that is cut along an axis
};

} // namespace hybridfft::kspace
