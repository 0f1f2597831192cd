#include "solvers/kspace/operators/axisymmetric_fourier.h"

#include <cmath>
#include <numbers>
#include <stdexcept>

namespace hybridfft::kspace {

template <class Real>
AxisymmetricFourier<Real>::AxisymmetricFourier(const Parameters &p, const LocalGrid &local,
                                               const grid::Communicator &comm, grid::Host host,
                                               Effort effort, Field<Real> &scratch)
    : local_(local), spectrum_(local.extents(), comm), host_(host),
      flat_(local, comm, host, effort, scratch) {
  const std::array<double, 2> d{p.spacing[0], p.spacing[1]};
  const double half = 0.5 * p.c_ref * p.dt;
  // A pair of sine or cosine transforms scales by 2 Ny.
  const double scale = 0.5 / local.points();
  const std::ptrdiff_t bins = p.n[0] / 2 + 1;
  const auto scaled = [](std::vector<std::complex<double>> factors, double by) {
    for (std::complex<double> &factor : factors)
      factor *= by;
    return rounded<Real>(factors);
  };
  ahead_ = scaled(staggered_derivative(bins, p.n[0], d[0], Shift::forward), scale);
  behind_ = scaled(staggered_derivative(bins, p.n[0], d[0], Shift::backward), scale);
  unstagger_ = {scaled(half_shift(bins, p.n[0], d[0]), 2 * scale),
                scaled(half_shift(p.n[1], p.n[1], d[1]), 2 * scale)};
  std::vector<double> ky;
  for (std::ptrdiff_t j = 0; j < p.n[1]; ++j) {
    const double middle = static_cast<double>(j) + 0.5;
    ky.push_back(std::numbers::pi * middle / (static_cast<double>(p.n[1]) * d[1]));
    ky_.push_back(static_cast<Real>(ky.back() * scale));
    inverse_r_.push_back(static_cast<Real>(scale / (middle * d[1])));
  }
  comm.agree([&] {
    for (Field<Real> *field : {&columns_, &more_columns_})
      *field = Field<Real>(local.operand_size(), host.threads);
    const grid::Box box = spectrum_.box();
    const auto table = [&](Field<Real> &into, const auto &f) {
      into = Field<Real>(static_cast<std::size_t>(box.extent(0) * box.extent(2)), host.threads);
      const grid::View<Real> out{into.data(), 1, box.extent(2)};
      for (std::ptrdiff_t i = 0; i < box.extent(0); ++i)
        for (std::ptrdiff_t k = 0; k < box.extent(2); ++k)
          out(i, 0, k) =
              static_cast<Real>(f(half * std::hypot(wavenumber(spectrum_.start() + i, p.n[0], d[0]),
                                                    ky[static_cast<std::size_t>(k)])));
    };
    table(kappa_, [](double a) { return kappa(a); });
    if (p.has_corrected_source())
      table(source_kappa_, [scale](double a) { return scale * source_kappa(a); });
  });
  plan_transforms(p, comm, effort, scratch);
}

template <class Real>
void AxisymmetricFourier<Real>::plan_transforms(const Parameters &p, const grid::Communicator &comm,
                                                Effort effort, Field<Real> &scratch) {
  const std::vector<std::ptrdiff_t> extents{p.n[1], p.n[0]};
  Options options;
  options.comm = comm.handle();
  options.effort = effort;
  options.deterministic = true;
  options.threads = host_.threads;
  options.transposed_out = true;
  const auto plan_forward = [&](Forward &plan, int kind) {
    options.kinds = {kind, HFFT_DFT};
    plan = Forward(extents, scratch.real(), columns_.spectrum(), options);
  };
  plan_forward(dct3_, HFFT_REDFT01);
  plan_forward(dct4_, HFFT_REDFT11);
  plan_forward(dst4_, HFFT_RODFT11);
  options.transposed_out = false;
  options.transposed_in = true;
  const auto plan_backward = [&](Backward &plan, int kind) {
    options.kinds = {kind, HFFT_DFT};
    plan = Backward(extents, columns_.spectrum(), columns_.real(), options);
  };
  plan_backward(back_dct2_, HFFT_REDFT10);
  plan_backward(back_dst4_, HFFT_RODFT11);
}

template <class Real>
template <class F>
void AxisymmetricFourier<Real>::for_each_column_value(const F &f) const {
  const grid::Box box = spectrum_.box();
  const std::ptrdiff_t start = spectrum_.start();
  // Calls f(offset in a spectrum, global index along kx, index along y).
  parallel_for(host_, box, [=](auto i, auto, auto k) { f(i * box.extent(2) + k, start + i, k); });
}

template <class Real>
void AxisymmetricFourier<Real>::gradient(Field<Real> &p, const UseComponent<Real> &use) {
  forward(dct3_, p, columns_);
  Complex<Real> *spectrum = columns_of(more_columns_);
  Complex<Real> *out = columns_of(columns_);
  const Real *kappa = kappa_.data();
  const Complex<Real> *ahead = ahead_.data();
  for_each_column_value([=](auto at, auto i, auto) {
    const Complex<Real> v{kappa[at] * out[at].re, kappa[at] * out[at].im};
    spectrum[at] = v;
    out[at] = {ahead[i].re * v.re - ahead[i].im * v.im, ahead[i].re * v.im + ahead[i].im * v.re};
  });
  backward(back_dct2_, columns_, [&](const Field<Real> &result) { use(0, result); });
  const Real *ky = ky_.data();
  for_each_column_value([=](auto at, auto, auto k) {
    out[at] = {-ky[k] * spectrum[at].re, -ky[k] * spectrum[at].im};
  });
  backward(back_dst4_, columns_, [&](const Field<Real> &result) { use(1, result); });
}

template <class Real>
void AxisymmetricFourier<Real>::divergence_term(int axis, const Field<Real> &u,
                                                const UseField<Real> &use) {
  Complex<Real> *out = columns_of(columns_);
  const Real *kappa = kappa_.data();
  if (axis == 0) {
    forward(dct3_, u, columns_);
    const Complex<Real> *behind = behind_.data();
    for_each_column_value([=](auto at, auto i, auto) {
      const Complex<Real> v{kappa[at] * out[at].re, kappa[at] * out[at].im};
      out[at] = {behind[i].re * v.re - behind[i].im * v.im,
                 behind[i].re * v.im + behind[i].im * v.re};
    });
  } else {
    // The radial part of the divergence is du/dr + u/r. u/r is a sum of cosines.
    divide_by_radius(u, columns_);
    forward(dct4_, columns_, more_columns_);
    forward(dst4_, u, columns_);
    const Complex<Real> *over_r = columns_of(more_columns_);
    const Real *ky = ky_.data();
    for_each_column_value([=](auto at, auto, auto k) {
      out[at] = {kappa[at] * (ky[k] * out[at].re + over_r[at].re),
                 kappa[at] * (ky[k] * out[at].im + over_r[at].im)};
    });
  }
  backward(back_dct2_, columns_, use);
}

template <class Real>
void AxisymmetricFourier<Real>::divide_by_radius(const Field<Real> &u,
                                                 Field<Real> &quotient) const {
  const grid::Box box = local_.box();
  const grid::View<Real> from = u.view(local_);
  const grid::View<Real> to = quotient.view(local_);
  const Real *inverse_r = inverse_r_.data() + local_.start(0);
  parallel_for(host_, box,
               [=](auto i, auto j, auto k) { to(i, j, k) = inverse_r[i] * from(i, j, k); });
}

template <class Real>
void AxisymmetricFourier<Real>::correct_source(Driven driven, const Field<Real> &source,
                                               const UseField<Real> &use) {
  const bool sines = driven == Driven::uy;
  forward(sines ? dst4_ : dct3_, source, columns_);
  Complex<Real> *out = columns_of(columns_);
  const Real *factor = source_kappa_.data();
  for_each_column_value([=](auto at, auto, auto) {
    out[at] = {factor[at] * out[at].re, factor[at] * out[at].im};
  });
  backward(sines ? back_dst4_ : back_dct2_, columns_, use);
}

template <class Real>
void AxisymmetricFourier<Real>::fractional_laplacian(FractionalLaplacian, const Field<Real> &,
                                                     const UseField<Real> &) {
  throw std::logic_error("power-law absorption on an axisymmetric grid");
}

template <class Real>
void AxisymmetricFourier<Real>::absorb(Real, Field<Real> &, Real, const Field<Real> &,
                                       const UseField<Real> &) {
  throw std::logic_error("power-law absorption on an axisymmetric grid");
}

template <class Real>
void AxisymmetricFourier<Real>::unstagger(int axis, const Field<Real> &u,
                                          const UseField<Real> &use) {
  flat_.forward(u);
  flat_.multiply(nullptr, axis, unstagger_[static_cast<std::size_t>(axis)], flat_.work(),
                 flat_.work());
  flat_.backward(flat_.work());
  use(flat_.work());
}

template <class Real> std::string AxisymmetricFourier<Real>::describe() const {
  return dct3_.describe() + "\n" + back_dct2_.describe();
}

template class AxisymmetricFourier<float>;
template class AxisymmetricFourier<double>;

} // namespace hybridfft::kspace
