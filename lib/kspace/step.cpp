#include "kspace/step.h"

namespace hybridfft::kspace {

State::State(const Slab &slab, grid::Host host) : pressure(slab.transform_size(), host.threads) {
  for (std::size_t a = 0; a < 3; ++a) {
    velocity[a] = Field(slab.transform_size(), host.threads);
    density[a] = Field(slab.real_size(), host.threads);
  }
}

Step::Step(State &state, const Medium &medium, const Pml &pml, Derivative &derivative,
           const Parameters &parameters, const Slab &slab, grid::Host host)
    : state_(state), medium_(medium), pml_(pml), derivative_(derivative), dt_(parameters.dt),
      slab_(slab), host_(host) {}

void Step::update_velocity() {
  derivative_.gradient(state_.pressure, [&](int axis, const Field &gradient) {
    const auto u = state_.velocity[static_cast<std::size_t>(axis)].view(slab_);
    const auto g = gradient.view(slab_);
    std::visit(
        [&](auto m, auto b) {
          for_each([=](auto z, auto y, auto x) {
            const float damp = m(z, y, x);
            u(z, y, x) = damp * (damp * u(z, y, x) - b(z, y, x) * g(z, y, x));
          });
        },
        pml_.at_velocity(axis), medium_.mobility(axis).view());
  });
}

void Step::update_density() {
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const auto rho = state_.density[a].view(slab_);
    const float dt = dt_;
    derivative_.divergence_term(axis, state_.velocity[a], [&](const Field &term) {
      const auto e = term.view(slab_);
      std::visit(
          [&](auto m, auto rho0) {
            for_each([=](auto z, auto y, auto x) {
              const float damp = m(z, y, x);
              rho(z, y, x) = damp * (damp * rho(z, y, x) - dt * rho0(z, y, x) * e(z, y, x));
            });
          },
          pml_.at_pressure(axis), medium_.density().view());
    });
  }
}

void Step::update_pressure() {
  const auto p = state_.pressure.view(slab_);
  const auto x_part = state_.density[0].view(slab_);
  const auto y_part = state_.density[1].view(slab_);
  const auto z_part = state_.density[2].view(slab_);
  std::visit(
      [&](auto c2) {
        for_each([=](auto z, auto y, auto x) {
          p(z, y, x) = c2(z, y, x) * (x_part(z, y, x) + y_part(z, y, x) + z_part(z, y, x));
        });
      },
      medium_.speed_squared().view());
}

void Step::start_from_pressure() {
  const auto p = state_.pressure.view(slab_);
  // The gradient uses up the pressure; one of the densities keeps it meanwhile.
  const auto keep = state_.density[0].view(slab_);
  for_each([=](auto z, auto y, auto x) { keep(z, y, x) = p(z, y, x); });
  derivative_.gradient(state_.pressure, [&](int axis, const Field &gradient) {
    const auto u = state_.velocity[static_cast<std::size_t>(axis)].view(slab_);
    const auto g = gradient.view(slab_);
    std::visit(
        [&](auto b) {
          for_each([=](auto z, auto y, auto x) { u(z, y, x) = 0.5F * b(z, y, x) * g(z, y, x); });
        },
        medium_.mobility(axis).view());
  });
  const auto y_part = state_.density[1].view(slab_);
  const auto z_part = state_.density[2].view(slab_);
  std::visit(
      [&](auto c2) {
        for_each([=](auto z, auto y, auto x) {
          const float pressure = keep(z, y, x);
          const float third = pressure / (3.0F * c2(z, y, x));
          p(z, y, x) = pressure;
          keep(z, y, x) = third;
          y_part(z, y, x) = third;
          z_part(z, y, x) = third;
        });
      },
      medium_.speed_squared().view());
}

} // namespace hybridfft::kspace
