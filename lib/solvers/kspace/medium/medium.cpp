#include "solvers/kspace/medium/medium.h"

#include <utility>

#include "solvers/kspace/medium/absorption.h"
#include "solvers/kspace/medium/power_rows.h"

namespace hybridfft::kspace {

namespace {

/// Throws InputError if a coefficient derived from a dataset overflows Real.
template <class Real>
void require_in_range(const InputFile<Real> &file, const std::string &dataset,
                      const std::string &what, const Coefficient<Real> &derived,
                      const grid::Communicator &comm) {
  if (!derived.finite(comm))
    file.reject(dataset, "too large or too small",
                std::string("values with which ") + what + " is a finite number of " +
                    (sizeof(Real) == sizeof(float) ? "single" : "double") + " precision");
}

} // namespace

template <class Real>
Medium<Real>::Medium(const InputFile<Real> &file, const Parameters &parameters,
                     const LocalGrid &local, grid::Host host, const grid::Communicator &comm) {
  speed_squared_ = Coefficient<Real>::read(file, "c0", Values::positive, local, host, comm);
  max_speed_ = speed_squared_.max(comm);
  if (parameters.absorption != Absorption::none)
    read_absorption(file, parameters, speed_squared_, local, host, comm);
  speed_squared_.transform([](double c) { return c * c; });
  require_in_range(file, "c0", "c0^2", speed_squared_, comm);
  density_ = Coefficient<Real>::read(file, "rho0", Values::positive, local, host, comm);
  for (int axis = 0; axis < parameters.dimensions(); ++axis) {
    const std::string name = std::string("rho0_sg") + axis_name(axis);
    Coefficient<Real> &dt_over_rho0 = dt_over_rho0_[static_cast<std::size_t>(axis)];
    dt_over_rho0 = Coefficient<Real>::read(file, name, Values::positive, local, host, comm);
    const double dt = parameters.dt;
    dt_over_rho0.transform([dt](double density) { return dt / density; });
    require_in_range(file, name, "dt / " + name, dt_over_rho0, comm);
  }
  if (!parameters.nonlinear) return;
  nonlinearity_ = Coefficient<Real>::combine(
      Coefficient<Real>::read(file, "BonA", Values::finite, local, host, comm), density_, comm,
      [](std::ptrdiff_t n, const Real *b_on_a, const Real *density, Real *to) {
        for (std::ptrdiff_t k = 0; k < n; ++k)
          to[k] = static_cast<Real>(static_cast<double>(b_on_a[k]) /
                                    (2 * static_cast<double>(density[k])));
      });
  require_in_range(file, "BonA", "BonA / (2 rho0)", nonlinearity_, comm);
}

template <class Real> void Medium<Real>::move_to(const Exec &exec) {
  for (Coefficient<Real> *c : {&density_, &dt_over_rho0_[0], &dt_over_rho0_[1], &dt_over_rho0_[2],
                               &speed_squared_, &nonlinearity_, &absorption_, &dispersion_})
    c->move_to(exec);
}

template <class Real>
void Medium<Real>::read_absorption(const InputFile<Real> &file, const Parameters &parameters,
                                   const Coefficient<Real> &speed, const LocalGrid &local,
                                   grid::Host host, const grid::Communicator &comm) {
  Coefficient<Real> alpha =
      Coefficient<Real>::read(file, "alpha_coeff", Values::non_negative, local, host, comm);
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
