/// The object of an hfft_layout: the arguments of its creation, and the layout itself.
#pragma once

#include <optional>
#include <vector>

#include "hybridfft/hybridfft.h"
#include "hybridfft/layout.hpp"
#include "plan/plan.h"
#include "plan/problem.h"

/// The shape and options from the user's calls, and the layout made from them.
struct hfft_layout_s {
  std::vector<ptrdiff_t> extents;
  std::vector<int> parts; ///< number of parts of each axis, for a grid
  std::optional<std::vector<hybridfft::IndexBox>> boxes; ///< boxes of all ranks, unless it is a
                                                         ///< grid
  hybridfft::Layout::Options options;
  hybridfft::Layout layout;
};

namespace hybridfft::capi {

/// Make layouts. Throw Failure(HFFT_ERROR_LAYOUT), or another code for null pointers and numbers of
/// axes.
hfft_layout_s grid_layout(int rnk, const ptrdiff_t *n, const int *parts);
hfft_layout_s block_layout(int rnk, const int *parts, const ptrdiff_t *counts);
hfft_layout_s box_layout(int rnk, const ptrdiff_t *n, int ranks, const ptrdiff_t *starts,
                         const ptrdiff_t *counts);

/// Replaces the options and makes a new layout from them. If this throws, both stay unchanged.
void set_options(hfft_layout_s *layout, const Layout::Options &options);

/// Throw Failure for a null layout, named `name`, and for ranks outside the layout.
const Layout &require_layout(const hfft_layout_s *layout, const char *name = "the layout");
void require_rank(const Layout &layout, int rank);

/// Converts the arguments of a plan call to a problem; `kind` is a value of enum hfft_kind.
/// `options` may be null. Throws Failure.
plan::Problem layout_problem(int kind, const hfft_layout_s *in, const hfft_layout_s *out, int sign,
                             const hfft_options *options);

} // namespace hybridfft::capi
