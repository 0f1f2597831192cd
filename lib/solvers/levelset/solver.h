/// The level-set solver of include/hybridfft/levelset, compiled once for this project.
#pragma once

#include "hybridfft/levelset/solver.hpp"

namespace hybridfft::levelset {

extern template class Solver<float>;
extern template class Solver<double>;

} // namespace hybridfft::levelset
