#include "kspace/medium/axis_profile.h"

#include <utility>

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

AxisProfile::AxisProfile(const std::vector<Real> &factors, int axis, const LocalGrid &local)
    : AxisProfile(local) {
  place_ = local.place(axis);
  const auto first = factors.begin() + local.start(place_);
  ExecArray<Real> &own = place_ == 2 ? along_k_ : across_;
  own = ExecArray<Real>(std::vector<Real>(first, first + local.box().extent(place_)));
}

AxisProfile::AxisProfile(const LocalGrid &local)
    : along_k_(std::vector<Real>(static_cast<std::size_t>(local.box().extent(2)), 1.0F)),
      across_(std::vector<Real>(1, 1.0F)) {}

void AxisProfile::move_to(const Exec &exec) {
  along_k_.move_to(exec);
  across_.move_to(exec);
}

grid::Separable<Real> AxisProfile::view() const {
  return {along_k_.data(), across_.data(), place_ == 0 ? 1 : 0, place_ == 1 ? 1 : 0};
}

void StaggeredProfiles::move_to(const Exec &exec) {
  for (std::array<AxisProfile, 3> *profiles : {&centred_, &staggered_})
    for (AxisProfile &profile : *profiles)
      profile.move_to(exec);
}

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
