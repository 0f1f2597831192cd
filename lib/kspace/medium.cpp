#include "kspace/medium.h"

#include "kspace/absorption.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

using Values = InputFile::Values;

Medium::Medium(const InputFile &file, const Parameters &parameters, const Slab &slab,
               grid::Host host, const grid::Communicator &comm) {
  speed_squared_ = Coefficient::read(file, "c0", Values::positive, slab, host, comm);
  max_speed_ = speed_squared_.max(comm);
  if (parameters.absorption != Absorption::none)
    read_absorption(file, parameters, speed_squared_, slab, host, comm);
  speed_squared_.transform([](double c) { return c * c; });
  density_ = Coefficient::read(file, "rho0", Values::positive, slab, host, comm);
  for (int axis = 0; axis < parameters.dimensions(); ++axis) {
    const std::string name = std::string("rho0_sg") + axis_name(axis);
    if (file.is_scalar(name) != density_.uniform())
      file.reject(name, density_.uniform() ? "an array" : "a scalar",
                  density_.uniform() ? "a scalar, as rho0 is" : "an array, as rho0 is");
    Coefficient &mobility = mobility_[static_cast<std::size_t>(axis)];
    mobility = Coefficient::read(file, name, Values::positive, slab, host, comm);
    const double dt = parameters.dt;
    mobility.transform([dt](double density) { return dt / density; });
  }
  if (parameters.nonlinear)
    nonlinearity_ = Coefficient::combine(
        Coefficient::read(file, "BonA", Values::finite, slab, host, comm), density_, comm,
        [](double b_on_a, double density) { return b_on_a / (2 * density); });
}

void Medium::read_absorption(const InputFile &file, const Parameters &parameters,
                             const Coefficient &speed, const Slab &slab, grid::Host host,
                             const grid::Communicator &comm) {
  const Coefficient alpha =
      Coefficient::read(file, "alpha_coeff", Values::non_negative, slab, host, comm);
  const double y = parameters.alpha_power;
  absorption_ = Coefficient::combine(
      alpha, speed, comm, [y](double a, double c) { return absorption_factor(a, y, c); });
  if (parameters.absorption == Absorption::power_law)
    dispersion_ = Coefficient::combine(
        alpha, speed, comm, [y](double a, double c) { return dispersion_factor(a, y, c); });
}

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
