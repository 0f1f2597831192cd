/// Two-dimensional FFTs of planes, and FFTs of contiguous lines, with the library's own SIMD
/// kernels.
#pragma once

#include <memory>

#include "local/plane_pass.h"

namespace hybridfft::local {

/// As make_plane_pass(), for planes of two dimensions or lines of one, howmany 1; nullptr where
/// the kernels do not apply. A plane is transformed in cache: lines first, then columns, straight
/// out to the destination; for c2r the other way round.
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
