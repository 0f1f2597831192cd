#include "kspace/medium/axis_profile.h"

#include <utility>

namespace hybridfft::kspace {

template <class Real>
AxisProfile<Real>::AxisProfile(const std::vector<Real> &factors, int axis, const LocalGrid &local)
    : AxisProfile<Real>(local) {
  place_ = local.place(axis);
  const auto first = factors.begin() + local.start(place_);
  ExecArray<Real> &own = place_ == 2 ? along_k_ : across_;
  own = ExecArray<Real>(std::vector<Real>(first, first + local.box().extent(place_)));
}

template <class Real>
AxisProfile<Real>::AxisProfile(const LocalGrid &local)
    : along_k_(std::vector<Real>(static_cast<std::size_t>(local.box().extent(2)), 1.0F)),
      across_(std::vector<Real>(1, 1.0F)) {}

template <class Real> void AxisProfile<Real>::move_to(const Exec &exec) {
  along_k_.move_to(exec);
  across_.move_to(exec);
}

template <class Real> grid::Separable<Real> AxisProfile<Real>::view() const {
  return {along_k_.data(), across_.data(), place_ == 0 ? 1 : 0, place_ == 1 ? 1 : 0};
}

template <class Real> void StaggeredProfiles<Real>::move_to(const Exec &exec) {
  for (std::array<AxisProfile<Real>, 3> *profiles : {&centred_, &staggered_})
    for (AxisProfile<Real> &profile : *profiles)
      profile.move_to(exec);
}

template class AxisProfile<float>;
template class AxisProfile<double>;
template class StaggeredProfiles<float>;
template class StaggeredProfiles<double>;

} // namespace hybridfft::kspace
