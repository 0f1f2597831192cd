/// Pairs of layouts that FFTW's interface can name.
#pragma once

#include <optional>

#include "plan/distribution.h"
#include "plan/layout_problem.h"
#include "plan/problem.h"

namespace hybridfft::plan {

/// The slab problem that this one is; nothing for all others.
std::optional<Problem> slab_problem(const LayoutProblem &problem, std::size_t real_bytes);

/// Whether the deterministic plan of a slab problem takes the axes one by one in the order of
/// deterministic plans between layouts (path.h), so that both have the same bits. Others must be
/// planned as layout_problem().
bool has_bits_of_layouts(const Problem &problem);

/// A slab problem as one between layouts.
LayoutProblem layout_problem(const Problem &problem, int ranks);

/// Complex numbers that its arrays need on a rank.
std::ptrdiff_t slab_allocation(const Problem &problem, int ranks, int rank);

} // namespace hybridfft::plan
