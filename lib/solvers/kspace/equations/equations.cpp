#include "solvers/kspace/equations/equations.h"

#include <algorithm>

#include "hybridfft/grid/all_vectors.hpp"

namespace hybridfft::kspace {

namespace {

/// A factor of the points of a row: a number for the row times a number for each point.
template <class Real> struct RowProfile {
  RowProfile(const grid::Separable<Real> &s, const Row &row)
      : across(s.across[row.i * s.step_i + row.j * s.step_j]), along(s.along_k + row.first) {}
  Real operator[](std::ptrdiff_t k) const { return across * along[k]; }

  Real across;
  const Real *along;
};

/// Calls f(k) for each point of a row, vectorised for the processor's widest vectors. The rows that
/// f accesses must be identical or disjoint.
template <class F> HFFT_ALL_VECTORS void for_row(std::ptrdiff_t n, F f) {
#pragma omp simd
  for (std::ptrdiff_t k = 0; k < n; ++k)
    f(k);
}

/// Prefetches n values of each of the given arrays, 4 n values after its first value. The
/// prefetched memory may lie beyond the end of a field.
template <class Real, class... Rows> void prefetch(std::ptrdiff_t n, const Rows *...rows) {
  constexpr std::ptrdiff_t line = 64 / static_cast<std::ptrdiff_t>(sizeof(Real));
  constexpr std::ptrdiff_t rows_ahead = 4;
  constexpr int second_level = 2;
  for (std::ptrdiff_t k = rows_ahead * n; k < (rows_ahead + 1) * n; k += line)
    (__builtin_prefetch(rows + k, 0, second_level), ...);
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

template <class Real> std::array<const Real *, 3> Physics<Real>::densities(const Row &row) const {
  const auto component = [&](std::size_t axis) -> const Real * {
    return static_cast<int>(axis) < local.dimensions() ? at(state.density[axis], row)
                                                       : zero_row.data();
  };
  return {component(0), component(1), component(2)};
}

template <class Real>
void VelocityEquation<Real>::component(int axis, const Row &row, const Real *slope,
                                       OutputRows<Real>) const {
  using Velocity = kernels::Velocity<Real>;
  const RowProfile<Real> m(s_.pml.at_velocity(axis), row), s(s_.metric.at_velocity(axis), row);
  const Real *b = s_.at(s_.medium.dt_over_rho0(axis), row);
  Real *u = s_.at(s_.state.velocity[static_cast<std::size_t>(axis)], row);
  if (at_start_)
    return for_row(row.count,
                   [=](std::ptrdiff_t k) { u[k] = Velocity::first(b[k], s[k], slope[k]); });
  prefetch<Real>(row.count, b, u);
  for_row(row.count,
          [=](std::ptrdiff_t k) { u[k] = Velocity::next(m[k], b[k], s[k], slope[k], u[k]); });
}

template <class Real>
void VelocityEquation<Real>::on_device(const DevicePoints<Real> &points, int axis) const {
  const auto a = static_cast<std::size_t>(axis);
  points.launch(kernels::Velocity<Real>{
      s_.local.lattice(), points.results, s_.state.velocity[a].data(), points.components[a],
      kernels::Coefficient<Real>(s_.medium.dt_over_rho0(axis).rows()),
      kernels::Factor<Real>(s_.pml.at_velocity(axis)),
      kernels::Factor<Real>(s_.metric.at_velocity(axis)), at_start_});
}

template <class Real>
template <class Rest>
void StateEquation<Real>::with_rest(const Row &row, Real *p, const Rest &rest) const {
  const Real *c2 = s_.at(s_.medium.speed_squared(), row);
  const auto rho = s_.densities(row);
  const Real *x = rho[0], *y = rho[1], *z = rho[2];
  if (!s_.nonlinear)
    return for_row(row.count,
                   [=](std::ptrdiff_t k) { p[k] = c2[k] * rest(k, x[k] + y[k] + z[k]); });
  const Real *factor = s_.at(s_.medium.nonlinearity(), row);
  for_row(row.count, [=](std::ptrdiff_t k) {
    p[k] =
        c2[k] * rest(k, kernels::StateLaw<Real>::nonlinear_density(x[k] + y[k] + z[k], factor[k]));
  });
}

template <class Real>
void StateEquation<Real>::apply(const Row &row, const Real *compression, Real *p) const {
  if (s_.absorption != Absorption::stokes)
    return with_rest(row, p, [](std::ptrdiff_t, Real total) { return total; });
  const Real *tau = s_.at(s_.medium.absorption(), row);
  with_rest(row, p, [=](std::ptrdiff_t k, Real total) { return total + tau[k] * compression[k]; });
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
void DensityEquation<Real>::begin(const Row &row, OutputRows<Real> out) const {
  if (!s_.nonlinear) return;
  const auto rho = s_.densities(row);
  const Real *x = rho[0], *y = rho[1], *z = rho[2], *rho0 = s_.at(s_.medium.density(), row);
  Real *q = momentum_row(row, out);
  for_row(row.count, [=](std::ptrdiff_t k) {
    q[k] = kernels::Density<Real>::momentum_density(x[k] + y[k] + z[k], rho0[k]);
  });
}

template <class Real>
void DensityEquation<Real>::component(int axis, const Row &row, const Real *slope,
                                      OutputRows<Real> out) const {
  using Density = kernels::Density<Real>;
  const RowProfile<Real> m(s_.pml.at_pressure(axis), row), s(s_.metric.at_pressure(axis), row);
  Real *rho = s_.at(s_.state.density[static_cast<std::size_t>(axis)], row);
  const Real *rho0 = s_.at(s_.medium.density(), row);
  const Real *q = s_.nonlinear ? momentum_row(row, out) : rho0;
  const Real dt = s_.dt;
  prefetch<Real>(row.count, rho);
  if (sweep_.compression < 0)
    return for_row(row.count, [=](std::ptrdiff_t k) {
      rho[k] = Density::next(m[k], dt, q[k], s[k] * slope[k], rho[k]);
    });
  Real *sum = out[sweep_.compression];
  if (axis == 0) std::fill_n(sum, row.count, Real(0));
  for_row(row.count, [=](std::ptrdiff_t k) {
    const Real g = s[k] * slope[k];
    sum[k] += rho0[k] * g;
    rho[k] = Density::next(m[k], dt, q[k], g, rho[k]);
  });
}

template <class Real> void DensityEquation<Real>::end(const Row &row, OutputRows<Real> out) const {
  if (sweep_.pressure >= 0)
    StateEquation<Real>(s_).apply(row, sweep_.compression < 0 ? nullptr : out[sweep_.compression],
                                  out[sweep_.pressure]);
  if (sweep_.sum >= 0) TotalDensityEquation<Real>(s_).apply(row, out[sweep_.sum]);
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

template <class Real> void TotalDensityEquation<Real>::apply(const Row &row, Real *sum) const {
  const auto rho = s_.densities(row);
  const Real *x = rho[0], *y = rho[1], *z = rho[2];
  for_row(row.count, [=](std::ptrdiff_t k) { sum[k] = x[k] + y[k] + z[k]; });
}

template <class Real>
void AbsorbingStateEquation<Real>::component(int c, const Row &row, const Real *values,
                                             OutputRows<Real> out) const {
  const StateEquation<Real> pressure(s_);
  Real *p = out[0];
  if (s_.medium.absorption().uniform())
    return pressure.with_rest(row, p,
                              [=](std::ptrdiff_t k, Real total) { return total + values[k]; });
  // The output row stores tau L_tau until the second component is computed.
  const Real *factor = s_.at(c == 0 ? s_.medium.absorption() : s_.medium.dispersion(), row);
  if (c == 0) return for_row(row.count, [=](std::ptrdiff_t k) { p[k] = factor[k] * values[k]; });
  pressure.with_rest(
      row, p, [=](std::ptrdiff_t k, Real total) { return total + (p[k] - factor[k] * values[k]); });
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
template class VelocityEquation<float>;
template class VelocityEquation<double>;
template class StateEquation<float>;
template class StateEquation<double>;
template class DensityEquation<float>;
template class DensityEquation<double>;
template class TotalDensityEquation<float>;
template class TotalDensityEquation<double>;
template class AbsorbingStateEquation<float>;
template class AbsorbingStateEquation<double>;

} // namespace hybridfft::kspace
