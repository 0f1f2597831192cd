/// The equations as kernels.
#include "kspace/equations/equations.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

namespace {

kernels::Velocity velocity(const Physics &s, const DevicePoints &points, int axis, bool at_start) {
  const auto a = static_cast<std::size_t>(axis);
  return {s.local.lattice(),
          points.results,
          s.state.velocity[a].data(),
          points.components[a],
          kernels::Coefficient(s.medium.dt_over_rho0(axis).rows()),
          kernels::Factor(s.pml.at_velocity(axis)),
          kernels::Factor(s.metric.at_velocity(axis)),
          at_start};
}

} // namespace

kernels::TotalDensity Physics::total_density() const {
  const auto &rho = state.density;
  return {{rho[0].data(), rho[1].data(), rho[2].data()}, local.dimensions()};
}

kernels::StateLaw Physics::state_law() const {
  kernels::StateLaw law{kernels::Coefficient(medium.speed_squared().rows()), {}, nonlinear};
  if (nonlinear) law.nonlinearity = kernels::Coefficient(medium.nonlinearity().rows());
  return law;
}

void StartEquation::on_device(const DevicePoints &points, int component) const {
  points.launch(velocity(s_, points, component, true));
}

void VelocityEquation::on_device(const DevicePoints &points, int component) const {
  points.launch(velocity(s_, points, component, false));
}

void DensityEquation::on_device(const DevicePoints &points, int) const {
  kernels::Density kernel{};
  kernel.fields = s_.local.lattice();
  kernel.results = points.results;
  kernel.dimensions = s_.local.dimensions();
  for (int axis = 0; axis < kernel.dimensions; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    kernel.rho[a] = s_.state.density[a].data();
    kernel.slope[a] = points.components[a];
    kernel.pml[a] = kernels::Factor(s_.pml.at_pressure(axis));
    kernel.metric[a] = kernels::Factor(s_.metric.at_pressure(axis));
  }
  kernel.rho0 = kernels::Coefficient(s_.medium.density().rows());
  kernel.dt = s_.dt;
  kernel.nonlinear = s_.nonlinear;
  const auto output = [&](int o) {
    return o < 0 ? nullptr : points.outputs[static_cast<std::size_t>(o)];
  };
  kernel.compression = output(sweep_.compression);
  kernel.total = output(sweep_.sum);
  kernel.pressure = output(sweep_.pressure);
  kernel.law = s_.state_law();
  kernel.stokes = s_.absorption == Absorption::stokes;
  if (kernel.stokes) kernel.tau = kernels::Coefficient(s_.medium.absorption().rows());
  points.launch(kernel);
}

void StateEquation::on_device(const DevicePoints &points, int) const {
  kernels::Pressure kernel{};
  kernel.fields = kernel.terms = s_.local.lattice();
  kernel.density = s_.total_density();
  kernel.law = s_.state_law();
  kernel.pressure = points.outputs[0];
  if (s_.absorption == Absorption::stokes) {
    kernel.a = s_.compression.data();
    kernel.tau = kernels::Coefficient(s_.medium.absorption().rows());
  }
  points.launch(kernel);
}

void TotalDensity::on_device(const DevicePoints &points, int) const {
  points.launch(kernels::Sum{s_.local.lattice(), s_.total_density(), points.outputs[1]});
}

void AbsorbingStateEquation::on_device(const DevicePoints &points, int) const {
  kernels::Pressure kernel{};
  kernel.fields = s_.local.lattice();
  kernel.terms = points.results;
  kernel.density = s_.total_density();
  kernel.law = s_.state_law();
  kernel.pressure = points.outputs[0];
  kernel.a = points.components[0];
  if (!s_.medium.absorption().uniform()) {
    kernel.tau = kernels::Coefficient(s_.medium.absorption().rows());
    kernel.b = points.components[1];
    kernel.eta = kernels::Coefficient(s_.medium.dispersion().rows());
  }
  points.launch(kernel);
}

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
