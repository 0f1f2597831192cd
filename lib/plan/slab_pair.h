/// Pairs of layouts that FFTW's interface can name.
#pragma once

#include <optional>

#include "plan/distribution.h"
#include "plan/layout_problem.h"
#include "plan/problem.h"

namespace hybridfft::plan {

/// The slab problem that this one is; nothing for all others.
std::optional<Problem> slab_problem(const LayoutProblem &problem, std::size_t real_bytes);

/// Complex numbers that its arrays need on a rank.
std::ptrdiff_t slab_allocation(const Problem &problem, int ranks, int rank);

} // namespace hybridfft::plan
