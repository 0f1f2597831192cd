#include "kspace/axis_profile.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

AxisProfile::AxisProfile(std::vector<Real> factors, int axis, const Slab &slab)
    : place_(slab.real_place(axis)), start_(place_ == 0 ? slab.real_start() : 0) {
  if (place_ == 2) {
    along_k_ = std::move(factors);
    across_ = {1.0F};
  } else {
    along_k_.assign(static_cast<std::size_t>(slab.real().extent(2)), 1.0F);
    across_ = std::move(factors);
  }
}

AxisProfile::AxisProfile(const Slab &slab)
    : along_k_(static_cast<std::size_t>(slab.real().extent(2)), 1.0F), across_{1.0F} {}

grid::Separable<Real> AxisProfile::view() const {
  return {along_k_.data(), across_.data() + start_, place_ == 0 ? 1 : 0, place_ == 1 ? 1 : 0};
}

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
