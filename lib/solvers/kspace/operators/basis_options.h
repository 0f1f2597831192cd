/// Options of the Fourier basis for derivatives.
#pragma once

#include <optional>
#include <string>

namespace hybridfft::kspace {

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

} // namespace hybridfft::kspace
