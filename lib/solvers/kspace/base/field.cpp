#include "solvers/kspace/base/field.h"

namespace hybridfft::kspace {

template <class Real>
State<Real>::State(const LocalGrid &local, const Exec &exec)
    : pressure(local.operand_size(), exec) {
  for (std::size_t a = 0; a < static_cast<std::size_t>(local.dimensions()); ++a) {
    velocity[a] = Field<Real>(local.operand_size(), exec);
    density[a] = Field<Real>(local.size(), exec);
  }
}

template struct State<float>;
template struct State<double>;

} // namespace hybridfft::kspace
