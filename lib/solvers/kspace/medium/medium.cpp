#include "solvers/kspace/medium/medium.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "solvers/kspace/base/rows.h"
#include "solvers/kspace/medium/absorption.h"

namespace hybridfft::kspace {

template <class Real>
Coefficient<Real> Coefficient<Real>::read(const InputFile &file, const std::string &dataset,
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
GridMetric<Real>::GridMetric(const InputFile &file, const Parameters &parameters,
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
          file.list<Real>(dataset, static_cast<std::size_t>(parameters.n[a]), Values::finite), axis,
          local);
    };
    this->centred_[a] = read("d" + x + "ud" + x + "n");
    this->staggered_[a] = read("d" + x + "ud" + x + "n_sg" + x);
  }
}

template class GridMetric<float>;
template class GridMetric<double>;

namespace {

/// Throws InputError if a coefficient derived from a dataset overflows Real.
template <class Real>
void require_in_range(const InputFile &file, const std::string &dataset, const std::string &what,
                      const Coefficient<Real> &derived, const grid::Communicator &comm) {
  if (!derived.finite(comm))
    file.reject(dataset, "too large or too small",
                std::string("values with which ") + what + " is a finite number of " +
                    (sizeof(Real) == sizeof(float) ? "single" : "double") + " precision");
}

} // namespace

template <class Real>
Medium<Real>::Medium(const InputFile &file, const Parameters &parameters, const LocalGrid &local,
                     grid::Host host, const grid::Communicator &comm) {
  const auto read = [&](const std::string &dataset, Values allowed) {
    return Coefficient<Real>::read(file, dataset, allowed, local, host, comm);
  };
  speed_squared_ = read("c0", Values::positive);
  max_speed_ = speed_squared_.max(comm);
  if (parameters.absorption != Absorption::none)
    set_absorption(file, parameters, read("alpha_coeff", Values::non_negative), comm);
  speed_squared_.transform([](double c) { return c * c; });
  require_in_range(file, "c0", "c0^2", speed_squared_, comm);
  density_ = read("rho0", Values::positive);
  for (int axis = 0; axis < parameters.dimensions(); ++axis) {
    const std::string name = std::string("rho0_sg") + axis_name(axis);
    Coefficient<Real> &dt_over_rho0 = dt_over_rho0_[static_cast<std::size_t>(axis)];
    dt_over_rho0 = read(name, Values::positive);
    const double dt = parameters.dt;
    dt_over_rho0.transform([dt](double density) { return dt / density; });
    require_in_range(file, name, "dt / " + name, dt_over_rho0, comm);
  }
  if (!parameters.nonlinear) return;
  nonlinearity_ = Coefficient<Real>::combine(
      read("BonA", Values::finite), density_, comm,
      [](std::ptrdiff_t n, const Real *b_on_a, const Real *density, Real *to) {
        for (std::ptrdiff_t k = 0; k < n; ++k)
          to[k] = static_cast<Real>(static_cast<double>(b_on_a[k]) /
                                    (2 * static_cast<double>(density[k])));
      });
  require_in_range(file, "BonA", "BonA / (2 rho0)", nonlinearity_, comm);
}

/// Sets the factors of the absorption while speed_squared_ still contains the sound speed.
template <class Real>
void Medium<Real>::set_absorption(const InputFile &file, const Parameters &parameters,
                                  Coefficient<Real> alpha, const grid::Communicator &comm) {
  const Coefficient<Real> &speed = speed_squared_;
  const auto times = [&](const AbsorptionFactor &f) {
    return [f](std::ptrdiff_t n, const Real *a, const Real *c, Real *to) {
      rows::scaled_power(n, f.scale, a, c, f.exponent, to);
    };
  };
  const double y = parameters.alpha_power;
  const bool power_law = parameters.absorption == Absorption::power_law;
  if (power_law)
    dispersion_ = Coefficient<Real>::combine(alpha, speed, comm, times(dispersion_factor(y)));
  absorption_ =
      Coefficient<Real>::combine(std::move(alpha), speed, comm, times(absorption_factor(y)));
  require_in_range(file, "alpha_coeff", "the factor tau of the absorption", absorption_, comm);
  if (power_law)
    require_in_range(file, "alpha_coeff", "the factor eta of the dispersion", dispersion_, comm);
}

template class Medium<float>;
template class Medium<double>;

} // namespace hybridfft::kspace
