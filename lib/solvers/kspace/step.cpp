#include "solvers/kspace/step.h"

namespace hybridfft::kspace {

template <class Real>
Step<Real>::Step(State<Real> &state, const Medium<Real> &medium, const Pml<Real> &pml,
                 const GridMetric<Real> &metric, const Sources<Real> &sources,
                 Derivative<Real> &derivative, const Parameters &parameters, const LocalGrid &local,
                 const Exec &exec)
    : physics_(state, medium, pml, metric, parameters, local, exec), sources_(sources),
      derivative_(derivative) {
  if (!physics_.is_local() && medium.absorption().uniform())
    derivative.set_uniform_absorption(medium.absorption().value(), medium.dispersion().value());
  prepare_sweeps();
}

/// Chooses the outputs that the pass over the velocity's divergence computes. Without a power law,
/// the pass also computes the pressure, unless sources change the densities before the pressure is
/// computed.
template <class Real> void Step<Real>::prepare_sweeps() {
  if (!physics_.is_local()) {
    // The outputs are the operands of the absorption.
    driven_ = {-1, 0, -1};
    driven_outputs_[0] = Output<Real>::operand(Operator::absorption);
    undriven_ = {-1, 0, 1};
    undriven_outputs_ = driven_outputs_;
    undriven_outputs_[1] = Output<Real>::operand(Operator::absorption);
    return;
  }
  undriven_.pressure = 0;
  if (physics_.absorption != Absorption::stokes) return;
  driven_.compression = undriven_.compression = 1;
  undriven_outputs_[1] = Output<Real>::row();
  driven_outputs_[1] = Output<Real>::row(&physics_.compression);
}

template <class Real> void Step<Real>::update_velocity(std::int64_t n) {
  const bool driven = sources_.drive_velocity_at(n);
  derivative_.apply(Operator::gradient, VelocityEquation<Real>(physics_),
                    driven ? Outputs{} : velocity_operands());
  if (!driven) return;
  sources_.drive_velocity(n, physics_.state, derivative_);
  derivative_.apply(Operator::none, RowKernel<Real>(), velocity_operands());
}

template <class Real>
void Step<Real>::update_density_and_pressure(std::int64_t n, bool keep_pressure) {
  const bool driven = sources_.drive_density_at(n);
  const DensitySweep &sweep = driven ? driven_ : undriven_;
  const Output<Real> pressure = pressure_operand(keep_pressure);
  Outputs outputs = driven ? driven_outputs_ : undriven_outputs_;
  if (sweep.pressure >= 0) outputs[static_cast<std::size_t>(sweep.pressure)] = pressure;
  derivative_.apply(Operator::divergence, DensityEquation<Real>(physics_, sweep), outputs);
  if (driven) sources_.drive_density(n, physics_.state, derivative_);
  if (sweep.pressure < 0) update_pressure(sweep, pressure);
}

template <class Real>
void Step<Real>::update_pressure(const DensitySweep &sweep, const Output<Real> &pressure) {
  if (physics_.is_local())
    return derivative_.apply(Operator::none, StateEquation<Real>(physics_), std::array{pressure});
  if (sweep.sum < 0)
    derivative_.apply(
        Operator::none, TotalDensityEquation<Real>(physics_),
        std::array{Output<Real>::skip(), Output<Real>::operand(Operator::absorption)});
  const bool uniform = physics_.medium.absorption().uniform();
  derivative_.apply(uniform ? Operator::absorption : Operator::laplacians,
                    AbsorbingStateEquation<Real>(physics_), std::array{pressure});
}

template <class Real> void Step<Real>::start_from_pressure() {
  const LocalGrid &local = physics_.local;
  State<Real> &state = physics_.state;
  const Lattice fields = local.lattice();
  Real *p = state.pressure.data();
  // The gradient may overwrite the pressure, so a copy is stored in a density component.
  Real *kept = state.density[0].data();
  for_points(physics_.exec, local.box(), kernels::Copy<Real>{fields, fields, p, kept});
  begin();
  derivative_.apply(Operator::gradient, VelocityEquation<Real>(physics_, true), {});
  for (int axis = local.dimensions() - 1; axis >= 0; --axis)
    for_points(physics_.exec, local.box(),
               kernels::SplitPressure<Real>{
                   fields, kept, p, state.density[static_cast<std::size_t>(axis)].data(),
                   kernels::Coefficient<Real>(physics_.medium.speed_squared().rows()),
                   static_cast<Real>(local.dimensions())});
  begin();
}

template class Step<float>;
template class Step<double>;

} // namespace hybridfft::kspace
