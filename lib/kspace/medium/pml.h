/// The perfectly matched layer: factors below one near the faces of the grid.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "kspace/base/parameters.h"
#include "kspace/medium/axis_profile.h"

namespace hybridfft::kspace {

/// The offset of a quantity within its grid cell: none, or half a cell.
enum class Stagger { none, half };
/// The ends of an axis that have a layer.
enum class PmlEnds { both, upper };

/// Factors of one axis: with P = `size`, A = `alpha` and s = 0 or 1/2 for the stagger,
///   left  point i = 0..P-1:      exp(-(dt/2) A (c_ref/d) ((P - i - s)/P)^4)
///   right point n-P+i:           exp(-(dt/2) A (c_ref/d) ((i + s + 1)/P)^4)
/// and 1 between (Tabei, Mast and Waag, JASA 111 (2002) 53, with the quartic profile of k-Wave).
template <class Real>
std::vector<Real> pml_profile(std::ptrdiff_t n, double d, std::ptrdiff_t size, double alpha,
                              double c_ref, double dt, Stagger stagger,
                              PmlEnds ends = PmlEnds::both);

/// The factors of all axes.
template <class Real> class Pml : public StaggeredProfiles<Real> {
public:
  Pml(const Parameters &parameters, const LocalGrid &local);
};

} // namespace hybridfft::kspace
