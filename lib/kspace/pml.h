/// The perfectly matched layer: factors below one near the faces of the grid.
#pragma once

#include <array>
#include <cstddef>
#include <variant>
#include <vector>

#include "grid/box.h"
#include "kspace/parameters.h"

namespace hybridfft::kspace {

/// Where a quantity lives within its grid cell.
enum class Stagger { none, half };

/// Factors of one axis: with P = `size`, A = `alpha` and s = 0 or 1/2 for the stagger,
///   left  point i = 0..P-1:      exp(-(dt/2) A (c_ref/d) ((P - i - s)/P)^4)
///   right point n-P+i:           exp(-(dt/2) A (c_ref/d) ((i + s + 1)/P)^4)
/// and 1 between (Tabei, Mast and Waag, JASA 111 (2002) 53, with the quartic profile of k-Wave).
std::vector<float> pml_profile(std::ptrdiff_t n, double d, std::ptrdiff_t size, double alpha,
                               double c_ref, double dt, Stagger stagger);

/// The factors of all axes, seen from this rank's slab.
class Pml {
public:
  using View =
      std::variant<grid::Profile<float, 2>, grid::Profile<float, 1>, grid::Profile<float, 0>>;

  Pml(const Parameters &parameters, const Slab &slab);

  /// For axis 0, 1, 2 = x, y, z: at the pressure points, and at the points of the staggered
  /// velocity component along the axis.
  View at_pressure(int axis) const { return view(centred_, axis); }
  View at_velocity(int axis) const { return view(staggered_, axis); }

private:
  using Profiles = std::array<std::vector<float>, 3>;
  View view(const Profiles &profiles, int axis) const;

  Profiles centred_, staggered_;
  std::ptrdiff_t first_z_;
};

} // namespace hybridfft::kspace
