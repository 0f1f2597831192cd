/// Options of the Fourier basis in which derivatives are taken.
#pragma once

#include <optional>
#include <string>

namespace hybridfft::kspace {

/// The texts are as the user wrote them; empty: chosen (see Decomposition).
struct BasisOptions {
  enum class Kind {
    global,   ///< one basis for the whole grid: transforms transpose it over all ranks
    local,    ///< one for each block: blocks exchange points near their faces with neighbours
    automatic ///< whichever is expected to be faster
  };
  Kind kind = Kind::global;
  std::string grid;       ///< blocks along x, y, z: "2x2x1", or their sizes "40+56x1x1"
  std::string overlap;    ///< "ls:16", or one for each axis "mom:6/32,ls:12,ls:8"
  std::string transverse; ///< the same for velocities across their own axis
  std::string local_size; ///< periods of the blocks: "96x64x64", "72+88x64x64", "auto"
  /// A coarse level for power-law absorption; by default unless the user names the overlap.
  std::optional<bool> coarse_level;
  bool chosen = false; ///< overlap and transverse were chosen, not given by the user
  /// The largest error of pressure and velocity that `automatic` may accept, over the largest value
  /// of each; 1e-4 by default.
  std::optional<double> accuracy;
};

} // namespace hybridfft::kspace
