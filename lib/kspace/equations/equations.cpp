#include "kspace/equations/equations.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

namespace {

rows::Profile at(const grid::Separable<Real> &s, const Row &row) {
  return {s.across[row.i * s.step_i + row.j * s.step_j], s.along_k + row.first};
}

} // namespace

Physics::Physics(State &s, const Medium &m, const Pml &p, const GridMetric &c,
                 const Parameters &parameters, const LocalGrid &l, const Exec &e)
    : state(s), medium(m), pml(p), metric(c), local(l), exec(e),
      dt(static_cast<Real>(parameters.dt)), nonlinear(parameters.nonlinear),
      absorption(parameters.absorption), zero_row(static_cast<std::size_t>(l.pitch()), 0.0F) {
  if (absorption == Absorption::stokes && parameters.p_source_steps > 0)
    compression = Field(local.size(), exec);
}

rows::Densities Physics::densities(const Row &row) const {
  const auto component = [&](std::size_t axis) -> const Real * {
    return static_cast<int>(axis) < local.dimensions() ? at(state.density[axis], row)
                                                       : zero_row.data();
  };
  return {component(0), component(1), component(2)};
}

void StartEquation::component(int axis, const Row &row, const Real *slope, OutputRows) const {
  rows::velocity_at_start(row.count, at(s_.metric.at_velocity(axis), row),
                          s_.at(s_.medium.dt_over_rho0(axis), row), slope,
                          s_.at(s_.state.velocity[static_cast<std::size_t>(axis)], row));
}

void VelocityEquation::component(int axis, const Row &row, const Real *slope, OutputRows) const {
  rows::velocity(row.count, at(s_.pml.at_velocity(axis), row), at(s_.metric.at_velocity(axis), row),
                 s_.at(s_.medium.dt_over_rho0(axis), row), slope,
                 s_.at(s_.state.velocity[static_cast<std::size_t>(axis)], row));
}

void StateEquation::end(const Row &row, OutputRows out) const {
  apply(row, s_.compression.data() != nullptr ? s_.at(s_.compression, row) : nullptr, out[0]);
}

void StateEquation::apply(const Row &row, const Real *compression, Real *p) const {
  if (s_.absorption == Absorption::stokes)
    with_rest(row, rows::Rest::product, s_.at(s_.medium.absorption(), row), compression, p);
  else
    with_rest(row, rows::Rest::none, nullptr, nullptr, p);
}

void StateEquation::with_rest(const Row &row, rows::Rest rest, const Real *a, const Real *b,
                              Real *p) const {
  const Real *nonlinear = s_.nonlinear ? s_.at(s_.medium.nonlinearity(), row) : nullptr;
  rows::state_equation(row.count, s_.at(s_.medium.speed_squared(), row), s_.densities(row),
                       nonlinear, rest, a, b, p);
}

Real *DensityEquation::momentum_row(const Row &row, OutputRows out) const {
  return sweep_.pressure >= 0 ? out[sweep_.pressure] : s_.at(s_.state.pressure, row);
}

void DensityEquation::begin(const Row &row, OutputRows out) const {
  if (s_.nonlinear)
    rows::momentum_density(row.count, s_.densities(row), s_.at(s_.medium.density(), row),
                           momentum_row(row, out));
}

void DensityEquation::component(int axis, const Row &row, const Real *slope, OutputRows out) const {
  Real *rho = s_.at(s_.state.density[static_cast<std::size_t>(axis)], row);
  const Real *rho0 = s_.at(s_.medium.density(), row);
  const Real *q = s_.nonlinear ? momentum_row(row, out) : rho0;
  const rows::Profile m = at(s_.pml.at_pressure(axis), row);
  const rows::Profile s = at(s_.metric.at_pressure(axis), row);
  // The first component overwrites the output, the others add.
  if (sweep_.compression >= 0)
    rows::density_and_compression(row.count, m, s, s_.dt, q, rho0, slope, axis == 0, rho,
                                  out[sweep_.compression]);
  else
    rows::density(row.count, m, s, s_.dt, q, slope, rho);
}

void DensityEquation::end(const Row &row, OutputRows out) const {
  if (sweep_.pressure >= 0)
    StateEquation(s_).apply(row, sweep_.compression < 0 ? nullptr : out[sweep_.compression],
                            out[sweep_.pressure]);
  if (sweep_.sum >= 0) rows::total_density(row.count, s_.densities(row), out[sweep_.sum]);
}

void TotalDensity::end(const Row &row, OutputRows out) const {
  rows::total_density(row.count, s_.densities(row), out[1]);
}

void AbsorbingStateEquation::component(int c, const Row &row, const Real *values,
                                       OutputRows out) const {
  const StateEquation pressure(s_);
  if (s_.medium.absorption().uniform())
    pressure.with_rest(row, rows::Rest::product, nullptr, values, out[0]);
  else if (c == 0)
    // The row of the pressure holds the absorption until the dispersion is known too.
    rows::product(row.count, s_.at(s_.medium.absorption(), row), values, out[0]);
  else
    pressure.with_rest(row, rows::Rest::held_minus_product, s_.at(s_.medium.dispersion(), row),
                       values, out[0]);
}

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
