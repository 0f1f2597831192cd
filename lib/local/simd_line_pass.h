/// FFTs of contiguous lines with the SIMD kernels. It transposes lines in registers, one line per
/// vector lane.
#pragma once

#include <memory>

#include "local/plane_pass.h"

namespace hybridfft::local {

/// Makes a pass like make_plane_pass(), for one-dimensional rows with howmany 1 and a length
/// supported by the kernels.
template <class Real>
std::unique_ptr<Pass> make_simd_line_pass(const PlaneTransform &transform, const SplitRows &source,
                                          const SplitRows &destination, bool in_place,
                                          const PassOptions &options);

extern template std::unique_ptr<Pass> make_simd_line_pass<float>(const PlaneTransform &,
                                                                 const SplitRows &,
                                                                 const SplitRows &, bool,
                                                                 const PassOptions &);
extern template std::unique_ptr<Pass> make_simd_line_pass<double>(const PlaneTransform &,
                                                                  const SplitRows &,
                                                                  const SplitRows &, bool,
                                                                  const PassOptions &);

} // namespace hybridfft::local
