#include "solvers/kspace/medium/coefficient.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace hybridfft::kspace {

template <class Real>
Coefficient<Real> Coefficient<Real>::read(const InputFile<Real> &file, const std::string &dataset,
                                          Values allowed, const LocalGrid &local, grid::Host host,
                                          const grid::Communicator &comm) {
  Coefficient<Real> c;
  c.local_ = local;
  c.host_ = host;
  if (file.is_scalar(dataset)) {
    c.set_uniform(file.real(dataset, allowed));
    return c;
  }
  c.uniform_ = false;
  comm.agree([&] { c.field_ = Field<Real>(local.size(), host.threads); });
  file.field(dataset, local, allowed, c.field_);
  return c;
}

template <class Real>
Coefficient<Real> Coefficient<Real>::empty_copy(const grid::Communicator &comm) const {
  Coefficient<Real> c;
  c.local_ = local_;
  c.host_ = host_;
  c.uniform_ = uniform_;
  if (!uniform()) comm.agree([&] { c.field_ = Field<Real>(local_.value().size(), host_.threads); });
  return c;
}

template <class Real> void Coefficient<Real>::set_uniform(double value) {
  uniform_ = true;
  value_ = static_cast<Real>(value);
  finite_ = std::isfinite(value_);
  const auto values = static_cast<std::size_t>(local_.value().box().extent(2));
  row_ = ExecArray<Real>(std::vector<Real>(values, value_));
}

template <class Real> void Coefficient<Real>::move_to(const Exec &exec) {
  row_.move_to(exec);
  if (uniform() || exec.device == nullptr) return;
  Field<Real> moved(field_.size(), exec);
  moved.assign(field_);
  field_ = std::move(moved);
}

template <class Real> grid::Rows<Real> Coefficient<Real>::rows() const {
  if (uniform()) return {row_.data(), 0, 0};
  return field_.rows(*local_);
}

template <class Real> double Coefficient<Real>::max(const grid::Communicator &comm) const {
  Real most = uniform() ? value_ : std::numeric_limits<Real>::lowest();
  if (!uniform()) {
    const grid::Box &box = local_->box();
    most = grid::reduce(
        host_, grid::Box{box.extent(0), box.extent(1), 1}, most,
        [&](auto i, auto j, auto) { return rows::largest(box.extent(2), row(i, j)); },
        [](Real a, Real b) { return std::max(a, b); });
  }
  return comm.max(static_cast<double>(most));
}

template <class Real> bool Coefficient<Real>::finite(const grid::Communicator &comm) const {
  return comm.max(std::int64_t{finite_ ? 0 : 1}) == 0;
}

template class Coefficient<float>;
template class Coefficient<double>;

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

template <class Real>
GridMetric<Real>::GridMetric(const InputFile<Real> &file, const Parameters &parameters,
                             const LocalGrid &local) {
  for (int axis = 0; axis < local.dimensions(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    if (!parameters.nonuniform_grid) {
      this->centred_[a] = AxisProfile<Real>(local);
      this->staggered_[a] = AxisProfile<Real>(local);
      continue;
    }
    const std::string x = axis_name(axis);
    const auto read = [&](const std::string &dataset) {
      return AxisProfile<Real>(
          file.list(dataset, static_cast<std::size_t>(parameters.n[a]), Values::finite), axis,
          local);
    };
    this->centred_[a] = read("d" + x + "ud" + x + "n");
    this->staggered_[a] = read("d" + x + "ud" + x + "n_sg" + x);
  }
}

template class GridMetric<float>;
template class GridMetric<double>;

} // namespace hybridfft::kspace
