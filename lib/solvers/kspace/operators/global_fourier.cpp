#include "solvers/kspace/operators/global_fourier.h"

#include <cmath>

namespace hybridfft::kspace {

template <class Real>
GlobalFourier<Real>::GlobalFourier(const Parameters &parameters, const LocalGrid &local,
                                   const grid::Communicator &comm, grid::Host host, Effort effort,
                                   Field<Real> &scratch, const LaplacianMultipliers &multipliers)
    : transforms_(local, comm, host, effort, scratch), dimensions_(local.dimensions()) {
  // The factors include the normalisation of the backward transform, which thus costs nothing.
  const double scale = 1 / local.points();
  for (int axis = 0; axis < dimensions_; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const std::ptrdiff_t bins = axis == 0 ? parameters.n[0] / 2 + 1 : parameters.n[a];
    const double d = parameters.spacing[a];
    const auto scaled = [&](std::vector<std::complex<double>> factors) {
      for (std::complex<double> &factor : factors)
        factor *= scale;
      return rounded<Real>(factors);
    };
    ahead_[a] = scaled(staggered_derivative(bins, parameters.n[a], d, Shift::forward));
    behind_[a] = scaled(staggered_derivative(bins, parameters.n[a], d, Shift::backward));
    unstagger_[a] = scaled(half_shift(bins, parameters.n[a], d));
  }
  comm.agree([&] {
    make_tables(parameters, multipliers.absorption
                                ? multipliers
                                : LaplacianMultipliers::of(parameters.alpha_power));
  });
}

template <class Real>
void GlobalFourier<Real>::make_tables(const Parameters &p,
                                      const LaplacianMultipliers &multipliers) {
  std::array<double, 3> d{};
  for (std::size_t a = 0; a < 3; ++a)
    d[a] = p.spacing[a];
  const double scale = 1 / transforms_.local().points();
  const double half = 0.5 * p.c_ref * p.dt;
  kappa_ = transforms_.table(d, [half](double k) { return kappa(half * k); });
  if (p.has_corrected_source())
    source_kappa_ =
        transforms_.table(d, [half, scale](double k) { return scale * source_kappa(half * k); });
  if (p.absorption == Absorption::power_law) {
    const auto scaled = [&](const std::function<double(double)> &f) {
      return transforms_.table(d, [&](double k) { return scale * f(k); });
    };
    laplacians_[0] = scaled(multipliers.absorption);
    laplacians_[1] = scaled(multipliers.dispersion);
  }
}

template <class Real>
void GlobalFourier<Real>::gradient(Field<Real> &p, const UseComponent<Real> &use) {
  transforms_.forward(p);
  for (int axis = 0; axis < dimensions_; ++axis) {
    transforms_.multiply(&kappa_, axis, ahead_[static_cast<std::size_t>(axis)], transforms_.work(),
                         p);
    transforms_.backward(p);
    use(axis, p);
  }
}

template <class Real>
void GlobalFourier<Real>::divergence_term(int axis, const Field<Real> &u,
                                          const UseField<Real> &use) {
  transforms_.forward(u);
  Field<Real> &work = transforms_.work();
  transforms_.multiply(&kappa_, axis, behind_[static_cast<std::size_t>(axis)], work, work);
  transforms_.backward(work);
  use(work);
}

template <class Real>
void GlobalFourier<Real>::filter(const Field<Real> &table, const Field<Real> &field,
                                 const UseField<Real> &use) {
  transforms_.forward(field);
  Field<Real> &work = transforms_.work();
  transforms_.multiply(table, work, work);
  transforms_.backward(work);
  use(work);
}

template <class Real>
void GlobalFourier<Real>::correct_source(Driven, const Field<Real> &source,
                                         const UseField<Real> &use) {
  filter(source_kappa_, source, use);
}

template <class Real>
void GlobalFourier<Real>::fractional_laplacian(FractionalLaplacian order, const Field<Real> &field,
                                               const UseField<Real> &use) {
  filter(laplacians_[order == FractionalLaplacian::absorption ? 0 : 1], field, use);
}

template <class Real>
void GlobalFourier<Real>::absorb(Real tau, Field<Real> &compression, Real eta,
                                 const Field<Real> &rho, const UseField<Real> &use) {
  Field<Real> &work = transforms_.work();
  transforms_.forward(compression);
  transforms_.multiply(laplacians_[0], work, compression);
  transforms_.forward(rho);
  transforms_.combine(tau, compression, -eta, laplacians_[1], work);
  transforms_.backward(work);
  use(work);
}

template <class Real>
void GlobalFourier<Real>::unstagger(int axis, const Field<Real> &u, const UseField<Real> &use) {
  transforms_.forward(u);
  Field<Real> &work = transforms_.work();
  transforms_.multiply(nullptr, axis, unstagger_[static_cast<std::size_t>(axis)], work, work);
  transforms_.backward(work);
  use(work);
}

template class GlobalFourier<float>;
template class GlobalFourier<double>;

} // namespace hybridfft::kspace
