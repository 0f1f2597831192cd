#include "solvers/kspace/medium/coefficient.h"

#include <algorithm>
#include <cmath>
#include <limits>
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

} // namespace hybridfft::kspace
