#include "kspace/medium/pml.h"

#include <cmath>

namespace hybridfft::kspace {

template <class Real>
std::vector<Real> pml_profile(std::ptrdiff_t n, double d, std::ptrdiff_t size, double alpha,
                              double c_ref, double dt, Stagger stagger, PmlEnds ends) {
  std::vector<Real> factors(static_cast<std::size_t>(n), 1.0F);
  const double shift = stagger == Stagger::half ? 0.5 : 0.0;
  const auto points = static_cast<double>(size);
  const auto factor = [&](double depth) {
    return static_cast<Real>(std::exp(-0.5 * dt * alpha * (c_ref / d) * std::pow(depth, 4)));
  };
  for (std::ptrdiff_t i = 0; i < size; ++i) {
    const auto at = static_cast<double>(i) + shift;
    if (ends == PmlEnds::both)
      factors[static_cast<std::size_t>(i)] = factor((points - at) / points);
    factors[static_cast<std::size_t>(n - size + i)] = factor((at + 1) / points);
  }
  return factors;
}

template <class Real> Pml<Real>::Pml(const Parameters &p, const LocalGrid &local) {
  for (int axis = 0; axis < p.dimensions(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const PmlEnds ends = p.axisymmetric && axis == 1 ? PmlEnds::upper : PmlEnds::both;
    for (const Stagger stagger : {Stagger::none, Stagger::half})
      (stagger == Stagger::none ? this->centred_ : this->staggered_)[a] =
          AxisProfile<Real>(pml_profile<Real>(p.n[a], p.spacing[a], p.pml_size[a], p.pml_alpha[a],
                                              p.c_ref, p.dt, stagger, ends),
                            axis, local);
  }
}

template std::vector<float> pml_profile<float>(std::ptrdiff_t n, double d, std::ptrdiff_t size,
                                               double alpha, double c_ref, double dt,
                                               Stagger stagger, PmlEnds ends);
template std::vector<double> pml_profile<double>(std::ptrdiff_t n, double d, std::ptrdiff_t size,
                                                 double alpha, double c_ref, double dt,
                                                 Stagger stagger, PmlEnds ends);
template class Pml<float>;
template class Pml<double>;

} // namespace hybridfft::kspace
