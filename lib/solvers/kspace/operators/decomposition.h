/// Divides a simulation's grid into blocks, each with its own local Fourier basis. A block is
/// extended by a gap to a periodic array, its period; a cut is a face between two blocks.
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

/// Splits the text of an option into one text per axis. A text without separator applies to all
/// axes.
inline std::vector<std::string> for_each_axis(const char *option, const std::string &text,
                                              char separator, int dimensions) {
  const auto words = split(text, separator);
  std::vector<std::string> parts(words.begin(), words.end());
  if (parts.size() == 1) parts.resize(static_cast<std::size_t>(dimensions), parts[0]);
  // In one and two dimensions three texts are accepted, too; the surplus is ignored.
  if (parts.size() != static_cast<std::size_t>(dimensions) && parts.size() != 3)
    throw InputError(std::string(option) + " is '" + text + "', of " +
                     std::to_string(parts.size()) + " parts, expected one, or " +
                     std::to_string(dimensions) + ", one for each axis");
  return parts;
}

/// Maximum ratio of a period set by the user to the smallest possible one. A longer period only
/// adds zeros; a fast length is always within this limit.
inline constexpr grid::Index max_extension = 4;

/// Returns the smallest period of at least `least` points with fast FFTs; a multiple of 8 along the
/// contiguous axis.
inline grid::Index good_period(grid::Index least, bool contiguous) {
  grid::Index n = least;
  while (hfft_next_fast_length(n) != n || (contiguous && n % 8 != 0))
    ++n;
  return n;
}

/// Throws InputError for the period of block b along an axis.
[[noreturn]] inline void refuse_period(grid::Index found, int axis, std::size_t b,
                                       const std::string &expected) {
  throw InputError("--local_size: found " + std::to_string(found) + " along " + axis_name(axis) +
                   " for block " + std::to_string(b + 1) + ", expected " + expected);
}

/// Reads one period for each block along an axis; "auto" is good_period(). Throws InputError unless
/// each is at least `least` and at most max_extension times `least`.
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
      refuse_period(periods[b], axis, b,
                    "at least its points and the overlap, " + std::to_string(least[b]));
    else if (periods[b] > max_extension * least[b])
      refuse_period(periods[b], axis, b,
                    "at most " + std::to_string(max_extension) +
                        " times its points and the overlap, " +
                        std::to_string(max_extension * least[b]));
  return periods;
}

/// Throws InputError unless the text is "auto" or the number of points. An axis that is not divided
/// has its number of points as period.
inline void refuse_other_period(const std::string &text, grid::Index points, int axis) {
  if (text != "auto" && text != std::to_string(points))
    throw InputError("--local_size: found '" + text + "' along " + axis_name(axis) +
                     ", which is not cut, expected its " + std::to_string(points) +
                     " points, or auto");
}

/// The communicator of this rank alone, for transforms of its blocks.
const grid::Communicator &self();
/// Extents of an array of the whole grid along i, j, k.
grid::Index3 array_extents(const Extents &n);
/// Formats numbers along i, j, k in the user's order x, y, z: "2x2x1" or "2x2".
std::string in_users_order(const grid::Index3 &numbers, int dimensions);

/// The blocks of a local Fourier basis, the ranks that own them, and the bases that extend each
/// block to a period. Boxes, Cartesian grid and bases use array axes (i, j, k): [z][y][x], or
/// [y][1][x] in two dimensions.
class Decomposition {
public:
  /// Divides the grid and chooses all options that the user has not set. By default each rank has
  /// one block, and the division minimises the cost of exchanges. The default basis is mom:6/32
  /// along axes with at least 32 points per block, else ls:16 or ls:8. Narrower bases extend
  /// velocity components across their own direction, and bells extend operands of fractional
  /// Laplacians. A basis set by the user extends all fields at its full width. Collective.
  /// \param input file name for error messages
  /// \param seconds_per_point time of a step per point on each rank; the sizes of blocks make the
  /// times of all ranks nearly equal; empty: nearly equal sizes
  /// \throws InputError on all ranks for options that are unreadable or do not fit the grid and the
  /// ranks; Unsupported for axisymmetric and non-uniform grids
  Decomposition(const BasisOptions &options, const Parameters &parameters, const std::string &input,
                const grid::Communicator &comm, std::vector<double> seconds_per_point = {});

  const grid::Cartesian &cartesian() const { return *cartesian_; }
  /// This rank's points. Its blocks together form a box.
  const grid::Box &box() const { return box_; }
  /// Extents along x, y, z of a block's period.
  Extents period(int block) const;
  /// Bases of the pressure, of sources, and of velocity components along their own axis.
  const lfb::Bases &bases() const { return bases_; }
  /// Bases of the velocity component along an axis 0, 1, 2 = x, y, z. Along other axes only the
  /// k-space correction is applied to the component, so narrower bases suffice
  /// (docs/local-basis.md).
  lfb::Bases velocity_bases(int axis) const {
    lfb::Bases bases = across_;
    const auto p = static_cast<std::size_t>(place(axis, dimensions_));
    bases[p] = bases_[p];
    return bases;
  }
  /// Maximum number of points that the extension of a field reads on each side of a cut, along an
  /// array axis; 0 if the axis is not divided.
  grid::Index points_taken(int array_axis) const;
  /// Bases of the operands of fractional Laplacians in power-law absorption.
  const lfb::Bases &laplacian_bases() const { return laplacian_; }
  /// True if a coarse grid computes the far field of power-law absorption (lfb::CoarseLevel).
  bool coarse_level() const { return coarse_level_; }
  /// Distance in m beyond a cut to which laplacian_bases() reach; the minimum over the distributed
  /// axes.
  double laplacian_reach(const Parameters &parameters) const;

  /// Describes blocks, sizes and bases for reports.
  std::string describe() const;

private:
  /// Bases that the user sets, one per axis x, y, z; empty if not set.
  struct Named {
    std::vector<lfb::Basis> overlap, transverse;
  };
  /// Gap along an axis that all bases of the axis can fill.
  struct Gap {
    grid::Index points = 0, least = 0;
    std::string
        fixed_by; ///< option whose basis needs exactly this gap; empty: any gap of at least `least`
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
  std::vector<double> seconds_per_point_;   ///< for each rank, if ranks differ
  std::array<grid::Index, 3> min_points_{}; ///< minimum points of a block along a distributed axis
};

} // namespace hybridfft::kspace
