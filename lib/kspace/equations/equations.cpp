#include "kspace/equations/equations.h"

namespace hybridfft::kspace {

namespace {

template <class Real> rows::Profile<Real> at(const grid::Separable<Real> &s, const Row &row) {
  return {s.across[row.i * s.step_i + row.j * s.step_j], s.along_k + row.first};
}

} // namespace

template <class Real>
Physics<Real>::Physics(State<Real> &s, const Medium<Real> &m, const Pml<Real> &p,
                       const GridMetric<Real> &c, const Parameters &parameters, const LocalGrid &l,
                       const Exec &e)
    : state(s), medium(m), pml(p), metric(c), local(l), exec(e),
      dt(static_cast<Real>(parameters.dt)), nonlinear(parameters.nonlinear),
      absorption(parameters.absorption), zero_row(static_cast<std::size_t>(l.pitch()), 0.0F) {
  if (absorption == Absorption::stokes && parameters.p_source_steps > 0)
    compression = Field<Real>(local.size(), exec);
}

template <class Real> rows::Densities<Real> Physics<Real>::densities(const Row &row) const {
  const auto component = [&](std::size_t axis) -> const Real * {
    return static_cast<int>(axis) < local.dimensions() ? at(state.density[axis], row)
                                                       : zero_row.data();
  };
  return {component(0), component(1), component(2)};
}

template <class Real>
void StartEquation<Real>::component(int axis, const Row &row, const Real *slope,
                                    OutputRows<Real>) const {
  rows::velocity_at_start(row.count, at(s_.metric.at_velocity(axis), row),
                          s_.at(s_.medium.dt_over_rho0(axis), row), slope,
                          s_.at(s_.state.velocity[static_cast<std::size_t>(axis)], row));
}

template <class Real>
void VelocityEquation<Real>::component(int axis, const Row &row, const Real *slope,
                                       OutputRows<Real>) const {
  rows::velocity(row.count, at(s_.pml.at_velocity(axis), row), at(s_.metric.at_velocity(axis), row),
                 s_.at(s_.medium.dt_over_rho0(axis), row), slope,
                 s_.at(s_.state.velocity[static_cast<std::size_t>(axis)], row));
}

template <class Real> void StateEquation<Real>::end(const Row &row, OutputRows<Real> out) const {
  apply(row, s_.compression.data() != nullptr ? s_.at(s_.compression, row) : nullptr, out[0]);
}

template <class Real>
void StateEquation<Real>::apply(const Row &row, const Real *compression, Real *p) const {
  if (s_.absorption == Absorption::stokes)
    with_rest(row, rows::Rest::product, s_.at(s_.medium.absorption(), row), compression, p);
  else
    with_rest(row, rows::Rest::none, nullptr, nullptr, p);
}

template <class Real>
void StateEquation<Real>::with_rest(const Row &row, rows::Rest rest, const Real *a, const Real *b,
                                    Real *p) const {
  const Real *nonlinear = s_.nonlinear ? s_.at(s_.medium.nonlinearity(), row) : nullptr;
  rows::state_equation(row.count, s_.at(s_.medium.speed_squared(), row), s_.densities(row),
                       nonlinear, rest, a, b, p);
}

template <class Real>
Real *DensityEquation<Real>::momentum_row(const Row &row, OutputRows<Real> out) const {
  return sweep_.pressure >= 0 ? out[sweep_.pressure] : s_.at(s_.state.pressure, row);
}

template <class Real>
void DensityEquation<Real>::begin(const Row &row, OutputRows<Real> out) const {
  if (s_.nonlinear)
    rows::momentum_density(row.count, s_.densities(row), s_.at(s_.medium.density(), row),
                           momentum_row(row, out));
}

template <class Real>
void DensityEquation<Real>::component(int axis, const Row &row, const Real *slope,
                                      OutputRows<Real> out) const {
  Real *rho = s_.at(s_.state.density[static_cast<std::size_t>(axis)], row);
  const Real *rho0 = s_.at(s_.medium.density(), row);
  const Real *q = s_.nonlinear ? momentum_row(row, out) : rho0;
  const rows::Profile<Real> m = at(s_.pml.at_pressure(axis), row);
  const rows::Profile<Real> s = at(s_.metric.at_pressure(axis), row);
  // The first component overwrites the output, the others add.
  if (sweep_.compression >= 0)
    rows::density_and_compression(row.count, m, s, s_.dt, q, rho0, slope, axis == 0, rho,
                                  out[sweep_.compression]);
  else
    rows::density(row.count, m, s, s_.dt, q, slope, rho);
}

template <class Real> void DensityEquation<Real>::end(const Row &row, OutputRows<Real> out) const {
  if (sweep_.pressure >= 0)
    StateEquation<Real>(s_).apply(row, sweep_.compression < 0 ? nullptr : out[sweep_.compression],
                                  out[sweep_.pressure]);
  if (sweep_.sum >= 0) rows::total_density(row.count, s_.densities(row), out[sweep_.sum]);
}

template <class Real> void TotalDensity<Real>::end(const Row &row, OutputRows<Real> out) const {
  rows::total_density(row.count, s_.densities(row), out[1]);
}

template <class Real>
void AbsorbingStateEquation<Real>::component(int c, const Row &row, const Real *values,
                                             OutputRows<Real> out) const {
  const StateEquation<Real> pressure(s_);
  if (s_.medium.absorption().uniform())
    pressure.with_rest(row, rows::Rest::product, nullptr, values, out[0]);
  else if (c == 0)
    // The row of the pressure holds the absorption until the dispersion is known too.
    rows::product(row.count, s_.at(s_.medium.absorption(), row), values, out[0]);
  else
    pressure.with_rest(row, rows::Rest::held_minus_product, s_.at(s_.medium.dispersion(), row),
                       values, out[0]);
}

namespace {

template <class Real>
kernels::Velocity<Real> velocity(const Physics<Real> &s, const DevicePoints<Real> &points, int axis,
                                 bool at_start) {
  const auto a = static_cast<std::size_t>(axis);
  return {s.local.lattice(),
          points.results,
          s.state.velocity[a].data(),
          points.components[a],
          kernels::Coefficient<Real>(s.medium.dt_over_rho0(axis).rows()),
          kernels::Factor<Real>(s.pml.at_velocity(axis)),
          kernels::Factor<Real>(s.metric.at_velocity(axis)),
          at_start};
}

} // namespace

template <class Real> kernels::TotalDensity<Real> Physics<Real>::total_density() const {
  const auto &rho = state.density;
  return {{rho[0].data(), rho[1].data(), rho[2].data()}, local.dimensions()};
}

template <class Real> kernels::StateLaw<Real> Physics<Real>::state_law() const {
  kernels::StateLaw<Real> law{
      kernels::Coefficient<Real>(medium.speed_squared().rows()), {}, nonlinear};
  if (nonlinear) law.nonlinearity = kernels::Coefficient<Real>(medium.nonlinearity().rows());
  return law;
}

template <class Real>
void StartEquation<Real>::on_device(const DevicePoints<Real> &points, int component) const {
  points.launch(velocity(s_, points, component, true));
}

template <class Real>
void VelocityEquation<Real>::on_device(const DevicePoints<Real> &points, int component) const {
  points.launch(velocity(s_, points, component, false));
}

template <class Real>
void DensityEquation<Real>::on_device(const DevicePoints<Real> &points, int) const {
  kernels::Density<Real> kernel{};
  kernel.fields = s_.local.lattice();
  kernel.results = points.results;
  kernel.dimensions = s_.local.dimensions();
  for (int axis = 0; axis < kernel.dimensions; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    kernel.rho[a] = s_.state.density[a].data();
    kernel.slope[a] = points.components[a];
    kernel.pml[a] = kernels::Factor<Real>(s_.pml.at_pressure(axis));
    kernel.metric[a] = kernels::Factor<Real>(s_.metric.at_pressure(axis));
  }
  kernel.rho0 = kernels::Coefficient<Real>(s_.medium.density().rows());
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
  if (kernel.stokes) kernel.tau = kernels::Coefficient<Real>(s_.medium.absorption().rows());
  points.launch(kernel);
}

template <class Real>
void StateEquation<Real>::on_device(const DevicePoints<Real> &points, int) const {
  kernels::Pressure<Real> kernel{};
  kernel.fields = kernel.terms = s_.local.lattice();
  kernel.density = s_.total_density();
  kernel.law = s_.state_law();
  kernel.pressure = points.outputs[0];
  if (s_.absorption == Absorption::stokes) {
    kernel.a = s_.compression.data();
    kernel.tau = kernels::Coefficient<Real>(s_.medium.absorption().rows());
  }
  points.launch(kernel);
}

template <class Real>
void TotalDensity<Real>::on_device(const DevicePoints<Real> &points, int) const {
  points.launch(kernels::Sum<Real>{s_.local.lattice(), s_.total_density(), points.outputs[1]});
}

template <class Real>
void AbsorbingStateEquation<Real>::on_device(const DevicePoints<Real> &points, int) const {
  kernels::Pressure<Real> kernel{};
  kernel.fields = s_.local.lattice();
  kernel.terms = points.results;
  kernel.density = s_.total_density();
  kernel.law = s_.state_law();
  kernel.pressure = points.outputs[0];
  kernel.a = points.components[0];
  if (!s_.medium.absorption().uniform()) {
    kernel.tau = kernels::Coefficient<Real>(s_.medium.absorption().rows());
    kernel.b = points.components[1];
    kernel.eta = kernels::Coefficient<Real>(s_.medium.dispersion().rows());
  }
  points.launch(kernel);
}

template struct Physics<float>;
template struct Physics<double>;
template class StartEquation<float>;
template class StartEquation<double>;
template class VelocityEquation<float>;
template class VelocityEquation<double>;
template class StateEquation<float>;
template class StateEquation<double>;
template class DensityEquation<float>;
template class DensityEquation<double>;
template class TotalDensity<float>;
template class TotalDensity<double>;
template class AbsorbingStateEquation<float>;
template class AbsorbingStateEquation<double>;

} // namespace hybridfft::kspace
