#include "kspace/axis_profile.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

AxisProfile::AxisProfile(const std::vector<Real> &factors, int axis, const LocalGrid &local)
    : place_(local.place(axis)),
      along_k_(static_cast<std::size_t>(local.box().extent(2)), 1.0F), across_{1.0F} {
  const std::ptrdiff_t first = local.start(place_);
  std::vector<Real> &own = place_ == 2 ? along_k_ : across_;
  own.assign(factors.begin() + first, factors.begin() + first + local.box().extent(place_));
}

AxisProfile::AxisProfile(const LocalGrid &local)
    : along_k_(static_cast<std::size_t>(local.box().extent(2)), 1.0F), across_{1.0F} {}

grid::Separable<Real> AxisProfile::view() const {
  return {along_k_.data(), across_.data(), place_ == 0 ? 1 : 0, place_ == 1 ? 1 : 0};
}

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
