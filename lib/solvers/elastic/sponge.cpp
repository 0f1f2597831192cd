#include "solvers/elastic/sponge.h"

namespace hybridfft::elastic {

template <class Real> SpongeProfiles<Real>::SpongeProfiles(const Problem &problem) {
  const auto [width, edge] = problem.sponge;
  const double a = width > 0 ? std::sqrt(-std::log(edge)) / static_cast<double>(width) : 0;
  const auto factor = [a, w = width](Index cell) {
    if (cell < 0 || cell >= w) return 1.;
    const double depth = a * static_cast<double>(w - cell);
    return std::exp(-depth * depth);
  };
  for (int axis = 0; axis < 3; ++axis) {
    const bool free = axis == 2 && problem.surface != Surface::none;
    const Index n = problem.cells[axis], above = axis == 2 ? problem.planes_above() : 0;
    profiles_[static_cast<std::size_t>(axis)] = AxisTable<Real>(n + above, [&](Index i) {
      if (problem.periodic[static_cast<std::size_t>(axis)]) return 1.;
      const Index cell = i - above;
      return (free ? 1. : factor(cell)) * factor(n - 1 - cell);
    });
  }
}

template class SpongeProfiles<float>;
template class SpongeProfiles<double>;

} // namespace hybridfft::elastic
