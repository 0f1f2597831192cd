/// The equations as kernels.
#include "kspace/equations.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

kernels::TotalDensity Physics::total_density() const {
  const auto view = [&](std::size_t axis) { return state.density[axis].view(local); };
  return {view(0), view(1), view(2), local.dimensions()};
}

kernels::StateLaw Physics::state_law() const {
  kernels::StateLaw law{medium.speed_squared().rows(), {}, nonlinear};
  if (nonlinear) law.nonlinearity = medium.nonlinearity().rows();
  return law;
}

void StartEquation::on_device(const DevicePoints &points, int axis) const {
  const auto a = static_cast<std::size_t>(axis);
  points.launch(kernels::Velocity{s_.state.velocity[a].view(s_.local), points.components[a],
                                  s_.medium.mobility(axis).rows(), s_.pml.at_velocity(axis),
                                  s_.stretch.at_velocity(axis), true});
}

void VelocityEquation::on_device(const DevicePoints &points, int axis) const {
  const auto a = static_cast<std::size_t>(axis);
  points.launch(kernels::Velocity{s_.state.velocity[a].view(s_.local), points.components[a],
                                  s_.medium.mobility(axis).rows(), s_.pml.at_velocity(axis),
                                  s_.stretch.at_velocity(axis), false});
}

void DensityEquation::on_device(const DevicePoints &points, int) const {
  kernels::Density kernel{};
  kernel.dimensions = s_.local.dimensions();
  for (int axis = 0; axis < kernel.dimensions; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    kernel.rho[a] = s_.state.density[a].view(s_.local);
    kernel.slope[a] = points.components[a];
    kernel.pml[a] = s_.pml.at_pressure(axis);
    kernel.stretch[a] = s_.stretch.at_pressure(axis);
  }
  kernel.rho0 = s_.medium.density().rows();
  kernel.dt = s_.dt;
  kernel.nonlinear = s_.nonlinear;
  const auto output = [&](int o) {
    return o < 0 ? grid::View<Real>() : points.outputs[static_cast<std::size_t>(o)];
  };
  kernel.compression = output(sweep_.compression);
  kernel.total = output(sweep_.sum);
  kernel.pressure = output(sweep_.pressure);
  kernel.law = s_.state_law();
  kernel.stokes = s_.absorption == Absorption::stokes;
  if (kernel.stokes) kernel.tau = s_.medium.absorption().rows();
  points.launch(kernel);
}

void StateEquation::on_device(const DevicePoints &points, int) const {
  kernels::Pressure kernel{};
  kernel.density = s_.total_density();
  kernel.law = s_.state_law();
  kernel.pressure = points.outputs[0];
  if (s_.absorption == Absorption::stokes) {
    kernel.a = s_.compression.view(s_.local);
    kernel.tau = s_.medium.absorption().rows();
  }
  points.launch(kernel);
}

void TotalDensity::on_device(const DevicePoints &points, int) const {
  points.launch(kernels::Sum{s_.total_density(), points.outputs[1]});
}

void AbsorbingStateEquation::on_device(const DevicePoints &points, int) const {
  kernels::Pressure kernel{};
  kernel.density = s_.total_density();
  kernel.law = s_.state_law();
  kernel.pressure = points.outputs[0];
  kernel.a = points.components[0];
  if (!s_.medium.absorption().uniform()) {
    kernel.tau = s_.medium.absorption().rows();
    kernel.b = points.components[1];
    kernel.eta = s_.medium.dispersion().rows();
  }
  points.launch(kernel);
}

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
