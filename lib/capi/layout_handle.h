/// The target of hfft_layout: the description of a layout, and the layout that it makes.
#pragma once

#include <optional>
#include <vector>

#include "hybridfft/hybridfft.h"
#include "hybridfft/layout.hpp"
#include "plan/plan.h"
#include "plan/problem.h"

/// The shape, the options that may be set afterwards, and the layout of both.
struct hfft_layout_s {
  std::vector<ptrdiff_t> extents;
  std::vector<int> parts;                                ///< parts of each axis, for a grid
  std::optional<std::vector<hybridfft::IndexBox>> boxes; ///< boxes of all ranks, if it is no grid
  hybridfft::Layout::Options options;
  hybridfft::Layout layout;
};

namespace hybridfft::capi {

/// Throw Failure(HFFT_ERROR_LAYOUT), or another one for null pointers and numbers of axes.
hfft_layout_s grid_layout(int rnk, const ptrdiff_t *n, const int *parts);
hfft_layout_s block_layout(int rnk, const int *parts, const ptrdiff_t *counts);
hfft_layout_s box_layout(int rnk, const ptrdiff_t *n, int ranks, const ptrdiff_t *starts,
                         const ptrdiff_t *counts);

/// Replaces the options, and the layout accordingly. Changes nothing when it throws.
void set_options(hfft_layout_s *layout, const Layout::Options &options);

/// Throw Failure for a null layout, named `name`, and for ranks that the layout does not have.
const Layout &require_layout(const hfft_layout_s *layout, const char *name = "the layout");
void require_rank(const Layout &layout, int rank);

/// Arguments of a plan call, of a kind of enum hfft_kind. `options` may be null. Throws Failure.
plan::Problem layout_problem(int kind, const hfft_layout_s *in, const hfft_layout_s *out, int sign,
                             const hfft_options *options);

} // namespace hybridfft::capi
