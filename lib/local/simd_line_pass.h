/// FFTs of contiguous lines with the library's own SIMD kernels.
#pragma once

#include <memory>

#include "local/plane_pass.h"

namespace hybridfft::local {

/// As make_plane_pass(), for rows of one dimension, howmany 1, to whose length the kernels apply.
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
