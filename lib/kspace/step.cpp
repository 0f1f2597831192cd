#include "kspace/step.h"

namespace hybridfft::kspace {

State::State(const Slab &slab, grid::Host host) : pressure(slab.transform_size(), host.threads) {
  for (std::size_t a = 0; a < static_cast<std::size_t>(slab.dimensions()); ++a) {
    velocity[a] = Field(slab.transform_size(), host.threads);
    density[a] = Field(slab.real_size(), host.threads);
  }
}

Stretch::Stretch(const InputFile &file, const Parameters &parameters, const Slab &slab) {
  for (int axis = 0; axis < slab.dimensions(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    if (!parameters.nonuniform_grid) {
      centred_[a] = staggered_[a] = AxisProfile(slab);
      continue;
    }
    const std::string x = axis_name(axis);
    const auto read = [&](const std::string &dataset) {
      return AxisProfile(
          file.list(dataset, static_cast<std::size_t>(parameters.n[a]), InputFile::Values::finite),
          axis, slab);
    };
    centred_[a] = read("d" + x + "ud" + x + "n");
    staggered_[a] = read("d" + x + "ud" + x + "n_sg" + x);
  }
}

Step::Step(State &state, const Medium &medium, const Pml &pml, const Stretch &stretch,
           Derivative &derivative, const Parameters &parameters, const Slab &slab, grid::Host host)
    : state_(state), medium_(medium), pml_(pml), stretch_(stretch), derivative_(derivative),
      dt_(parameters.dt), nonlinear_(parameters.nonlinear), absorption_(parameters.absorption),
      slab_(slab), host_(host), zero_row_(static_cast<std::size_t>(slab.pitch()), 0.0F) {
  if (absorption_ != Absorption::none) compression_ = Field(slab.transform_size(), host.threads);
}

grid::Rows<float> Step::density(int axis) const {
  if (axis >= slab_.dimensions()) return {zero_row_.data(), 0, 0};
  return state_.density[static_cast<std::size_t>(axis)].rows(slab_);
}

void Step::update_velocity() {
  derivative_.gradient(state_.pressure, [&](int axis, const Field &gradient) {
    const auto u = state_.velocity[static_cast<std::size_t>(axis)].view(slab_);
    const auto g = gradient.rows(slab_);
    const auto m = pml_.at_velocity(axis);
    const auto s = stretch_.at_velocity(axis);
    const auto b = medium_.mobility(axis).rows();
    for_each([=](auto i, auto j, auto k) {
      const float damp = m(i, j, k);
      u(i, j, k) = damp * (damp * u(i, j, k) - b(i, j, k) * s(i, j, k) * g(i, j, k));
    });
  });
}

void Step::update_density() {
  grid::Rows<float> factor = medium_.density().rows();
  if (nonlinear_) {
    // The pressure is used up by now: it holds q, which all components need unchanged.
    const auto q = state_.pressure.view(slab_);
    const auto rho0 = factor;
    const auto x = density(0);
    const auto y = density(1);
    const auto z = density(2);
    for_each([=](auto i, auto j, auto k) {
      q(i, j, k) = 2.0F * (x(i, j, k) + y(i, j, k) + z(i, j, k)) + rho0(i, j, k);
    });
    factor = state_.pressure.rows(slab_);
  }
  for (int axis = 0; axis < slab_.dimensions(); ++axis)
    update_density_component(axis, factor);
}

void Step::update_density_component(int axis, grid::Rows<float> factor) {
  const auto a = static_cast<std::size_t>(axis);
  const auto rho = state_.density[a].view(slab_);
  const auto m = pml_.at_pressure(axis);
  const auto s = stretch_.at_pressure(axis);
  const float dt = dt_;
  derivative_.divergence_term(axis, state_.velocity[a], [&](const Field &term) {
    const auto e = term.rows(slab_);
    const auto update = [=](auto i, auto j, auto k, float slope) {
      const float damp = m(i, j, k);
      rho(i, j, k) = damp * (damp * rho(i, j, k) - dt * factor(i, j, k) * slope);
    };
    if (absorption_ == Absorption::none) {
      for_each([=](auto i, auto j, auto k) { update(i, j, k, s(i, j, k) * e(i, j, k)); });
      return;
    }
    const auto sum = compression_.view(slab_);
    const auto rho0 = medium_.density().rows();
    // The first component overwrites whatever there is, the others add.
    if (axis == 0)
      for_each([=](auto i, auto j, auto k) {
        const float slope = s(i, j, k) * e(i, j, k);
        sum(i, j, k) = rho0(i, j, k) * slope;
        update(i, j, k, slope);
      });
    else
      for_each([=](auto i, auto j, auto k) {
        const float slope = s(i, j, k) * e(i, j, k);
        sum(i, j, k) += rho0(i, j, k) * slope;
        update(i, j, k, slope);
      });
  });
}

template <class Rest> void Step::state_equation(const Rest &rest) {
  const auto p = state_.pressure.view(slab_);
  const auto x = density(0);
  const auto y = density(1);
  const auto z = density(2);
  const auto c2 = medium_.speed_squared().rows();
  if (!nonlinear_) {
    for_each([=](auto i, auto j, auto k) {
      p(i, j, k) = c2(i, j, k) * (x(i, j, k) + y(i, j, k) + z(i, j, k) + rest(i, j, k));
    });
    return;
  }
  const auto b = medium_.nonlinearity().rows();
  for_each([=](auto i, auto j, auto k) {
    const float rho = x(i, j, k) + y(i, j, k) + z(i, j, k);
    p(i, j, k) = c2(i, j, k) * (rho + b(i, j, k) * rho * rho + rest(i, j, k));
  });
}

void Step::update_pressure() {
  if (absorption_ == Absorption::none) return state_equation([](auto, auto, auto) { return 0.0F; });
  if (absorption_ == Absorption::power_law) return absorb_by_power_law();
  const auto tau = medium_.absorption().rows();
  const auto sum = compression_.rows(slab_);
  state_equation([=](auto i, auto j, auto k) { return tau(i, j, k) * sum(i, j, k); });
}

void Step::sum_densities(const Field &into) const {
  const auto rho = into.view(slab_);
  const auto x = density(0);
  const auto y = density(1);
  const auto z = density(2);
  for_each([=](auto i, auto j, auto k) { rho(i, j, k) = x(i, j, k) + y(i, j, k) + z(i, j, k); });
}

void Step::absorb_by_power_law() {
  // The pressure is used up: it holds the density.
  sum_densities(state_.pressure);
  if (medium_.absorption().uniform()) {
    derivative_.absorb(medium_.absorption().value(), compression_, medium_.dispersion().value(),
                       state_.pressure, [&](const Field &result) {
                         const auto l = result.rows(slab_);
                         state_equation([=](auto i, auto j, auto k) { return l(i, j, k); });
                       });
    return;
  }
  const auto loss = compression_.view(slab_);
  const auto tau = medium_.absorption().rows();
  derivative_.fractional_laplacian(
      FractionalLaplacian::absorption, compression_, [&](const Field &result) {
        const auto l = result.rows(slab_);
        for_each([=](auto i, auto j, auto k) { loss(i, j, k) = tau(i, j, k) * l(i, j, k); });
      });
  const auto eta = medium_.dispersion().rows();
  derivative_.fractional_laplacian(FractionalLaplacian::dispersion, state_.pressure,
                                   [&](const Field &result) {
                                     const auto l = result.rows(slab_);
                                     state_equation([=](auto i, auto j, auto k) {
                                       return loss(i, j, k) - eta(i, j, k) * l(i, j, k);
                                     });
                                   });
}

void Step::start_from_pressure() {
  const auto p = state_.pressure.view(slab_);
  // The gradient uses up the pressure; one of the densities keeps it meanwhile.
  const auto keep = state_.density[0].view(slab_);
  for_each([=](auto i, auto j, auto k) { keep(i, j, k) = p(i, j, k); });
  derivative_.gradient(state_.pressure, [&](int axis, const Field &gradient) {
    const auto u = state_.velocity[static_cast<std::size_t>(axis)].view(slab_);
    const auto g = gradient.rows(slab_);
    const auto b = medium_.mobility(axis).rows();
    const auto s = stretch_.at_velocity(axis);
    for_each(
        [=](auto i, auto j, auto k) { u(i, j, k) = 0.5F * b(i, j, k) * s(i, j, k) * g(i, j, k); });
  });
  const auto c2 = medium_.speed_squared().rows();
  for (int axis = slab_.dimensions() - 1; axis >= 0; --axis) {
    const auto rho = state_.density[static_cast<std::size_t>(axis)].view(slab_);
    const auto share = static_cast<float>(slab_.dimensions());
    for_each([=](auto i, auto j, auto k) {
      const float pressure = keep(i, j, k);
      p(i, j, k) = pressure;
      rho(i, j, k) = pressure / (share * c2(i, j, k));
    });
  }
}

} // namespace hybridfft::kspace
