// Instantiates the level-set solver for both precisions.
#include "solvers/levelset/solver.h"

namespace hybridfft::levelset {

template class Solver<float>;
template class Solver<double>;

} // namespace hybridfft::levelset
