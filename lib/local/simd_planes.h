/// Two-dimensional FFTs of planes in cache, and FFTs of contiguous lines, with the SIMD kernels.
/// Choose it if a plane fits the cache of a core.
#pragma once

#include <memory>

#include "local/plane_pass.h"

namespace hybridfft::local {

/// Makes a pass like make_plane_pass(), for two-dimensional planes or one-dimensional lines with
/// howmany
/// 1. Returns nullptr if the kernels do not support the extents. A plane is transformed in cache:
///    lines first, then columns directly to the destination. c2r reverses the order.
template <class Real>
std::unique_ptr<Pass> make_simd_plane_pass(const PlaneTransform &transform, const SplitRows &source,
                                           const SplitRows &destination, bool in_place,
                                           const PassOptions &options);

extern template std::unique_ptr<Pass> make_simd_plane_pass<float>(const PlaneTransform &,
                                                                  const SplitRows &,
                                                                  const SplitRows &, bool,
                                                                  const PassOptions &);
extern template std::unique_ptr<Pass> make_simd_plane_pass<double>(const PlaneTransform &,
                                                                   const SplitRows &,
                                                                   const SplitRows &, bool,
                                                                   const PassOptions &);

} // namespace hybridfft::local
